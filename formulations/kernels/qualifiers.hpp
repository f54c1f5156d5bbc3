#pragma once
/// \file
/// How every kernel function is declared: inlined into the sweep that calls it, for hosts and devices.
///
/// Inlining is a matter of correctness here, not only of speed: the same header is compiled for several instruction
/// sets, and a function that stood on its own could be taken by the linker from the wrong one.

#if defined(__CUDACC__)
#define MBDBENCH_KERNEL __host__ __device__ __forceinline__
#define MBDBENCH_INLINED __host__ __device__
#else
#define MBDBENCH_KERNEL __attribute__((always_inline)) inline
// Behind the parameters of a function object.
#define MBDBENCH_INLINED __attribute__((always_inline))
#endif

// A sweep of scalar kernels in a binary for every machine (cmake/kernels.cmake): compiled again for processors that
// fuse multiplication and addition, and chosen when the program starts.
#if defined(MBDBENCH_CLONED_SWEEPS)
#define MBDBENCH_SWEEP __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define MBDBENCH_SWEEP
#endif
