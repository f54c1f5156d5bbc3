# mbdbench_kernels(TARGET): every *_for_sets.cpp below formulations/, once for each instruction set, of which one is chosen when
# the program runs. A file of the build's own folder includes it after MBDBENCH_LANES, the doubles of a register.
# Packs say what goes side by side; automatic vectorisation on top of them gains on one processor and ruins on another.
# They stand by themselves, since in a unity build one file's switches would be those of its neighbours.
function(mbdbench_kernels TARGET)
  set(COMMON -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(COMMON -fno-vectorize -fno-slp-vectorize -ffp-contract=fast)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(baseline -march=x86-64)
    set(avx2 -march=x86-64-v3)
    set(avx512 -march=x86-64-v4)
  endif()
  set(baseline_LANES 2)
  set(avx2_LANES 4)
  set(avx512_LANES 8)
  set(SETS baseline avx2 avx512)
  # All sets are one source with other numbers of lanes: sanitizers look at the fewest and at the most that this machine
  # has.
  if(MBDBENCH_SANITIZE AND avx512)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE MACROS)
    if(MACROS MATCHES "__AVX512VL__")
      set(LEFT_OUT avx2)
    else()
      set(LEFT_OUT avx512)
    endif()
    list(REMOVE_ITEM SETS ${LEFT_OUT})
    string(TOUPPER ${LEFT_OUT} NAME)
    target_compile_definitions(${TARGET} PUBLIC MBDBENCH_WITHOUT_${NAME})
  endif()
  file(GLOB_RECURSE FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/formulations/*_for_sets.cpp)
  set_source_files_properties(${FILES} PROPERTIES HEADER_FILE_ONLY ON)
  foreach(FILE ${FILES})
    file(RELATIVE_PATH INCLUDED ${PROJECT_SOURCE_DIR} ${FILE})
    get_filename_component(NAME ${FILE} NAME)
    foreach(SET ${SETS})
      set(COMPILED ${PROJECT_BINARY_DIR}/kernels/${SET}/${NAME})
      file(CONFIGURE OUTPUT ${COMPILED} CONTENT "#define MBDBENCH_LANES ${${SET}_LANES}\n#include \"${INCLUDED}\"\n")
      set_source_files_properties(${COMPILED} PROPERTIES COMPILE_OPTIONS "${COMMON};${${SET}}" SKIP_UNITY_BUILD_INCLUSION ON
                                                         SKIP_PRECOMPILE_HEADERS ON)
      target_sources(${TARGET} PRIVATE ${COMPILED})
    endforeach()
  endforeach()
endfunction()

# Scalar sweeps along chains work on a few dozen numbers at a time, which have to stay in registers. GCC 12 packs them into
# vectors and takes them apart again, which made `aba` 1.15 times slower on a machine with AVX-512
# (docs/understanding/formulations/recursions.md).
function(mbdbench_scalar_sweeps)
  set(COMMON -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(COMMON -fno-vectorize -fno-slp-vectorize -ffp-contract=fast)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${COMMON}" SKIP_UNITY_BUILD_INCLUSION ON
                                                  SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Scalar code of a binary for every machine that is worth compiling twice (MBDBENCH_SWEEP). Clang 14 cannot choose by a
# level of the architecture. Functions that are chosen at the start run before sanitizers are ready for them.
function(mbdbench_cloned_sweeps)
  if(NOT MBDBENCH_NATIVE AND NOT MBDBENCH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
     CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS MBDBENCH_CLONED_SWEEPS
                                                   SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
