#include "mechanisms/model/description/rotor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

/// \returns whether the component turns about or slides along `axis`, which is fixed in a.
bool is_along_axis(JointType type, int component) {
  switch (type) {
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::screw:
    case JointType::universal:
      return component == 0;
    case JointType::cylindrical:
      return component == 0 || component == 1;
    default:
      return false;
  }
}

const JointDescription& joint_of(const MechanismDescription& description, const RotorDescription& rotor) {
  const auto found = std::find_if(description.joints.begin(), description.joints.end(),
                                  [&](const JointDescription& joint) { return joint.name == rotor.joint; });
  if (found == description.joints.end()) {
    std::vector<std::string> known;
    for (const JointDescription& joint : description.joints) {
      known.push_back(joint.name);
    }
    throw std::invalid_argument(fmt::format("rotor '{}': '{}' is not a joint; {}", rotor.name, rotor.joint,
                                            suggest_name(rotor.joint, known, "joints")));
  }
  if (!is_along_axis(found->type, rotor.component)) {
    throw std::invalid_argument(
        fmt::format("rotor '{}': component {} (counted from 1) of the {} joint '{}' has no axis on body a; rotors are "
                    "for revolute, prismatic, screw and cylindrical joints and the first component of universal ones",
                    rotor.name, rotor.component + 1LL, to_string(found->type), found->name));
  }
  return *found;
}

double entry(const std::vector<double>& values, int place) {
  return values.empty() ? 0.0 : values[static_cast<std::size_t>(place)];
}

}  // namespace

void add_rotor(MechanismDescription& description, const RotorDescription& rotor) {
  const JointDescription geared = joint_of(description, rotor);
  if (!(rotor.inertia > 0.0 && std::isfinite(rotor.inertia))) {
    throw std::invalid_argument(
        fmt::format("rotor '{}': inertia = {}, it must be positive (kg m^2)", rotor.name, rotor.inertia));
  }
  if (!(rotor.ratio != 0.0 && std::isfinite(rotor.ratio))) {
    throw std::invalid_argument(
        fmt::format("rotor '{}': ratio = {}, it must be finite and not zero: the turns of the "
                    "rotor for one of the joint, negative where it turns the other way",
                    rotor.name, rotor.ratio));
  }
  const Vec3& axis = geared.axis;
  description.bodies.push_back(
      {rotor.name, rotor.mass, Vec3::Zero(), 0.5 * rotor.inertia * (Mat3::Identity() + axis * axis.transpose())});
  JointDescription spin;
  spin.name = rotor.name + "_spin";
  spin.type = JointType::revolute;
  spin.a = geared.a;
  spin.b = rotor.name;
  spin.frame_a = geared.frame_a;
  spin.axis = axis;
  spin.q0 = {rotor.ratio * entry(geared.q0, rotor.component)};
  spin.v0 = {rotor.ratio * entry(geared.v0, rotor.component)};
  spin.dependent = geared.dependent;
  description.joints.push_back(std::move(spin));
  CouplingDescription gear;
  gear.name = rotor.name + "_gear";
  gear.terms = {{geared.name, rotor.component, rotor.ratio}, {rotor.name + "_spin", 0, -1.0}};
  gear.value = 0.0;
  description.couplings.push_back(std::move(gear));
}

}  // namespace mbdbench
