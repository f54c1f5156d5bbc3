# muParser ships no CMake package on Debian 12 or Ubuntu 22.04: find the header and the library by name.
# The installed package includes this same file, so that a user's machine finds its own muParser.
find_path(MBDBENCH_MUPARSER_INCLUDE muParser.h)
find_library(MBDBENCH_MUPARSER_LIBRARY muparser)
mark_as_advanced(MBDBENCH_MUPARSER_INCLUDE MBDBENCH_MUPARSER_LIBRARY)
if(NOT MBDBENCH_MUPARSER_INCLUDE OR NOT MBDBENCH_MUPARSER_LIBRARY)
  set(MBDBENCH_MUPARSER_MISSING "mbdbench needs muParser (Debian package libmuparser-dev): muParser.h or the library was not found")
  if(CMAKE_FIND_PACKAGE_NAME)
    # Inside find_package the caller decides whether a missing library is fatal (REQUIRED, QUIET).
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "${MBDBENCH_MUPARSER_MISSING}")
    return()
  endif()
  message(FATAL_ERROR "${MBDBENCH_MUPARSER_MISSING}")
endif()
if(NOT TARGET mbdbench_muparser)
  # Imported, so that its headers are system headers and the export names it instead of baking in a path of the build machine.
  add_library(mbdbench_muparser UNKNOWN IMPORTED GLOBAL)
  set_target_properties(mbdbench_muparser PROPERTIES
    IMPORTED_LOCATION "${MBDBENCH_MUPARSER_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${MBDBENCH_MUPARSER_INCLUDE}")
endif()
