#pragma once
/// \file
/// The largest of what a run shows.
#include <cmath>

namespace mbdbench {

/// NaN stays: what is not a number must not look right.
inline void keep_largest(double& largest, double value) {
  if (!(std::abs(value) <= largest)) {
    largest = std::abs(value);
  }
}

}  // namespace mbdbench
