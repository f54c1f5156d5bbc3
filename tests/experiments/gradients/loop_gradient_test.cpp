// Gradients of runs on closed loops: the adjoint against forward sensitivities to rounding and against differences of
// whole runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "tests/experiments/gradients/loop_problems.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

using gradients::RunGradient;
using gradients::VariedKind;
using test::GradientProblem;

/// The mechanism's own numbers, start coordinates moved, controls and start velocities drawn.
std::vector<double> moved_values(const GradientProblem& problem, RandomSource& random) {
  std::vector<double> values = problem.values(random);
  test::move_starts(problem.run.numbers(), random, values);
  return values;
}

/// \returns whether a run stays finite and slow: of random mechanisms some pass positions where loops fold, or are too
/// stiff for the step.
bool is_tame(GradientProblem& problem, const std::vector<double>& values) {
  try {
    const gradients::Trajectory trajectory = problem.run.trajectory(values);
    return test::largest_of(trajectory.u) < 30.0;
  } catch (const gradients::RunFailure&) {
    return false;
  }
}

TEST(loop_gradient, adjoint_forward_sensitivities_and_differences_agree) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 2);
  const std::vector<std::string> methods = {"rk2", "rk4", "rkf45-fixed"};
  std::size_t treated = 0;
  std::size_t starts = 0;
  for (const MechanismDescription& description : test::loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed + treated));
    const Mechanism mechanism = test::sprung(description, random);
    if (!mechanism.held_by_velocity().empty() || mechanism.generic_rank().overconstrained) {
      continue;  // there are no derivatives, or none beside the constraints, where steps drift
    }
    for (const char* const formulation :
         {"dense[projection=velocities]", "dense[projection=off]", "bae-haug[projection=velocities]",
          "bae-haug[projection=off]", "bae-haug[alpha=5,beta=5]", "dca[projection=velocities]", "dca[projection=off]",
          "dense-momentum", "hdca"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
      if (!refusal_of(*choice.entry, mechanism).empty() ||
          !make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options)
               ->without_jacobian()
               .empty()) {
        continue;  // dca and hdca, which do not take all of them as one piece
      }
      const std::string what = fmt::format("{} on {}", formulation, mechanism.name());
      // The slider-crank weighs little: its dampers make it stiff.
      const double step = mechanism.name() == "slider_crank" ? 0.004 : 0.02;
      GradientProblem problem(mechanism, formulation, methods[treated % 3], step);
      const std::vector<double> values = moved_values(problem, random);
      if (!is_tame(problem, values)) {
        continue;
      }
      ++treated;
      starts += static_cast<std::size_t>(problem.run.numbers().any(VariedKind::start_position));
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      std::vector<double> directions(2 * values.size());
      for (double& number : directions) {
        number = random.uniform(-1.0, 1.0);
      }
      const RunGradient forward = problem.run.along(values, directions, problem.objective);
      EXPECT_EQ(forward.value, adjoint.value) << what;
      for (std::size_t d = 0; d < 2; ++d) {
        const std::vector<double> direction(directions.begin() + static_cast<std::ptrdiff_t>(d * values.size()),
                                            directions.begin() + static_cast<std::ptrdiff_t>((d + 1) * values.size()));
        const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
        // Products forward and back have the rounding of a solution each, at conditions of up to some 1e3.
        EXPECT_NEAR(along, forward.gradient[d],
                    1e-11 * test::largest_of(adjoint.gradient) * std::sqrt(static_cast<double>(values.size())))
            << what << ", direction " << d;
        const auto slope = [&](double scale) {
          return test::difference([&](double s) {
                   std::vector<double> moved = values;
                   for (std::size_t i = 0; i < moved.size(); ++i) {
                     moved[i] += scale * s * direction[i];
                   }
                   return problem.run.value(moved, problem.objective);
                 }) /
                 scale;
        };
        // Differences are right at one step at least. Near folded loops objectives bend within a long one, and kappa of
        // the tangent gauge has a kink wherever another joint becomes the fastest, at any of the hundreds of states of
        // a run: of 88 runs one or two have one within the longer steps, where differences are off by some 1e-6 of the
        // largest derivative. The shortest has the largest rounding of the value over the step.
        const double largest = test::largest_of(adjoint.gradient);
        std::string misses;
        bool agrees = false;
        for (const double scale : {0.1, 0.01, 0.001}) {
          const double miss = std::abs(slope(scale) - forward.gradient[d]);
          agrees = agrees || miss <= 1e-7 * largest + 1e-11 / scale * std::abs(adjoint.value);
          misses += fmt::format(" {:.2g}", miss);
        }
        EXPECT_TRUE(agrees) << what << ", direction " << d << ": " << forward.gradient[d] << ", differences miss by"
                            << misses << "; largest derivative " << largest << ", value " << adjoint.value;
      }
    }
  }
  fmt::print("{} runs, {} of them by start coordinates\n", treated, starts);
  EXPECT_GE(treated, 32U);
  EXPECT_GE(starts, 20U);
}

/// Blades, a groove and a gear: dense-momentum takes momenta of its start from the tree alone.
TEST(loop_gradient, agrees_where_velocities_alone_are_held) {
  std::size_t treated = 0;
  for (const MechanismDescription& description : test::held_by_blades(test::loop_without_loads("five_bar"))) {
    RandomSource drawn(6);
    const Mechanism mechanism = test::sprung(description, drawn);
    for (const char* const formulation : {"dense[projection=velocities]", "dense[projection=off]",
                                          "dense-momentum[gauge=tangent]", "dense-momentum[gauge=none]"}) {
      RandomSource random(6);
      const std::string what = fmt::format("{} on {}", formulation, mechanism.name());
      GradientProblem problem(mechanism, formulation, "rk4", 0.02);
      const std::vector<double> values = problem.values(random);
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      std::vector<double> direction(values.size());
      for (double& number : direction) {
        number = random.uniform(-1.0, 1.0);
      }
      const double forward = problem.run.along(values, direction, problem.objective).gradient.front();
      const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
      const double largest = test::largest_of(adjoint.gradient);
      EXPECT_GT(largest, 0.0) << what;
      EXPECT_NEAR(along, forward, 1e-11 * largest * std::sqrt(static_cast<double>(values.size()))) << what;
      const double expected = test::difference([&](double s) {
        std::vector<double> moved = values;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          moved[i] += s * direction[i];
        }
        return problem.run.value(moved, problem.objective);
      });
      EXPECT_NEAR(along, expected, 1e-6 * largest + 1e-11 * std::abs(adjoint.value)) << what;
      ++treated;
    }
  }
  EXPECT_EQ(treated, 20U);
}

TEST(loop_gradient, every_number_has_its_derivative) {
  for (const char* const word : {"four_bar:angle=0.3", "slider_crank"}) {
    RandomSource random(4);
    const Mechanism mechanism = test::sprung(test::loop_without_loads(word), random);
    for (const char* const formulation : {"dense[projection=velocities]", "bae-haug[projection=off]", "hdca"}) {
      GradientProblem problem(mechanism, formulation, "rk4", 0.02);
      RandomSource again(5);
      const std::vector<double> values = moved_values(problem, again);
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      std::vector<double> unit(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::fill(unit.begin(), unit.end(), 0.0);
        unit[i] = 1.0;
        EXPECT_NEAR(adjoint.gradient[i], problem.run.along(values, unit, problem.objective).gradient.front(),
                    1e-12 * test::largest_of(adjoint.gradient))
            << formulation << " on " << word << ", " << problem.run.numbers().numbers()[i].name;
        EXPECT_NE(adjoint.gradient[i], 0.0) << formulation << " on " << word;
      }
    }
  }
}

/// Rows that repeat others where loops are closed contradict them where steps have opened these: derivatives leave them
/// out, and gradients are off by what loops are open.
TEST(loop_gradient, of_mechanisms_that_move_by_geometry_alone_is_off_by_what_loops_are_open) {
  for (const char* const word : {"bricard", "bennett", "sarrus"}) {
    RandomSource random(3);
    const Mechanism mechanism = test::sprung(test::loop_without_loads(word), random);
    ASSERT_TRUE(mechanism.generic_rank().overconstrained) << word;
    GradientProblem problem(mechanism, "bae-haug[projection=velocities]", "rk4", 0.01);
    const std::vector<double> values = moved_values(problem, random);
    const RunGradient adjoint = problem.run.gradient(values, problem.objective);
    const gradients::Trajectory trajectory = problem.run.trajectory(values);
    Kinematics kinematics(mechanism);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(
        trajectory.q.data() + trajectory.q.size() - mechanism.q_size(), mechanism.q_size());
    kinematics.set_positions(view(q));
    kinematics.set_velocities(view(mechanism.u0()));
    const double open =
        ConstraintObserver(mechanism).evaluate(0.0, view(q), view(mechanism.u0()), kinematics).scaled_position;
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = 10.0 * test::difference([&](double s) {
                                  std::vector<double> moved = values;
                                  moved[i] += 0.1 * s;
                                  return problem.run.value(moved, problem.objective);
                                });
      worst = std::max(worst, std::abs(difference - adjoint.gradient[i]) / test::largest_of(adjoint.gradient));
    }
    fmt::print("{}: loops are open by {:.1e}, the gradient is off by {:.1e}\n", word, open, worst);
    EXPECT_LT(open, 1e-7) << word;
    // Differences leave some 1e-10 of the largest derivative.
    EXPECT_LT(worst, 1e-9 + 100.0 * open) << word;
  }
}

/// Wheels roll; the torque at the steering tells the lean.
TEST(loop_gradient, of_a_bicycle_by_masses_and_a_steering_torque_agrees_with_differences) {
  const Mechanism mechanism = load_mechanism(std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/bicycle.toml");
  const gradients::VariedNumbers numbers(mechanism, std::vector<std::string>{"mass.rear_frame", "mass.front_frame"},
                                         {{"steering", {0.0, 0.2, 0.4}}});
  for (const char* const formulation : {"dense[projection=velocities]", "dense-momentum"}) {
    gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers,
                                     {formulation, "rk4", 0.0, 0.5, 0.01, 1e9});
    gradients::SquareSum objective(mechanism, run.times());
    objective.add_track("rider", std::vector<double>{0.5}, std::vector<double>{2.8, 0.1, 0.9}, 1.0);
    objective.add_target("v.steering", 0.2, 1.0, false);
    const std::vector<double> values = {80.0, 4.0, 1.0, -2.0, 0.5};
    const RunGradient adjoint = run.gradient(values, objective);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = test::difference([&](double s) {
        std::vector<double> moved = values;
        moved[i] += s;
        return run.value(moved, objective);
      });
      EXPECT_NEAR(adjoint.gradient[i], difference, 1e-8 * test::largest_of(adjoint.gradient))
          << formulation << ", " << numbers.numbers()[i].name;
    }
  }
  try {
    const gradients::VariedNumbers starts(mechanism, std::vector<std::string>{"v.steering"}, {});
    ADD_FAILURE() << "a start that others would have to follow";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'rear_road' holds velocities"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mbdbench
