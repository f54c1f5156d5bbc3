#include "experiments/gradients/numbers/lengthened_mechanism.hpp"

#include <fmt/format.h>

#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench::gradients {
namespace {

/// \returns a name that no body or joint has.
std::string free_name(const Mechanism& mechanism, std::string name) {
  while (mechanism.find_body(name) || mechanism.find_joint(name)) {
    name += "_";
  }
  return name;
}

/// \param slides receives their names
MechanismDescription with_slides(const Mechanism& mechanism, const std::vector<std::string>& joints,
                                 std::vector<std::string>& slides) {
  MechanismDescription description = mechanism.description();
  for (JointDescription& joint : description.joints) {
    joint.cut = mechanism.find_joint(joint.name)->cut;
  }
  for (const std::string& name : joints) {
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
    slides.push_back(slide.name);
    joint.a = end.name;
    joint.frame_a.position = Vec3::Zero();
    description.bodies.push_back(std::move(end));
    description.joints.push_back(std::move(slide));
  }
  return description;
}

/// Appends the numbers of a run of components.
void append_run(std::vector<int>& numbers, int first, int count) {
  for (int i = 0; i < count; ++i) {
    numbers.push_back(first + i);
  }
}

}  // namespace

LengthenedMechanism::LengthenedMechanism(const Mechanism& mechanism, const std::vector<std::string>& joints) {
  std::vector<std::string> slides;
  longer_.emplace(with_slides(mechanism, joints, slides));
  for (const bool velocities : {false, true}) {
    const int first = velocities ? mechanism.q_size() : 0;
    for (const Joint& joint : longer_->tree_joints()) {
      const std::optional<JointReference> own = mechanism.find_joint(joint.name);
      const int count = velocities ? joint.nu : joint.nq;
      if (!own) {
        own_.insert(own_.end(), index_of(count), -1);
        continue;
      }
      const Joint& same = mechanism.joint(*own);
      append_run(own_, first + (velocities ? same.u_offset : same.q_offset), count);
    }
  }
  for (const std::string& slide : slides) {
    displacements_.push_back(index_of(longer_->joint(*longer_->find_joint(slide)).q_offset));
  }
}

}  // namespace mbdbench::gradients
