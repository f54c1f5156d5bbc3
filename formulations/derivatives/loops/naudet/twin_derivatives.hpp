#pragma once
/// \file
/// Exact derivatives of the twins in accelerations of Naudet's formulations of loops [Naudet2005]
/// (formulations/naudet/closed_dynamics.hpp). With coordinates and velocities of all joints, cut joints included:
///
///   q' = N u,   q_c' = N_c u_c,   u' as of ClosedDerivatives without projections,   u_c' = G^-1 H^T (W' - H' w_c)
///
/// of each cut joint, with W the velocity of its body b less that of a at O_k, w_c = G^-1 H^T W and G = H^T H. So loops
/// and loads see the tree alone: q_c and u_c of the state do nothing but in q_c'. With C for what u' adds to u_c',
///
///   d(u_c') = d(u_c') at held u' + C d(u')
///
/// the first as a law that the passes know (LoopState::watch_cuts).
///
/// With independent coordinates and velocities alone the others follow, u = B u_i, B = [I; K]:
///
///   dtheta = B dtheta_i,   du = B du_i + [0; -Phi_d^-1 d(Phi_q u)],   d(Phi_q u) at held u along dtheta
///
/// where a longer link adds [0; -Phi_d^-1 dPhi] to dtheta, and q_i', u_i' are read off. Weights go the other way: of
/// u_d as -Phi_d^-T of them on Phi_q u, then by B^T.
///
/// Cost: as of ClosedDerivatives, and B or B^T once a column.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/derivatives/loops/loop_workspace.hpp"
#include "formulations/derivatives/loops/naudet/dependent_states.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Workspace of one mechanism. States are [q; q of the cut joints; u; u of the cut joints], or [q_i; u_i; numbers
/// without a rate].
class TwinDerivatives final : public StateDerivatives {
 public:
  /// \param states of independent coordinates; nullptr: of all joints \param near as of LoadEvaluator, never nullptr;
  /// both must outlive this \param solver of products with a direction or with weights, and of parameters
  TwinDerivatives(const Mechanism& mechanism, DependentStates* states, const CutReferences* near,
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
  /// The parts of a state of all joints, or of what belongs to one.
  struct Parts {
    std::vector<double> q;
    std::vector<double> q_cut;
    Eigen::VectorXd u;
    Eigen::VectorXd u_cut;
  };
  /// \returns parts of a change or of weights, zero where the states hold nothing.
  [[nodiscard]] Parts parts_of(std::span<const double> x) const;
  /// \returns parts that are zero.
  [[nodiscard]] Parts none() const;
  void put(const Parts& parts, std::span<double> x) const;
  /// Sets at_. \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> x, bool whole);
  /// du of motions dtheta and of lengths, as of LoopWorkspace::sweep, at held u_i, a column each.
  [[nodiscard]] Eigen::MatrixXd pushes_of(const Eigen::MatrixXd& turns, const Eigen::MatrixXd& lengths = {});

  std::unique_ptr<DependentStates> all_joints_;
  DependentStates* states_;
  LoopWorkspace work_;
  TurnedCoordinates cuts_;
  Parts at_;
};

}  // namespace mbdbench
