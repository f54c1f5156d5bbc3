# Warnings of our own code; libraries are SYSTEM includes.
add_library(mbdbench_warnings INTERFACE)
target_compile_options(mbdbench_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wcast-align -Wunused -Wdouble-promotion -Wextra-semi $<$<BOOL:${MBDBENCH_WERROR}>:-Werror>
  # GCC 12 and 14 report these inside inlined Eigen expressions, std::string concatenations and assigned lists that they cannot follow;
  # GCC 12 calls its own AVX-512 headers uninitialised. Clang looks for the same under the sanitizers.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-uninitialized>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict>
  # Newer Clang reports what libstdc++ 12 and Boost 1.74 themselves call deprecated, wherever our code makes them do so.
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,15>>:-Wno-deprecated-declarations>
  # GCC warns of members whose types are local to a file unless that file is the one compiled; here it is included.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)
# clang-tidy within Clang (tests/lint/tidy_plugin.cpp): what is compiled is looked at on the way, a report for each compilation.
if(MBDBENCH_TIDY_PLUGIN)
  target_compile_options(mbdbench_warnings INTERFACE -fplugin=${MBDBENCH_TIDY_PLUGIN}
                                                     -fplugin-arg-tidy-reports=${PROJECT_BINARY_DIR}/tidy)
endif()

# What changes the layout of Eigen's types reaches every user of the library, or the two disagree on alignment.
add_library(mbdbench_abi INTERFACE)
if(MBDBENCH_NATIVE)
  target_compile_options(mbdbench_abi INTERFACE -march=native)
endif()
if(MBDBENCH_SANITIZE)
  # A target that says so is not asked what is undefined: switched off by an option of its own, this would switch it on again.
  set(ALONE "$<BOOL:$<TARGET_PROPERTY:MBDBENCH_SANITIZE_ADDRESSES_ALONE>>")
  string(REPLACE ",undefined" "$<$<NOT:${ALONE}>:$<COMMA>undefined>" SANITIZE "${MBDBENCH_SANITIZE}")
  if(MBDBENCH_SANITIZE MATCHES "undefined," OR MBDBENCH_SANITIZE STREQUAL "undefined")
    message(FATAL_ERROR "MBDBENCH_SANITIZE is '${MBDBENCH_SANITIZE}': 'undefined' is known after 'address', 'address,undefined'")
  endif()
  target_compile_options(mbdbench_abi INTERFACE -fsanitize=${SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mbdbench_abi INTERFACE -fsanitize=${MBDBENCH_SANITIZE})
  # AddressSanitizer sees accesses through null, past the end of an object and through pointers that wrapped, too. Asking
  # twice costs a quarter of the build, and in kernels the sums of pointers alone two thirds (54 s and 17 s for one file).
  if(MBDBENCH_SANITIZE MATCHES "address.*undefined" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(mbdbench_abi INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
  endif()
  # In long functions AddressSanitizer calls its checks instead of writing them out. It finds the same, and the largest kernel
  # compiles in 18 s instead of 61 s.
  if(MBDBENCH_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(mbdbench_abi INTERFACE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=500")
  endif()
endif()
