#pragma once
/// \file
/// Eigen's vectors as the spans that interfaces take.
#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace mbdbench {

/// \returns all entries; valid as long as the vector is neither resized nor destroyed.
inline std::span<const double> view(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// \returns all entries, writable; valid as long as the vector is neither resized nor destroyed.
inline std::span<double> view(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace mbdbench
