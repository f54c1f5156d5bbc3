#pragma once
/// \file
/// Which sanitizers the program under test is built for. Asked of the libraries' build and not of the compiler of a
/// test, whose object may be linked to either (MBDBENCH_TESTS_OF in tests/CMakeLists.txt).

namespace mbdbench::test {

/// \returns whether this is a build for AddressSanitizer
bool under_address_sanitizer();

/// \returns whether a sanitizer has a malloc of its own here: AddressSanitizer, ThreadSanitizer, MemorySanitizer
bool sanitizer_owns_malloc();

}  // namespace mbdbench::test
