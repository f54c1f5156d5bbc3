#pragma once
/// \file
/// Counts heap allocations of the current thread, to hold the hot calls to their promise of allocating nothing.
///
/// The guard replaces malloc itself and not only operator new: Eigen's dynamic matrices call malloc directly, so that
/// an overridden operator new would miss exactly the temporaries that matter here. It is not a debug mode either: the
/// Release build is what is measured, and there the optimiser may add or remove temporaries.
#include <cstddef>

namespace mbdbench {

/// Counts malloc, calloc, realloc, aligned_alloc, posix_memalign and memalign calls of this thread since construction.
///
/// `EXPECT_EQ(guard.count(), 0u)` means something only where `AllocationGuard::active()`; elsewhere the count stays
/// zero.
class AllocationGuard {
 public:
  AllocationGuard();
  /// \returns allocations of this thread since construction.
  [[nodiscard]] std::size_t count() const;
  /// \returns whether allocations are seen at all: on Linux with glibc, and not under Address-, Thread- or
  /// MemorySanitizer,
  ///          which replace malloc themselves.
  [[nodiscard]] static bool active();

 private:
  std::size_t start_;
};

}  // namespace mbdbench
