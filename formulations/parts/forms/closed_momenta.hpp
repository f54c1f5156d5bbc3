#pragma once
/// \file
/// Canonical momenta of a mechanism with loops on the recursion over one part: velocities from p, and p'
/// [Chadaj2017, Eq. (67)-(77)] with one of the gauges of gauge_option.hpp.
///
///   paper symbol -> name
///   sigma_c, D_c      multipliers, directions of the cut joints
///   Q_1^K             loads on all links outboard; of cut joints -(Sdot_c D_c + Ddot_c) sigma_c on both bodies
///
/// Cost: two sweeps for u, one for p'; two more and a half for the tangent gauge.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/options/gauge_option.hpp"
#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Workspace of one mechanism: anything that Mechanism takes. Allocates nothing after construction.
class ClosedMomenta {
 public:
  /// \param gauge none, leak or tangent; resets are left to the caller \param leak kappa, 1/s
  /// \param feedback beta, 1/s: Phi' = -beta Phi of cut joints and couplings instead of 0
  /// \param execution processes and threads share the branches of the tree
  /// \param section_bodies as of PartRecursion
  ClosedMomenta(const Mechanism& mechanism, GaugeControl gauge, double leak, double feedback,
                const Execution& execution, const CutReferences* near, int section_bodies);

  /// \returns which joint or loop stops it
  RhsStatus set_positions(std::span<const double> q) { return part_.set_positions(q); }
  /// After set_positions. \param u receives the velocities of p \returns which joint or loop stops it
  RhsStatus move(double t, std::span<const double> q, std::span<const double> p, std::span<double> u);
  /// Both.
  RhsStatus set_state(double t, std::span<const double> q, std::span<const double> p, std::span<double> u);
  /// \param u as set_state left them \param rates receives p'
  RhsStatus momentum_rates(double t, std::span<const double> q, std::span<const double> p, std::span<const double> u,
                           std::span<double> rates);
  /// J^T M V of the velocities of set_state.
  void momenta(std::span<double> p) { part_.momenta(p); }
  /// \returns max |sigma| over all cut joints.
  [[nodiscard]] double largest_cut_multiplier() const;
  [[nodiscard]] const PartRecursion& part() const { return part_; }

 private:
  void set_wanted(std::span<const double> q);
  void evaluate_loads(double t, std::span<const double> q, std::span<const double> u);
  /// Loads on the links of the trunk or of a branch.
  void set_link_loads(std::size_t range);
  void add_cut_loads();
  void make_tangent(std::span<const double> p, std::span<const double> u, std::span<double> rates);

  const Mechanism* mechanism_;
  GaugeControl gauge_;
  double leak_;
  double feedback_;
  PartRecursion part_;
  LoadEvaluator loads_;
  bool loads_on_bodies_;
  PrescribedMotions motions_;
  Eigen::VectorXd wanted_;
  std::vector<Vec6> cut_loads_;  // at the point of every cut joint, on its body b
  std::vector<kernels::LinkWrench<double>> link_loads_;
  std::vector<double> own_;       // J^T M V
  std::vector<double> velocity_;  // w of the tangent gauge
  std::vector<double> free_;      // M w
};

}  // namespace mbdbench
