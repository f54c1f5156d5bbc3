#pragma once
/// \file
/// Exact derivatives of states of loops whose momenta are reduced: coordinates of all joints, cut joints included, or
/// the independent ones alone, and p_i = B^T M u with u = B u_i, B = [I; K], K = -Phi_d^-1 Phi_i [Naudet2005]
/// (formulations/naudet/closed_dynamics.hpp).
///
/// The motion is that of the momenta [p_i; 0] (momentum_derivatives.hpp), p_i' = B^T p' of p' as published. With
/// mu = -Phi_d^-T p'_d, p' + Phi_q^T mu has no dependent entries, and B^T Phi_q^T = 0. So
///
///   d(p_i') = B^T d(p' + Phi_q^T mu),   mu held,
///
/// where what B changes by meets zeros. What rows carry that others repeat, B^T takes out: it does not matter here how
/// a solver divides it.
///
/// Where dependent coordinates are solved for, they follow the others: dtheta = B dtheta_i, and weights of it are
/// weights of dtheta_i by B^T. They close what longer links open: dtheta_d = -Phi_d^-1 dPhi.
///
/// Rates of coordinates of cut joints are u of these joints, which the passes have as numbers that depend on two bodies
/// (LoopState::watch_cuts), times a matrix of a quaternion.
///
/// Cost: as of MomentumDerivatives, and B or B^T once a column.
#include <memory>
#include <span>
#include <string>

#include "formulations/derivatives/loops/momenta/momentum_workspace.hpp"
#include "formulations/derivatives/loops/naudet/dependent_states.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Workspace of one mechanism.
class ReducedDerivatives final : public StateDerivatives {
 public:
  /// \param states, near must outlive this; near as of LoadEvaluator, never nullptr
  /// \param solver of products with a direction or with weights, and of parameters
  ReducedDerivatives(const Mechanism& mechanism, DependentStates& states, const CutReferences* near,
                     std::unique_ptr<LoopSolver> solver, const InstructionSet& set);

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> rows) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> rows) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  /// \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> x, bool whole);
  void differentiate(MomentumChanges& changes);
  [[nodiscard]] std::span<const double> cut_coordinates_of(std::span<const double> x) const;
  /// \returns the p of a state, or what stands in their places, over u; zero where it has none.
  [[nodiscard]] Eigen::VectorXd momenta_of(std::span<const double> x) const;
  /// Where the state has coordinates of cut joints, and momenta.
  [[nodiscard]] Eigen::Index cuts_at() const { return static_cast<Eigen::Index>(states_->held().size()); }
  [[nodiscard]] Eigen::Index momenta_at() const { return cuts_at() + cuts_.size(); }

  DependentStates* states_;
  MomentumWorkspace work_;
  TurnedCoordinates cuts_;
};

}  // namespace mbdbench
