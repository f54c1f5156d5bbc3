#pragma once
/// \file
/// Copies of a mechanism of the catalogue beside one another, on the ground or on a hub: branches that have loops.
#include <fmt/format.h>

#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::test {

/// What stands beside one another.
struct Hung {
  const char* part;  ///< a mechanism of the catalogue
  int copies;
  bool on_hub;  ///< on a body that turns on the ground; otherwise on the ground itself
};

inline std::string name_of_copy(const std::string& name, int copy) {
  return name == kGround ? name : fmt::format("{}_{}", name, copy);
}

/// Copies of a mechanism beside one another, without its loads.
inline MechanismDescription side_by_side(const Hung& hung) {
  const MechanismDescription part = make_mechanism(mechanism_registry(), hung.part).description();
  MechanismDescription all;
  all.name = fmt::format("{} x {}{}", hung.copies, hung.part, hung.on_hub ? " on a hub" : "");
  all.gravity = part.gravity;
  const std::string base = hung.on_hub ? "hub" : std::string(kGround);
  if (hung.on_hub) {
    all.bodies.push_back({"hub", 3.0, Vec3::Zero(), Mat3::Identity()});
    JointDescription turn;
    turn.name = "hub";
    turn.b = "hub";
    turn.v0 = {0.2};
    all.joints.push_back(turn);
  }
  for (int copy = 0; copy < hung.copies; ++copy) {
    for (BodyDescription body : part.bodies) {
      body.name = name_of_copy(body.name, copy);
      all.bodies.push_back(body);
    }
    for (JointDescription joint : part.joints) {
      joint.name = name_of_copy(joint.name, copy);
      joint.a = joint.a == kGround ? base : name_of_copy(joint.a, copy);
      joint.b = joint.b == kGround ? base : name_of_copy(joint.b, copy);
      all.joints.push_back(joint);
    }
  }
  return all;
}

/// Springs in every fifth joint of one coordinate: loads that need no poses.
inline void add_springs(MechanismDescription& description) {
  for (std::size_t j = 0; j < description.joints.size(); j += 5) {
    const JointDescription& joint = description.joints[j];
    if (!joint.cut && joint.type == JointType::revolute) {
      description.joint_springs.push_back({"spring_" + joint.name, joint.name, 0, 3.0, 0.2, 0.1});
    }
  }
}

/// A gear within each copy and one between neighbouring copies: loops of one row in branches and between them.
/// \param first joint of one copy, in gear with `second` and with the neighbour's \param second joint of one copy
inline void add_gears(MechanismDescription& description, const Hung& hung, const std::string& first,
                      const std::string& second) {
  for (int copy = 0; copy < hung.copies; ++copy) {
    const std::string own = name_of_copy(first, copy);
    description.couplings.push_back(
        {fmt::format("within{}", copy), {{own, 0, 1.0}, {name_of_copy(second, copy), 0, -0.5}}, {}});
    if (copy > 0) {
      description.couplings.push_back(
          {fmt::format("between{}", copy), {{own, 0, 1.0}, {name_of_copy(first, copy - 1), 0, 1.5}}, {}});
    }
  }
  for (JointDescription& joint : description.joints) {
    joint.dependent = !joint.cut && joint.motions.empty();
  }
}

}  // namespace mbdbench::test
