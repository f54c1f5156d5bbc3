# Files that are compiled once for every instruction set and chosen when the program runs (formulations/subchains).
# Packs say what goes side by side; automatic vectorisation on top of them gains on one processor and ruins on another.
# They stand by themselves, since in a unity build one file's switches would be those of its neighbours.
function(mbdbench_kernel_files FOLDER)
  set(COMMON -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(COMMON -fno-vectorize -fno-slp-vectorize -ffp-contract=fast)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(baseline -march=x86-64)
    set(avx2 -march=x86-64-v3)
    set(avx512 -march=x86-64-v4)
  endif()
  foreach(SET baseline avx2 avx512)
    file(GLOB FILES CONFIGURE_DEPENDS ${FOLDER}/*_${SET}.cpp)
    if(NOT FILES)
      message(FATAL_ERROR "${FOLDER} has no file *_${SET}.cpp to compile for ${SET}")
    endif()
    set_source_files_properties(${FILES} PROPERTIES COMPILE_OPTIONS "${COMMON};${${SET}}" SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
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
