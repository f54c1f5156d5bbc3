// Gradients of runs on closed loops: the adjoint against forward sensitivities to rounding and against differences of
// whole runs; starts whose coordinates and velocities follow one another; what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "tests/experiments/gradients/gradient_problem.hpp"
#include "tests/support/closed_form_loops.hpp"
#include "tests/support/random_loops.hpp"

namespace mbdbench {
namespace {

using gradients::DifferentiableRun;
using gradients::RunGradient;
using gradients::VariedKind;
using gradients::VariedNumbers;
using test::GradientProblem;

double largest_of(const std::vector<double>& numbers) {
  double size = 0.0;
  for (const double number : numbers) {
    size = std::max(size, std::abs(number));
  }
  return size;
}

MechanismDescription without_loads(MechanismDescription description) {
  description.joint_loads.clear();
  description.joint_springs.clear();
  return description;
}

MechanismDescription named(const std::string& word) {
  return without_loads(make_mechanism(mechanism_registry(), word).description());
}

/// Loops of the catalogue, a slider-crank among them, and random ones in space.
std::vector<MechanismDescription> loops(std::uint64_t seed) {
  std::vector<MechanismDescription> all = {named("four_bar:angle=0.3"), named("five_bar"),
                                           named("double_loop:angle=0.2"), named("slider_crank")};
  for (std::uint64_t s = seed; s < seed + 3; ++s) {
    all.push_back(test::RandomLoops(static_cast<std::int64_t>(s), {.planar = false, .loops = 1}).take());
    all.push_back(named(fmt::format("random_closed:seed={},bodies=6,cuts=2,loads=0", s)));
  }
  return all;
}

/// Moves start coordinates a little: by a quarter of what keeps the loops closed at least.
void move_starts(const VariedNumbers& numbers, RandomSource& random, std::vector<double>& values) {
  const Eigen::VectorXd drawn = test::random_vector(static_cast<int>(values.size()), random);
  const auto moved = [&](double size) {
    std::vector<double> all = values;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool moves = numbers.numbers()[i].kind == VariedKind::start_position;
      all[i] += moves ? size * drawn[static_cast<int>(i)] : 0.0;
    }
    return all;
  };
  for (double size = 0.1; size > 1e-4; size *= 0.5) {
    try {
      (void)numbers.start(moved(size));
      values = moved(0.25 * size);
      return;
    } catch (const ModelError&) {  // no links are that long
    }
  }
  ADD_FAILURE() << "the loops cannot move";
}

/// The mechanism's own numbers, start coordinates moved, controls and start velocities drawn.
std::vector<double> moved_values(const GradientProblem& problem, RandomSource& random) {
  std::vector<double> values = problem.values(random);
  move_starts(problem.run.numbers(), random, values);
  return values;
}

/// \returns whether a run stays finite and slow: of random mechanisms some pass positions where loops fold, or are too
/// stiff for the step.
bool is_tame(GradientProblem& problem, const std::vector<double>& values) {
  try {
    const gradients::Trajectory trajectory = problem.run.trajectory(values);
    return largest_of(trajectory.u) < 30.0;
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
  for (const MechanismDescription& description : loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed + treated));
    const Mechanism mechanism = test::sprung(description, random);
    if (!mechanism.held_by_velocity().empty() || mechanism.generic_rank().overconstrained) {
      continue;  // there are no derivatives, or none beside the constraints, where steps drift
    }
    for (const char* const formulation :
         {"dense[projection=velocities]", "dense[projection=off]", "bae-haug[projection=velocities]",
          "bae-haug[projection=off]", "dca[projection=velocities]", "dca[projection=off]"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
      if (!refusal_of(*choice.entry, mechanism).empty() ||
          !make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options)
               ->without_jacobian()
               .empty()) {
        continue;  // dca, which does not take all of them as one piece
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
                    1e-11 * largest_of(adjoint.gradient) * std::sqrt(static_cast<double>(values.size())))
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
        // Rounding of the value over a step, and what differences of another step are off by: near folded loops
        // objectives bend within a step.
        const double expected = slope(0.1);
        EXPECT_NEAR(
            expected, forward.gradient[d],
            1e-7 * largest_of(adjoint.gradient) + 1e-10 * std::abs(adjoint.value) + std::abs(slope(0.2) - expected))
            << what << ", direction " << d;
      }
    }
  }
  fmt::print("{} runs, {} of them by start coordinates\n", treated, starts);
  EXPECT_GE(treated, 24U);
  EXPECT_GE(starts, 20U);
}

TEST(loop_gradient, every_number_has_its_derivative) {
  for (const char* const word : {"four_bar:angle=0.3", "slider_crank"}) {
    RandomSource random(4);
    const Mechanism mechanism = test::sprung(named(word), random);
    for (const char* const formulation : {"dense[projection=velocities]", "bae-haug[projection=off]"}) {
      GradientProblem problem(mechanism, formulation, "rk4", 0.02);
      RandomSource again(5);
      const std::vector<double> values = moved_values(problem, again);
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      std::vector<double> unit(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::fill(unit.begin(), unit.end(), 0.0);
        unit[i] = 1.0;
        EXPECT_NEAR(adjoint.gradient[i], problem.run.along(values, unit, problem.objective).gradient.front(),
                    1e-12 * largest_of(adjoint.gradient))
            << formulation << " on " << word << ", " << problem.run.numbers().numbers()[i].name;
        EXPECT_NE(adjoint.gradient[i], 0.0) << formulation << " on " << word;
      }
    }
  }
}

// ---- Starts.

TEST(loop_gradient, starts_close_their_loops_and_know_how_they_move) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 2);
  for (const MechanismDescription& description : loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism mechanism = test::sprung(description, random);
    const VariedNumbers numbers = GradientProblem::numbers(mechanism);
    std::vector<double> values = numbers.own_values();
    std::vector<double> direction(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const VariedKind kind = numbers.numbers()[i].kind;
      if (kind == VariedKind::start_position || kind == VariedKind::start_velocity) {
        values[i] += kind == VariedKind::start_velocity ? random.uniform(-0.5, 0.5) : 0.0;
        direction[i] = random.uniform(-1.0, 1.0);
      }
    }
    move_starts(numbers, random, values);
    const gradients::RunStart start = numbers.start(values);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(start.q));
    kinematics.set_velocities(view(start.u));
    const ConstraintErrors errors =
        ConstraintObserver(mechanism).evaluate(0.0, view(start.q), view(start.u), kinematics);
    EXPECT_LT(errors.scaled_position, 1e-13) << mechanism.name();
    EXPECT_LT(errors.scaled_velocity, 1e-12) << mechanism.name();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const gradients::VariedNumber& number = numbers.numbers()[i];
      if (number.kind == VariedKind::start_position) {
        EXPECT_EQ(start.q[static_cast<int>(number.place)], values[i]) << mechanism.name() << ", " << number.name;
      } else if (number.kind == VariedKind::start_velocity) {
        EXPECT_EQ(start.u[static_cast<int>(number.place)], values[i]) << mechanism.name() << ", " << number.name;
      }
    }
    Eigen::VectorXd got = Eigen::VectorXd::Zero(start.q.size() + start.u.size());
    const std::span<double> all(got.data(), static_cast<std::size_t>(got.size()));
    const auto split = static_cast<std::size_t>(start.q.size());
    numbers.start_derivatives(start).change(direction, all.first(split), all.subspan(split));
    const auto slopes = [&](double scale) {
      return Eigen::VectorXd(test::difference([&](double s) {
                               std::vector<double> moved = values;
                               for (std::size_t i = 0; i < moved.size(); ++i) {
                                 moved[i] += scale * s * direction[i];
                               }
                               const gradients::RunStart there = numbers.start(moved);
                               Eigen::VectorXd both(got.size());
                               both << there.q, there.u;
                               return both;
                             }) /
                             scale);
    };
    // Steps of 1e-4: closing leaves 1e-14 of positions, their condition times as much; and what differences of another
    // step are off by.
    const Eigen::VectorXd expected = slopes(0.1);
    EXPECT_LT((got - expected).cwiseAbs().maxCoeff(),
              1e-8 * std::max(1.0, expected.cwiseAbs().maxCoeff()) + (slopes(0.2) - expected).cwiseAbs().maxCoeff())
        << mechanism.name();
    // Weights are the same the other way.
    const Eigen::VectorXd weights = test::random_vector(static_cast<int>(got.size()), random);
    std::vector<double> by_numbers(values.size());
    numbers.start_derivatives(start).add_weights(view(weights).first(split), view(weights).subspan(split), by_numbers);
    EXPECT_NEAR(std::inner_product(by_numbers.begin(), by_numbers.end(), direction.begin(), 0.0), weights.dot(got),
                1e-12 * static_cast<double>(got.size()) * got.cwiseAbs().maxCoeff())
        << mechanism.name();
  }
}

/// All coordinates of parallel bars are linear in one angle.
TEST(loop_gradient, starts_of_parallel_bars_have_their_closed_form) {
  for (const int n : {1, 3}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), fmt::format("n_four_bar:{}", n));
    const Eigen::VectorXd turned = test::n_four_bar_coordinates(n, 1.0) - test::n_four_bar_coordinates(n, 0.0);
    const std::string joint = mechanism.tree_joints().front().name;
    const VariedNumbers numbers(mechanism, std::vector<std::string>{"q." + joint, "v." + joint}, {});
    const double theta = 0.7;
    const double angle = test::n_four_bar_coordinates(n, theta)[0];
    const gradients::RunStart start = numbers.start(std::vector<double>{angle, 1.3 * turned[0]});
    EXPECT_LT((start.q - test::n_four_bar_coordinates(n, theta)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((start.u - 1.3 * turned).cwiseAbs().maxCoeff(), 1e-13);
    std::vector<double> of_q(static_cast<std::size_t>(turned.size()));
    std::vector<double> of_u(of_q.size());
    numbers.start_derivatives(start).change(std::vector<double>{turned[0], 0.0}, of_q, of_u);
    for (std::size_t i = 0; i < of_q.size(); ++i) {
      EXPECT_NEAR(of_q[i], turned[static_cast<int>(i)], 1e-13);
      EXPECT_NEAR(of_u[i], 0.0, 1e-13);
    }
  }
}

// ---- What cannot be.

std::string said_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

std::string start_refusal(const std::string& word, const std::vector<std::string>& names) {
  return said_by([&] { const VariedNumbers numbers(make_mechanism(mechanism_registry(), word), names, {}); });
}

TEST(loop_gradient, refuses_start_values_that_follow_from_others) {
  expect_words(start_refusal("four_bar:angle=0.3", {"q.joint1", "q.joint2", "q.joint3"}),
               {"leave 2 of its 4", "3 are varied (q.joint1, q.joint2, q.joint3)", "at most 2"});
  expect_words(start_refusal("double_loop:angle=0.2", {"v.joint1", "v.joint2", "v.joint3"}),
               {"constraints tie v.joint1, v.joint2, v.joint3 to one another"});
  expect_words(start_refusal("five_bar:shape=line", {"q.joint1"}), {"singular", "start elsewhere"});
  EXPECT_EQ(start_refusal("four_bar:angle=0.3", {"q.joint1", "q.joint3", "v.joint2", "v.joint4"}), "no error");
}

TEST(loop_gradient, refuses_values_that_no_loop_can_have) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  const VariedNumbers numbers(mechanism, std::vector<std::string>{"q.joint1", "q.joint2"}, {});
  // Both first links along -x: their end is 4 m from the last pivot, which two links of 1 m do not reach.
  expect_words(
      said_by([&] {
        (void)numbers.start(std::vector<double>{3.14159, 0.0});
      }),
      {"start of 'four_bar:angle=0.3' with q.joint1 = 3.14159, q.joint2 = 0", "cannot be assembled", "joint5"});
}

TEST(loop_gradient, says_how_projected_steps_are_left_out) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  const VariedNumbers numbers(mechanism, std::vector<std::string>{"mass.body1"}, {});
  for (const char* const formulation : {"bae-haug", "dca", "dense"}) {
    expect_words(
        said_by([&] {
          DifferentiableRun run(formulation_registry(), mechanism, numbers, {formulation, "rk2", 0.0, 0.5, 0.05, 1e9});
          gradients::SquareSum objective(mechanism, run.times());
          objective.add_target("q.joint1", 0.0, 1.0, false);
          (void)run.gradient(run.numbers().own_values(), objective);
        }),
        {"projection", "projection=velocities", "projection=off"});
  }
}

}  // namespace
}  // namespace mbdbench
