#pragma once
/// \file
/// The equations that HDCA and DCA share: leaves from the kinematics, the assembly engine, and the two kinds of right
/// side. Joints are numbered tree joints first, then cut joints; to the assembly both are the same.
///
/// Every body i with handles h (joints), e_h = +1 on the outboard body (for cuts: on b), -1 on the other one,
/// T_h = e_h D sigma:
///   V_h = sum_g xi_hg T_g + xi_h0,   xi_hg = X_h M_C^-1 X_g^T,   X_h = S_{C,h}^T          [Chadaj2015, Eq. (4)-(5)]
/// B_i = [e_h X_h^T D_h] gathers the handles, so the leaf is B_i^T M_C^-1 B_i and its right side B_i^T M_C^-1 f_i, with
/// f_i the momentum (HDCA) or wrench (DCA) that enters the body besides the constraint impulses (forces). In the
/// two-handle case f_i = H_1 p_1 - S_12 H_2 p_2 about O_1: both joints' active momenta enter, the outboard one with a
/// minus.
/// DEVIATES [Chadaj2017, Eq. (21)-(24)]: the leaf's xi_10, xi_20 are not printed there (hdca_printed_formulas_test). A
/// cut joint has no active momentum: p_c = 0.
///
/// A prescribed motion adds the column H (H^T H)^-1 e_j to D and its rate to the right side of the joint.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_engine.hpp"
#include "formulations/assembly/coupled_joints.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Axes in which the linear rows of a cut joint's D are resolved, for joints that do not slide (revolute, universal,
/// spherical, fixed); those that do have directions of their own. u, u' and the motion do not depend on
/// it; sigma does, and with it p' (math: a gauge), so that step counts of HDCA do.
enum class CutAxes {
  world,  ///< Ddot = 0 for these rows
  body    ///< fixed in body b, or in a where b is the ground
};

/// How an MechanismAssembly is set up.
struct AssemblyOptions {
  GroundClosure ground = GroundClosure::root;
  CutAxes cut_axes = CutAxes::world;
  ProximalOptions proximal;
  InstructionSet instruction_set = best_instruction_set();  ///< of the kernels
};

/// One mechanism on the assembly engine. No allocation after construction.
class MechanismAssembly {
 public:
  /// \param near as of LoadEvaluator
  MechanismAssembly(const Mechanism& mechanism, const AssemblyOptions& options, const CutReferences* near);

  /// Poses, leaves and assembly at (t, q).
  RhsStatus set_positions(double t, std::span<const double> q);

  /// Assembly and disassembly of the momentum equations: all body velocities, u and sigma from p, after set_positions.
  /// \param feedback beta, 1/s: cut joints obey D^T (V_b - V_a) = -beta Phi_c instead of 0
  void solve_velocities(std::span<const double> p, double feedback = 0.0);
  /// The correction of least kinetic norm that takes Phi to first order to zero: into u(), after set_positions.
  void solve_position_correction(std::span<const double> q);
  /// \returns max |Phi|, scaled (characteristic_scales.hpp), after set_positions with the same q.
  [[nodiscard]] double position_residual(std::span<const double> q);
  /// \returns max |Phi'|, scaled, 1/s, at the velocities set last.
  [[nodiscard]] double velocity_residual() const;
  /// Sets the velocities that keep the constraints and are nearest to those given, in the norm of the kinetic energy.
  void project_velocities(std::span<const double> u);
  /// Velocities given: forward sweep, after set_positions.
  void set_velocities(std::span<const double> u);
  /// Loads at the current positions and velocities.
  void evaluate_loads(double t, std::span<const double> q);
  /// Assembly and disassembly of the accelerations: u' and lambda, after evaluate_loads.
  /// \param alpha, beta Baumgarte's constants, 1/s: -2 alpha Phi' - beta^2 Phi on the right side of the cut joints
  void solve_accelerations(double alpha = 0.0, double beta = 0.0);
  /// p_k = H_k^T of the momentum of everything outboard of joint k about O_k: the momenta with sigma = 0 in all cut
  /// joints and prescribed motions. Uses the velocities set last. \param p u_size() entries
  void outboard_momenta(std::span<double> p);

  /// p <- p + Phi_q^T nu with the nu for which p is J^T M V of velocities with Phi_q u = 0, after set_positions: what
  /// is left of momenta, or their rates, is what the constraints let move. Velocities stay, multipliers do not.
  void remove_constraint_part(std::span<double> p);

  /// Constraint wrenches in all joints, after solve_accelerations.
  void reactions(Reactions& result) const;

  /// values[k], a wrench about O_k on body k: adds those of all joints outboard of k.
  void sum_inward(std::vector<Vec6>& values) const;

  /// \returns how set_positions, one solution and `sweeps` more sweeps along the tree fall into pieces.
  [[nodiscard]] std::vector<WorkStage> stages(double sweeps) const;

  [[nodiscard]] const Kinematics& kinematics() const { return kinematics_; }
  [[nodiscard]] const LoadEvaluator& loads() const { return loads_; }
  [[nodiscard]] const AssemblyEngine& engine() const { return engine_; }
  [[nodiscard]] std::span<const double> u() const { return u_; }
  [[nodiscard]] std::span<const double> accelerations() const { return accelerations_; }
  /// \returns D sigma (after solve_velocities) or D lambda (after solve_accelerations) of joint k, on b at O_k.
  [[nodiscard]] Vec6 constraint_impulse(int joint) const;
  /// \returns Ddot sigma of cut joint c, after solve_velocities.
  [[nodiscard]] Vec6 cut_impulse_rate(int cut) const;
  /// \returns sigma or lambda of joint k: D first, then its prescribed motions.
  [[nodiscard]] std::span<const double> multipliers(int joint) const;
  /// Tells how many constraints the loops repeat at the positions of the last solution ("redundant_rows"), and where
  /// bodies are balanced by passes the three ratios one of which is why (point_masses.hpp): the largest m l^2 / J
  /// ("lever_ratio"), of neighbours' masses ("mass_ratio") and of compliances at a joint ("compliance_ratio").
  void diagnostics(const DiagnosticSink& sink) const;
  /// \returns the largest m l^2 / J of a body and its handles, at the positions set last: that many times eps the
  /// solution of one assembly loses, and passes bring back (point_masses.hpp).
  [[nodiscard]] double largest_lever_ratio() const;
  /// \returns whether the last solution balances all bodies and keeps the constraints.
  [[nodiscard]] RhsStatus balance_status() const;
  /// \returns max |sigma| over all cut joints, after solve_velocities.
  [[nodiscard]] double largest_cut_multiplier() const;
  /// \returns H (H^T H)^-1 values: the active part of a tree joint's impulse or wrench. \param values u_size() entries
  [[nodiscard]] Vec6 active_impulse(int joint, std::span<const double> values) const;
  /// \returns p + G^T sigma with the couplings' impulses of the last solution: what the joints transmit along H. Holds
  /// until the next call. \param values u_size() entries
  [[nodiscard]] std::span<const double> with_coupling_impulses(std::span<const double> values);
  /// \returns the number of the first cut joint among all joints.
  [[nodiscard]] int first_cut() const { return mechanism_->body_count(); }
  [[nodiscard]] int joint_count() const { return first_cut() + static_cast<int>(mechanism_->cut_joints().size()); }

 private:
  /// Limits the ranks of closing nodes to those met at closed positions (Mechanism::generic_rank). The matrices of a
  /// node are sums of squares, so its rank there is settled by the same elimination.
  void settle_ranks();
  /// Lowers the rank of the node with the smallest pivot until as many rows are redundant at q as the constraints
  /// repeat: the rank of the whole is the sum of those of its nodes, and each of them alone may be misled by rounding.
  void lower_ranks(const Eigen::VectorXd& q, int redundant);
  [[nodiscard]] const Joint& joint(int k) const;
  [[nodiscard]] const JointKinematics& joint_state(int k) const;
  void set_directions();
  void set_cut_direction_rates();
  [[nodiscard]] bool resolved_in_body(const Joint& cut) const {
    return cut.world_linear && options_.cut_axes == CutAxes::body;
  }
  void set_leaf(int body);
  /// p += Phi_q^T nu with the multipliers of the last solution. Not M w, which is the same: beside heavy bodies a light
  /// one has a w of |p| over its inertia, and M w rounds by as much of the heavy ones. What nu is off by stays within
  /// range(Phi_q^T), where it moves nothing.
  void add_constraint_momenta(std::span<double> p);
  /// Has the engine balance bodies where one is nearly a point mass, or neighbours are unequal, at the start
  /// (point_masses.hpp).
  void find_point_masses();
  /// Tells the engine J_C of a body, and raises what its leaf stands on where it is nearly a point mass.
  void raise_inertia(int body);
  /// \returns the largest m l^2 / J over the handles of a body.
  [[nodiscard]] double lever_ratio_of(int body) const;
  /// V_B - V_A at the handles of joint k.
  [[nodiscard]] Vec6 relative_velocity(int k) const;
  /// Phi_c in the axes of D_c. \param residual nc entries
  void closure(int cut, std::span<double> residual) const;
  /// Adds a wrench at O_k of a tree joint to the outboard body's f and subtracts it from the inboard one's.
  void add_pair(int joint, const Vec6& wrench);
  /// Active impulses of p on both bodies of every tree joint: handle_input_.
  void set_momentum_input(std::span<const double> p);
  void set_velocity_right_sides(double feedback);
  /// -beta Phi_c into the rows of the cut joints.
  void set_cut_feedback(double beta);
  /// q minus the prescribed value of motion m of a joint.
  [[nodiscard]] double motion_residual(const Joint& tree_joint, std::size_t m, std::span<const double> q) const;
  /// u and all velocities from the momenta in handle_input_ and the right sides.
  void solve_momenta();
  /// Multipliers and rates of the bodies for the right sides: the engine's, then the couplings'.
  void solve_with_couplings();
  /// What a unit of every coupling's forces does at these positions.
  void answer_couplings(std::span<const double> q);
  /// u of rates of the bodies. \param bodies V_C
  void set_joint_rates(std::span<const Vec6> bodies, std::span<double> u) const;
  void set_acceleration_right_sides(double alpha, double beta);
  /// d/dt (V_B - V_A) at the handles of joint k without the accelerations of the bodies.
  [[nodiscard]] Vec6 handle_bias(int joint) const;

  const Mechanism* mechanism_;
  AssemblyOptions options_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  AssemblyEngine engine_;
  double mass_ratio_ = 1.0;                 // largest of neighbours
  double compliance_ratio_ = 1.0;           // and at a joint
  std::vector<SpatialColumns> directions_;  // [D, H (H^T H)^-1 e_j] of every joint
  std::vector<SpatialColumns> cut_rates_;   // Ddot of every cut joint
  std::vector<Vec6> handle_input_;          // f_i
  std::vector<Vec6> body_rate_;             // V_C, or A_C
  std::vector<Vec6> outboard_;
  std::vector<double> right_;
  std::vector<double> multipliers_;  // sigma, or lambda
  std::vector<double> residual_;     // Phi of one joint
  std::vector<double> u_;
  std::vector<double> accelerations_;
  CoupledJoints coupled_;
  std::vector<double> coupled_right_;  // r of every coupling
  std::vector<double> open_;           // Phi of every coupling
  std::vector<double> joint_rates_;    // over u
};

}  // namespace mbdbench
