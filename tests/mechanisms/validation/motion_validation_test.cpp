/// \file
/// Every error of prescribed motions.
#include "tests/mechanisms/spoilt_mechanism.hpp"

namespace mbdbench {
namespace {

PrescribedMotion& motion_of(Description& description) {
  return description.joints[kHinge].motions[0];
}

const std::vector<SpoiltCase> kMotionCases = {
    {"MotionOfMarkedCut",
     [](Description& d) {
       d.joints[kAnchor].type = JointType::universal;
       d.joints[kAnchor].motions = d.joints[kHinge].motions;
     },
     {"joints", kAnchor, "motions"},
     {"'anchor'", "universal", "another joint of the loop cut = true"}},
    {"MotionOfFoundCut",
     [](Description& d) {
       // Both joints lead to the arm; the second one in the file closes the loop.
       d.joints.push_back(d.joints[kHinge]);
       d.joints.back().name = "second_hinge";
       d.joints.back().type = JointType::universal;
     },
     {"joints", 4, "motions"},
     {"'second_hinge'", "another joint of the loop cut = true"}},
    {"MotionOfQuaternion",
     [](Description& d) { d.joints[kBall].motions = d.joints[kHinge].motions; },
     {"joints", kBall, "motions"},
     {"'ball'", "quaternion"}},
    {"MotionComponentTooLarge",
     [](Description& d) { motion_of(d).component = 1; },
     {"joints", kHinge, "motions[0].component"},
     {"'hinge'", "component 2", "has 1"}},
    {"MotionComponentNegative",
     [](Description& d) { motion_of(d).component = -1; },
     {"joints", kHinge, "motions[0].component"},
     {"'hinge'"}},
    {"MotionTwice",
     [](Description& d) { d.joints[kHinge].motions.push_back(motion_of(d)); },
     {"joints", kHinge, "motions[1].component"},
     {"'hinge'", "two prescribed motions"}},
    {"MotionUnreadable",
     [](Description& d) { motion_of(d).position = "sin(2*"; },
     {"joints", kHinge, "motions[0].position"},
     {"'hinge'", "sin(2*"}},
    {"MotionOfState",
     [](Description& d) { motion_of(d).velocity = "q_knuckle"; },
     {"joints", kHinge, "motions[0].velocity"},
     {"'hinge'", "q_knuckle", "Variables here: t"}},
    {"MotionInfiniteAtStart",
     [](Description& d) { motion_of(d).position = "1/t"; },
     {"joints", kHinge, "motions[0].position"},
     {"'hinge'", "t = 0"}},
    {"MotionVelocityWrong",
     [](Description& d) { motion_of(d).velocity = "0.2*t^2*1.0001"; },
     {"joints", kHinge, "motions[0].velocity"},
     {"'hinge'", "not the derivative of position"}},
    {"MotionAccelerationWrong",
     [](Description& d) { motion_of(d).acceleration = "-0.2*t"; },
     {"joints", kHinge, "motions[0].acceleration"},
     {"'hinge'", "not the derivative of velocity"}},
    {"MotionAssigns",
     [](Description& d) { motion_of(d).position = "t = 0"; },
     {"joints", kHinge, "motions[0].position"},
     {"'hinge'", "assignments"}},
};

class SpoiltMotion : public testing::TestWithParam<SpoiltCase> {};

TEST_P(SpoiltMotion, IsRefusedWithItsPlaceAndReason) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Validation, SpoiltMotion, testing::ValuesIn(kMotionCases), spoilt_case_name);

}  // namespace
}  // namespace mbdbench
