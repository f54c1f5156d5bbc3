/// \file
/// What typed digits cost: loops that close to so many of them.
#include <cmath>

#include "experiments/metamorphic/relations/drawn_cases.hpp"
#include "experiments/metamorphic/retelling.hpp"

namespace mbdbench::metamorphic {
namespace {

// Typed digits: a start may move by some hundred units of the last digit, and a run amplifies that.
constexpr double kStartDigits = 1e3;
constexpr double kMotionDigits = 1e5;

/// Half of them with the fewest digits, where most goes wrong.
int few_digits(RandomSource& random) {
  return 9 + static_cast<int>(random.index(random.chance(0.5) ? 2 : 8));
}

void allow_digits(int digits, Limits& limits) {
  const double last = std::pow(10.0, -digits);
  limits.start += kStartDigits * last;
  limits.acceleration += kMotionDigits * last;
  limits.motion += kMotionDigits * last;
  limits.gap += kStartDigits * last;
  limits.balance += kMotionDigits * last;
}

}  // namespace

/// One hinge told twice, as the two hinges of a door are, with so many digits.
Case hinge_twice(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.drives = 0.0;
  drawing.couplings = 0.0;
  drawing.loops = 0;
  drawing.types = {"revolute", "prismatic", "cylindrical", "spherical"};
  Told base = draw_told(random, drawing);
  while (base.joints[0].type != "revolute") {
    base = draw_told(random, drawing);
  }
  for (ToldJoint& joint : base.joints) {
    // The axis in the frames' rotation, which may be typed with few digits; joint axes may not.
    const Eigen::Quaterniond lift = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), joint.axis);
    if (joint.type != "spherical") {
      joint.frame_a.rotation = joint.frame_a.rotation * lift;
      joint.frame_b.rotation = joint.frame_b.rotation * lift;
      joint.axis = Vec3::UnitZ();
    }
  }
  Told twin = base;
  ToldJoint second = base.joints[0];
  second.name = "second_hinge";
  second.cut = true;
  second.frame_a = second.frame_a.then({{0.0, 0.0, 0.8}, Eigen::Quaterniond::Identity()});
  second.frame_b = second.frame_b.then({{0.0, 0.0, 0.8}, Eigen::Quaterniond::Identity()});
  twin.joints.push_back(second);
  twin.digits = few_digits(random);
  Case drawn = two(base, twin);
  allow_digits(twin.digits, drawn.limits);
  if (random.chance(0.3)) {
    // All digits, far from the origin: they end as early.
    const Frame far = any_frame(random, 1e4);
    drawn.tellings[1].told.digits = 17;
    move_world(far, drawn.tellings[1].told);
    drawn.map.world = far;
    drawn.limits = {};
    allow_digits(11, drawn.limits);
  }
  return drawn;
}

/// A linkage in a plane that lies askew, so that digits bend it.
Case planar_digits(RandomSource& random, int bodies) {
  Drawing drawing;
  drawing.bodies = std::max(3, bodies);
  drawing.planar = true;
  drawing.loops = 1;
  Told base = draw_told(random, drawing);
  for (int k = 0; k < drawing.bodies; ++k) {
    change_body_frame(k, any_frame(random, 0.5), base);
  }
  move_world(any_frame(random, 1.0), base);
  Told twin = base;
  twin.digits = few_digits(random);
  Case drawn = two(base, twin);
  allow_digits(twin.digits, drawn.limits);
  return drawn;
}

}  // namespace mbdbench::metamorphic
