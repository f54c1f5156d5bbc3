/// \file
/// Mechanisms whose loops have nothing that could move: no quasi-velocities at all, or none that may be changed.
#include <gtest/gtest.h>

#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/singular_start.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench {
namespace {

MechanismDescription welded_twice(double gap) {
  MechanismDescription description;
  description.name = "welded";
  for (const char* name : {"first", "second"}) {
    description.bodies.push_back({name, 1.0, Vec3::Zero(), Mat3::Identity()});
  }
  const auto weld = [&](const char* name, const char* a, const char* b) {
    JointDescription joint;
    joint.name = name;
    joint.type = JointType::fixed;
    joint.a = a;
    joint.b = b;
    description.joints.push_back(joint);
  };
  weld("one", kGround, "first");
  weld("two", "first", "second");
  weld("three", kGround, "second");
  description.joints.back().frame_a.position.x() = gap;
  return description;
}

TEST(welded_bodies, have_no_velocities_and_no_rank) {
  const Mechanism mechanism(welded_twice(0.0));
  EXPECT_EQ(mechanism.u_size(), 0);
  EXPECT_EQ(mechanism.generic_rank().rank, 0);
  EXPECT_EQ(check_model(mechanism).rank, 0);
  EXPECT_EQ(singular_start_warning(mechanism), "");
}

TEST(welded_bodies, that_do_not_fit_say_so) {
  EXPECT_THROW(Mechanism(welded_twice(0.1)), ModelError);
}

TEST(welded_bodies, marked_dependent_alone_can_change_nothing) {
  MechanismDescription description = test::four_bar(3.0, {0.0, 0.0, 0.0});
  description.bodies.push_back({"block", 1.0, Vec3::Zero(), Mat3::Identity()});
  JointDescription weld;
  weld.name = "weld";
  weld.type = JointType::fixed;
  weld.a = "crank_bar";
  weld.b = "block";
  weld.dependent = true;
  description.joints.insert(description.joints.end() - 1, weld);
  try {
    const Mechanism mechanism(description);
    ADD_FAILURE() << "an open loop was taken";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("dependent"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mbdbench
