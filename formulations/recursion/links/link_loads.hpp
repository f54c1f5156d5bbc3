#pragma once
/// \file
/// What recursions in link frames get from outside, once a right-hand side: joint forces, prescribed motions, and loads
/// on bodies turned into link frames.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/recursion/links/link_poses.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Costs nothing where a mechanism has neither; world poses are computed only if a load needs them.
class LinkLoads {
 public:
  /// \param near as of LoadEvaluator
  LinkLoads(const Mechanism& mechanism, const LinkTree& tree, const CutReferences* near)
      : loads_(mechanism, near),
        motions_(mechanism),
        cut_joints_(mechanism.cut_joints()),
        in_joints_(loads_.in_joints()),
        rheonomic_(mechanism.rheonomic()) {
    if (loads_.need_bodies()) {
      poses_.emplace(mechanism, tree);
      cuts_.resize(cut_joints_.size());
    }
  }

  /// \returns whether loads act on bodies beside their weight, or need their poses: then `wrenches` holds gravity too.
  [[nodiscard]] bool on_bodies() const { return poses_.has_value(); }
  /// \returns whether joint_forces may be anything but zero.
  [[nodiscard]] bool in_joints() const { return in_joints_; }

  void set_time(double t) {
    if (rheonomic_) {
      motions_.evaluate(t);
    }
  }
  [[nodiscard]] const PrescribedMotions& motions() const { return motions_; }

  /// All loads at a state. \param positions those of the tree at q \param team shares the tree's branches
  void evaluate(double t, std::span<const double> q, std::span<const double> u, const LinkTree& tree,
                const LinkPositions& positions, const BranchTeam& team) {
    if (poses_) {
      const auto place = [&](std::size_t range) {
        poses_->set_positions(tree, positions, tree.ranges()[range]);
        poses_->set_velocities(tree, u, tree.ranges()[range]);
      };
      // Loads may know any body: where processes have branches each of their own, each places all bodies.
      place(0);
      if (team.is_divided()) {
        for (std::size_t branch = 1; branch < tree.ranges().size(); ++branch) {
          place(branch);
        }
      } else {
        team.for_branches(place);
      }
      const BodyMotions& bodies = poses_->bodies();
      for (std::size_t c = 0; c < cuts_.size(); ++c) {
        place_joint(cut_joints_[c], bodies.body(cut_joints_[c].a), bodies.body(cut_joints_[c].b), cuts_[c]);
        set_joint_rates(cut_joints_[c], bodies.body(cut_joints_[c].a), bodies.body(cut_joints_[c].b), cuts_[c]);
      }
      loads_.evaluate(t, q, u, bodies, cuts_);
      const auto collect = [&](std::size_t range) {
        poses_->collect(tree, tree.ranges()[range],
                        [this](int body) -> const Vec6& { return loads_.body_wrench(body); });
      };
      collect(0);
      team.for_branches(collect);
    } else if (in_joints_) {
      loads_.evaluate_joint_forces(t, q, u);
    }
  }
  /// \returns tau, dual to u.
  [[nodiscard]] std::span<const double> joint_forces() const { return view(loads_.joint_forces()); }
  /// \returns loads on every row about its O_k in its axes, gravity included; empty unless `on_bodies`.
  [[nodiscard]] std::span<const kernels::LinkWrench<double>> wrenches() const {
    return poses_ ? poses_->wrenches() : std::span<const kernels::LinkWrench<double>>();
  }

 private:
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  std::optional<LinkPoses> poses_;
  std::span<const Joint> cut_joints_;  // free ones, which close nothing, may be loaded
  std::vector<JointKinematics> cuts_;  // with poses_
  bool in_joints_;
  bool rheonomic_;
};

/// \returns why who computes no poses cannot take the mechanism's loads, empty if it can: loads on bodies and in cut
/// joints, and formulas with markers.
inline std::string refuse_loads_with_poses(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  const bool in_joints = has_joint_loads(description);
  if (!description.body_loads.empty() || !description.point_springs.empty() || !description.bushings.empty()) {
    return "gravity and loads in joints are taken so far, this mechanism has loads on bodies";
  }
  return in_joints && LoadEvaluator(mechanism, nullptr).need_bodies()
             ? "loads are taken in joints of the tree, without markers in their formulas, so far"
             : std::string();
}

}  // namespace mbdbench
