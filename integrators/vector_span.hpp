#pragma once
/// \file
/// Eigen's vectors as the spans in which the rest of this room speaks. Cost: none.
#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace mbdbench {

inline std::span<const double> as_span(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline std::span<double> as_span(Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace mbdbench
