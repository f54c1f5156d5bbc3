#pragma once
/// \file
/// How two ranks that evaluate one right-hand side together pass numbers to each other.
#include <span>

namespace mbdbench {

/// One side of a connection between rank 0 and rank 1. Both ranks call `swap` in the same order; a call returns when
/// the other rank's numbers are there.
class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  Exchange(Exchange&&) = delete;
  Exchange& operator=(Exchange&&) = delete;

  /// \returns 0 or 1.
  [[nodiscard]] virtual int rank() const = 0;
  /// Sends `own` and receives `other`; each may be of any length that the other rank expects.
  virtual void swap(std::span<const double> own, std::span<double> other) = 0;
};

}  // namespace mbdbench
