# How many files one compilation takes together where CMAKE_UNITY_BUILD is on, since headers cost more than our own lines:
# few cores are ready sooner with larger ones, which need up to 4 GiB; many cores need many that are small.
cmake_host_system_information(RESULT MBDBENCH_CORES QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT MBDBENCH_MEMORY QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
set(MBDBENCH_TOGETHER 12)
math(EXPR MEMORY_OF_A_CORE "${MBDBENCH_MEMORY} / ${MBDBENCH_CORES}")
if(MBDBENCH_CORES LESS_EQUAL 4 AND MEMORY_OF_A_CORE GREATER 5000)
  set(MBDBENCH_TOGETHER 24)
endif()

# mbdbench_unity_groups(SOURCES...): so many files of one folder or of small folders that follow one another. So names in
# anonymous namespaces differ within a group; a build by files does not notice.
function(mbdbench_unity_groups)
  set(LARGEST ${MBDBENCH_TOGETHER})
  foreach(SOURCE ${ARGN})
    get_filename_component(FOLDER ${SOURCE} DIRECTORY)
    list(APPEND FOLDERS ${FOLDER})
    list(APPEND FILES_OF_${FOLDER} ${SOURCE})
  endforeach()
  list(REMOVE_DUPLICATES FOLDERS)
  set(COUNT ${LARGEST})
  foreach(FOLDER ${FOLDERS})
    list(LENGTH FILES_OF_${FOLDER} SIZE)
    # A folder of its own group is called by its name; others by that of the first.
    math(EXPR TOGETHER "${COUNT} + ${SIZE}")
    if(TOGETHER GREATER LARGEST)
      file(RELATIVE_PATH NAME ${PROJECT_SOURCE_DIR} ${FOLDER})
      string(REPLACE "/" "_" NAME ${NAME})
      set(COUNT 0)
    endif()
    foreach(SOURCE ${FILES_OF_${FOLDER}})
      math(EXPR BATCH "${COUNT} / ${LARGEST}")
      math(EXPR COUNT "${COUNT} + 1")
      set_source_files_properties(${SOURCE} PROPERTIES UNITY_GROUP ${NAME}_${BATCH})
    endforeach()
  endforeach()
endfunction()

# mbdbench_precompiled(TARGET HEADERS...): libraries' headers that most files of a target include, compiled once. Under
# sanitizers alone, whose builds nobody changes a file in: a header that is included nowhere else would not be missed.
function(mbdbench_precompiled TARGET)
  if(MBDBENCH_SANITIZE)
    target_precompile_headers(${TARGET} PRIVATE ${ARGN} <algorithm> <array> <cmath> <functional> <memory> <optional> <span>
                              <string> <string_view> <vector>)
  endif()
endfunction()

# mbdbench_room(NAME DIRECTORY dir LINKS targets... [ONLY files...]): the static library mbdbench_NAME from every .cpp below dir,
# or from ONLY these of it.
# Sources are globbed so that a new formulation or mechanism costs its own files and one registry line, and no build line.
function(mbdbench_room NAME)
  cmake_parse_arguments(ROOM "" "DIRECTORY" "LINKS;ONLY" ${ARGN})
  file(GLOB_RECURSE SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ROOM_DIRECTORY}/*.cpp)
  list(FILTER SOURCES EXCLUDE REGEX "/main\\.cpp$")
  if(ROOM_ONLY)
    list(TRANSFORM ROOM_ONLY PREPEND ${PROJECT_SOURCE_DIR}/${ROOM_DIRECTORY}/ OUTPUT_VARIABLE SOURCES)
  endif()
  mbdbench_unity_groups(${SOURCES})
  add_library(mbdbench_${NAME} STATIC ${SOURCES})
  add_library(mbdbench::${NAME} ALIAS mbdbench_${NAME})
  target_include_directories(mbdbench_${NAME} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mbdbench>)
  target_compile_features(mbdbench_${NAME} PUBLIC cxx_std_20)
  target_link_libraries(mbdbench_${NAME} PUBLIC ${ROOM_LINKS} mbdbench_abi PRIVATE $<BUILD_INTERFACE:mbdbench_warnings>)
  mbdbench_precompiled(mbdbench_${NAME} <Eigen/Dense> <fmt/format.h>)
  # What threads do most is in the room of formulations. Under AddressSanitizer, whose tests are most of all, unoptimised rooms
  # would save four minutes of compilation and cost ten of tests.
  if(MBDBENCH_SANITIZE STREQUAL "thread" AND NOT NAME STREQUAL "formulations")
    target_compile_options(mbdbench_${NAME} PRIVATE -O0)
  endif()
  set_target_properties(mbdbench_${NAME} PROPERTIES EXPORT_NAME ${NAME} UNITY_BUILD_MODE GROUP)
endfunction()
