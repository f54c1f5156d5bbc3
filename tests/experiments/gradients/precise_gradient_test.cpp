// Gradients of runs against differences of the same run in 113 bits (DifferentiableRun::precise_along), whose equations
// of motion share nothing with any formulation: random trees and loops, all numbers, and the worked examples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/experiments/gradients/loop_problems.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

/// \returns the largest error of the gradient by all numbers, relative to its largest entry.
double error_of(gradients::DifferentiableRun& run, gradients::SquareSum& objective, const std::vector<double>& values) {
  const std::size_t count = values.size();
  std::vector<double> directions(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    directions[i * count + i] = 1.0;
  }
  const std::vector<double> expected = run.precise_along(values, directions, objective);
  const std::vector<double> found = run.gradient(values, objective).gradient;
  double worst = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = std::abs(found[i] - expected[i]) / test::largest_of(expected);
    worst = std::isnan(error) ? error : std::max(worst, error);
    EXPECT_LT(error, 1e-11) << run.numbers().numbers()[i].name << ": " << found[i] << ", not " << expected[i];
  }
  return worst;
}

// Masses, springs, dampers, lengths, starts, controls; quaternions, momenta and accelerations, every method.
TEST(run_gradient, agrees_with_differences_of_113_bits) {
  const std::uint64_t first = test::seed_of_run(1);
  const std::vector<std::string> methods = test::gradient_methods();
  double worst = 0.0;
  for (std::uint64_t seed = first; seed < first + test::extent(methods.size()); ++seed) {
    const std::string formulation = seed % 2 == 0 ? "naudet" : "aba";
    const std::string& method = methods[seed % methods.size()];
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, method));
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = test::sprung_tree(seed, 2 + static_cast<int>(seed % 3), random);
    test::GradientProblem problem(tree, formulation, method, test::step_or_tolerance(method, 0.04, 1e-4), 1e9, true);
    worst = std::max(worst, error_of(problem.run, problem.objective, problem.values(random)));
  }
  // Differences leave 1e-20; what is seen is rounding of the run and its adjoint, times the condition of mass matrices.
  fmt::print("seeds {} to {}: largest error of a gradient {:.1e}\n", first, first + test::extent(methods.size()) - 1,
             worst);
}

/// \returns the error of the gradient along two directions, over the sum of absolute terms.
double error_along(gradients::DifferentiableRun& run, gradients::SquareSum& objective,
                   const std::vector<double>& values, RandomSource& random) {
  std::vector<double> directions(2 * values.size());
  std::generate(directions.begin(), directions.end(), [&] { return random.uniform(-1.0, 1.0); });
  const std::vector<double> expected = run.precise_along(values, directions, objective);
  const std::vector<double> gradient = run.gradient(values, objective).gradient;
  double worst = 0.0;
  for (std::size_t d = 0; d < expected.size(); ++d) {
    double found = 0.0;
    double terms = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double term = gradient[i] * directions[d * values.size() + i];
      found += term;
      terms += std::abs(term);
    }
    const double error = std::abs(found - expected[d]) / terms;
    worst = std::isnan(error) ? error : std::max(worst, error);
  }
  return worst;
}

// Masses, springs, lengths, starts that others follow, controls; every method; velocities as they are, projected and
// pulled back, and momenta in every gauge, in the plane and in space.
TEST(run_gradient, on_loops_agrees_with_differences_of_113_bits) {
  const std::uint64_t seed = test::seed_of_run(1);
  const std::vector<std::string> methods = {"rk2", "rk4", "rkf45-fixed"};
  const std::vector<std::string> formulations = {"dense[projection=velocities]",
                                                 "bae-haug[projection=off]",
                                                 "hdca",
                                                 "bae-haug[alpha=5,beta=3]",
                                                 "dense-momentum",
                                                 "dca[projection=velocities]",
                                                 "hdca[gauge=leak]",
                                                 "bae-haug[projection=velocities]",
                                                 "hdca[gauge=none]",
                                                 "dense[projection=off]"};
  std::size_t next = 0;
  std::size_t treated = 0;
  double worst = 0.0;
  for (const MechanismDescription& description : test::loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism mechanism = test::sprung(description, random);
    if (mechanism.rheonomic() || mechanism.generic_rank().overconstrained) {
      continue;  // driven ones, and those of which nobody knows equations where steps have opened loops
    }
    for (std::size_t turn = 0; turn < 4; ++turn) {
      const std::string& formulation = formulations[next++ % formulations.size()];
      SCOPED_TRACE(fmt::format("{} on {}, seed {}", formulation, mechanism.name(), seed));
      const double step = mechanism.name() == "slider_crank" ? 0.01 : 0.04;
      try {
        test::GradientProblem problem(mechanism, formulation, methods[next % 3], step, 1e9, true);
        std::vector<double> values = problem.values(random);
        test::move_starts(problem.run.numbers(), random, values);
        if (test::largest_of(problem.run.trajectory(values).u) > 30.0) {
          continue;  // near a fold, or too stiff for the step: rounding grows by more than the condition says
        }
        const double error = error_along(problem.run, problem.objective, values, random);
        // Rounding of up to a hundred right-hand sides at conditions of up to some 1e4; found: 2e-14 to 3e-11.
        EXPECT_LT(error, 1e-9);
        worst = std::max(worst, error);
        ++treated;
      } catch (const std::invalid_argument& error) {  // of one part: none, or loops that nobody knows here
        fmt::print("not compared: {}\n", error.what());
      } catch (const gradients::RunFailure& error) {
        fmt::print("not compared: {}\n", error.what());
      }
    }
  }
  fmt::print("seed {}: {} runs on loops, largest error of a gradient {:.1e}\n", seed, treated, worst);
  EXPECT_GE(treated, 12U);
}

// Springs between points, of trees and of loops: all other numbers beside theirs, which stand last among springs.
TEST(run_gradient, with_springs_between_points_agrees_with_differences_of_113_bits) {
  const std::uint64_t first = test::seed_of_run(1);
  const auto expect = [](const MechanismDescription& made, const std::string& formulation, const std::string& method,
                         RandomSource& random) {
    SCOPED_TRACE(fmt::format("{}, {} on {}", formulation, method, made.name));
    MechanismDescription description = made;
    test::add_point_springs(description, random);
    const Mechanism mechanism = test::sprung(description, random);
    test::GradientProblem problem(mechanism, formulation, method, test::step_or_tolerance(method, 0.04, 1e-4), 1e9,
                                  true);
    const std::vector<double> values = problem.values(random);
    const double error = error_along(problem.run, problem.objective, values, random);
    // Rounding of some hundred right-hand sides at conditions of up to some 1e3; found: up to 8e-15.
    EXPECT_LT(error, 1e-12);
    return error;
  };
  double worst = 0.0;
  for (std::uint64_t seed = first; seed < first + 4; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = make_mechanism(
        mechanism_registry(), fmt::format("random_tree:seed={},bodies={},motions=0,loads=0", seed, 2 + seed % 3));
    worst = std::max(worst, expect(tree.description(), seed % 2 == 0 ? "naudet" : "aba",
                                   std::vector<std::string>{"rk4", "gauss4", "ode45"}[seed % 3], random));
  }
  RandomSource random(static_cast<std::int64_t>(first));
  for (const char* const formulation :
       {"bae-haug[projection=velocities]", "dense[projection=off]", "hdca", "dense-momentum"}) {
    worst = std::max(worst, expect(test::loop_without_loads("double_loop:angle=0.2"), formulation, "rk2", random));
  }
  fmt::print("seeds from {}: largest error {:.1e}\n", first, worst);
}

// The pole that python/examples/cart_pole_swing_up.py swings up, by eleven forces.
TEST(run_gradient, of_the_cart_pole_has_thirteen_digits) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "cart_pole:ratio=0.5");
  std::vector<double> knots;
  for (int k = 0; k <= 10; ++k) {
    knots.push_back(0.2 * k);
  }
  const gradients::VariedNumbers numbers(mechanism, std::vector<std::string>{"q.hinge"}, {{"track", knots}});
  gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers, {"aba", "rk4", 0.0, 2.0, 0.02, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  for (const char* const name : {"q.track", "q.hinge", "v.track", "v.hinge"}) {
    objective.add_target(name, 0.0, 10.0, false);
  }
  run.add_control_cost(1e-3);
  std::vector<double> values = {std::numbers::pi};
  for (const double knot : knots) {
    values.push_back(3.0 * std::sin(std::numbers::pi * knot));
  }
  const double error = error_of(run, objective, values);
  EXPECT_LT(error, 1e-13);
  fmt::print("cart and pole: {:.1e}\n", error);
}

// Three masses and three dampers, as python/examples/masses_from_a_marker.py finds them.
TEST(run_gradient, by_masses_and_dampers_has_thirteen_digits) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  std::vector<std::string> names = {"mass.body1", "mass.body2", "mass.body3"};
  for (const char* const joint : {"joint1", "joint2", "joint3"}) {
    description.joint_springs.push_back(
        {.name = std::string("damper_") + joint, .joint = joint, .component = 0, .stiffness = 0.0, .damping = 0.2});
    names.push_back(std::string("damping.damper_") + joint);
  }
  description.joints[0].q0 = {0.3};
  description.joints[1].v0 = {1.0};
  const Mechanism mechanism(description);
  const gradients::VariedNumbers numbers(mechanism, names, {});
  gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers, {"naudet", "rk4", 0.0, 2.0, 0.01, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  std::vector<double> times;
  std::vector<double> places;
  for (int k = 0; k <= 40; ++k) {
    times.push_back(0.05 * k);
    places.insert(places.end(), {2.0 * std::cos(0.1 * k), 0.0, -2.0 + std::sin(0.1 * k)});
  }
  objective.add_track("tip", times, places, 1.0);
  const double error = error_of(run, objective, numbers.own_values());
  EXPECT_LT(error, 1e-13);
  fmt::print("masses and dampers: {:.1e}\n", error);
}

TEST(run_gradient, in_113_bits_says_what_it_does_not_know) {
  const auto refusal = [](const char* key, const char* formulation) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const gradients::VariedNumbers numbers(mechanism,
                                           std::vector<std::string>{"mass." + mechanism.bodies().front().name}, {});
    gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers,
                                     {formulation, "rk4", 0.0, 0.1, 0.01, 1e9});
    gradients::SquareSum objective(mechanism, run.times());
    try {
      static_cast<void>(run.precise_along(numbers.own_values(), std::vector<double>{1.0}, objective));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("pendulum:2", "aba"), "");
  EXPECT_EQ(refusal("four_bar", "bae-haug[projection=off]"), "");
  EXPECT_NE(refusal("bennett", "bae-haug[projection=off]").find("repeat others"), std::string::npos);
  EXPECT_NE(refusal("random_tree:seed=6,motions=2", "aba").find("prescribed motions"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench
