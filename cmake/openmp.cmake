# OpenMP, which shares right-hand sides among threads. Required and not optional: every GCC has its libgomp, Clang's libomp
# is one package, and a second, serial form of the suite would be one that nobody tests. To compute on one thread takes no
# build of its own: it is the default.
find_package(OpenMP COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no OpenMP, which shares right-hand sides among threads. "
                      "For Clang install libomp-dev (Debian), with GCC it comes along.")
endif()

# ThreadSanitizer does not see inside OpenMP's library and calls its barriers races, unless the tool library Archer tells it
# of them, which stands beside Clang's libomp.
if(MBDBENCH_SANITIZE STREQUAL "thread")
  get_filename_component(OPENMP_LIBRARY "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(OPENMP_LIBRARY_FOLDER "${OPENMP_LIBRARY}" DIRECTORY)
  find_library(MBDBENCH_ARCHER archer HINTS ${OPENMP_LIBRARY_FOLDER})
  if(NOT MBDBENCH_ARCHER)
    message(FATAL_ERROR "ThreadSanitizer needs Clang and libarcher.so, which tells it of OpenMP's barriers and stands beside "
                        "libomp.so (Debian package libomp-dev); there is none in '${OPENMP_LIBRARY_FOLDER}'")
  endif()
endif()

# mbdbench_openmp_folder(TARGET FOLDER): switches OpenMP on in the .cpp files of one folder of the target, and nowhere else:
# Eigen would divide large products among threads of its own wherever it is on. Who links the target links the library.
function(mbdbench_openmp_folder TARGET FOLDER)
  file(GLOB FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${FOLDER}/*.cpp)
  set_source_files_properties(${FILES} PROPERTIES COMPILE_OPTIONS "${OpenMP_CXX_FLAGS}" SKIP_UNITY_BUILD_INCLUSION ON
                                                  SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(${TARGET} INTERFACE $<LINK_ONLY:OpenMP::OpenMP_CXX>)
endfunction()
