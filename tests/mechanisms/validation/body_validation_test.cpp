/// \file
/// Every error of the whole, of bodies and of markers.
#include "tests/mechanisms/spoilt_mechanism.hpp"

namespace mbdbench {
namespace {

const std::vector<SpoiltCase> kBodyCases = {
    {"GravityNaN", [](Description& d) { d.gravity[1] = kNaN; }, {"", 0, "gravity"}, {"gravity", "finite"}},
    {"NoBody", [](Description& d) { d.bodies.clear(); }, {"", 0, "bodies"}, {"no body"}},
    {"MassZeroAtATip",
     [](Description& d) {
       d.bodies[kTip].mass = 0.0;
       d.bodies[kTip].inertia.setZero();
     },
     {"bodies", kTip, "mass"},
     {"'tip'", "no inertia along joint"}},
    {"MassNegative", [](Description& d) { d.bodies[kArm].mass = -2.0; }, {"bodies", kArm, "mass"}, {"'arm'", "-2"}},
    {"MassNaN", [](Description& d) { d.bodies[kArm].mass = kNaN; }, {"bodies", kArm, "mass"}, {"'arm'", "finite"}},
    {"MassInfinite", [](Description& d) { d.bodies[kArm].mass = kInfinity; }, {"bodies", kArm, "mass"}, {"'arm'"}},
    {"ComNaN", [](Description& d) { d.bodies[kTip].com[2] = kNaN; }, {"bodies", kTip, "com"}, {"'tip'", "finite"}},
    {"InertiaNaN", [](Description& d) { d.bodies[kTip].inertia(2, 1) = kNaN; }, {"bodies", kTip, "inertia"}, {"'tip'"}},
    {"InertiaAsymmetric",
     [](Description& d) { d.bodies[kTip].inertia(0, 1) += 1e-6; },
     {"bodies", kTip, "inertia"},
     {"'tip'", "symmetric", "1e-06"}},
    {"InertiaNegative",
     [](Description& d) { d.bodies[kTip].inertia = Vec3(1.0, -1.0, 1.0).asDiagonal(); },
     {"bodies", kTip, "inertia"},
     {"'tip'", "positive definite", "-1"}},
    {"InertiaTriangle",
     [](Description& d) { d.bodies[kTip].inertia = Vec3(1.0, 1.0, 2.001).asDiagonal(); },
     {"bodies", kTip, "inertia"},
     {"'tip'", "2.001", "sum of the other two"}},
    {"BodyUnnamed",
     [](Description& d) { d.bodies[kArm].name = ""; },
     {"bodies", kArm, "name"},
     {"number 2", "no name"}},
    {"BodyNamedTwice",
     [](Description& d) { d.bodies[kArm].name = "tip"; },
     {"bodies", kArm, "name"},
     {"'tip'", "twice"}},
    {"BodyNamedGround",
     [](Description& d) { d.bodies[kArm].name = "ground"; },
     {"bodies", kArm, "name"},
     {"'ground'", "another"}},
    {"BodyNameWithSpace",
     [](Description& d) { d.bodies[kArm].name = "the arm"; },
     {"bodies", kArm, "name"},
     {"'the arm'", "letters"}},
    {"BodyNameWithDigitFirst",
     [](Description& d) { d.bodies[kArm].name = "2arm"; },
     {"bodies", kArm, "name"},
     {"'2arm'", "starts with a letter"}},
    {"BodyNameTooLong",
     [](Description& d) { d.bodies[kArm].name = std::string(65, 'a'); },
     {"bodies", kArm, "name"},
     {"at most 64"}},
    {"BodyUnconnected",
     [](Description& d) {
       d.bodies.push_back(d.bodies[kArm]);
       d.bodies.back().name = "lost";
     },
     {"bodies", 3, "name"},
     {"'lost'", "not connected", "\"free\""}},
    {"MarkerUnnamed", [](Description& d) { d.markers[0].name = ""; }, {"markers", 0, "name"}, {"no name"}},
    {"MarkerNamedTwice",
     [](Description& d) { d.markers.push_back(d.markers[0]); },
     {"markers", 1, "name"},
     {"'end'", "twice"}},
    {"MarkerOnUnknownBody",
     [](Description& d) { d.markers[0].body = "tipp"; },
     {"markers", 0, "body"},
     {"'end'", "'tipp'", "not a body", "\"tip\""}},
    {"MarkerNaN", [](Description& d) { d.markers[0].point[0] = kNaN; }, {"markers", 0, "point"}, {"'end'", "finite"}},
};

class SpoiltBody : public testing::TestWithParam<SpoiltCase> {};

TEST_P(SpoiltBody, IsRefusedWithItsPlaceAndReason) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Validation, SpoiltBody, testing::ValuesIn(kBodyCases), spoilt_case_name);

}  // namespace
}  // namespace mbdbench
