/// \file
/// Every error of joints, of the spanning tree and of the initial state.
#include "tests/mechanisms/spoilt_mechanism.hpp"

namespace mbdbench {
namespace {

const std::vector<SpoiltCase> kJointCases = {
    {"JointUnnamed", [](Description& d) { d.joints[kHinge].name = ""; }, {"joints", kHinge, "name"}, {"no name"}},
    {"JointNamedTwice",
     [](Description& d) { d.joints[kKnuckle].name = "hinge"; },
     {"joints", kKnuckle, "name"},
     {"'hinge'", "twice"}},
    {"JointVariablesClash",
     [](Description& d) { d.joints[kHinge].name = "knuckle_2"; },
     {"joints", kKnuckle, "name"},
     {"'knuckle'", "q_knuckle_2", "rename"}},
    {"AxisNotUnit",
     [](Description& d) { d.joints[kHinge].axis = Vec3(0.0, 0.0, 1.01); },
     {"joints", kHinge, "axis"},
     {"'hinge'", "1.01", "length"}},
    {"AxisNaN", [](Description& d) { d.joints[kHinge].axis[0] = kNaN; }, {"joints", kHinge, "axis"}, {"'hinge'"}},
    {"Axis2NotUnit",
     [](Description& d) { d.joints[kKnuckle].axis2 = Vec3(0.0, 0.9999999999, 0.0); },
     {"joints", kKnuckle, "axis2"},
     {"'knuckle'", "0.9999999999"}},
    {"PitchMissing",
     [](Description& d) { d.joints[kHinge].type = JointType::screw; },
     {"joints", kHinge, "pitch"},
     {"'hinge'", "a screw needs a pitch", "m/rad"}},
    {"PitchNaN",
     [](Description& d) {
       d.joints[kHinge].type = JointType::screw;
       d.joints[kHinge].pitch = kNaN;
     },
     {"joints", kHinge, "pitch"},
     {"'hinge'", "nan"}},
    {"PitchOfAnother",
     [](Description& d) { d.joints[kHinge].pitch = 0.1; },
     {"joints", kHinge, "pitch"},
     {"'hinge'", "revolute", "\"screw\""}},
    {"AxesParallel",
     [](Description& d) { d.joints[kKnuckle].axis2 = -d.joints[kKnuckle].axis; },
     {"joints", kKnuckle, "axis2"},
     {"'knuckle'", "parallel", "right angles"}},
    {"FrameNotUnit",
     [](Description& d) { d.joints[kBall].frame_b.rotation *= 1.0 + 1e-11; },
     {"joints", kBall, "frame_b.rotation"},
     {"'ball'", "frame_b.rotation", "length"}},
    {"FramePositionNaN",
     [](Description& d) { d.joints[kBall].frame_a.position[0] = kInfinity; },
     {"joints", kBall, "frame_a.position"},
     {"'ball'", "finite"}},
    {"PositionsTooMany",
     [](Description& d) {
       d.joints[kHinge].q0 = {0.0, 0.0};
     },
     {"joints", kHinge, "q0"},
     {"'hinge'", "2 numbers", "has 1"}},
    {"PositionsTooFew",
     [](Description& d) {
       d.joints[kBall].q0 = {0.0, 0.0, 0.0};
     },
     {"joints", kBall, "q0"},
     {"'ball'", "3 numbers", "has 4"}},
    {"VelocitiesTooMany",
     [](Description& d) {
       d.joints[kBall].v0 = {0.0, 0.0, 0.0, 0.0};
     },
     {"joints", kBall, "v0"},
     {"'ball'", "4 numbers", "has 3"}},
    {"PositionNaN",
     [](Description& d) {
       d.joints[kKnuckle].q0 = {0.0, kNaN};
     },
     {"joints", kKnuckle, "q0"},
     {"'knuckle'"}},
    {"VelocityInfinite",
     [](Description& d) {
       d.joints[kKnuckle].v0 = {kInfinity, 0.0};
     },
     {"joints", kKnuckle, "v0"},
     {"'knuckle'"}},
    {"QuaternionNotUnit",
     [](Description& d) {
       d.joints[kBall].q0 = {1.0 + 2e-8, 0.0, 0.0, 0.0};
     },
     {"joints", kBall, "q0"},
     {"'ball'", "quaternion", "1.00000002"}},
    {"JointToUnknownBody",
     [](Description& d) { d.joints[kKnuckle].a = "nobody"; },
     {"joints", kKnuckle, "a"},
     {"'knuckle'", "'nobody'", "not a body"}},
    {"JointWithItself",
     [](Description& d) { d.joints[kKnuckle].b = "arm"; },
     {"joints", kKnuckle, "b"},
     {"'knuckle'", "itself"}},
    {"TreeJointToGround",
     [](Description& d) { d.joints[kAnchor].cut = false; },
     {"joints", kAnchor, "b"},
     {"'anchor'", "cut = true"}},
    {"CutThatDisconnects",
     [](Description& d) { d.joints[kKnuckle].cut = true; },
     {"joints", kKnuckle, "cut"},
     {"'knuckle'", "disconnects", "cut another"}},
    {"CutWithVelocities",
     [](Description& d) {
       d.joints[kAnchor].v0 = {0.0, 0.0, 0.0};
     },
     {"joints", kAnchor, "v0"},
     {"'anchor'", "cut", "leave v0 out"}},
    {"LoopStaysOpen",
     [](Description& d) { d.joints[kAnchor].frame_b.position = Vec3(4.0, 0.0, 0.0); },
     {"joints", kAnchor, "q0"},
     {"'anchor'", "stays open"}},
    {"VelocitiesTearLoop",
     [](Description& d) {
       // The hinge turns about z and cannot undo a motion along z.
       d.joints[kHinge].motions.clear();
       d.joints[kHinge].dependent = true;
       d.joints[kKnuckle].v0 = {1.0, 0.0};
     },
     {"joints", kAnchor, "v0"},
     {"'anchor'", "tear", "dependent = true"}},
    {"PositionOffMotion",
     [](Description& d) {
       d.joints[kHinge].q0 = {0.25};
       d.joints[kBall].dependent = true;
     },
     {"joints", kHinge, "q0"},
     {"'hinge'", "0.25", "prescribed motion"}},
    {"VelocityOffMotion",
     [](Description& d) {
       d.joints[kHinge].v0 = {0.5};
       d.joints[kBall].dependent = true;
     },
     {"joints", kHinge, "v0"},
     {"'hinge'", "0.5", "prescribed motion"}},
    {"JointPointsBackwards",
     [](Description& d) {
       d.joints[kKnuckle].a = "middle";
       d.joints[kKnuckle].b = "arm";
     },
     {"joints", kKnuckle, "a"},
     {"'knuckle'", "swap a and b"}},
};

class SpoiltJoint : public testing::TestWithParam<SpoiltCase> {};

TEST_P(SpoiltJoint, IsRefusedWithItsPlaceAndReason) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Validation, SpoiltJoint, testing::ValuesIn(kJointCases), spoilt_case_name);

}  // namespace
}  // namespace mbdbench
