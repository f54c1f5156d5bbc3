/// \file
/// Every error of couplings, and which joints stay in the tree because they are bound.
#include "tests/mechanisms/spoilt_mechanism.hpp"

namespace mbdbench {
namespace {

/// Hinge and first angle of the knuckle, geared.
CouplingDescription& gears(Description& description) {
  return description.couplings.emplace_back(
      CouplingDescription{"gears", {{"hinge", 0, 2.0}, {"knuckle", 0, 1.0}}, std::nullopt});
}

const std::vector<SpoiltCase> kCouplingCases = {
    {"CouplingUnnamed", [](Description& d) { gears(d).name = ""; }, {"couplings", 0, "name"}, {"no name"}},
    {"CouplingNamedTwice",
     [](Description& d) {
       gears(d);
       gears(d);
     },
     {"couplings", 1, "name"},
     {"'gears'", "twice"}},
    {"CouplingOfOne",
     [](Description& d) { gears(d).terms.pop_back(); },
     {"couplings", 0, "terms"},
     {"'gears'", "1 term", "at least two"}},
    {"CouplingOfUnknown",
     [](Description& d) { gears(d).terms[1].joint = "knukle"; },
     {"couplings", 0, "terms[1].joint"},
     {"'gears'", "'knukle'", "did you mean \"knuckle\""}},
    {"CouplingOfCut",
     [](Description& d) { gears(d).terms[1].joint = "anchor"; },
     {"couplings", 0, "terms[1].joint"},
     {"'anchor'", "is cut", "another joint of its loop"}},
    {"CouplingOfQuaternion",
     [](Description& d) { gears(d).terms[1].joint = "ball"; },
     {"couplings", 0, "terms[1].joint"},
     {"'ball'", "spherical", "no angles"}},
    {"CouplingComponent",
     [](Description& d) { gears(d).terms[1].component = 2; },
     {"couplings", 0, "terms[1].component"},
     {"component 3", "has 2"}},
    {"CouplingFactor",
     [](Description& d) { gears(d).terms[0].factor = 0.0; },
     {"couplings", 0, "terms[0].factor"},
     {"'hinge'", "not zero"}},
    {"CouplingTwiceOfOne",
     [](Description& d) { gears(d).terms[1].joint = "hinge"; },
     {"couplings", 0, "terms[1].joint"},
     {"'hinge'", "twice", "add the factors"}},
    {"CouplingValue",
     [](Description& d) { gears(d).value = kNaN; },
     {"couplings", 0, "value"},
     {"'gears'", "not finite"}},
    {"CouplingThatCannotBeMet",
     [](Description& d) {
       // Only the ball may change, and it does not move what is coupled.
       d.joints[kAnchor].type = JointType::free;
       d.joints[kBall].dependent = true;
       gears(d).value = 0.5;
     },
     {"couplings", 0, "value"},
     {"'gears'", "off by 0.5", "dependent = true"}},
};

class SpoiltCoupling : public testing::TestWithParam<SpoiltCase> {};

TEST_P(SpoiltCoupling, IsRefusedWithPlaceAndRemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, SpoiltCoupling, testing::ValuesIn(kCouplingCases), spoilt_case_name);

/// Two bodies on hinges, tied by a third joint that stands last in the list.
MechanismDescription loop_of_three() {
  MechanismDescription description;
  for (const char* const name : {"left", "right"}) {
    description.bodies.push_back({name, 1.0, Vec3::Zero(), Mat3::Identity()});
  }
  const auto joint = [](const char* name, const char* a, const char* b) {
    JointDescription made;
    made.name = name;
    made.a = a;
    made.b = b;
    return made;
  };
  description.joints = {joint("one", kGround, "left"), joint("two", kGround, "right"), joint("tie", "left", "right")};
  return description;
}

TEST(BoundJoints, StayInTheTreeWhereNothingIsMarked) {
  EXPECT_EQ(Mechanism(loop_of_three()).cut_joints()[0].name, "tie");
  MechanismDescription driven = loop_of_three();
  driven.joints[2].motions = {{0, "t", "1", "0"}};
  driven.joints[2].v0 = {1.0};
  EXPECT_EQ(Mechanism(driven).cut_joints()[0].name, "two");
  MechanismDescription coupled = loop_of_three();
  coupled.couplings = {{"gears", {{"one", 0, 1.0}, {"tie", 0, 2.0}}, std::nullopt}};
  EXPECT_EQ(Mechanism(coupled).cut_joints()[0].name, "two");
}

TEST(BoundJoints, WhereOneCannotLeadToItsBodyAnotherDoes) {
  // Both lead to the right body: one of them is cut whatever is done.
  MechanismDescription twice = loop_of_three();
  for (const std::size_t k : {1, 2}) {
    twice.joints[k].motions = {{0, "t", "1", "0"}};
    twice.joints[k].v0 = {1.0};
  }
  const auto error = error_of(twice);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("'tie' closes a loop and is cut"), std::string::npos) << error->what();
  // Its inboard body is reached over its outboard body alone: it is cut, and driven there.
  MechanismDescription backwards = loop_of_three();
  backwards.joints[0] = backwards.joints[2];
  backwards.joints[0].name = "back";
  backwards.joints[0].a = "right";
  backwards.joints[0].b = "left";
  backwards.joints[2].motions = {{0, "t", "1", "0"}};
  const Mechanism driven(backwards);
  EXPECT_EQ(driven.cut_joints()[0].name, "tie");
  EXPECT_TRUE(driven.drives_cut_joints());
}

}  // namespace
}  // namespace mbdbench
