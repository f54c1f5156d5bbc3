# The commit must be the one of the last build, not of the last configuration: a target that every build runs writes
# build_information.cpp anew, and only changes the file (and so compiles it) when something in it changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" BUILD_TYPE_UPPER)
  set(BUILD_INFORMATION_FLAGS "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${BUILD_TYPE_UPPER}}")
  if(MBDBENCH_NATIVE)
    string(APPEND BUILD_INFORMATION_FLAGS " -march=native")
  endif()
  if(MBDBENCH_SANITIZE)
    string(APPEND BUILD_INFORMATION_FLAGS " -fsanitize=${MBDBENCH_SANITIZE}")
  endif()
  string(STRIP "${BUILD_INFORMATION_FLAGS}" BUILD_INFORMATION_FLAGS)
  set(BUILD_INFORMATION_SOURCE ${PROJECT_BINARY_DIR}/generated/build_information.cpp)
  add_custom_target(mbdbench_build_information
    COMMAND ${CMAKE_COMMAND} "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${BUILD_INFORMATION_SOURCE}"
            "-DVERSION=${PROJECT_VERSION}" "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            "-DFLAGS=${BUILD_INFORMATION_FLAGS}" "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}" -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${BUILD_INFORMATION_SOURCE} COMMENT "Writing build_information.cpp" VERBATIM)
  target_sources(mbdbench_experiments PRIVATE ${BUILD_INFORMATION_SOURCE})
  add_dependencies(mbdbench_experiments mbdbench_build_information)
  return()
endif()

# As a script. A release archive unpacked inside some other checkout must not report that one's commit. Nor must what git
# tells its hooks and `git rebase --exec`, in GIT_DIR and the like, stand for this checkout.
set(COMMIT "unknown")
set(DIRTY "std::nullopt")
find_program(GIT git)
if(GIT)
  foreach(VARIABLE GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_COMMON_DIR)
    unset(ENV{${VARIABLE}})
  endforeach()
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-toplevel
                  OUTPUT_VARIABLE TOP OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(REAL_SOURCE_DIR "${SOURCE_DIR}" REALPATH)
  if(TOP STREQUAL REAL_SOURCE_DIR)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --verify -q HEAD
                    OUTPUT_VARIABLE HEAD OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(HEAD)
      set(COMMIT "${HEAD}")
      # Results and notes that lie about in the tree change nothing; new files in the rooms are compiled.
      set(ROOMS cmake mechanisms formulations integrators experiments)
      execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} --no-optional-locks status --porcelain --untracked-files=no
                      OUTPUT_VARIABLE CHANGES RESULT_VARIABLE FAILED ERROR_QUIET)
      execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} ls-files --others --exclude-standard -- ${ROOMS}
                      OUTPUT_VARIABLE NEW_SOURCES RESULT_VARIABLE FAILED_TOO ERROR_QUIET)
      if(CHANGES OR NEW_SOURCES)
        set(DIRTY true)
      elseif(FAILED EQUAL 0 AND FAILED_TOO EQUAL 0)
        set(DIRTY false)
      endif()
    endif()
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_information.cpp.in ${OUTPUT} @ONLY)
