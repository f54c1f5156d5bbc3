#include "formulations/derivatives/lengthened_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

/// \returns a name that no body or joint has.
std::string free_name(const Mechanism& mechanism, std::string name) {
  while (mechanism.find_body(name) || mechanism.find_joint(name)) {
    name += "_";
  }
  return name;
}

/// \param slides receives the name of that of every joint
MechanismDescription with_slides(const Mechanism& mechanism, const std::vector<std::string>& joints, Slides kind,
                                 std::map<std::string, std::string>& slides) {
  MechanismDescription description = mechanism.description();
  for (JointDescription& joint : description.joints) {
    joint.cut = mechanism.find_joint(joint.name)->cut;
  }
  for (const std::string& name : joints) {
    if (slides.contains(name)) {
      continue;
    }
    const LinkLength link = link_length(mechanism, name);
    JointDescription& joint = description.joints[link.joint];
    BodyDescription end;
    end.name = free_name(mechanism, fmt::format("link_end_{}", slides.size()));
    end.mass = 0.0;
    end.com = Vec3::Zero();
    end.inertia = Mat3::Zero();
    JointDescription slide;
    slide.name = free_name(mechanism, fmt::format("link_length_{}", slides.size()));
    slide.type = JointType::prismatic;
    slide.a = joint.a;
    slide.b = end.name;
    slide.frame_a.position = joint.frame_a.position;
    slide.axis = link.along;
    if (kind == Slides::held) {
      slide.motions = {{0, "0", "0", "0"}};
    }
    slides[name] = slide.name;
    joint.a = end.name;
    joint.frame_a.position = Vec3::Zero();
    description.bodies.push_back(std::move(end));
    description.joints.push_back(std::move(slide));
  }
  return description;
}

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

/// \returns why the link has no length; empty where it has
std::string measure(const Mechanism& mechanism, const std::string& name, LinkLength& link) {
  const std::optional<JointReference> found = mechanism.find_joint(name);
  if (!found || found->cut) {
    return "there is no joint of that name in the tree";
  }
  const auto& joints = mechanism.description().joints;
  const auto joint = std::find_if(joints.begin(), joints.end(), [&](const auto& one) { return one.name == name; });
  link.joint = static_cast<std::size_t>(joint - joints.begin());
  for (const JointDescription& inboard : joints) {
    if (inboard.b == joint->a && !mechanism.find_joint(inboard.name)->cut) {
      link.from = inboard.frame_b.position;
    }
  }
  link.along = joint->frame_a.position - link.from;
  link.length = link.along.norm();
  if (!(link.length > 0.0)) {
    return fmt::format("the joint lies where body '{}' hangs, and no direction is longer", joint->a);
  }
  link.along /= link.length;
  return moves_along(mechanism.joint(*found), *joint, link.along)
             ? "the joint itself moves along that link; differentiate by its coordinates"
             : std::string();
}

/// Appends the numbers of a run of components.
void append_run(std::vector<int>& numbers, int first, int count) {
  for (int i = 0; i < count; ++i) {
    numbers.push_back(first + i);
  }
}

}  // namespace

LinkLength link_length(const Mechanism& mechanism, const std::string& joint) {
  LinkLength link;
  if (const std::string why = measure(mechanism, joint, link); !why.empty()) {
    throw ModelError({}, fmt::format("length of '{}': {}", joint, why));
  }
  return link;
}

std::optional<LinkLength> find_link_length(const Mechanism& mechanism, const std::string& joint) {
  LinkLength link;
  return measure(mechanism, joint, link).empty() ? std::optional(link) : std::nullopt;
}

LengthenedMechanism::LengthenedMechanism(const Mechanism& mechanism, std::vector<std::string> joints,
                                         bool with_cut_joints, Slides kind)
    : asked_(std::move(joints)) {
  std::map<std::string, std::string> slides;
  longer_ = std::make_shared<const Mechanism>(with_slides(mechanism, asked_, kind, slides));
  std::vector<int> of_cuts(2, 0);
  for (const Joint& cut : mechanism.cut_joints()) {
    of_cuts[0] += with_cut_joints ? cut.nq : 0;
    of_cuts[1] += with_cut_joints ? cut.nu : 0;
  }
  const int q_size = mechanism.q_size() + of_cuts[0];
  for (const bool velocities : {false, true}) {
    const int first = velocities ? q_size : 0;
    for (const Joint& joint : longer_->tree_joints()) {
      const std::optional<JointReference> own = mechanism.find_joint(joint.name);
      if (!own) {
        own_.push_back(-1);
        continue;
      }
      const Joint& same = mechanism.joint(*own);
      append_run(own_, first + (velocities ? same.u_offset : same.q_offset), velocities ? same.nu : same.nq);
    }
    append_run(own_, first + (velocities ? mechanism.u_size() : mechanism.q_size()), of_cuts[velocities ? 1 : 0]);
  }
  for (const std::string& name : asked_) {
    displacements_.push_back(index_of(longer_->joint(*longer_->find_joint(slides.at(name))).q_offset));
  }
}

void LengthenedMechanism::set_state(std::span<const double> x, std::span<double> longer) const {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    longer[i] = own_[i] < 0 ? 0.0 : x[index_of(own_[i])];
  }
}

void LengthenedMechanism::get_own(std::span<const double> longer, std::span<double> x) const {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (own_[i] >= 0) {
      x[index_of(own_[i])] = longer[i];
    }
  }
}

}  // namespace mbdbench
