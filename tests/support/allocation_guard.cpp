#include "tests/support/allocation_guard.hpp"

// Before the macros below are asked: __GLIBC__ comes from a header.
#include <cerrno>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MBDBENCH_SANITIZER_OWNS_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MBDBENCH_SANITIZER_OWNS_MALLOC
#endif
#if defined(__linux__) && defined(__GLIBC__) && !defined(MBDBENCH_SANITIZER_OWNS_MALLOC)
#define MBDBENCH_COUNTS_ALLOCATIONS
#endif

namespace {

// A plain thread-local number: it needs no constructor, so malloc may touch it before main and in every thread.
constinit thread_local std::size_t allocations = 0;

}  // namespace

#ifdef MBDBENCH_COUNTS_ALLOCATIONS

// The executable's own malloc comes first in symbol lookup, for the shared libraries too, and hands on to glibc's under
// the names that glibc keeps for this purpose. free stays glibc's: the memory is glibc's.
extern "C" {

// NOLINTBEGIN(readability-identifier-naming): glibc's names.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(readability-identifier-naming)

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  // POSIX asks for a power of two that is a multiple of sizeof(void*); __libc_memalign would round up in silence.
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  ++allocations;
  const int saved_errno = errno;
  void* const allocated = __libc_memalign(alignment, size);
  errno = saved_errno;  // posix_memalign reports by its return value only.
  if (allocated == nullptr) {
    return ENOMEM;
  }
  *memory = allocated;
  return 0;
}

}  // extern "C"

#endif

namespace mbdbench {

AllocationGuard::AllocationGuard() : start_(allocations) {}

std::size_t AllocationGuard::count() const {
  return allocations - start_;
}

bool AllocationGuard::active() {
#ifdef MBDBENCH_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

}  // namespace mbdbench
