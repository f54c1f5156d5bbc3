#pragma once
/// \file
/// The equations that HDCA and DCA share: leaves from the kinematics, the assembly engine, and the two kinds of right
/// side.
///
/// Every body i with handles h (joints), e_h = +1 on the outboard body, -1 on the inboard one, T_h = e_h D sigma:
///   V_h = sum_g xi_hg T_g + xi_h0,   xi_hg = X_h M_C^-1 X_g^T,   X_h = S_{C,h}^T          [Chadaj2015, Eq. (4)-(5)]
/// B_i = [e_h X_h^T D_h] gathers the handles, so the leaf is B_i^T M_C^-1 B_i and its right side B_i^T M_C^-1 f_i, with
/// f_i the momentum (HDCA) or wrench (DCA) that enters the body besides the constraint impulses (forces). In the
/// two-handle case f_i = H_1 p_1 - S_12 H_2 p_2 about O_1: both joints' active momenta enter, the outboard one with a
/// minus (the papers leave the leaf's xi_10, xi_20 unprinted).
///
/// A prescribed motion adds the column H (H^T H)^-1 e_j to D and its rate to the right side of the joint.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_engine.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics.hpp"
#include "mechanisms/model/loads.hpp"
#include "mechanisms/model/motions.hpp"

namespace mbdbench {

/// One mechanism on the assembly engine. No allocation after construction.
class ArticulatedSystem {
 public:
  ArticulatedSystem(const Mechanism& mechanism, GroundClosure ground);

  /// Poses, leaves and assembly at (t, q).
  RhsStatus set_positions(double t, std::span<const double> q);

  /// Assembly and disassembly of the momentum equations: all body velocities, u and sigma from p, after set_positions.
  void solve_velocities(std::span<const double> p);
  /// Velocities given: forward sweep, after set_positions.
  void set_velocities(std::span<const double> u);
  /// Loads at the current positions and velocities.
  void evaluate_loads(double t, std::span<const double> q);
  /// Assembly and disassembly of the accelerations: u' and lambda, after evaluate_loads.
  void solve_accelerations();

  /// Constraint wrenches in all joints, after solve_accelerations.
  void reactions(Reactions& result) const;

  [[nodiscard]] const Kinematics& kinematics() const { return kinematics_; }
  [[nodiscard]] const LoadEvaluator& loads() const { return loads_; }
  [[nodiscard]] const AssemblyEngine& engine() const { return engine_; }
  [[nodiscard]] std::span<const double> u() const { return u_; }
  [[nodiscard]] std::span<const double> accelerations() const { return accelerations_; }
  /// \returns D sigma (after solve_velocities) or D lambda (after solve_accelerations) of tree joint k, on b at O_k.
  [[nodiscard]] Vec6 constraint_impulse(int joint) const;
  /// \returns H (H^T H)^-1 values: the active part of a joint's impulse or wrench. \param values u_size() entries
  [[nodiscard]] Vec6 active_impulse(int joint, std::span<const double> values) const;

 private:
  void set_directions();
  void set_leaf(int body);
  /// xi_0 of all leaves from M_C^-1 f, then sigma, then V_C = M_C^-1 (f + B sigma) into `result`.
  void solve(std::vector<Vec6>& result);
  [[nodiscard]] Vec6 times_inverse_inertia(int body, const Vec6& wrench) const;
  /// Adds a wrench at O_k to the outboard body's f and subtracts it from the inboard one's.
  void add_pair(int joint, const Vec6& wrench);
  void set_acceleration_right_sides();
  /// d/dt (V_B - V_A) at O_k without the accelerations of the bodies.
  [[nodiscard]] Vec6 handle_bias(int joint) const;

  const Mechanism* mechanism_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  AssemblyEngine engine_;
  std::vector<SpatialColumns> directions_;  // [D, H (H^T H)^-1 e_j] of every tree joint
  std::vector<std::size_t> handle_offset_;  // where B_i begins in handles_
  std::vector<double> handles_;             // all B_i, 6 x rows each, row-major
  std::vector<Vec6> handle_input_;          // f_i
  std::vector<Vec6> body_rate_;             // V_C, or A_C
  std::vector<double> right_;
  std::vector<double> multipliers_;  // sigma, or lambda
  std::vector<double> u_;
  std::vector<double> accelerations_;
};

}  // namespace mbdbench
