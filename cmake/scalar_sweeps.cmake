# Sweeps along chains work on a few dozen numbers at a time, which have to stay in registers. Automatic vectorisation packs
# them into vectors and takes them apart again: GCC 12 makes `aba` 1.5 times slower by it on a machine with AVX-512
# (docs/formulations.md). GCC fuses multiplications and additions by itself, Clang has to be asked.
set(MBDBENCH_SCALAR_SWEEPS formulations/aba/link_aba.cpp formulations/naudet/link_naudet.cpp)
set(MBDBENCH_SCALAR_SWEEP_OPTIONS -fno-tree-vectorize -fno-tree-slp-vectorize)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(MBDBENCH_SCALAR_SWEEP_OPTIONS -fno-vectorize -fno-slp-vectorize -ffp-contract=fast)
endif()
set_source_files_properties(${MBDBENCH_SCALAR_SWEEPS} PROPERTIES COMPILE_OPTIONS "${MBDBENCH_SCALAR_SWEEP_OPTIONS}")
