#include "integrators/error_norm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "integrators/ode_partners.hpp"

namespace mbdbench {

ErrorNorm::ErrorNorm(const OdeOptions& options, std::size_t size)
    : norm_control_(options.norm_control), partners_(options.partners) {
  thresholds_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto& tolerance = options.absolute_tolerance;
    thresholds_[i] = (tolerance.size() == 1 ? tolerance[0] : tolerance[i]) / options.relative_tolerance;
    if (options.error_mask.empty() || options.error_mask[i]) {
      controlled_.push_back(i);
    }
  }
}

double ErrorNorm::component_ratio(std::size_t i, std::span<const double> error, std::span<const double> a,
                                  std::span<const double> b) const {
  return std::abs(error[i]) / std::max({std::abs(a[i]), std::abs(b[i]), thresholds_[i]});
}

double ErrorNorm::euclidean(std::span<const double> v) const {
  double sum = 0.0;
  for (const std::size_t i : controlled_) {
    sum += v[i] * v[i];
  }
  return std::sqrt(sum);
}

/// Over all components. Numbers without a sign are ordered as their bits are, Inf and NaN last: a maximum of integers,
/// which compilers take in vector registers.
double ErrorNorm::largest_ratio(const double* error, const double* a, const double* b) const {
  constexpr std::int64_t kMagnitude = std::numeric_limits<std::int64_t>::max();
  const double* const thresholds = thresholds_.data();
  const std::size_t size = thresholds_.size();
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double of_a = std::abs(a[i]);
    const double of_b = std::abs(b[i]);
    const double state = of_a > of_b ? of_a : of_b;
    const double ratio = std::abs(error[i]) / (state > thresholds[i] ? state : thresholds[i]);
    const std::int64_t bits = std::bit_cast<std::int64_t>(ratio) & kMagnitude;
    largest = bits > largest ? bits : largest;
  }
  return std::bit_cast<double>(largest);
}

double ErrorNorm::relative(std::span<const double> error, std::span<const double> a, std::span<const double> b) const {
  double size = own_relative(error, a, b);
  agree(std::span(&size, 1));
  return size;
}

void ErrorNorm::agree(std::span<double> own_sizes) const {
  if (partners_ != nullptr) {
    partners_->agree(own_sizes);
  }
}

double ErrorNorm::own_relative(std::span<const double> error, std::span<const double> a,
                               std::span<const double> b) const {
  double largest = 0.0;
  if (norm_control_) {
    largest = euclidean(error) / std::max({euclidean(a), euclidean(b), thresholds_[0]});
  } else if (controlled_.size() == thresholds_.size()) {
    largest = largest_ratio(error.data(), a.data(), b.data());
  } else {
    for (const std::size_t i : controlled_) {
      const double ratio = component_ratio(i, error, a, b);
      if (!(ratio <= largest)) {
        largest = ratio;
        if (std::isnan(ratio)) {
          break;  // a later finite ratio would replace the NaN
        }
      }
    }
  }
  return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
}

std::size_t ErrorNorm::dominant_component(std::span<const double> error, std::span<const double> a,
                                          std::span<const double> b) const {
  const std::size_t own = *std::max_element(controlled_.begin(), controlled_.end(), [&](std::size_t i, std::size_t j) {
    return component_ratio(i, error, a, b) < component_ratio(j, error, a, b);
  });
  if (partners_ == nullptr) {
    return own;
  }
  const double ratio = component_ratio(own, error, a, b);
  double largest = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  const double own_largest = largest;
  partners_->take_largest(std::span(&largest, 1));
  double component = own_largest == largest ? static_cast<double>(partners_->component(own)) : -1.0;
  partners_->take_largest(std::span(&component, 1));
  return static_cast<std::size_t>(component);
}

}  // namespace mbdbench
