#pragma once
/// \file
/// Accelerations of a mechanism with loops on the recursion over one part: velocities projected on the constraints,
/// loads, right sides of the loops [Malczyk2008, Eq. (7)], and Baumgarte's stabilisation.
///
/// Velocities are projected in the norm of the kinetic energy: u + M^-1 Phi_q^T sigma with Phi' = 0.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/parts/part_recursion.hpp"
#include "formulations/recursion/cut_end.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Workspace of one mechanism: anything that Mechanism takes. Allocates nothing after construction.
class ClosedAccelerations {
 public:
  /// \param execution processes and threads share the branches of the tree
  /// \param section_bodies as of PartRecursion
  ClosedAccelerations(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects,
                      const Execution& execution, const CutReferences* near, int section_bodies);

  /// \param u receives the velocities in use: projected ones, or those of the state
  /// \param accelerations receives u' \returns which joint stops it
  RhsStatus evaluate(double t, std::span<const double> q, std::span<const double> state_velocities, std::span<double> u,
                     std::span<double> accelerations);
  /// \returns lambda of all closing rows after `evaluate`.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const { return part_.multipliers(); }
  [[nodiscard]] const PartRecursion& part() const { return part_; }

 private:
  RhsStatus evaluate_once(double t, std::span<const double> q, std::span<const double> state_velocities,
                          std::span<double> u, std::span<double> accelerations);
  RhsStatus project_velocities(std::span<double> u);
  void evaluate_loads(double t, std::span<const double> q, std::span<const double> u);
  void set_wanted_accelerations(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] EndMotion end_of(int body) const;
  [[nodiscard]] double prescribed_rate(const Coupling& coupling) const;
  [[nodiscard]] RhsStatus finite(std::span<const double> accelerations) const;

  const Mechanism* mechanism_;
  BaumgarteConstants baumgarte_;
  bool projects_;
  PartRecursion part_;
  LoadEvaluator loads_;
  bool loads_on_bodies_;
  PrescribedMotions motions_;
  std::vector<int> motion_components_;  // of u, by motion; -1 in cut joints
  Eigen::VectorXd wanted_;
  std::vector<double> catch_up_;  // prescribed velocity less that of the state, by motion
};

}  // namespace mbdbench
