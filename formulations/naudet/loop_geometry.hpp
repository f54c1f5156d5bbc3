#pragma once
/// \file
/// What Phi_q of loops is made of at one position: cut joints, and the directions of the joints on the ways to them.
#include <span>
#include <vector>

#include "formulations/recursion/links/link_poses.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Workspace, sized once. Cost of a position: O(n), less than Kinematics, which places all bodies and joints.
class LoopGeometry {
 public:
  explicit LoopGeometry(const Mechanism& mechanism);

  void set_positions(std::span<const double> q);
  /// \returns D, point and displacement of a cut joint.
  [[nodiscard]] const JointKinematics& cut_joint(std::size_t cut) const { return cuts_[cut]; }
  /// \returns how far what places cut joints lies from the origin, which rounding of their points is relative to:
  /// joints on the ways to them, and the origins of their bodies, which may lie far from all joints.
  [[nodiscard]] double largest_distance() const;
  /// \returns the column of H of one component of u, of a joint on the way to a cut joint, at a point in world axes.
  [[nodiscard]] Vec6 motion(int component, const Vec3& point) const;

 private:
  const Mechanism* mechanism_;
  LinkTree tree_;
  LinkPositions positions_;
  LinkPoses poses_;
  std::vector<JointKinematics> cuts_;
  std::vector<int> rows_;  // by component of u
};

}  // namespace mbdbench
