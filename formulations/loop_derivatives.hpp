#pragma once
/// \file
/// Exact derivatives of formulations whose state is (q, u) or (q, p) of the tree joints, has cut joints too, or reduced
/// momenta, and whose loops are closed by the equations with multipliers, one engine for all of them
/// (formulations/derivatives/loops).
///
/// The references `dense` and `dense-momentum` have them from here too: their right-hand sides share nothing with an
/// engine, their derivatives are no reference. They are checked against differences of right-hand sides
/// (loop_derivatives_test).
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "formulations/derivatives/loops/closed_derivatives.hpp"
#include "formulations/derivatives/loops/naudet/dependent_states.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// States of Naudet's twins in accelerations, of which nothing is projected.
struct LoopTwinVelocities {
  DependentStates* states = nullptr;  ///< of independent coordinates, outlives the derivatives; nullptr: all joints
};

/// States with momenta, and their gauge (options/gauge_option.hpp).
struct LoopMomenta {
  GaugeControl gauge = GaugeControl::none;
  double leak = 0.0;      ///< kappa of the gauges leak and tangent, 1/s
  double feedback = 0.0;  ///< beta in Phi' = -beta Phi, 1/s
};

/// States whose momenta are reduced.
struct LoopReducedMomenta {
  DependentStates* states = nullptr;  ///< outlives the derivatives
};

/// Of states with velocities VelocityRules.
using LoopStates = std::variant<VelocityRules, LoopTwinVelocities, LoopMomenta, LoopReducedMomenta>;

/// The workspace is made when something is first asked for.
class LoopDerivatives final : public StateDerivatives {
 public:
  /// x' of one state, as the formulation has it: tells why there is none.
  using OneState = std::function<RhsStatus(double, std::span<const double>, std::span<double>)>;
  /// \param obstacle what else the formulation does that has no derivatives; empty: nothing
  /// \param near where its loads look for angles of cut joints \param set of its kernels
  LoopDerivatives(const Mechanism& mechanism, LoopStates states, std::string obstacle, const CutReferences* near,
                  OneState one, const InstructionSet& set);
  ~LoopDerivatives() override;
  LoopDerivatives(const LoopDerivatives&) = delete;
  LoopDerivatives& operator=(const LoopDerivatives&) = delete;
  LoopDerivatives(LoopDerivatives&&) = delete;
  LoopDerivatives& operator=(LoopDerivatives&&) = delete;

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  [[nodiscard]] std::unique_ptr<StateDerivatives> make() const;
  [[nodiscard]] std::string obstacle() const;
  template <typename Pass>
  RhsStatus derive(double t, std::span<const double> x, const Pass& pass);

  const Mechanism* mechanism_;
  LoopStates states_;
  std::string obstacle_;
  const CutReferences* near_;
  OneState one_;
  InstructionSet set_;
  std::unique_ptr<StateDerivatives> derivatives_;
  mutable std::optional<std::string> without_;  // once it is asked for: formulas are read
};

/// \returns the obstacle of a gauge that changes momenta after steps; else empty.
std::string obstacle_of_gauge(GaugeControl gauge);

}  // namespace mbdbench
