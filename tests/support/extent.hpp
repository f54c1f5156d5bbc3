#pragma once
/// \file
/// How much a test does: all of it, or a quarter under AddressSanitizer, which takes four to eight times as long.
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MBDBENCH_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MBDBENCH_ADDRESS_SANITIZER
#endif

namespace mbdbench::test {

/// \param number of random mechanisms, of what is found in them at least, or of bodies
/// \returns that number; under AddressSanitizer a quarter of it, rounded up: the same code sees fewer mechanisms there,
///          while what is computed is compared for all of them where nothing is instrumented
constexpr std::uint64_t extent(std::uint64_t number) {
#ifdef MBDBENCH_ADDRESS_SANITIZER
  return (number + 3) / 4;
#else
  return number;
#endif
}

}  // namespace mbdbench::test
