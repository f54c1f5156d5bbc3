#pragma once
/// \file
/// Poses and velocities of all bodies and joints along the spanning tree, in world axes. A workspace: sized once, no
/// allocation afterwards. O(n).
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Pose and velocity of a body.
struct BodyKinematics {
  Mat3 rotation = Mat3::Identity();  ///< body axes to world axes
  Vec3 origin = Vec3::Zero();        ///< of the body's frame
  Vec3 com = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();          ///< J_C in world axes
  Mat3 inertia_inverse = Mat3::Zero();  ///< J_C^-1 in world axes
  Vec6 velocity = Vec6::Zero();         ///< [v_C; omega]
};

/// Geometry of a joint: the two handles, H, D and their rates.
struct JointKinematics {
  Mat3 axes_a = Mat3::Identity();  ///< joint axes on a, columns in world axes
  Mat3 axes_b = Mat3::Identity();
  Vec3 point_a = Vec3::Zero();       ///< a's handle: equals point_b where the joint slides and for every tree joint
  Vec3 point_b = Vec3::Zero();       ///< O_k, the origin of the joint's frame on b
  Vec3 displacement = Vec3::Zero();  ///< origin on b minus origin on a
  SpatialColumns h;
  SpatialColumns d;
  SpatialColumns h_rate;
  SpatialColumns d_rate;
  Vec3 velocity_a = Vec3::Zero();  ///< velocity of the geometric point point_a
  Vec3 velocity_b = Vec3::Zero();  ///< velocity of point_b
};

/// All kinematic quantities at one (q, u).
class Kinematics {
 public:
  explicit Kinematics(const Mechanism& mechanism);

  /// Forward sweep over positions: poses, H, D. Quaternions of any non-zero length.
  /// \param q q_size() entries
  void set_positions(std::span<const double> q);

  /// Forward sweep over velocities, after set_positions. \param u u_size() entries
  void set_velocities(std::span<const double> u);

  /// For formulations that solve for absolute velocities: takes V = [v_C; omega] of all bodies, after set_positions.
  void set_body_velocities(std::span<const Vec6> velocities);

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  /// \returns body k; index -1 is the ground at rest.
  [[nodiscard]] const BodyKinematics& body(int index) const {
    return index < 0 ? ground_ : bodies_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const JointKinematics& tree_joint(int index) const { return joints_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const JointKinematics& cut_joint(int index) const { return cuts_[static_cast<std::size_t>(index)]; }

  /// \returns [v; omega] of body `index` at the world point `point` (material velocity).
  [[nodiscard]] Vec6 velocity_at(int index, const Vec3& point) const {
    const BodyKinematics& state = body(index);
    return shift_velocity(point - state.com, state.velocity);
  }

  /// \returns (H^T H)^-1 of tree joint `index`, nu x nu.
  [[nodiscard]] const JointMatrix& gram_inverse(int index) const {
    return gram_inverse_[static_cast<std::size_t>(index)];
  }

  /// \returns world position of a point given in the body's frame.
  [[nodiscard]] Vec3 world_point(int index, const Vec3& point) const {
    const BodyKinematics& state = body(index);
    return state.origin + state.rotation * point;
  }

 private:
  void place_handles(const Joint& joint, JointKinematics& state) const;
  void set_rates();

  const Mechanism* mechanism_;
  BodyKinematics ground_;
  std::vector<BodyKinematics> bodies_;
  std::vector<JointKinematics> joints_;
  std::vector<JointKinematics> cuts_;
  std::vector<JointMatrix> gram_inverse_;
};

}  // namespace mbdbench
