#pragma once
/// \file
/// A planar loop that turns with its base out of its plane.
#include "mechanisms/model/mechanism.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench::test {

/// A four-bar linkage in the plane z = 0 of a table that spins about y: the two rows of its cut joint that restrict it
/// at first, x and y of the world, are one after a quarter of a turn.
inline Mechanism loop_on_a_table() {
  MechanismDescription description = four_bar(3.0, {1.57, -1.0, -1.0});
  description.gravity = Vec3(0.0, -9.81, 0.0);
  BodyDescription table;
  table.name = "table";
  table.mass = 5.0;
  table.inertia = 9.0 * Mat3::Identity();
  description.bodies.push_back(table);
  for (JointDescription& joint : description.joints) {
    joint.a = joint.a == kGround ? table.name : joint.a;
  }
  JointDescription spin;
  spin.name = "spin";
  spin.b = table.name;
  spin.axis = Vec3::UnitY();
  spin.v0 = {2.0};
  description.joints.insert(description.joints.begin(), spin);
  description.markers.push_back({"pin", "coupler_bar", Vec3(3.0, 0.0, 0.0)});
  return Mechanism(description);
}

}  // namespace mbdbench::test
