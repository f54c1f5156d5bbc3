/// \file
/// Every error of loads and springs.
#include "tests/mechanisms/spoilt_mechanism.hpp"

namespace mbdbench {
namespace {

const std::vector<SpoiltCase> kLoadCases = {
    {"LoadNamedTwice",
     [](Description& d) { d.point_springs[0].name = "motor"; },
     {"point_springs", 0, "name"},
     {"'motor'", "twice"}},
    {"LoadUnnamed", [](Description& d) { d.body_loads[0].name = ""; }, {"body_loads", 0, "name"}, {"no name"}},
    {"LoadOnUnknownJoint",
     [](Description& d) { d.joint_loads[0].joint = "hing"; },
     {"joint_loads", 0, "joint"},
     {"'motor'", "'hing'", "did you mean \"hinge\"", "knuckle"}},
    {"LoadComponent",
     [](Description& d) { d.joint_loads[0].component = 2; },
     {"joint_loads", 0, "component"},
     {"'motor'", "component 3", "has 2"}},
    {"LoadNaN",
     [](Description& d) { d.joint_loads[0].law = ConstantLaw{kNaN}; },
     {"joint_loads", 0, "law"},
     {"'motor'"}},
    {"LoadFormula",
     [](Description& d) { d.joint_loads[0].law = ExpressionLaw{"2*speed"}; },
     {"joint_loads", 0, "law"},
     {"'motor'", "speed", "Variables here: q, v, t"}},
    {"LoadFormulaTwoValues",
     [](Description& d) { d.joint_loads[0].law = ExpressionLaw{"1,5"}; },
     {"joint_loads", 0, "law"},
     {"'motor'", "one value"}},
    {"LoadFormulaAssigns",
     [](Description& d) { d.joint_loads[0].law = ExpressionLaw{"q_hinge = 3"}; },
     {"joint_loads", 0, "law"},
     {"'motor'", "assignments"}},
    {"LoadFormulaQOfQuaternion",
     [](Description& d) {
       d.joint_loads[0].joint = "ball";
       d.joint_loads[0].law = ExpressionLaw{"-2*q"};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "'ball'", "quaternion", "q_ball_2"}},
    {"TableQOfQuaternion",
     [](Description& d) {
       d.joint_loads[0].joint = "ball";
       d.joint_loads[0].law = TableLaw{"q", {0.0, 1.0}, {0.0, 1.0}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "'ball'", "quaternion"}},
    {"TableOverWhat",
     [](Description& d) {
       d.joint_loads[0].law = TableLaw{"x", {0.0, 1.0}, {0.0, 1.0}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "\"x\"", "\"q\" or \"v\""}},
    {"TableOnePoint",
     [](Description& d) {
       d.joint_loads[0].law = TableLaw{"t", {0.0}, {0.0}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "at least two"}},
    {"TableUnequal",
     [](Description& d) {
       d.joint_loads[0].law = TableLaw{"t", {0.0, 1.0, 2.0}, {0.0, 1.0}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "3 abscissas", "2 values"}},
    {"TableNotIncreasing",
     [](Description& d) {
       d.joint_loads[0].law = TableLaw{"t", {0.0, 1.0, 1.0}, {0.0, 1.0, 2.0}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "increase strictly", "number 3"}},
    {"TableNaN",
     [](Description& d) {
       d.joint_loads[0].law = TableLaw{"t", {0.0, 1.0}, {0.0, kNaN}};
     },
     {"joint_loads", 0, "law"},
     {"'motor'", "point 2"}},
    {"BodyLoadOnUnknownBody",
     [](Description& d) { d.body_loads[0].body = "Arm"; },
     {"body_loads", 0, "body"},
     {"'wind'", "'Arm'", "did you mean \"arm\""}},
    {"BodyLoadOnGround",
     [](Description& d) { d.body_loads[0].body = "ground"; },
     {"body_loads", 0, "body"},
     {"'wind'", "ground"}},
    {"BodyLoadEmpty",
     [](Description& d) {
       d.body_loads[0].force.clear();
       d.body_loads[0].torque.clear();
     },
     {"body_loads", 0, "force"},
     {"'wind'", "force, torque or both"}},
    {"BodyLoadTwoComponents",
     [](Description& d) { d.body_loads[0].torque.resize(2); },
     {"body_loads", 0, "torque"},
     {"'wind'", "2 components", "three"}},
    {"BodyLoadFormula",
     [](Description& d) { d.body_loads[0].force[1] = ExpressionLaw{"q"}; },
     {"body_loads", 0, "force[1]"},
     {"'wind'", "\"q\""}},
    {"BodyLoadTable",
     [](Description& d) {
       d.body_loads[0].force[2] = TableLaw{"v", {0.0, 1.0}, {0.0, 1.0}};
     },
     {"body_loads", 0, "force[2]"},
     {"'wind'", "over \"t\""}},
    {"BodyLoadPointNaN",
     [](Description& d) { d.body_loads[0].point[0] = kNaN; },
     {"body_loads", 0, "point"},
     {"'wind'"}},
    {"SpringOnUnknownJoint",
     [](Description& d) { d.joint_springs[0].joint = "knee"; },
     {"joint_springs", 0, "joint"},
     {"'coil'", "'knee'", "not a joint"}},
    {"SpringOnQuaternion",
     [](Description& d) { d.joint_springs[0].joint = "ball"; },
     {"joint_springs", 0, "joint"},
     {"'coil'", "'ball'", "quaternion"}},
    {"SpringComponent",
     [](Description& d) { d.joint_springs[0].component = 2; },
     {"joint_springs", 0, "component"},
     {"'coil'", "component 3", "has 2"}},
    {"SpringStiffness",
     [](Description& d) { d.joint_springs[0].stiffness = -1.0; },
     {"joint_springs", 0, "stiffness"},
     {"'coil'", "-1", "not negative"}},
    {"SpringDamping",
     [](Description& d) { d.joint_springs[0].damping = kNaN; },
     {"joint_springs", 0, "damping"},
     {"'coil'", "finite"}},
    {"SpringRest",
     [](Description& d) { d.joint_springs[0].rest = kInfinity; },
     {"joint_springs", 0, "rest"},
     {"'coil'"}},
    {"PointSpringOnUnknownBody",
     [](Description& d) { d.point_springs[0].body1 = "earth"; },
     {"point_springs", 0, "body1"},
     {"'stay'", "'earth'", "not a body"}},
    {"PointSpringOnUnknownBody2",
     [](Description& d) { d.point_springs[0].body2 = "mid"; },
     {"point_springs", 0, "body2"},
     {"'stay'", "'mid'", "middle"}},
    {"PointSpringOnOneBody",
     [](Description& d) { d.point_springs[0].body1 = d.point_springs[0].body2; },
     {"point_springs", 0, "body2"},
     {"'stay'", "both ends"}},
    {"PointSpringStiffness",
     [](Description& d) { d.point_springs[0].stiffness = -0.5; },
     {"point_springs", 0, "stiffness"},
     {"'stay'", "-0.5"}},
    {"PointSpringDamping",
     [](Description& d) { d.point_springs[0].damping = -0.5; },
     {"point_springs", 0, "damping"},
     {"'stay'", "-0.5"}},
    {"PointSpringRest",
     [](Description& d) { d.point_springs[0].rest = -0.1; },
     {"point_springs", 0, "rest"},
     {"'stay'", "-0.1"}},
    {"PointSpringPoint",
     [](Description& d) { d.point_springs[0].point2[1] = kNaN; },
     {"point_springs", 0, "point2"},
     {"'stay'", "finite"}},
};

class SpoiltLoad : public testing::TestWithParam<SpoiltCase> {};

TEST_P(SpoiltLoad, IsRefusedWithItsPlaceAndReason) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Validation, SpoiltLoad, testing::ValuesIn(kLoadCases), spoilt_case_name);

}  // namespace
}  // namespace mbdbench
