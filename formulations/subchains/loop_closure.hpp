#pragma once
/// \file
/// The cut joint between the ends of two arms, or between one and the ground: lambda or sigma from the ends' motions.
///
/// The last link of each arm moves with V = V_free - C F' (F' the wrench that it gives to what follows, its own frame;
/// C and V_free with everything inboard of it). With J the rows of the cut joint for the motion of that link,
///
///   (J_b C_b J_b^T + J_a C_a J_a^T) lambda = r - (J_b V_b - J_a V_a)_free,   F'_b = -J_b^T lambda,  F'_a = J_a^T
///   lambda
///
/// of the rank that the mechanism's loops have generically, lower at singular positions (SemidefiniteSolver). Where
/// velocities are solved for, both bodies have one handle (joint_kinematics.hpp), for accelerations as published each
/// the joint's origin on itself; these are one point while the loop is closed.
///
/// Momenta: D sigma is fixed to neither body but for its linear rows, which stand along the world's axes. Its rate and
/// the way of its handle load the two links [Chadaj2017, Eq. (69), (77)] (hdca.cpp):
/// -(D' sigma) - [0; v_h x f] + kappa D sigma on b, the opposite on a.
#include <array>

#include "formulations/recursion/semidefinite_solver.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// The small system of one cut joint. Allocates nothing after construction.
class LoopClosure {
 public:
  using Mat6 = Eigen::Matrix<double, 6, 6>;

  /// What must be known of an end.
  struct End {
    Mat3 rotation = Mat3::Identity();  ///< the link's frame to the world's (momenta, accelerations)
    Vec3 origin = Vec3::Zero();        ///< O_k of the link (where velocities are solved for)
    Vec3 omega = Vec3::Zero();         ///< in the link's frame (accelerations)
    Vec6 free = Vec6::Zero();          ///< V_free [linear; angular] in the link's frame; of the ground in the world's
    Mat6 compliance = Mat6::Zero();    ///< C
    Vec6 wrench = Vec6::Zero();        ///< result: F'
    Vec6 load = Vec6::Zero();          ///< result (momenta): what acts on the link besides, about its O_k
  };

  LoopClosure(const Mechanism& mechanism, const ChainPlan& plan);

  /// The ends on bodies a and b, to be filled before a solution.
  [[nodiscard]] End& end(std::size_t which) { return ends_[which]; }
  [[nodiscard]] const End& end(std::size_t which) const { return ends_[which]; }

  /// r of the accelerations: Phi'' = 0.
  void solve_accelerations();
  /// The same at the positions of the last solution, whose matrix serves again.
  void solve_accelerations_again();
  /// Phi' = 0. \param leak kappa, 1/s
  void solve_velocities(double leak);
  /// The same without loads. Of velocities that are projected: V_free is their motion.
  void solve_impulses();
  /// Of p' as momenta, after `solve_velocities` at the same positions: the impulse nu that keeps the joint closed.
  /// Loads become D (nu + kappa sigma) alone; sigma stays the multiplier. \param kappa 1/s
  void solve_tangent(double kappa);
  /// \returns rows that others repeat at this position; before the first solution, in general.
  [[nodiscard]] int redundant_rows() const {
    return static_cast<int>(multipliers_.size() - (solved_ ? solver_.rank() : generic_rank_));
  }
  /// \returns lambda or sigma.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const { return multipliers_; }

 private:
  static constexpr int kRows = 8;  // filled up with zeros: whole registers instead of loops over five rows
  using Rows = Eigen::Matrix<double, kRows, 6>;

  void set_handle();
  void set_rows();
  /// Velocities that follow from the last solution, at O_k of both ends, in world axes.
  void set_motions();
  /// \returns that of the handle, from the ends' `set_motions`.
  [[nodiscard]] Vec3 handle_velocity() const;
  void decompose();
  void close();
  void set_loads(double leak);

  const Joint* joint_;
  double share_of_b_;
  std::array<CutTip, 2> tips_;
  std::array<Vec3, 2> levers_;  // from O_k to the handle, in the link's frame
  std::array<Vec6, 2> motions_;
  bool moves_ = false;  // motions_ are those of the position
  std::array<End, 2> ends_;
  std::array<Mat3, 2> axes_;  // the joint's on each end, in world axes
  std::array<Rows, 2> rows_;  // J, for the motion of the end in its own frame
  SpatialColumns d_;
  SpatialColumns d_rate_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd smallest_diagonal_;
  Eigen::VectorXd multipliers_;  // the right side before
  Eigen::VectorXd sigma_;        // while the tangent gauge has multipliers of its own
  SemidefiniteSolver solver_;
  Eigen::Index generic_rank_;
  bool solved_ = false;
  bool decomposed_ = false;
};

}  // namespace mbdbench
