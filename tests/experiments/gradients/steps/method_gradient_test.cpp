// Gradients of runs by every method: the adjoint against forward sensitivities, the steps of the integrators, the same
// bits with checkpoints, and what is left out where steps are chosen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/simulation/simulation.hpp"
#include "integrators/registry.hpp"
#include "tests/experiments/gradients/loop_problems.hpp"

namespace mbdbench {
namespace {

using gradients::DifferentiableRun;
using gradients::RunGradient;
using test::GradientProblem;

/// The adjoint along a random direction, against forward sensitivities.
void expect_agreement(GradientProblem& problem, const std::vector<double>& values, RandomSource& random, double error,
                      const std::string& what) {
  const RunGradient adjoint = problem.run.gradient(values, problem.objective);
  std::vector<double> direction(values.size());
  for (double& number : direction) {
    number = random.uniform(-1.0, 1.0);
  }
  const RunGradient forward = problem.run.along(values, direction, problem.objective);
  const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
  const double largest = test::largest_of(adjoint.gradient);
  EXPECT_GT(largest, 0.0) << what;
  EXPECT_EQ(forward.value, adjoint.value) << what;
  EXPECT_NEAR(along, forward.gradient.front(), error * largest * std::sqrt(static_cast<double>(values.size()))) << what;
}

TEST(gradient_of_every_method, is_that_of_forward_sensitivities_on_random_trees) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 3);
  for (std::uint64_t seed = first; seed < first + 4; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = test::sprung_tree(seed, 2 + static_cast<int>(seed % 4), random, seed % 2 == 0 ? 1 : 0);
    for (const std::string& method : test::gradient_methods()) {
      for (const char* const formulation : {"aba", "naudet"}) {
        const bool lengths = seed % 2 == 1;
        GradientProblem problem(tree, formulation, method, test::step_or_tolerance(method, 0.02, 1e-5), 1e9, lengths);
        // Sums of as many terms as there are numbers, whose terms cancel in part; M's condition is up to some 1e3.
        expect_agreement(problem, problem.values(random), random, 1e-12,
                         fmt::format("{}, {}, seed {}", method, formulation, seed));
      }
    }
  }
}

TEST(gradient_of_every_method, is_that_of_forward_sensitivities_on_closed_loops) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 2);
  std::size_t treated = 0;
  for (const MechanismDescription& description : test::loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism mechanism = test::sprung(description, random);
    if (!mechanism.held_by_velocity().empty() || mechanism.generic_rank().overconstrained ||
        mechanism.name() == "slider_crank") {  // stiff: see below
      continue;
    }
    for (const std::string& method : test::gradient_methods()) {
      for (const char* const formulation : {"bae-haug[projection=velocities]", "dense-momentum"}) {
        const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
        if (!refusal_of(*choice.entry, mechanism).empty()) {
          continue;
        }
        const std::string what = fmt::format("{}, {} on {}", method, formulation, mechanism.name());
        try {
          GradientProblem problem(mechanism, formulation, method, test::step_or_tolerance(method, 0.01, 1e-5));
          std::vector<double> values = problem.values(random);
          test::move_starts(problem.run.numbers(), random, values);
          const gradients::Trajectory trajectory = problem.run.trajectory(values);
          if (test::largest_of(trajectory.u) > 30.0) {
            continue;  // of random mechanisms some pass positions where loops fold
          }
          ++treated;
          // Products forward and back have the rounding of a solution each, at conditions of up to some 1e3.
          expect_agreement(problem, values, random, 1e-11, what);
        } catch (const gradients::RunFailure&) {
          continue;  // likewise
        }
      }
    }
  }
  fmt::print("{} runs\n", treated);
  EXPECT_GE(treated, 60U);
}

/// A damper so strong that fixed-point iterations of the stages diverge: Newton's method takes over.
TEST(gradient_of_every_method, of_stiff_runs_by_implicit_methods_agrees_with_differences) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  for (JointDescription& joint : description.joints) {
    description.joint_springs.push_back({.name = "spring_" + joint.name,
                                         .joint = joint.name,
                                         .component = 0,
                                         .stiffness = 50.0,
                                         .damping = 2000.0,
                                         .rest = 0.2});
  }
  const Mechanism mechanism(description);
  const gradients::VariedNumbers numbers(
      mechanism, std::vector<std::string>{"mass.body2", "damping.spring_joint2", "q.joint1", "v.joint3"},
      {{"joint2", {0.0, 0.5}}});
  for (const char* const method : {"implicit-midpoint", "gauss4", "gauss6", "trapezoidal"}) {
    for (const char* const formulation : {"aba", "naudet"}) {
      DifferentiableRun run(formulation_registry(), mechanism, numbers, {formulation, method, 0.0, 0.5, 0.01, 1e9});
      gradients::SquareSum objective(mechanism, run.times());
      objective.add_target("q.joint2", 0.3, 1.0, false);
      objective.add_target("v.joint3", 0.1, 1.0, true);
      const std::vector<double> values = {1.2, 1900.0, 0.4, 0.5, 100.0, -200.0};
      const RunGradient adjoint = run.gradient(values, objective);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<double> unit(values.size());
        unit[i] = 1.0;
        EXPECT_NEAR(adjoint.gradient[i], run.along(values, unit, objective).gradient.front(),
                    1e-11 * test::largest_of(adjoint.gradient))  // conditions of some 1e5 in momenta
            << method << ", " << formulation << ", number " << i;
        const double difference = test::difference([&](double s) {
          std::vector<double> moved = values;
          moved[i] += s;
          return run.value(moved, objective);
        });
        EXPECT_NEAR(adjoint.gradient[i], difference, 1e-8 * test::largest_of(adjoint.gradient))
            << method << ", " << formulation << ", number " << i;
      }
    }
  }
}

/// Ends of all steps.
struct Ends : OdeSink {
  bool sample(double time, std::span<const double> state) override {
    t.push_back(time);
    x.insert(x.end(), state.begin(), state.end());
    return true;
  }
  std::vector<double> t;
  std::vector<double> x;
};

/// What the integrator of the name makes of a formulation's equations of motion.
OdeResult integrate(const Mechanism& mechanism, const std::string& formulation, const std::string& method,
                    std::span<const double> tspan, std::span<const double> x0, OdeOptions options, Ends& ends) {
  const auto own =
      make_formulation(formulation_registry(), *find_formulation(formulation_registry(), formulation), mechanism);
  options.refine = 1;
  return find_integrator(integrator_registry(), method)->solve(ode_system(*own, own.get()), tspan, x0, options, ends);
}

/// q and the second half of the state in rows, as the integrator has them.
std::vector<double> rows(const gradients::Trajectory& trajectory) {
  std::vector<double> all;
  const std::size_t nq = trajectory.q.size() / trajectory.t.size();
  const std::size_t nu = trajectory.u.size() / trajectory.t.size();
  for (std::size_t k = 0; k < trajectory.t.size(); ++k) {
    all.insert(all.end(), trajectory.q.begin() + static_cast<std::ptrdiff_t>(k * nq),
               trajectory.q.begin() + static_cast<std::ptrdiff_t>((k + 1) * nq));
    all.insert(all.end(), trajectory.u.begin() + static_cast<std::ptrdiff_t>(k * nu),
               trajectory.u.begin() + static_cast<std::ptrdiff_t>((k + 1) * nu));
  }
  return all;
}

/// How far the ends of steps may be from the integrator's, over the largest number; 0: not at all.
///
/// Times and sizes of chosen steps are the integrator's own, since it is run to choose them; and Gauss' steps are
/// compiled once for both. All other sums are compiled here and there, odeint's from templates of its own: whether
/// products and sums are fused, and which, is the compiler's choice in either place. So each of up to 13 terms a stage
/// may be rounded once more, in some 20 steps: found without fused ones on one side up to 2e-15. `trapezoidal` does not
/// keep Newton's matrices from step to step.
double difference_of_ends(const std::string& method) {
  return method.starts_with("gauss") || method == "implicit-midpoint" ? 0.0 : 1e-13;
}

/// \param found, expected rows of states
void expect_ends(const std::string& method, const std::vector<double>& found, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  const double limit = difference_of_ends(method) * std::max(1.0, test::largest_of(expected));
  double worst = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    worst = std::isnan(error) ? error : std::max(worst, error);
  }
  EXPECT_LE(worst, limit) << what;
}

/// Trees with quaternions and a motion that is prescribed over time.
TEST(gradient_of_every_method, has_the_steps_of_its_integrator) {
  for (const int seed : {2, 6, 7}) {
    RandomSource random(seed);
    const Mechanism tree = test::sprung_tree(static_cast<std::uint64_t>(seed), 5, random, seed % 2);
    for (const std::string& method : test::gradient_methods()) {
      if (method == "rk4") {
        continue;  // no integrator has that name
      }
      const bool adaptive = gradients::step_method(method).adaptive;
      gradients::RunSettings settings{"aba", method, 0.0, 0.4, 0.03, 1e9};  // 0.4 is no multiple of it
      OdeOptions options;
      options.fixed_step = 0.03;
      if (adaptive) {
        settings.step.reset();
        settings.relative_tolerance = options.relative_tolerance = 1e-5;
        settings.absolute_tolerance = 1e-7;
        options.absolute_tolerance = {1e-7};
      }
      DifferentiableRun run(
          formulation_registry(), tree,
          gradients::VariedNumbers(tree, std::vector<std::string>{"mass." + tree.bodies()[0].name}, {}), settings);
      const gradients::Trajectory trajectory = run.trajectory(run.numbers().own_values());
      const std::vector<double> all = rows(trajectory);
      const std::size_t size = all.size() / trajectory.t.size();
      Ends ends;
      const OdeResult result =
          integrate(tree, "aba", method, std::vector<double>{0.0, 0.4}, std::span(all).first(size), options, ends);
      ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
      EXPECT_EQ(trajectory.t, ends.t) << method << ", seed " << seed;
      EXPECT_EQ(trajectory.t.size(), adaptive ? ends.t.size() : 15U);
      expect_ends(method, all, ends.x, fmt::format("{}, seed {}", method, seed));
    }
  }
}

TEST(gradient_of_every_method, lands_on_times_and_goes_on_with_the_steps_of_its_integrator) {
  RandomSource random(6);
  const Mechanism tree = test::sprung_tree(6, 5, random);
  for (const std::string& method : test::gradient_methods(false)) {
    // Back in time as well; what stands twice, or is the end, does no harm.
    for (const auto& [t0, tf] : {std::pair{0.0, 0.4}, std::pair{0.4, 0.0}}) {
      DifferentiableRun run(
          formulation_registry(), tree,
          gradients::VariedNumbers(tree, std::vector<std::string>{"mass." + tree.bodies()[0].name}, {}),
          {"aba", method, t0, tf, {}, 1e9, 1e-5, 1e-7, {0.4, 0.17, 0.17 + 1e-15}});
      const gradients::Trajectory trajectory = run.trajectory(run.numbers().own_values());
      const std::vector<double> all = rows(trajectory);
      const std::size_t size = all.size() / trajectory.t.size();
      const std::size_t at = run.times().index_of_time(0.17);
      const double landing = trajectory.t[at];
      EXPECT_NEAR(landing, 0.17, 2e-15) << method;  // of two that are one
      EXPECT_EQ(trajectory.t.back(), tf);
      OdeOptions options;
      options.relative_tolerance = 1e-5;
      options.absolute_tolerance = {1e-7};
      options.max_step = (method.rfind("odeint", 0) == 0 ? 1.0 : 0.1) * 0.4;
      Ends ends;
      const OdeResult before =
          integrate(tree, "aba", method, std::vector<double>{t0, landing}, std::span(all).first(size), options, ends);
      options.initial_step = std::abs(run.times().size_of(at - 1));
      if (at > 1) {
        options.initial_step = std::max(options.initial_step, std::abs(run.times().size_of(at - 2)));
      }
      Ends behind;
      const OdeResult after =
          integrate(tree, "aba", method, std::vector<double>{landing, tf}, before.x, options, behind);
      ASSERT_EQ(after.status, OdeStatus::ok) << after.message;
      ends.t.insert(ends.t.end(), behind.t.begin() + 1, behind.t.end());
      ends.x.insert(ends.x.end(), behind.x.begin() + static_cast<std::ptrdiff_t>(size), behind.x.end());
      EXPECT_EQ(trajectory.t, ends.t) << method;
      expect_ends(method, all, ends.x, fmt::format("{} from {}", method, t0));
    }
  }
}

TEST(gradient_of_every_method, has_the_same_bits_with_checkpoints_of_any_size) {
  RandomSource random(3);
  const Mechanism tree = test::sprung_tree(3, 5, random);
  const double state = 8.0 * static_cast<double>(tree.q_size() + tree.u_size());
  for (const std::string& method : test::gradient_methods()) {
    for (const char* const formulation : {"aba", "naudet"}) {
      const double size = test::step_or_tolerance(method, 0.01, 1e-9);
      GradientProblem all(tree, formulation, method, size);
      RandomSource again(5);
      const std::vector<double> values = all.values(again);
      const RunGradient expected = all.run.gradient(values, all.objective);
      const auto steps = static_cast<double>(all.run.times().count());
      ASSERT_EQ(all.run.checkpoint_distance(), all.run.times().count());
      const double stages = static_cast<double>(gradients::step_method(method).stage_count()) + 1.0;
      // Somewhat more than the least, of d steps with all stages and a state every d steps.
      for (const double room : {2.5, 5.0}) {
        GradientProblem few(tree, formulation, method, size, room * std::sqrt(steps * stages) * state);
        EXPECT_LT(few.run.checkpoint_distance(), all.run.times().count()) << method;
        const RunGradient got = few.run.gradient(values, few.objective);
        EXPECT_EQ(got.value, expected.value) << method;
        EXPECT_EQ(got.gradient, expected.gradient) << method << ", " << formulation;
      }
    }
  }
}

/// That steps change with the numbers is left out. Differences of runs that choose their steps anew have it: what is
/// missing is of the order of the tolerance, and so is the error of the derivative as one of the motion.
TEST(gradient_of_every_method, leaves_out_of_chosen_steps_what_is_of_the_order_of_the_tolerance) {
  const std::uint64_t first = test::seed_of_run(1);
  for (std::uint64_t seed = first; seed < first + 2; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = test::sprung_tree(seed, 3, random);
    for (const std::string& method : test::gradient_methods(false)) {
      std::string told;
      for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
        GradientProblem problem(tree, "aba", method, tolerance);
        RandomSource again(5);
        const std::vector<double> values = problem.values(again);
        const RunGradient adjoint = problem.run.gradient(values, problem.objective);
        double worst = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          // Over steps of 0.01: where the number of steps changes, the objective jumps by the tolerance.
          const double difference = test::difference([&](double s) {
                                      std::vector<double> moved = values;
                                      moved[i] += 10.0 * s;
                                      return problem.run.value(moved, problem.objective);
                                    }) /
                                    10.0;
          worst = std::max(worst, std::abs(difference - adjoint.gradient[i]) / test::largest_of(adjoint.gradient));
        }
        told += fmt::format(" {:.0e}: {:.1e}", tolerance, worst);
        // Local errors add up over some steps; the truncation of differences leaves some 1e-8.
        EXPECT_LT(worst, 100.0 * tolerance + 2e-7) << method << ", seed " << seed;
      }
      fmt::print("seed {}, {}: differences are off by{}\n", seed, method, told);
    }
  }
}

/// A run that fails tells when, whichever way it is made.
TEST(gradient_of_every_method, tells_when_a_run_fails) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  for (const std::string& method : test::gradient_methods()) {
    gradients::RunSettings settings{"aba", method, 0.0, 1.0, 0.1, 1e9};
    if (gradients::step_method(method).adaptive) {
      settings.step.reset();
    }
    DifferentiableRun run(formulation_registry(), mechanism,
                          gradients::VariedNumbers(mechanism, std::vector<std::string>{"v.joint2"}, {}), settings);
    gradients::SquareSum objective(mechanism, run.times());
    objective.add_target("q.joint1", 0.0, 1.0, false);
    try {
      (void)run.gradient(std::vector<double>{1e300}, objective);
      ADD_FAILURE() << method << ": no error";
    } catch (const gradients::RunFailure& failure) {
      EXPECT_NE(std::string(failure.what()).find("t = "), std::string::npos) << method << ": " << failure.what();
    }
  }
}

}  // namespace
}  // namespace mbdbench
