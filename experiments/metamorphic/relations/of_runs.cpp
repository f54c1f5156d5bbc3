/// \file
/// How a run is asked for: its direction, pieces, samples, tolerance, threads, leaves and start.
#include <fmt/format.h>

#include <array>

#include "experiments/metamorphic/relations/drawn_cases.hpp"
#include "experiments/metamorphic/retelling.hpp"
#include "experiments/metamorphic/special_judges.hpp"

namespace mbdbench::metamorphic {
namespace {

/// Of what sub-chains take.
Drawing subchains(int bodies) {
  Drawing drawing;
  drawing.bodies = 3 + 4 * bodies;
  drawing.types = {"revolute"};
  drawing.loads = false;
  return drawing;
}

}  // namespace

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

}  // namespace mbdbench::metamorphic
