#pragma once
/// \file
/// Who has the exact derivatives of one formulation's right-hand sides.
#include <span>
#include <string>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// As of Formulation, by the same names.
class StateDerivatives {
 public:
  StateDerivatives() = default;
  virtual ~StateDerivatives() = default;
  StateDerivatives(const StateDerivatives&) = delete;
  StateDerivatives& operator=(const StateDerivatives&) = delete;
  StateDerivatives(StateDerivatives&&) = delete;
  StateDerivatives& operator=(StateDerivatives&&) = delete;

  virtual RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) = 0;
  virtual RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                    std::span<double> product) = 0;
  /// Without forces and masses (empty spans) it is vector_jacobian.
  virtual RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                         std::span<double> product, std::span<double> by_forces,
                                         std::span<double> by_masses) = 0;
  virtual RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                                       std::span<double> derivatives) = 0;
  /// \returns why there are none; empty where there are.
  [[nodiscard]] virtual std::string without_jacobian() const = 0;
};

}  // namespace mbdbench
