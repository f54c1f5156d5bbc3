#pragma once
/// \file
/// Kinematics in absolute coordinates: poses of bodies from y = (r_i, e_i), every joint as it lies between its two
/// bodies. Off the constraints no joint is closed, those of the spanning tree no more than the cut joints: all have a
/// residual.
///
/// Joints that do not slide keep a handle on each body, so that Phi_q is the exact gradient of Phi in world axes:
/// multipliers that grow without bound at singular positions amplify any difference. With one point for
/// both bodies (joint_kinematics.hpp) a folding rhombus was projected to 1e-7 only, not to 1e-13. No rank is decided
/// here, so that drifted redundant rows do no harm; but forces on two bodies at two points make a couple, displacement
/// x force, which changes the angular momentum while a joint is open.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/euler_parameters.hpp"
#include "formulations/augmented_lagrangian/dual/dual_scope.hpp"
#include "formulations/execution/branch_team.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Where the parts of a body's coordinates stand: 7 numbers a body, r_i = centre of mass (world axes), then e_i.
inline constexpr std::size_t kAbsoluteCoordinates = 7;

/// Poses and velocities of bodies and joints; joints are numbered tree joints first, then cut joints. A workspace: no
/// allocation after construction. O(n).
class AbsoluteKinematics {
 public:
  explicit AbsoluteKinematics(const Mechanism& mechanism);

  /// Poses, then O_k, H and D of every joint. Euler parameters of any non-zero length.
  /// \param y 7 n entries \param team threads that share bodies and joints \param scope which of them
  void set_positions(std::span<const double> y, const BranchTeam& team, const DualScope& scope = {});
  /// Velocities [v_C; omega] in world axes, then rates of H and D, after set_positions.
  void set_velocities(std::span<const Vec6> velocities, const BranchTeam& team, const DualScope& scope = {});

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  [[nodiscard]] int joint_count() const { return static_cast<int>(joints_.size()); }
  [[nodiscard]] const Joint& joint(int k) const { return *models_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const JointKinematics& joint_state(int k) const { return joints_[static_cast<std::size_t>(k)]; }
  /// \returns (H^T H)^-1 of joint k.
  [[nodiscard]] const JointMatrix& gram_inverse(int k) const { return gram_inverse_[static_cast<std::size_t>(k)]; }
  /// \returns the state of a body, -1 for the ground.
  [[nodiscard]] const BodyKinematics& body(int index) const {
    return index < 0 ? ground_ : bodies_[static_cast<std::size_t>(index)];
  }
  /// \returns the handle of joint k on body b, or that on body a.
  [[nodiscard]] const Vec3& handle(int k, bool on_b) const {
    return (on_b ? handles_b_ : handles_a_)[static_cast<std::size_t>(k)];
  }
  /// \returns V_b - V_a of the material points at the handles.
  [[nodiscard]] const Vec6& relative_velocity(int k) const { return relative_velocities_[static_cast<std::size_t>(k)]; }
  /// \returns d/dt (V_b - V_a) at the handles of joint k without the accelerations of the bodies.
  [[nodiscard]] const Vec6& handle_bias(int k) const { return handle_biases_[static_cast<std::size_t>(k)]; }
  /// \returns the pose of b's joint axes relative to a's.
  [[nodiscard]] RelativePose pose(int k) const;

 private:
  void place_body(std::size_t i, const double* own);
  void place_joint(std::size_t k);
  void move_joint(std::size_t k);

  const Mechanism* mechanism_;
  BodyKinematics ground_;
  std::vector<BodyKinematics> bodies_;
  std::vector<const Joint*> models_;
  std::vector<JointKinematics> joints_;
  std::vector<Vec3> handles_a_;
  std::vector<Vec3> handles_b_;
  std::vector<Vec6> relative_velocities_;
  std::vector<Vec6> handle_biases_;
  std::vector<JointMatrix> gram_inverse_;
};

}  // namespace mbdbench
