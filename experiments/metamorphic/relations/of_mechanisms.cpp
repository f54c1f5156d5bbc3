/// \file
/// How a mechanism is told: names, frames, units, which joints are cut, one joint as several.
#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/metamorphic/relations/drawn_cases.hpp"
#include "experiments/metamorphic/retelling.hpp"

namespace mbdbench::metamorphic {
namespace {

// Another telling with light bodies in between is another physics by their share of the mass.
constexpr double kLightShare = 1e-7;
constexpr double kLightLimit = 1e-4;

}  // namespace

Case names(RandomSource& random, int bodies) {
  return retold(random, bodies, [&](Told& told) { rename_and_shuffle(random, told); });
}

Case frames(RandomSource& random, int bodies) {
  return retold(random, bodies, [&](Told& told) {
    for (int k = 0; k < static_cast<int>(told.bodies.size()); ++k) {
      change_body_frame(k, any_frame(random, 1.0), told);
    }
  });
}

Case world(RandomSource& random, int bodies) {
  const Frame motion = any_frame(random, 5.0);
  Case drawn = retold(random, bodies, [&](Told& told) { move_world(motion, told); });
  drawn.map.world = motion;
  return drawn;
}

Case cuts(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, std::max(2, bodies));
  drawing.loops = 1;
  drawing.drives = 0.0;  // drives and couplings keep their joints in the tree
  drawing.couplings = 0.0;
  const Told base = draw_told(random, drawing);
  Told twin = base;
  cut_elsewhere(random, twin);
  return two(base, twin);
}

Case units(RandomSource& random, int bodies) {
  const auto decades = [&](double most) { return std::pow(10.0, std::floor(random.uniform(-most, most + 1.0))); };
  std::array<double, 3> factors = {1.0, 1.0, 1.0};
  if (random.chance(0.7)) {
    factors[random.index(3)] = decades(9.0);
  } else {
    factors = {decades(3.0), decades(3.0), decades(3.0)};
  }
  Case drawn = retold(random, bodies, [&](Told& told) { change_units(factors[0], factors[1], factors[2], told); });
  drawn.map.length = factors[0];
  drawn.map.mass = factors[1];
  drawn.map.time = factors[2];
  Plan& plan = drawn.tellings[1].plan;
  for (double* const time : {&plan.step, &plan.every, &plan.end, &plan.unit_of_time}) {
    *time *= factors[2];
  }
  return drawn;
}

Case split(RandomSource& random, int bodies) {
  return retold(random, bodies,
                [&](Told& told) { split_body(random, static_cast<int>(random.index(told.bodies.size())), told); });
}

Case freed(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.drives = 0.0;
  drawing.couplings = 0.0;
  const Told base = draw_told(random, drawing);
  Told twin = base;
  std::size_t joint = random.index(base.bodies.size());
  free_and_cut(joint, twin);
  return two(base, twin);
}

Case chained(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.loads = false;  // loads in the joint that is taken apart would need a place
  const std::array<std::string, 5> types = {"universal", "cylindrical", "planar", "spherical", "free"};
  for (;;) {
    const Told base = draw_told(random, drawing);
    const std::size_t joint = random.index(base.bodies.size());
    if (std::find(types.begin(), types.end(), base.joints[joint].type) != types.end()) {
      Told twin = base;
      chain_of_joints(joint, kLightShare, twin);
      Case drawn = two(base, twin);
      drawn.limits = {1e-9, kLightLimit, kLightLimit, kLightLimit, 1e-6};
      return drawn;
    }
  }
}

Case screw(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.couplings = 0.0;
  for (;;) {
    const Told base = draw_told(random, drawing);
    for (std::size_t j = 0; j < base.bodies.size(); ++j) {
      if (base.joints[j].type == "screw") {
        Told twin = base;
        screw_as_coupling(j, twin);
        return two(base, twin);
      }
    }
  }
}

/// A wheel on the ground that turns `ratio` as fast as the first body, which hangs on a hinge, against more inertia of
/// that body about its axis.
Case gear(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.loops = 0;
  drawing.couplings = 0.0;
  drawing.drives = 0.0;
  Told base = draw_told(random, drawing);
  while (base.joints[0].type != "revolute") {
    base = draw_told(random, drawing);
  }
  Told twin = base;
  const double ratio = random.uniform(-3.0, 3.0);
  const double inertia = random.uniform(0.01, 0.1);
  const auto disc = [](const Vec3& axis, double about_axis) {
    return Mat3(about_axis * (axis * axis.transpose() + 0.5 * (Mat3::Identity() - axis * axis.transpose())));
  };
  ToldJoint shaft = draw_joint(random, "revolute", kWorld, static_cast<int>(base.bodies.size()));
  shaft.name = "shaft";
  shaft.v = {ratio * base.joints[0].v[0]};
  base.bodies.push_back(
      {"wheel", random.uniform(0.5, 2.0), shaft.frame_b.position, disc(shaft.frame_b.rotation * shaft.axis, inertia)});
  base.joints.push_back(shaft);
  base.couplings.push_back({{{base.joints.size() - 1, 1.0}, {0, -ratio}}});
  twin.bodies[0].inertia += disc(twin.joints[0].frame_b.rotation * twin.joints[0].axis, ratio * ratio * inertia);
  return two(base, twin);
}

Case coupling_factor(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, std::max(2, bodies));
  drawing.loops = bodies > 2 ? drawing.loops : 0;  // two coupled joints would not move in one
  drawing.types = {"revolute", "prismatic", "spherical"};
  drawing.couplings = 1.0;
  drawing.drives = 0.0;
  Told base = draw_told(random, drawing);
  while (base.couplings.empty()) {
    base = draw_told(random, drawing);
  }
  Told twin = base;
  const double factor = (random.chance(0.5) ? -1.0 : 1.0) * std::pow(10.0, random.uniform(-9.0, 9.0));
  for (ToldCoupling::Term& term : twin.couplings[0].terms) {
    term.factor *= factor;
  }
  return two(base, twin);
}

/// A joint coupled to a driven one against one that is driven itself; and the driven one alone.
Case driven_coupling(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, std::max(2, bodies));
  drawing.types = {"revolute", "prismatic", "spherical"};
  drawing.couplings = 1.0;
  drawing.drives = 0.0;
  drawing.loops = 0;
  Told base = draw_told(random, drawing);
  while (base.couplings.empty()) {
    base = draw_told(random, drawing);
  }
  const ToldCoupling coupling = base.couplings[0];
  ToldJoint& driver = base.joints[coupling.terms[0].joint];
  const double rate = random.uniform(1.0, 4.0);
  driver.motion = {{driver.q[0], driver.v[0] / rate, rate, 0.0}};
  Told twin = base;
  twin.couplings.clear();
  ToldJoint& follower = twin.joints[coupling.terms[1].joint];
  const double ratio = -coupling.terms[0].factor / coupling.terms[1].factor;
  follower.motion = {{follower.q[0], ratio * driver.v[0] / rate, rate, 0.0}};
  Case drawn = two(base, twin);
  for (Telling& telling : drawn.tellings) {
    telling.plan.integrator = "ode45";
    telling.plan.tolerance = 1e-9;
  }
  return drawn;
}

/// What is welded, welded a second time; sometimes a mechanism in which nothing moves.
Case welded_twice(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.drives = 0.0;
  drawing.couplings = 0.0;
  Told base = draw_told(random, drawing);
  int a = kWorld;
  int b = static_cast<int>(base.bodies.size());
  if (random.chance(0.3)) {
    base = draw_told(random, Drawing{.bodies = 1, .types = {"free"}});
    base.joints[0] = draw_joint(random, "fixed", kWorld, 0);
    base.joints[0].name = "weld";
    b = 0;
  } else {
    split_body(random, static_cast<int>(random.index(base.bodies.size())), base);
    a = base.joints.back().a;
  }
  Told twin = base;
  ToldJoint second = draw_joint(random, "fixed", a, b);
  second.name = "second_weld";
  second.cut = true;
  close_joint(twin, second);
  twin.joints.push_back(second);
  return two(base, twin);
}

/// Marks that allow a start to be changed, on one that need not be.
Case dependent_marks(RandomSource& random, int bodies) {
  return retold(random, bodies, [&](Told& told) {
    for (ToldJoint& joint : told.joints) {
      joint.dependent = !joint.cut && joint.motion.empty() && (joint.type == "fixed" || random.chance(0.6));
    }
    split_body(random, 0, told);
    told.joints.back().dependent = random.chance(0.5);
  });
}

}  // namespace mbdbench::metamorphic
