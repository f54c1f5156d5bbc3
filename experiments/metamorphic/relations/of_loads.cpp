/// \file
/// Loads, laws and formulas, and how bodies balance with them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/metamorphic/relations/drawn_cases.hpp"
#include "experiments/metamorphic/retelling.hpp"
#include "experiments/metamorphic/special_judges.hpp"
#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {

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

/// The force of a drive, apart from what couplings and joints do along its axis, moves the mechanism as the drive does.
Case drives_as_loads(RandomSource& random, int bodies) {
  Drawing drawing = any_drawing(random, std::max(2, bodies));
  drawing.drives = 0.6;
  drawing.couplings = 0.6;
  Told base = draw_told(random, drawing);
  const auto driven = [](const ToldJoint& joint) { return !joint.motion.empty(); };
  while (std::none_of(base.joints.begin(), base.joints.end(), driven)) {
    base = draw_told(random, drawing);
  }
  Case drawn = two(base, base);
  for (Telling& telling : drawn.tellings) {
    telling.plan.runs = false;
  }
  drawn.tellings[1].plan.drives_as_loads = true;
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

}  // namespace mbdbench::metamorphic
