#pragma once
/// \file
/// Mass-orthogonal projection of positions and velocities on the constraint manifold, through the assembly tree.
///
/// Positions: with p = 0 and r = -Phi on the right side of the cut joints (and of prescribed motions) the assembly
/// solves M dq = Phi_q^T mu, Phi_q dq = -Phi: the correction of least kinetic norm. Newton's iteration with the
/// matrices of every iterate converges quadratically. Velocities: p = J^T M u and r = -Phi_t give the u nearest in the
/// same norm, in one pass. O(n) a pass for the mechanisms whose assembly is O(n).
#include <span>
#include <vector>

#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// How a projection went.
struct ProjectionOutcome {
  RhsStatus status;      ///< whether the matrices could be assembled
  int iterations = 0;    ///< passes that changed the state
  double before = 0.0;   ///< max |Phi| or max |Phi'| at the start
  double after = 0.0;    ///< and at the end
  bool reached = false;  ///< `after` is not above the tolerance
};

/// Projects states of one mechanism. No allocation after construction.
class ConstraintProjection {
 public:
  explicit ConstraintProjection(const Mechanism& mechanism, const InstructionSet& set);

  /// Moves q until max |Phi| <= tolerance; stops earlier when an iterate is no better than the one before.
  /// \param q q_size() entries
  ProjectionOutcome project_positions(double t, std::span<double> q, double tolerance);
  /// Moves u so that Phi_q u + Phi_t = 0, unless max |Phi'| <= tolerance already or rounding allows no less. \param u
  /// u_size() entries
  ProjectionOutcome project_velocities(double t, std::span<const double> q, std::span<double> u, double tolerance);

 private:
  static constexpr int kMostIterations = 20;
  void move(std::span<double> q, std::span<const double> direction);

  const Mechanism* mechanism_;
  MechanismAssembly system_;
  std::vector<double> momenta_;
  std::vector<double> candidate_;
  std::vector<double> step_;  // of the last correction, over u
};

}  // namespace mbdbench
