#pragma once
/// \file
/// What formulations over one open tree do beyond one right-hand side: those of many states, and derivatives.
#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "formulations/batches/states_in_lanes.hpp"
#include "formulations/derivatives/trees/tree_derivatives.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Workspaces are made when something is first asked for.
class TreeEvaluations final : public StateDerivatives {
 public:
  /// Parameters as of BatchTree; all must outlive this. Derivatives only where `has_derivatives`. \param one x' of one
  /// state, as the formulation has it
  TreeEvaluations(const Mechanism& mechanism, StateKind kind, const CutReferences* near, StatesInLanes::OneState one,
                  const InstructionSet& set)
      : mechanism_(&mechanism), kind_(kind), near_(near), one_(std::move(one)), set_(set) {}

  /// As Formulation::rhs_batch. \param alone asked about a state that lanes do not take
  void batch(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses,
             const StatesInLanes::OneState& alone);
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override;
  [[nodiscard]] std::string without_jacobian() const override { return {}; }
  /// \returns whether the derivatives are there: those of a mechanism with other loads are of LoopDerivatives.
  [[nodiscard]] bool has_derivatives() const { return loads_without_lanes(mechanism_->description()).empty(); }
  /// \returns whether those by lengths are: bodies that are fixed to one another are one row, of which no part moves.
  [[nodiscard]] bool has_lengths() const {
    const std::span<const Joint> joints = mechanism_->tree_joints();
    return std::none_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.nu == 0; });
  }

 private:
  /// \returns what `pass` makes of the derivatives; where they are not sound, why not. \param numbers what it writes
  template <typename Pass>
  RhsStatus derive(double t, std::span<const double> x, std::span<const double> numbers, const Pass& pass);
  /// \returns why derivatives are not sound.
  [[nodiscard]] RhsStatus reason(double t, std::span<const double> x, std::span<const double> numbers) const;

  const Mechanism* mechanism_;
  StateKind kind_;
  const CutReferences* near_;
  StatesInLanes::OneState one_;
  InstructionSet set_;
  std::unique_ptr<StatesInLanes> lanes_;
  std::unique_ptr<TreeDerivatives> derivatives_;
};

}  // namespace mbdbench
