// Gradients of runs by lengths of links, beside all else: the adjoint against forward sensitivities to rounding and
// against differences of whole runs, on trees and loops; what a longer link is; what is refused.
// Against 113 bits: precise_loop_gradient_test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/link_length.hpp"
#include "tests/experiments/gradients/loop_problems.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using gradients::RunGradient;
using gradients::VariedKind;
using test::GradientProblem;

/// \returns the same values with other lengths: by a hundredth, or less where no loop closes with those.
std::vector<double> with_other_lengths(const GradientProblem& problem, const std::vector<double>& values,
                                       RandomSource& random) {
  const auto numbers = problem.run.numbers().numbers();
  for (double size = 0.01; size > 1e-6; size *= 0.1) {
    std::vector<double> all = values;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] *= numbers[i].kind == VariedKind::length ? 1.0 + size * random.uniform(-1.0, 1.0) : 1.0;
    }
    try {
      (void)problem.run.numbers().start(all);
      return all;
    } catch (const ModelError&) {
    }
  }
  return values;
}

/// \returns how many lengths were varied.
std::size_t compare(GradientProblem& problem, const std::vector<double>& values, RandomSource& random,
                    const std::string& what) {
  const auto numbers = problem.run.numbers().numbers();
  const RunGradient adjoint = problem.run.gradient(values, problem.objective);
  std::vector<double> direction(values.size());
  for (double& number : direction) {
    number = random.uniform(-1.0, 1.0);
  }
  const RunGradient forward = problem.run.along(values, direction, problem.objective);
  EXPECT_EQ(forward.value, adjoint.value) << what;
  EXPECT_EQ(adjoint.value, problem.run.value(values, problem.objective)) << what;
  const double largest = test::largest_of(adjoint.gradient);
  const double along = std::inner_product(direction.begin(), direction.end(), adjoint.gradient.begin(), 0.0);
  // Both have the rounding of a solution a stage, at conditions of up to some 1e3.
  EXPECT_NEAR(along, forward.gradient.front(), 1e-11 * largest * std::sqrt(static_cast<double>(values.size()))) << what;
  std::size_t lengths = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (numbers[i].kind != VariedKind::length) {
      continue;
    }
    ++lengths;
    // As of other starts of loops (loop_gradient_test): one step at least is neither too long nor too short.
    std::string misses;
    bool agrees = false;
    for (const double scale : {0.1, 0.01, 0.001}) {
      double slope = std::numeric_limits<double>::infinity();
      try {
        slope = test::difference([&](double s) {
                  std::vector<double> moved = values;
                  moved[i] += scale * s;
                  return problem.run.value(moved, problem.objective);
                }) /
                scale;
      } catch (const ModelError&) {  // the step is too long for the loops
      }
      const double miss = std::abs(slope - adjoint.gradient[i]);
      agrees = agrees || miss <= 1e-7 * largest + 1e-11 / scale * std::abs(adjoint.value);
      misses += fmt::format(" {:.2g}", miss);
    }
    EXPECT_TRUE(agrees) << what << ", " << numbers[i].name << ": " << adjoint.gradient[i] << ", differences miss by"
                        << misses << "; largest derivative " << largest;
  }
  return lengths;
}

TEST(length_gradient, agrees_on_random_trees) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(8) - 1);
  std::size_t lengths = 0;
  for (std::uint64_t seed = first; seed < first + test::extent(8); ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    // Joints of all kinds; of every third one follows a function of time.
    const Mechanism tree = test::sprung_tree(seed, 3 + static_cast<int>(seed % 3), random, seed % 3 == 0 ? 1 : 0);
    for (const char* const formulation : {"aba", "naudet", "naudet-acc", "bae-haug", "dca", "hdca"}) {
      GradientProblem problem(tree, formulation, "rk4", 0.02, 1e9, true);
      const std::vector<double> values = with_other_lengths(problem, problem.values(random), random);
      lengths += compare(problem, values, random, fmt::format("{}, seed {}", formulation, seed));
    }
  }
  EXPECT_GE(lengths, 6 * test::extent(8));
}

TEST(length_gradient, agrees_on_loops_whose_starts_close) {
  const std::uint64_t seed = test::seed_of_run(1);
  const std::vector<std::string> formulations = {"hdca", "bae-haug[projection=velocities]", "dense[projection=off]",
                                                 "dca[baumgarte_alpha=5,baumgarte_beta=5]"};
  const std::size_t asked = test::extent(formulations.size());
  std::size_t lengths = 0;
  std::size_t treated = 0;
  for (const MechanismDescription& description : test::loops(seed)) {
    RandomSource random(static_cast<std::int64_t>(seed + treated));
    const Mechanism mechanism = test::sprung(description, random);
    if (!mechanism.held_by_velocity().empty() || mechanism.generic_rank().overconstrained) {
      continue;
    }
    for (std::size_t k = 0; k < asked; ++k) {
      const std::string& formulation = formulations[k];
      const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
      if (!refusal_of(*choice.entry, mechanism).empty() ||
          !make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options)
               ->without_jacobian()
               .empty()) {
        continue;
      }
      const double step = mechanism.name() == "slider_crank" ? 0.004 : 0.02;
      GradientProblem problem(mechanism, formulation, "rk4", step, 1e9, true);
      std::vector<double> values = problem.values(random);
      test::move_starts(problem.run.numbers(), random, values);
      values = with_other_lengths(problem, values, random);
      try {
        if (test::largest_of(problem.run.trajectory(values).u) > 30.0) {
          continue;  // it folds
        }
      } catch (const gradients::RunFailure&) {
        continue;
      }
      lengths += compare(problem, values, random, fmt::format("{} on {}", formulation, mechanism.name()));
      ++treated;
    }
  }
  fmt::print("{} runs, {} lengths\n", treated, lengths);
  EXPECT_GE(treated, 5 * asked);
  EXPECT_GE(lengths, 20 * asked);
}

TEST(length_gradient, has_the_same_bits_with_checkpoints) {
  RandomSource random(3);
  const Mechanism tree = test::sprung_tree(3, 5, random);
  GradientProblem all(tree, "naudet", "rk4", 0.004, 1e9, true);
  RandomSource again(5);
  const std::vector<double> values = all.values(again);
  const double state = 8.0 * static_cast<double>(tree.q_size() + tree.u_size());
  GradientProblem few(tree, "naudet", "rk4", 0.004, 60.0 * state, true);
  EXPECT_LT(few.run.checkpoint_distance(), all.run.checkpoint_distance());
  EXPECT_EQ(few.run.gradient(values, few.objective).gradient, all.run.gradient(values, all.objective).gradient);
}

/// A run with its own lengths is the run without them, and the mechanism of longer ones is longer.
TEST(length_gradient, changes_nothing_but_the_lengths) {
  const Mechanism chain = make_mechanism(mechanism_registry(), "pendulum:3");
  const gradients::RunSettings settings{"naudet", "rk4", 0.0, 0.4, 0.02, 1e9};
  const auto numbers = [&](const std::vector<std::string>& names) {
    return gradients::VariedNumbers(chain, names, {});
  };
  gradients::DifferentiableRun plain(formulation_registry(), chain, numbers({"mass.body2"}), settings);
  gradients::DifferentiableRun varied(formulation_registry(), chain, numbers({"mass.body2", "length.joint3"}),
                                      settings);
  const std::vector<double> own = varied.numbers().own_values();
  EXPECT_EQ(varied.trajectory(own).q, plain.trajectory(plain.numbers().own_values()).q);
  const LinkLength before = link_length(chain, "joint3");
  EXPECT_EQ(own[1], before.length);
  const Mechanism longer = varied.numbers().with(std::vector<double>{own[0], 1.25 * own[1]});
  const LinkLength after = link_length(longer, "joint3");
  EXPECT_DOUBLE_EQ(after.length, 1.25 * before.length);
  EXPECT_EQ(after.along, before.along);
}

TEST(length_gradient, names_lengths_with_which_no_loop_closes) {
  const Mechanism loop = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  const gradients::VariedNumbers numbers(loop, std::vector<std::string>{"length.joint3"}, {});
  try {
    (void)numbers.start(std::vector<double>{50.0});
    ADD_FAILURE() << "no loop is that long";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("length.joint3 = 50: the mechanism cannot be assembled"),
              std::string::npos)
        << error.what();
  }
}

/// What a gauge, feedback or leaves do to right-hand sides.
TEST(length_gradient, knows_the_options_of_momenta) {
  std::size_t lengths = 0;
  RandomSource random(4);
  const Mechanism loop = test::sprung(make_mechanism(mechanism_registry(), "four_bar:angle=0.3").description(), random);
  for (const char* const formulation : {"hdca[feedback=5]", "hdca[gauge=leak]", "hdca[gauge=tangent,leak=2]",
                                        "hdca[gauge=tangent,leaf=body,threads=1]", "dense-momentum[gauge=none]"}) {
    GradientProblem problem(loop, formulation, "rk4", 0.02, 1e9, true);
    std::vector<double> values = problem.values(random);
    test::move_starts(problem.run.numbers(), random, values);
    lengths += compare(problem, with_other_lengths(problem, values, random), random, formulation);
  }
  EXPECT_EQ(lengths, 15U);
}

TEST(length_gradient, says_what_is_no_length) {
  const Mechanism chain = make_mechanism(mechanism_registry(), "pendulum:3");
  const auto message = [&](const std::string& name) -> std::string {
    try {
      const gradients::VariedNumbers numbers(chain, std::vector<std::string>{name}, {});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(message("length.joint4").find("length.joint3"), std::string::npos) << message("length.joint4");
  EXPECT_NE(message("length.joint1").find("none of that name"), std::string::npos) << "it lies where the chain hangs";
  const gradients::VariedNumbers numbers(chain, std::vector<std::string>{"length.joint2"}, {});
  try {
    (void)numbers.with(std::vector<double>{-0.5});
    ADD_FAILURE() << "a negative length";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'length.joint2' is -0.5; a length must be positive"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace mbdbench
