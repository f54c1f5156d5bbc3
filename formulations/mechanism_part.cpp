#include "formulations/mechanism_part.hpp"

#include <string>

namespace mbdbench {

MechanismDescription mechanism_part(const Mechanism& whole, const std::function<bool(int)>& holds) {
  MechanismDescription part = whole.description();
  const auto is_ground = [&](const std::string& body) { return whole.find_body(body).value_or(-1) < 0; };
  const auto held = [&](const std::string& body) { return !is_ground(body) && holds(*whole.find_body(body)); };
  const auto in_foreign_joint = [&](const auto& load) {
    const std::optional<JointReference> joint = whole.find_joint(load.joint);
    return joint && (joint->cut || !holds(joint->index));  // joint k leads to body k
  };
  std::erase_if(part.bodies, [&](const BodyDescription& body) { return !held(body.name); });
  std::erase_if(part.joints, [&](const JointDescription& joint) { return joint.cut || !held(joint.b); });
  std::erase_if(part.joint_loads, in_foreign_joint);
  std::erase_if(part.joint_springs, in_foreign_joint);
  std::erase_if(part.joint_frictions, in_foreign_joint);
  std::erase_if(part.joint_stops, in_foreign_joint);
  std::erase_if(part.body_loads, [&](const BodyLoadDescription& load) { return !held(load.body); });
  const auto reaches_out = [&](const auto& spring) {
    const bool first = held(spring.body1);
    const bool second = held(spring.body2);
    return !(first || second) || !(first || is_ground(spring.body1)) || !(second || is_ground(spring.body2));
  };
  std::erase_if(part.point_springs, reaches_out);
  std::erase_if(part.bushings, reaches_out);
  std::erase_if(part.markers,
                [&](const MarkerDescription& marker) { return !held(marker.body) && !is_ground(marker.body); });
  part.couplings.clear();
  for (JointDescription& joint : part.joints) {
    joint.dependent = false;  // the whole mechanism has closed the loops
    if (!held(joint.a)) {
      joint.a = kGround;
    }
  }
  return part;
}

}  // namespace mbdbench
