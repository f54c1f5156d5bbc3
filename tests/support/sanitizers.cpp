#include "tests/support/sanitizers.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MBDBENCH_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MBDBENCH_OTHER_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define MBDBENCH_ADDRESS_SANITIZER
#endif
#ifdef __SANITIZE_THREAD__
#define MBDBENCH_OTHER_SANITIZER
#endif

namespace mbdbench::test {

bool under_address_sanitizer() {
#ifdef MBDBENCH_ADDRESS_SANITIZER
  return true;
#else
  return false;
#endif
}

bool sanitizer_owns_malloc() {
#ifdef MBDBENCH_OTHER_SANITIZER
  return true;
#else
  return under_address_sanitizer();
#endif
}

}  // namespace mbdbench::test
