#include "formulations/loop_derivatives.hpp"

#include <utility>
#include <vector>

#include "formulations/derivatives/loops/closed_derivatives.hpp"

namespace mbdbench {

LoopDerivatives::LoopDerivatives(const Mechanism& mechanism, bool projects, std::string obstacle, OneState one)
    : mechanism_(&mechanism), projects_(projects), obstacle_(std::move(obstacle)), one_(std::move(one)) {}

LoopDerivatives::~LoopDerivatives() = default;

template <typename Pass>
RhsStatus LoopDerivatives::derive(double t, std::span<const double> x, const Pass& pass) {
  if (!without_jacobian().empty()) {
    return {false, {}, "there are no exact derivatives, state components", static_cast<double>(x.size())};
  }
  if (!derivatives_) {
    derivatives_ = std::make_unique<ClosedDerivatives>(*mechanism_, projects_);
  }
  const RhsStatus status = pass(*derivatives_);
  if (status.ok) {
    return status;
  }
  std::vector<double> rates(x.size());
  const RhsStatus own = one_(t, x, rates);
  return own.ok ? status : own;
}

RhsStatus LoopDerivatives::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  return derive(t, x, [&](ClosedDerivatives& loops) { return loops.jacobian(t, x, derivatives); });
}

RhsStatus LoopDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                           std::span<double> product) {
  return derive(t, x, [&](ClosedDerivatives& loops) { return loops.jacobian_vector(t, x, direction, product); });
}

RhsStatus LoopDerivatives::vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                                           std::span<double> product) {
  return derive(t, x, [&](ClosedDerivatives& loops) { return loops.vector_jacobian(t, x, weights, product); });
}

RhsStatus LoopDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                              std::span<const RateParameter> parameters,
                                              std::span<double> derivatives) {
  return derive(t, x,
                [&](ClosedDerivatives& loops) { return loops.parameter_jacobian(t, x, parameters, derivatives); });
}

std::string LoopDerivatives::without_jacobian() const {
  return obstacle_.empty() ? ClosedDerivatives::obstacle(*mechanism_) : obstacle_;
}

std::string obstacle_of_stabilisation(double alpha, double beta) {
  return alpha == 0.0 && beta == 0.0
             ? std::string()
             : "there are no exact derivatives of Baumgarte's stabilisation: leave its constants at zero";
}

}  // namespace mbdbench
