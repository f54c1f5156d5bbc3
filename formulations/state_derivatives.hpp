#pragma once
/// \file
/// Who has the exact derivatives of one formulation's right-hand sides.
#include <algorithm>
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
  /// Without parameters it is vector_jacobian.
  virtual RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                         std::span<double> product, const WeightsByParameter& by) = 0;
  virtual RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                                       std::span<double> derivatives) = 0;
  /// \returns why there are none; empty where there are.
  [[nodiscard]] virtual std::string without_jacobian() const = 0;
};

/// Base of formulations that hand out derivatives which somebody else computes.
class DifferentiatedFormulation : public Formulation {
 public:
  using Formulation::Formulation;

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override {
    return derivatives_ != nullptr ? derivatives_->jacobian(t, x, derivatives)
                                   : Formulation::jacobian(t, x, derivatives);
  }
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override {
    return derivatives_ != nullptr ? derivatives_->jacobian_vector(t, x, direction, product)
                                   : Formulation::jacobian_vector(t, x, direction, product);
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    return derivatives_ != nullptr ? derivatives_->weighted_derivatives(t, x, weights, product, {})
                                   : Formulation::vector_jacobian(t, x, weights, product);
  }
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override {
    StateDerivatives* const those = by.lengths.empty() ? derivatives_ : of_lengths_;
    return those != nullptr ? those->weighted_derivatives(t, x, weights, product, by)
                            : Formulation::weighted_derivatives(t, x, weights, product, by);
  }
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override {
    const bool lengths = std::any_of(parameters.begin(), parameters.end(), [](const RateParameter& parameter) {
      return parameter.kind == ParameterKind::length;
    });
    StateDerivatives* const those = lengths ? of_lengths_ : derivatives_;
    return those != nullptr ? those->parameter_jacobian(t, x, parameters, derivatives)
                            : Formulation::parameter_jacobian(t, x, parameters, derivatives);
  }
  [[nodiscard]] std::string without_jacobian() const override {
    return derivatives_ != nullptr ? derivatives_->without_jacobian() : Formulation::without_jacobian();
  }

 protected:
  /// \param derivatives of this formulation, which keeps them; without them it has none
  void use_derivatives(StateDerivatives& derivatives) { use_derivatives(derivatives, derivatives); }
  /// \param of_lengths those by parameters among which there are lengths
  void use_derivatives(StateDerivatives& derivatives, StateDerivatives& of_lengths) {
    derivatives_ = &derivatives;
    of_lengths_ = &of_lengths;
  }

 private:
  StateDerivatives* derivatives_ = nullptr;
  StateDerivatives* of_lengths_ = nullptr;
};

}  // namespace mbdbench
