// Gradients of whole runs: the adjoint against forward sensitivities to rounding and against differences, the same bits
// with checkpoints of any size, the steps of the integrators.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "integrators/registry.hpp"
#include "tests/experiments/gradients/gradient_problem.hpp"

namespace mbdbench {
namespace {

using gradients::DifferentiableRun;
using gradients::RunGradient;
using test::GradientProblem;

TEST(run_gradient, adjoint_forward_sensitivities_and_differences_agree_on_random_trees) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 7);
  const std::vector<std::string> methods = {"rk2", "rk4", "rkf45-fixed"};
  for (std::uint64_t seed = first; seed < first + 8; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = test::sprung_tree(seed, 2 + static_cast<int>(seed % 4), random);
    for (const char* formulation : {"aba", "naudet"}) {
      GradientProblem problem(tree, formulation, methods[seed % 3], 0.02);
      const std::vector<double> values = problem.values(random);
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      ASSERT_EQ(adjoint.gradient.size(), values.size());

      std::vector<double> directions(3 * values.size());
      for (double& number : directions) {
        number = random.uniform(-1.0, 1.0);
      }
      const RunGradient forward = problem.run.along(values, directions, problem.objective);
      EXPECT_EQ(forward.value, adjoint.value);
      for (std::size_t d = 0; d < 3; ++d) {
        const std::vector<double> direction(directions.begin() + static_cast<std::ptrdiff_t>(d * values.size()),
                                            directions.begin() + static_cast<std::ptrdiff_t>((d + 1) * values.size()));
        const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
        // Sums of as many terms as there are numbers, whose terms cancel in part; M's condition is up to some 1e3.
        EXPECT_NEAR(along, forward.gradient[d],
                    1e-12 * test::largest_of(adjoint.gradient) * std::sqrt(static_cast<double>(values.size())))
            << formulation << ", seed " << seed << ", direction " << d;
        const double difference = test::difference([&](double s) {
          std::vector<double> moved = values;
          for (std::size_t i = 0; i < moved.size(); ++i) {
            moved[i] += 0.1 * s * direction[i];
          }
          return 10.0 * problem.run.value(moved, problem.objective);
        });
        // Steps of 1e-4 leave 1e-12 of the value for rounding, 1e-8 of the derivative where M is ill-conditioned.
        EXPECT_NEAR(difference, forward.gradient[d],
                    1e-7 * test::largest_of(adjoint.gradient) + 1e-10 * std::abs(adjoint.value))
            << formulation << ", seed " << seed << ", direction " << d;
      }
    }
  }
}

TEST(run_gradient, every_number_has_its_derivative) {
  RandomSource random(4);
  const Mechanism tree = test::sprung_tree(4, 4, random);
  for (const char* formulation : {"aba", "naudet", "naudet-acc", "bae-haug", "dca", "hdca"}) {
    if (!make_formulation(formulation_registry(), *find_formulation(formulation_registry(), formulation), tree)
             ->without_jacobian()
             .empty()) {
      continue;  // those of divide and conquer that do not take this tree as one piece
    }
    GradientProblem problem(tree, formulation, "rk4", 0.02);
    RandomSource again(5);
    const std::vector<double> values = problem.values(again);
    const RunGradient adjoint = problem.run.gradient(values, problem.objective);
    std::vector<double> unit(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[i] = 1.0;
      const RunGradient forward = problem.run.along(values, unit, problem.objective);
      EXPECT_NEAR(adjoint.gradient[i], forward.gradient.front(), 1e-12 * test::largest_of(adjoint.gradient))
          << formulation << ", " << problem.run.numbers().numbers()[i].name;
      EXPECT_NE(adjoint.gradient[i], 0.0) << formulation << ", " << problem.run.numbers().numbers()[i].name;
    }
  }
}

/// Joints that follow a function of time move the others, and gradients with them.
TEST(run_gradient, knows_prescribed_motions) {
  int driven = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism tree = test::sprung_tree(seed, 6, random, 1);
    driven += tree.motion_row_count();
    for (const char* const formulation : {"aba", "naudet"}) {
      GradientProblem problem(tree, formulation, "rk4", 0.02);
      const std::vector<double> values = problem.values(random);
      const RunGradient adjoint = problem.run.gradient(values, problem.objective);
      std::vector<double> direction(values.size());
      for (double& number : direction) {
        number = random.uniform(-1.0, 1.0);
      }
      const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
      const double size = test::largest_of(adjoint.gradient) * std::sqrt(static_cast<double>(values.size()));
      EXPECT_NEAR(along, problem.run.along(values, direction, problem.objective).gradient.front(), 1e-12 * size)
          << formulation << ", seed " << seed;
      const double difference = test::difference([&](double s) {
        std::vector<double> moved = values;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          moved[i] += s * direction[i];
        }
        return problem.run.value(moved, problem.objective);
      });
      // Rounding of the value over a step.
      EXPECT_NEAR(along, difference, 1e-7 * size + 1e-10 * std::abs(adjoint.value)) << formulation << ", seed " << seed;
    }
  }
  EXPECT_GT(driven, 0);
}

TEST(run_gradient, has_the_same_bits_with_checkpoints_of_any_size) {
  RandomSource random(3);
  const Mechanism tree = test::sprung_tree(3, 5, random);
  for (const char* formulation : {"aba", "naudet"}) {
    GradientProblem all(tree, formulation, "rk4", 0.004);
    RandomSource again(5);
    const std::vector<double> values = all.values(again);
    const RunGradient expected = all.run.gradient(values, all.objective);
    ASSERT_EQ(all.run.times().count(), 100U);
    ASSERT_EQ(all.run.checkpoint_distance(), 100U);
    const double state = 8.0 * static_cast<double>(tree.q_size() + tree.u_size());
    // With four stages a step the least is sqrt(100 / 4) = 5 steps apart: 20 + 20 states.
    GradientProblem few(tree, formulation, "rk4", 0.004, 60.0 * state);
    EXPECT_LE(few.run.checkpoint_distance(), 6U);
    const RunGradient got = few.run.gradient(values, few.objective);
    EXPECT_EQ(got.value, expected.value);
    EXPECT_EQ(got.gradient, expected.gradient) << formulation;
    EXPECT_THROW(GradientProblem(tree, formulation, "rk4", 0.004, 20.0 * state), std::invalid_argument);
  }
}

struct LastState : OdeSink {
  bool sample(double /*t*/, std::span<const double> x) override {
    last.assign(x.begin(), x.end());
    return true;
  }
  std::vector<double> last;
};

TEST(run_gradient, makes_the_steps_of_the_integrators_to_the_last_bit) {
  RandomSource random(6);
  const Mechanism tree = test::sprung_tree(6, 5, random);
  for (const char* method : {"rk2", "rkf45-fixed"}) {
    GradientProblem problem(tree, "aba", method, 0.03);  // 0.4 is no multiple of it
    std::vector<double> values = problem.run.numbers().own_values();
    const gradients::Trajectory trajectory = problem.run.trajectory(values);
    const Mechanism moved = problem.run.numbers().with(values);
    const auto formulation =
        make_formulation(formulation_registry(), *find_formulation(formulation_registry(), "aba"), moved);
    OdeSystem system;
    system.size = formulation->state_size();
    system.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
      return formulation->rhs(t, x, xdot).message();
    };
    system.after_step = [&](double t, std::span<double> x) { return formulation->after_step(t, x); };
    OdeOptions options;
    options.fixed_step = 0.03;
    LastState sink;
    std::vector<double> x0(system.size);
    ASSERT_TRUE(formulation->pack(0.0, view(moved.q0()), view(moved.u0()), x0).ok);
    const OdeResult result =
        find_integrator(integrator_registry(), method)->solve(system, std::vector<double>{0.0, 0.4}, x0, options, sink);
    ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
    std::vector<double> last(trajectory.q.end() - tree.q_size(), trajectory.q.end());
    last.insert(last.end(), trajectory.u.end() - tree.u_size(), trajectory.u.end());
    EXPECT_EQ(last, sink.last) << method;
    EXPECT_EQ(trajectory.t.back(), 0.4);
    EXPECT_EQ(trajectory.t.size(), 15U);
  }
}

/// A spinning body that steps turn too far: its quaternion is normalised, and gradients know it.
TEST(run_gradient, differentiates_quaternions_that_steps_normalise) {
  const Mechanism body = make_mechanism(mechanism_registry(), "random_tree:seed=2,bodies=3,motions=0,loads=0");
  for (const char* formulation : {"aba", "naudet"}) {
    std::vector<std::string> names;
    for (const StateComponent& component : GradientProblem::velocity_names(body)) {
      names.push_back(component.name);
    }
    DifferentiableRun run(formulation_registry(), body, gradients::VariedNumbers(body, names, {}),
                          {formulation, "rk2", 0.0, 0.5, 0.1, 1e9});
    gradients::SquareSum objective(body, run.times());
    bool any = false;
    for (const Joint& joint : body.tree_joints()) {
      for (int i = 1; has_quaternion(joint.type) && i <= 4; ++i) {
        objective.add_target(fmt::format("q.{}.{}", joint.name, i), 0.2 * i, 1.0, true);
        any = true;
      }
    }
    ASSERT_TRUE(any);
    const std::vector<double> values(names.size(), 1.5);
    const gradients::Trajectory trajectory = run.trajectory(values);
    for (const Joint& joint : body.tree_joints()) {
      // Steps as long as these would leave 1e-3.
      const double* const e = trajectory.q.data() + trajectory.q.size() - body.q_size() + joint.q_offset;
      EXPECT_NEAR(has_quaternion(joint.type) ? std::hypot(std::hypot(e[0], e[1]), std::hypot(e[2], e[3])) : 1.0, 1.0,
                  1e-8);
    }
    const RunGradient adjoint = run.gradient(values, objective);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = test::difference([&](double s) {
        std::vector<double> moved = values;
        moved[i] += s;
        return run.value(moved, objective);
      });
      EXPECT_NEAR(adjoint.gradient[i], difference, 1e-8 * test::largest_of(adjoint.gradient))
          << formulation << " " << names[i];
    }
  }
}

}  // namespace
}  // namespace mbdbench
