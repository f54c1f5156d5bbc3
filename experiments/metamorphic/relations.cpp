/// \file
/// The table of classes: what is drawn and told again, with limits and why they are so.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "experiments/metamorphic/drawn_mechanism.hpp"
#include "experiments/metamorphic/relation.hpp"
#include "experiments/metamorphic/retelling.hpp"
#include "experiments/metamorphic/special_judges.hpp"
#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {
namespace {

// Typed digits: a start may move by some hundred units of the last digit, and a run amplifies that.
constexpr double kStartDigits = 1e3;
constexpr double kMotionDigits = 1e5;
// Another telling with light bodies in between is another physics by their share of the mass.
constexpr double kLightShare = 1e-7;
constexpr double kLightLimit = 1e-4;

Drawing any_drawing(RandomSource& random, int bodies) {
  Drawing drawing;
  drawing.bodies = bodies;
  drawing.loops = bodies >= 2 && random.chance(0.5) ? 1 : 0;
  drawing.drives = 0.2;
  drawing.couplings = 0.15;
  return drawing;
}

Case two(const Told& base, const Told& twin) {
  Case drawn;
  drawn.tellings = {{base, {}}, {twin, {}}};
  drawn.judge = same_motion;
  return drawn;
}

Frame any_frame(RandomSource& random, double reach) {
  const Eigen::Vector4d r = random.quaternion();
  return {random.point(reach), Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized()};
}

template <typename Change>
Case retold(RandomSource& random, int bodies, const Change& change) {
  const Told base = draw_told(random, any_drawing(random, bodies));
  Told twin = base;
  change(twin);
  return two(base, twin);
}

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

Case backwards(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.damping = false;
  const Told base = draw_told(random, drawing);
  Told twin = base;
  reverse_time(twin);
  Case drawn = two(base, twin);
  drawn.map.time_sign = -1.0;
  Plan& forward = drawn.tellings[0].plan;
  forward.integrator = "ode45";
  forward.tolerance = 1e-8;
  drawn.tellings[1].plan = forward;
  drawn.tellings[1].plan.every = -forward.every;
  drawn.tellings[1].plan.end = -forward.end;
  return drawn;
}

Case restart(RandomSource& random, int bodies) {
  Case drawn = retold(random, bodies, [](Told&) {});
  Plan& plan = drawn.tellings[1].plan;
  plan.end = 0.12;
  plan.restart_end = 0.3;
  drawn.judge = same_with_pause;
  return drawn;
}

/// Of what sub-chains take.
Drawing subchains(int bodies) {
  Drawing drawing;
  drawing.bodies = 3 + 4 * bodies;
  drawing.types = {"revolute"};
  drawing.loads = false;
  return drawing;
}

Case threads(RandomSource& random, int bodies) {
  const Drawing drawing = subchains(bodies);
  const Told base = draw_told(random, drawing);
  Case drawn = two(base, base);
  for (Telling& telling : drawn.tellings) {
    telling.plan.formulation_options = "leaf=subchain";
  }
  drawn.tellings[1].plan.threads = 2 + static_cast<int>(random.index(3));
  drawn.judge = same_bits;
  return drawn;
}

Case leaves(RandomSource& random, int bodies) {
  const Told base = draw_told(random, subchains(bodies));
  Case drawn = two(base, base);
  drawn.tellings[0].plan.formulation_options = "leaf=body";
  drawn.tellings[1].plan.formulation_options = "leaf=subchain";
  return drawn;
}

Case superposition(RandomSource& random, int bodies) {
  Told both = draw_told(random, any_drawing(random, bodies));
  const auto load = [&] {
    return ToldBodyLoad{static_cast<int>(random.index(both.bodies.size())), random.point(0.4), random.chance(0.5),
                        random.point(5.0), random.point(1.0)};
  };
  both.body_loads.insert(both.body_loads.begin(), {load(), load()});
  Told first = both;
  first.body_loads.erase(first.body_loads.begin() + 1);
  Told second = both;
  second.body_loads.erase(second.body_loads.begin());
  Told none = second;
  none.body_loads.erase(none.body_loads.begin());
  Case drawn;
  for (const Told& told : {both, first, second, none}) {
    drawn.tellings.push_back({told, {}});
    drawn.tellings.back().plan.runs = false;
  }
  drawn.judge = superposed;
  return drawn;
}

Case balance(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies + 1);
  drawing.drives = 0.4;
  drawing.couplings = 0.4;
  const Told base = draw_told(random, drawing);
  Case drawn = two(base, base);
  drawn.tellings.pop_back();
  drawn.tellings[0].plan.runs = false;
  drawn.judge = balanced;
  return drawn;
}

/// A spring told as such against a formula in q, with the hinge once in the tree and once as the cut of a free body,
/// for several turns.
Case law_of_cut(RandomSource& random, int bodies) {
  Drawing drawing;
  drawing.bodies = std::max(1, bodies - 1);
  drawing.types = {"revolute"};
  drawing.loads = false;
  drawing.speed = 9.0;
  Told base = draw_told(random, drawing);
  base.gravity *= 0.1;
  const std::size_t joint = 0;
  ToldLaw law;
  law.joint = joint;
  law.stiffness = random.uniform(0.05, 0.3);
  law.rest = random.uniform(-0.5, 0.5);
  law.as_spring = true;
  base.joints[0].v = {9.0};
  base.laws = {law};
  Told formula = base;
  formula.laws[0].as_spring = false;
  Told cut = formula;
  free_and_cut(joint, cut);
  Told cut_spring = base;
  free_and_cut(joint, cut_spring);
  Case drawn;
  for (const Told& told : {base, formula, cut, cut_spring}) {
    drawn.tellings.push_back({told, {}});
    Plan& plan = drawn.tellings.back().plan;
    plan.end = 1.2;
    plan.every = 0.2;
    plan.integrator = "ode45";
    plan.tolerance = 1e-8;
  }
  drawn.limits.motion = 1e-5;
  drawn.limits.gap = 1e-5;
  drawn.judge = same_motion;
  return drawn;
}

Case time_shift(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  drawing.drives = 0.0;  // must be where the text says at t = 0
  const Told base = draw_told(random, drawing);
  Told twin = base;
  const double shift = random.uniform(-3.0, 3.0);
  shift_time(shift, twin);
  Case drawn = two(base, twin);
  drawn.map.time_shift = shift;
  drawn.tellings[1].plan.start = shift;
  drawn.tellings[1].plan.end += shift;
  return drawn;
}

/// Samples inside steps against runs that end there, both against a tight reference, with any method.
Case samples(RandomSource& random, int bodies) {
  constexpr std::array<const char*, 13> kMethods = {"ode45",
                                                    "ode23",
                                                    "ode113",
                                                    "ode15s",
                                                    "odeint-dopri5",
                                                    "rkf45-fixed",
                                                    "rk2",
                                                    "rkf45",
                                                    "gauss4",
                                                    "gauss6",
                                                    "odeint-fehlberg78",
                                                    "odeint-bulirsch-stoer",
                                                    "odeint-rosenbrock4"};
  Drawing drawing = any_drawing(random, bodies);
  drawing.loops = 0;
  drawing.speed = 4.0;
  const Told told = draw_told(random, drawing);
  Plan plan;
  plan.integrator = random.pick(kMethods);
  plan.tolerance = 1e-8;
  plan.step = 0.02;
  plan.end = 0.5;
  plan.every = 0.5 / 7.0;
  Plan reference = plan;
  reference.integrator = "ode45";
  reference.tolerance = 1e-12;
  Case drawn;
  drawn.tellings = {{told, reference}, {told, plan}};
  for (const int sample : {3, 5}) {
    drawn.tellings.push_back({told, plan});
    // Two samples, at the start and the end: what lies between shall not be written.
    drawn.tellings.back().plan.end = drawn.tellings.back().plan.every = sample * plan.every;
  }
  drawn.judge = samples_like_ends;
  return drawn;
}

Case tolerance(RandomSource& random, int bodies) {
  const Told told = draw_told(random, any_drawing(random, bodies));
  Case drawn;
  for (const double tolerance : {1e-11, 1e-9, 1e-7, 1e-5}) {
    Plan plan;
    plan.integrator = "ode45";
    plan.tolerance = tolerance;
    drawn.tellings.push_back({told, plan});
  }
  drawn.judge = digits_of_tolerance;
  return drawn;
}

/// One coordinate or velocity set by hand on a closed mechanism.
Case set_by_hand(RandomSource& random, int bodies) {
  Drawing drawing;
  drawing.bodies = std::max(3, bodies);
  drawing.planar = true;
  drawing.loops = 1;
  drawing.loads = false;
  const Told told = draw_told(random, drawing);
  Case drawn = two(told, told);
  drawn.tellings.pop_back();
  drawn.joint = random.index(told.bodies.size());
  const ToldJoint& joint = told.joints[drawn.joint];
  drawn.special = random.uniform(-0.3, 0.3) + joint.q[0];
  Plan& plan = drawn.tellings[0].plan;
  plan.end = plan.every;
  plan.settings = {fmt::format("q.{}={}", joint.name, drawn.special)};
  drawn.judge = kept_as_set;
  return drawn;
}

/// A function of formulas against the number that the C library has.
Case formulas(RandomSource& random, int bodies) {
  struct Function {
    std::string_view name;
    double (*value)(double);
    double least;
    double most;
  };
  constexpr std::array<Function, 12> kFunctions = {{{"asinh", std::asinh, -10.0, 8.0},
                                                    {"acosh", std::acosh, 0.0, 8.0},
                                                    {"atanh", std::atanh, -10.0, -0.01},
                                                    {"sinh", std::sinh, -8.0, 1.0},
                                                    {"tanh", std::tanh, -8.0, 1.0},
                                                    {"atan", std::atan, -8.0, 8.0},
                                                    {"exp", std::exp, -8.0, 1.0},
                                                    {"log", std::log, -8.0, 8.0},
                                                    {"log2", std::log2, -8.0, 8.0},
                                                    {"log10", std::log10, -8.0, 8.0},
                                                    {"sqrt", std::sqrt, -8.0, 8.0},
                                                    {"rint", std::nearbyint, 0.0, 1.0}}};
  const Function& function = random.pick(kFunctions);
  double x = std::pow(10.0, random.uniform(function.least, function.most));
  if (function.name == "rint") {
    x = 1.5 + static_cast<double>(random.index(6));  // half way between two
  } else if (function.name == "asinh" && random.chance(0.5)) {
    x = -x;
  }
  Drawing drawing;
  drawing.bodies = std::min(bodies, 2);
  drawing.types = {"revolute"};
  drawing.loads = false;
  Told base = draw_told(random, drawing);
  base.laws = {{}};
  Told twin = base;
  base.laws[0].formula = fmt::format("{}({:.17g})/({:.17g})", function.name, x, function.value(x));
  base.laws[0].formula_value = 1.0;
  twin.laws[0].wave.offset = 1.0;
  Case drawn = two(base, twin);
  for (Telling& telling : drawn.tellings) {
    telling.plan.runs = false;
  }
  // Of one newton metre, beside rounding of gravity and gyroscopic terms.
  drawn.limits.acceleration = 1e-10;
  return drawn;
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

/// A free cut joint holds nothing; a force in it is one on the body.
Case free_cut(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, bodies);
  Told base = draw_told(random, drawing);
  const int body = static_cast<int>(random.index(base.bodies.size()));
  Told twin = base;
  ToldJoint loose = draw_joint(random, "free", kWorld, body);
  loose.name = "loose";
  loose.cut = true;
  close_joint(twin, loose);
  loose.v.assign(6, 0.0);
  twin.joints.push_back(loose);
  if (random.chance(0.6)) {
    const Wave wave{random.uniform(-2.0, 2.0), random.uniform(0.2, 1.0), random.uniform(1.0, 4.0), 0.0};
    const std::size_t axis = random.index(3);
    ToldLaw law;
    law.joint = twin.joints.size() - 1;
    law.component = 3 + static_cast<int>(axis);
    law.wave = wave;
    twin.laws.push_back(law);
    const Vec3 along = loose.frame_a.rotation * Vec3::Unit(static_cast<Eigen::Index>(axis));
    base.body_loads.push_back({body, loose.frame_b.position, false, along, Vec3::Zero(), wave});
  }
  return two(base, twin);
}

}  // namespace

std::span<const Relation> relations() {
  static constexpr std::array kRelations = {
      Relation{"names", "bodies and joints in another order, with other names", names},
      Relation{"frames", "another frame of every body", frames},
      Relation{"world", "the world turned and moved, gravity with it", world},
      Relation{"units", "other units of length, mass and time, 1e-9 to 1e9", units},
      Relation{"cuts", "another spanning tree, joints told from the other side", cuts},
      Relation{"split", "a body as two with a fixed joint", split},
      Relation{"freed", "a tree joint as a cut beside a free joint", freed},
      Relation{"chained", "a joint as a chain of simpler ones through bodies of 1e-7 of the mass", chained},
      Relation{"screw", "a screw as a cylindrical joint with a coupling", screw},
      Relation{"gear", "a coupled wheel as inertia", gear},
      Relation{"coupling_factor", "a coupling times 1e-9 to 1e9, either sign", coupling_factor},
      Relation{"driven_coupling", "what follows a driven joint, driven itself", driven_coupling},
      Relation{"hinge_twice", "a hinge told twice with 9 to 16 digits or far from the origin", hinge_twice},
      Relation{"planar_digits", "a planar linkage askew, with 9 to 16 digits", planar_digits},
      Relation{"welded_twice", "what is welded, welded again", welded_twice},
      Relation{"dependent_marks", "joints marked as dependent at a start that agrees", dependent_marks},
      Relation{"free_cut", "a free cut joint more, with a force of a body in it", free_cut},
      Relation{"law_of_cut", "a law in q as a spring, in the tree, in a cut joint, for turns", law_of_cut},
      Relation{"superposition", "accelerations are linear in loads", superposition},
      Relation{"balance", "every body moves as its reactions and loads say", balance},
      Relation{"backwards", "backward in time with velocities turned round", backwards},
      Relation{"time_shift", "everything later", time_shift},
      Relation{"restart", "in two pieces", restart},
      Relation{"samples", "samples inside steps are as good as ends, and no others are written", samples},
      Relation{"tolerance", "smaller tolerances come nearer", tolerance},
      Relation{"threads", "the same bits with other threads", threads},
      Relation{"leaves", "sub-chains against bodies as leaves", leaves},
      Relation{"set_by_hand", "what --set sets is kept or refused", set_by_hand},
      Relation{"formulas", "functions of formulas are the C library's", formulas},
  };
  return kRelations;
}

}  // namespace mbdbench::metamorphic
