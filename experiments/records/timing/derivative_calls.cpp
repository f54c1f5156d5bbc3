#include "experiments/records/timing/derivative_calls.hpp"

#include <cstddef>
#include <utility>

namespace mbdbench {
namespace {

constexpr double kFactor = 0.5;  // any that is neither 0 nor 1: no product may be left out

}  // namespace

TimedCall jacobian_call(Formulation& formulation, double t, std::vector<double> x) {
  const std::size_t size = x.size();
  return [&formulation, t, x = std::move(x), rows = std::vector<double>(size * size)]() mutable {
    return formulation.jacobian(t, x, rows).ok;
  };
}

TimedCall direction_call(Formulation& formulation, double t, std::vector<double> x) {
  const std::size_t size = x.size();
  return [&formulation, t, x = std::move(x), direction = std::vector<double>(size, kFactor),
          product = std::vector<double>(size)]() mutable {
    return formulation.jacobian_vector(t, x, direction, product).ok;
  };
}

TimedCall weights_call(Formulation& formulation, double t, std::vector<double> x) {
  const std::size_t size = x.size();
  return [&formulation, t, x = std::move(x), weights = std::vector<double>(size, kFactor),
          product = std::vector<double>(size)]() mutable {
    return formulation.vector_jacobian(t, x, weights, product).ok;
  };
}

}  // namespace mbdbench
