#include "mechanisms/model/link_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

/// \returns whether the joint's own displacements have this direction of the inboard body's frame.
bool moves_along(const Joint& model, const JointDescription& joint, const Vec3& direction) {
  constexpr double kParallel = 1e-9;  // sine of the angle
  const Vec3 own = model.rotation_a.transpose() * direction;
  switch (model.type) {
    case JointType::free:
      return true;
    case JointType::prismatic:
    case JointType::cylindrical:
      return own.cross(joint.axis).norm() < kParallel;
    case JointType::planar:
      return std::abs(own.dot(joint.axis)) < kParallel;
    default:
      return false;
  }
}

/// Where bodies hang on their tree joints, in their own frames.
class HungBodies {
 public:
  explicit HungBodies(const Mechanism& mechanism) : mechanism_(&mechanism) {
    for (const JointDescription& joint : mechanism.description().joints) {
      if (!mechanism.find_joint(joint.name)->cut) {
        points_[joint.b] = joint.frame_b.position;
      }
    }
  }

  /// Of the joint at link.joint. \returns why the link has no length; empty where it has
  [[nodiscard]] std::string measure(LinkLength& link) const {
    const JointDescription& joint = mechanism_->description().joints[link.joint];
    const JointReference found = *mechanism_->find_joint(joint.name);
    if (found.cut) {
      return "there is no joint of that name in the tree";
    }
    if (const auto hung = points_.find(joint.a); hung != points_.end()) {
      link.from = hung->second;
    }
    link.along = joint.frame_a.position - link.from;
    link.length = link.along.norm();
    if (!(link.length > 0.0)) {
      return fmt::format("the joint lies where body '{}' hangs, and no direction is longer", joint.a);
    }
    link.along /= link.length;
    return moves_along(mechanism_->joint(found), joint, link.along)
               ? "the joint itself moves along that link; differentiate by its coordinates"
               : std::string();
  }

  /// The same of a joint by name.
  [[nodiscard]] std::string measure(const std::string& name, LinkLength& link) const {
    const auto& joints = mechanism_->description().joints;
    const auto joint = std::find_if(joints.begin(), joints.end(), [&](const auto& one) { return one.name == name; });
    if (joint == joints.end()) {
      return "there is no joint of that name in the tree";
    }
    link.joint = static_cast<std::size_t>(joint - joints.begin());
    return measure(link);
  }

 private:
  const Mechanism* mechanism_;
  std::map<std::string, Vec3> points_;
};

}  // namespace

LinkLength link_length(const Mechanism& mechanism, const std::string& joint) {
  LinkLength link;
  if (const std::string why = HungBodies(mechanism).measure(joint, link); !why.empty()) {
    throw ModelError({}, fmt::format("length of '{}': {}", joint, why));
  }
  return link;
}

std::optional<LinkLength> find_link_length(const Mechanism& mechanism, const std::string& joint) {
  LinkLength link;
  return HungBodies(mechanism).measure(joint, link).empty() ? std::optional(link) : std::nullopt;
}

std::vector<std::optional<LinkLength>> link_lengths(const Mechanism& mechanism) {
  std::vector<std::optional<LinkLength>> all(mechanism.tree_joints().size());
  const HungBodies hung(mechanism);
  const auto& joints = mechanism.description().joints;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const JointReference joint = *mechanism.find_joint(joints[k].name);
    LinkLength link;
    link.joint = k;
    if (!joint.cut && hung.measure(link).empty()) {
      all[index_of(joint.index)] = link;
    }
  }
  return all;
}

std::vector<Vec3> link_directions(const Mechanism& mechanism) {
  std::vector<Vec3> directions;
  for (const std::optional<LinkLength>& link : link_lengths(mechanism)) {
    directions.push_back(link ? link->along : Vec3(Vec3::Zero()));
  }
  return directions;
}

}  // namespace mbdbench
