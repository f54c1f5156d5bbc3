#pragma once
/// \file
/// What Phi_q of loops is made of at one position: cut joints, and the directions of the joints on the ways to them.
#include <memory>
#include <span>
#include <vector>

#include "formulations/parts/part_recursion.hpp"
#include "formulations/recursion/links/link_poses.hpp"
#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Workspace, sized once. Cost of a position: O(n), less than Kinematics, which places all bodies and joints.
class LoopGeometry {
 public:
  explicit LoopGeometry(const Mechanism& mechanism);
  /// At the positions of a part, with poses of all rows. \param part outlives this
  LoopGeometry(const Mechanism& mechanism, const PartRecursion& part);

  /// Of a geometry that stands alone.
  void set_positions(std::span<const double> q);
  /// \returns D, point and displacement of a cut joint.
  [[nodiscard]] const JointKinematics& cut_joint(std::size_t cut) const { return cuts_[cut]; }
  /// Of a geometry that stands alone: a part may have poses of other joints.
  /// \returns how far what places cut joints lies from the origin, which rounding of their points is relative to:
  /// joints on the ways to them, and the origins of their bodies, which may lie far from all joints.
  [[nodiscard]] double largest_distance() const;
  /// A column of H.
  struct Motion {
    Vec3 linear;
    Vec3 angular;
  };
  /// \returns that of one component of u, of a joint on the way to a cut joint, at a point in world axes.
  [[nodiscard]] Motion motion(int component, const Vec3& point) const;

 private:
  /// Of a geometry that stands alone.
  struct Tree {
    explicit Tree(const Mechanism& mechanism);
    LinkTree links;
    LinkPositions positions;
    LinkPoses poses;
    std::vector<JointKinematics> cuts;
  };

  void find_rows();

  const Mechanism* mechanism_;
  std::unique_ptr<Tree> own_;
  const LinkTree* tree_;
  const LinkPoses* poses_;
  std::span<const JointKinematics> cuts_;
  std::vector<int> rows_;  // by component of u
};

}  // namespace mbdbench
