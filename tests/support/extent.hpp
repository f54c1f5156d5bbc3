#pragma once
/// \file
/// How much a test does: all of it, or a quarter under AddressSanitizer, which takes four to eight times as long.
#include <cstdint>

#include "tests/support/sanitizers.hpp"

namespace mbdbench::test {

/// \param number of random mechanisms, of what is found in them at least, or of bodies
/// \returns that number; under AddressSanitizer a quarter of it, rounded up: the same code sees fewer mechanisms there,
///          while what is computed is compared for all of them where nothing is instrumented
inline std::uint64_t extent(std::uint64_t number) {
  return under_address_sanitizer() ? (number + 3) / 4 : number;
}

}  // namespace mbdbench::test
