#pragma once
/// \file
/// Poses and velocities of all bodies and joints along the spanning tree, in world axes. A workspace: sized once, no
/// allocation afterwards. O(n).
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/model/kinematics/joint_kinematics.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Poses and velocities of all bodies: what loads on bodies and markers need. Somebody else computes them.
class BodyMotions {
 public:
  explicit BodyMotions(const Mechanism& mechanism) : mechanism_(&mechanism), bodies_(mechanism.bodies().size()) {}

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  /// \returns body k; index -1 is the ground at rest.
  [[nodiscard]] const BodyKinematics& body(int index) const {
    return index < 0 ? ground_ : bodies_[static_cast<std::size_t>(index)];
  }
  /// \returns [v; omega] of body `index` at the world point `point` (material velocity).
  [[nodiscard]] Vec6 velocity_at(int index, const Vec3& point) const { return body(index).velocity_at(point); }
  /// \returns world position of a point given in the body's frame.
  [[nodiscard]] Vec3 world_point(int index, const Vec3& point) const {
    const BodyKinematics& state = body(index);
    return state.origin + state.rotation * point;
  }
  /// All bodies, for who computes them.
  [[nodiscard]] std::span<BodyKinematics> bodies() { return bodies_; }

 private:
  const Mechanism* mechanism_;
  BodyKinematics ground_;
  std::vector<BodyKinematics> bodies_;
};

class VelocityRows;

/// An entry of Phi_q that a constraint of velocities alone makes, and its rate.
struct VelocityEntry {
  int row = 0;
  int u = 0;
  double factor = 0.0;
  double rate = 0.0;
};

/// All kinematic quantities at one (q, u).
class Kinematics : public BodyMotions {
 public:
  explicit Kinematics(const Mechanism& mechanism);
  Kinematics(const Kinematics&) = delete;
  Kinematics& operator=(const Kinematics&) = delete;
  Kinematics(Kinematics&& other) noexcept;
  Kinematics& operator=(Kinematics&& other) noexcept;
  ~Kinematics();

  /// Forward sweep over positions: poses, H, D. Quaternions of any non-zero length.
  /// \param q q_size() entries
  void set_positions(std::span<const double> q);

  /// Forward sweep over velocities, after set_positions. \param u u_size() entries
  void set_velocities(std::span<const double> u);

  /// For formulations that solve for absolute velocities: takes V = [v_C; omega] of all bodies, after set_positions.
  void set_body_velocities(std::span<const Vec6> velocities);

  [[nodiscard]] const JointKinematics& tree_joint(int index) const { return joints_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const JointKinematics& cut_joint(int index) const { return cuts_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::span<const JointKinematics> cut_joints() const { return cuts_; }
  /// \returns the entries of all constraints of velocities alone (velocity_rows.hpp).
  [[nodiscard]] std::span<const VelocityEntry> velocity_entries() const;

  /// \returns (H^T H)^-1 of tree joint `index`, nu x nu.
  [[nodiscard]] const JointMatrix& gram_inverse(int index) const {
    return gram_inverse_[static_cast<std::size_t>(index)];
  }

 private:
  void set_rates();

  std::vector<JointKinematics> joints_;
  std::vector<JointKinematics> cuts_;
  std::vector<JointMatrix> gram_inverse_;
  std::unique_ptr<VelocityRows> velocity_rows_;  // where the mechanism has such constraints
};

}  // namespace mbdbench
