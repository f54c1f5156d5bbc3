#pragma once
/// \file
/// The equations of the augmented Lagrangian formulations in absolute coordinates, on an assembly tree.
///
/// Unknown are r''_i and omega_i' of every body; every joint, of the spanning tree or not, is a set of constraint rows
/// D^T (V_b - V_a), closed with A + I / alpha (assembly/proximal.hpp). The normalisation of the Euler parameters is
/// eliminated exactly: e'' = L^T omega' / 2 - (e' . e') e.
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "formulations/assembly/assembly_engine.hpp"
#include "formulations/augmented_lagrangian/absolute/absolute_kinematics.hpp"
#include "formulations/augmented_lagrangian/absolute/twin_kinematics.hpp"
#include "formulations/augmented_lagrangian/augmented_options.hpp"
#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// One mechanism. No allocation after construction.
class AugmentedSystem {
 public:
  /// \param near as of LoadEvaluator
  AugmentedSystem(const Mechanism& mechanism, const AugmentedOptions& options, const CutReferences* near);

  /// \returns the threads that share bodies, joints and branches of the assembly: one where it is not packed.
  [[nodiscard]] const BranchTeam& team() const {
    const auto* const packed = std::get_if<DualAssembly>(&assembly_);
    return packed != nullptr ? packed->team() : alone_;
  }

  /// \returns what this process has to know for accelerations: everything, unless processes share the branches and
  /// no load needs all bodies.
  [[nodiscard]] const DualScope& own_scope() const { return own_scope_; }
  /// \returns what of that `solve` needs placed: all but the inner parts of twins, which it knows itself.
  [[nodiscard]] const DualScope& single_scope() const { return single_scope_; }

  /// Where processes share it: how they exchange numbers.
  [[nodiscard]] DualAssembly& divided() { return std::get<DualAssembly>(assembly_); }

  /// Poses, joints and prescribed motions at (t, y), without assembly. \param y 7 n entries
  void place(double t, std::span<const double> y, const DualScope& scope = {});
  /// Assembles the matrices at the poses placed last, unless they are those of the last assembly and it still stands.
  RhsStatus assemble();
  /// Forgets the assembly: it served the projections and the accelerations of one state.
  void release();
  /// Velocities [v_C; omega] of all bodies, after `place`.
  void set_velocities(std::span<const Vec6> velocities, const DualScope& scope = {}) {
    kinematics_.set_velocities(velocities, team(), scope);
  }

  /// Rows of Phi_q of all joints at the poses placed last. `assemble` sets them itself.
  void set_directions();
  /// What acts on the bodies, and the right sides of all rows, at (t, y, y'), after set_velocities.
  void set_equations(double t);
  /// \returns [f; n - omega x J omega] on every body about its centre of mass, after set_equations.
  [[nodiscard]] std::span<const Vec6> input() const { return input_; }
  /// \returns r of Phi_q V' = r with the terms of mu and omega, after set_equations.
  [[nodiscard]] std::span<const double> right() const { return right_; }
  /// Accelerations and lambda at (t, y, y'), after `assemble` and set_velocities. \returns passes
  int solve_accelerations(double t);
  /// The same where `single_scope` alone has been placed. \param rates y' \returns passes
  int solve(double t, std::span<const double> rates);
  /// x' of the bodies within twins, after `solve`; the assembly is gone then. \param xdot 14 n entries
  void set_twin_rates(std::span<double> xdot);
  /// \returns whether set_twin_rates sets x' of a body.
  [[nodiscard]] bool is_twin(std::size_t body) const { return twins_ && twins_->has_body(static_cast<int>(body)); }
  /// \returns [a_C; omega'] of every body, world axes, after solve_accelerations.
  [[nodiscard]] std::span<const Vec6> accelerations() const { return accelerations_; }
  /// \returns lambda of all rows, after solve_accelerations.
  [[nodiscard]] std::span<const double> multipliers() const { return multipliers_; }
  /// result = r - D^T (V_b - V_a) of all rows, with the handles of the last `assemble`.
  void row_residual(std::span<const double> r, std::span<const Vec6> rates, std::span<double> result) const {
    std::visit([&](const auto& assembly) { assembly.constraint_residual(r, rates, result); }, assembly_);
  }
  /// \returns whether there are loads beyond gravity.
  [[nodiscard]] bool has_loads() const { return loads_needed_; }
  /// Constraint wrenches of all joints, +D lambda on body b.
  void reactions(std::span<const double> lambda, Reactions& result) const;

  /// Phi of all rows at the poses placed last. \returns max |Phi|
  double position_residual(std::span<double> phi) const;
  /// Phi' of all rows at the velocities set last. \returns max |Phi'|
  double velocity_residual(std::span<double> rate) const;
  /// Phi'' of all rows, after solve_accelerations. \returns max |Phi''|
  double acceleration_residual(std::span<double> second);

  /// Coordinates and quasi-velocities of the spanning tree at the poses placed and the velocities set last.
  void tree_state(std::span<double> q, std::span<double> u) const;
  /// Coordinates next to which angles and quaternions of tree joints are chosen, q_size() entries.
  void set_near(std::span<const double> q);
  [[nodiscard]] std::span<const double> near() const { return near_; }

  /// \returns how a right-hand side of so many passes falls into pieces.
  [[nodiscard]] std::vector<WorkStage> stages(int passes) const;

  [[nodiscard]] const AbsoluteKinematics& kinematics() const { return kinematics_; }
  [[nodiscard]] const PrescribedMotions& motions() const { return motions_; }
  /// One pass without input, after `assemble`: (A + I / alpha) sigma = residual, rates = M^-1 B sigma.
  void correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates);
  /// Passes that bring rates to D^T (V_b - V_a) = r, after `assemble`. \returns passes
  int refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits);
  /// \returns what the last passes left.
  [[nodiscard]] PassRemainder remainder() const;
  /// \returns whether plain packs serve the mechanism (dual_assembly.hpp), or AssemblyEngine.
  [[nodiscard]] bool packed() const { return std::holds_alternative<DualAssembly>(assembly_); }
  [[nodiscard]] int row_count() const { return static_cast<int>(right_.size()); }
  /// \returns the first row of joint k.
  [[nodiscard]] int row_offset(int k) const { return row_offsets_[static_cast<std::size_t>(k)]; }
  /// \returns [D, H (H^T H)^-1 e_j] of joint k: its rows of Phi'.
  [[nodiscard]] const SpatialColumns& directions(int k) const {
    return kinematics_.joint(k).motions.empty() ? kinematics_.joint_state(k).d
                                                : directions_[static_cast<std::size_t>(k)];
  }
  /// \returns the index of motion m of joint k among all prescribed motions.
  [[nodiscard]] std::size_t motion_index(int k, std::size_t m) const;

 private:
  void set_directions(int k);
  void set_leaf(DualAssembly& assembly, int body);
  void set_leaf(AssemblyEngine& engine, int body);
  AssemblyPivot factorise(DualAssembly& assembly);
  AssemblyPivot factorise(AssemblyEngine& engine);
  /// Loads beyond gravity, on one thread: they share the variables of formulas.
  void evaluate_loads(double t);
  /// What acts on a body, forces of inertia included, but for the loads in its joints.
  void set_input(int body);
  void add_joint_loads();
  /// Inputs of bodies and right sides of joints.
  void set_equations(const BranchShare& share, const DualScope& scope);
  void find_single_scope();
  /// r of Phi'' = 0: -(D^T)' (V_b - V_a) - D^T (Xdot_b V_b - Xdot_a V_a), and f'' in the rows of motions.
  void set_right_side(int k, std::span<double> right) const;
  /// Phi and Phi' of one joint.
  void set_position_residual(int k, std::span<double> phi) const;
  void set_velocity_residual(int k, std::span<double> rate) const;
  /// -2 omega mu Phi' - omega^2 Phi into the rows of one joint.
  void stabilise(int k, std::span<double> right);
  void add_pair(int joint, const Vec6& wrench);
  /// Calls work(k) for joints, which threads share.
  template <typename Work>
  void for_joints(const DualScope& scope, const Work& work) const {
    team().run([&](const BranchShare& share) {
      scope.for_joints(share, row_offsets_.size(), [&](std::size_t k) { work(static_cast<int>(k)); });
    });
  }

  const Mechanism* mechanism_;
  AugmentedOptions options_;
  AbsoluteKinematics kinematics_;
  PrescribedMotions motions_;
  using Assembly = std::variant<DualAssembly, AssemblyEngine>;
  [[nodiscard]] Assembly make_assembly() const;

  Assembly assembly_;
  BranchTeam alone_;
  DualScope own_scope_;
  std::optional<TwinKinematics> twins_;
  DualScope single_scope_;
  std::vector<bool> single_bodies_;  // by body: whether its leaf has joints outside twins, or is outside itself
  std::vector<int> row_offsets_;
  bool tree_needed_ = false;   // loads beyond gravity, or prescribed motions: they speak of joint coordinates
  bool loads_needed_ = false;  // loads beyond gravity
  Kinematics tree_;
  LoadEvaluator loads_;
  std::vector<SpatialColumns> directions_;  // of joints with prescribed motions; those of the others are D
  std::vector<double> placed_;              // y
  std::vector<double> assembled_;           // y of the assembly that stands; not a number where none does
  std::vector<double> near_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<Vec6> input_;
  std::vector<Vec6> accelerations_;
  std::vector<double> right_;
  std::vector<double> multipliers_;
  std::vector<double> residual_;
};

}  // namespace mbdbench
