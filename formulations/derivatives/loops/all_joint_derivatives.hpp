#pragma once
/// \file
/// Exact derivatives of states with coordinates and velocities of all joints, cut joints included, and of rates at
/// acceleration level [Naudet2005] (formulations/naudet/closed_dynamics.hpp):
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
/// Cost: as of ClosedDerivatives.
#include <memory>
#include <span>
#include <string>

#include "formulations/derivatives/loops/loop_workspace.hpp"
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// Workspace of one mechanism. States are [q; q of the cut joints; u; u of the cut joints].
class AllJointDerivatives final : public StateDerivatives {
 public:
  /// \param near as of LoadEvaluator, never nullptr, must outlive this
  /// \param solver of products with a direction or with weights, and of parameters
  AllJointDerivatives(const Mechanism& mechanism, const CutReferences* near, std::unique_ptr<LoopSolver> solver,
                      const InstructionSet& set);

  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> rows) override;
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override;
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, std::span<double> by_forces,
                                 std::span<double> by_masses) override;
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> rows) override;
  [[nodiscard]] std::string without_jacobian() const override;

 private:
  /// The parts of a state, or of what belongs to one.
  template <typename Number>
  struct Parts {
    std::span<Number> q;
    std::span<Number> q_cut;
    std::span<Number> u;
    std::span<Number> u_cut;
  };
  template <typename Number>
  [[nodiscard]] Parts<Number> parts_of(std::span<Number> x) const;
  /// \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> x, bool whole);

  LoopWorkspace work_;
  TurnedCoordinates cuts_;
};

}  // namespace mbdbench
