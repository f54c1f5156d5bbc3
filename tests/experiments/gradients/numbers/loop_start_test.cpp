// Starts of closed loops by gradients of runs: coordinates and velocities that follow one another, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "mechanisms/model/kinematics/observables.hpp"
#include "tests/experiments/gradients/loop_problems.hpp"
#include "tests/support/closed_form_loops.hpp"

namespace mbdbench {
namespace {

using gradients::DifferentiableRun;
using gradients::VariedKind;
using gradients::VariedNumbers;
using test::GradientProblem;

TEST(loop_start, starts_close_their_loops_and_know_how_they_move) {
  const std::uint64_t seed = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", seed, seed + 2);
  for (const MechanismDescription& description : test::loops(seed)) {
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
    test::move_starts(numbers, random, values);
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
TEST(loop_start, starts_of_parallel_bars_have_their_closed_form) {
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

TEST(loop_start, refuses_start_values_that_follow_from_others) {
  expect_words(start_refusal("four_bar:angle=0.3", {"q.joint1", "q.joint2", "q.joint3"}),
               {"leave 2 of its 4", "3 are varied (q.joint1, q.joint2, q.joint3)", "at most 2"});
  expect_words(start_refusal("double_loop:angle=0.2", {"v.joint1", "v.joint2", "v.joint3"}),
               {"constraints tie v.joint1, v.joint2, v.joint3 to one another"});
  expect_words(start_refusal("five_bar:shape=line", {"q.joint1"}), {"singular", "start elsewhere"});
  EXPECT_EQ(start_refusal("four_bar:angle=0.3", {"q.joint1", "q.joint3", "v.joint2", "v.joint4"}), "no error");
}

/// Parallel bars in one line: their rods may turn either way.
TEST(loop_start, has_no_derivatives_at_singular_positions) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "n_four_bar:1");
  const gradients::LoopStart start(mechanism, {{"q.joint1", 0, 0}}, {});
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(mechanism.u_size());
  EXPECT_EQ(start.derivatives(test::n_four_bar_coordinates(1, 0.7), still).cols(), 1);
  expect_words(
      said_by([&] { (void)start.derivatives(test::n_four_bar_coordinates(1, 0.5 * std::numbers::pi), still); }),
      {"start of 'n_four_bar", "singular"});
}

TEST(loop_start, refuses_values_that_no_loop_can_have) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  const VariedNumbers numbers(mechanism, std::vector<std::string>{"q.joint1", "q.joint2"}, {});
  // Both first links along -x: their end is 4 m from the last pivot, which two links of 1 m do not reach.
  expect_words(
      said_by([&] {
        (void)numbers.start(std::vector<double>{3.14159, 0.0});
      }),
      {"start of 'four_bar:angle=0.3' with q.joint1 = 3.14159, q.joint2 = 0", "cannot be assembled", "joint5"});
}

TEST(loop_start, says_how_projected_steps_are_left_out) {
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
