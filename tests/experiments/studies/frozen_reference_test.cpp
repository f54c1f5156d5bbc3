/// \file
/// References from files: what they do to a study's errors, what is said of a wrong file, and what stands in the
/// field's own ones.
#include "experiments/studies/declaration/frozen_reference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

// q = g t^2 / 2 of a body on a vertical slide.
constexpr const char* kFallingBody = R"(name = "falling"
[[bodies]]
name = "body"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "slide"
type = "prismatic"
b = "body"
)";

std::string falling_rows(const std::string& way, double shift) {
  std::string rows;
  for (int k = 0; k <= 2; ++k) {
    rows += fmt::format("{},{},{}\n", way, 0.5 * k, -0.5 * 9.81 * 0.25 * k * k + (k == 2 ? shift : 0.0));
  }
  return rows;
}

class FrozenReferenceTest : public testing::Test {
 protected:
  FrozenReferenceTest() { write("falling.toml", kFallingBody); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
  }

  Study study() const {
    write("study.toml", R"(name = "small"
mechanisms = [{ mechanism = "falling.toml", end = 1.0, samples = 2, reference = "falling.csv" }]
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["position_error"]
[variants]
"ABA" = "aba"
)");
    return read_study(registries_, directory_.path() / "study.toml");
  }

  std::optional<StudyResults> run(const std::string& folder) const {
    std::filesystem::create_directories(directory_.path() / folder);
    return run_study(registries_, study(),
                     {.output = directory_.path() / folder, .jobs = 1, .quiet = true, .stop_requested = {}});
  }

  void expect_refused(const std::string& rows, std::size_t line, const std::string& part) const {
    write("falling.csv", rows);
    try {
      study();
      FAIL() << "accepted: " << rows;
    } catch (const FileError& error) {
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("falling.csv"), std::string::npos) << error.what();
    }
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
};

TEST_F(FrozenReferenceTest, ErrorsAreMeasuredAgainstTheFileAndItsSecondWayIsTheUncertainty) {
  const std::string head = "# how\nway,t,q.slide\n";
  write("falling.csv", head + falling_rows("exact", 0.0) + falling_rows("other", 0.25));
  const auto right = run("right");
  ASSERT_TRUE(right);
  // A parabola: exact but for rounding.
  EXPECT_LT(right->of({0, 0, 0, 0}, {Quantity::position_error, {}}).value, 1e-12);
  EXPECT_NEAR(right->position_uncertainty.front().value, 0.25, 1e-12);
  EXPECT_EQ(right->position_uncertainty.front().note, "falling.csv: exact against other");
  // The same directory: a changed file must not be answered from the journal.
  write("falling.csv", head + falling_rows("exact", 0.125) + falling_rows("other", 0.125));
  const auto shifted = run("right");
  ASSERT_TRUE(shifted);
  EXPECT_NEAR(shifted->of({0, 0, 0, 0}, {Quantity::position_error, {}}).value, 0.125, 1e-12);
  EXPECT_EQ(shifted->position_uncertainty.front().value, 0.0);
}

TEST_F(FrozenReferenceTest, AWrongFileIsNamedWithItsLine) {
  const std::string good = "way,t,q.slide\n" + falling_rows("exact", 0.0);
  expect_refused("way,t,q.slid\n", 1, "way,t,q.slide");
  expect_refused(good, 4, "two ways");
  expect_refused(good + "other,0,0\nother,0.5,-1\n", 6, "samples 3");
  expect_refused(good + "other,0,0\nother,0.4,-1\nother,1,-4\n", 6, "t should be 0.5");
  expect_refused(good + "other,0,0\nother,0.5,falls\nother,1,-4\n", 6, "a finite number, not 'falls'");
  expect_refused(good + "other,0,0\nother,0.5,nan\nother,1,-4\n", 6, "a finite number");
  std::filesystem::remove(directory_.path() / "falling.csv");
  EXPECT_THROW(study(), FileError);
}

/// A frozen problem of the field, and how far its ways may be apart.
struct FrozenProblem {
  const char* name;
  const char* mechanism;
  double end;
  double limit;  ///< of a coordinate, rad or m
};

FrozenReference frozen(const Registries& registries, const FrozenProblem& problem) {
  const std::filesystem::path root = MBDBENCH_SOURCE_DIR;
  const std::string word = problem.mechanism;
  const Mechanism mechanism = find_mechanism(
      registries, word.ends_with(".toml") ? (root / "experiments/studies/mechanisms" / word).string() : word);
  return read_frozen_reference(root / "results/reference/field" / (std::string(problem.name) + ".csv"), mechanism,
                               problem.end, 10);
}

// Twelve digits; the chaotic baby boot has lost two of them in the check, and so has the chain, which makes 1e5 of
// every error in its ten seconds. The governor makes but 18 times an error at its start. Its dampers hold
// an explicit method to 54593 steps, though, each of which rounds an angle of up to 56 rad: 24 starts that differ in
// the last bit end 1.7e-12 from the equation in the root mean square (4.4e-12 at most; `aba`, `hdca` and gauss6 end as
// far). Four times that.
TEST(field_references, two_ways_that_share_nothing_agree) {
  const Registries registries = default_registries();
  for (const FrozenProblem& problem : {FrozenProblem{"point_pendulum", "point_pendulum:inertia=1e-6", 10.0, 1e-12},
                                       {"n_four_bar_1", "n_four_bar:1", 10.0, 1e-12},
                                       {"n_four_bar_3", "n_four_bar:3", 10.0, 1e-12},
                                       {"n_four_bar_2", "n_four_bar:2", 10.0, 1e-12},
                                       {"n_four_bar_40", "n_four_bar:40", 10.0, 1e-12},
                                       {"n_four_bar_10", "n_four_bar:10", 10.0, 1e-12},
                                       {"squeezer", "squeezer", 0.03, 1e-12},
                                       {"four_bar", "four_bar", 10.0, 1e-12},
                                       {"pendulum_16", "pendulum:16", 10.0, 2e-10},
                                       {"bricard", "bricard", 10.0, 1e-12},
                                       {"flyball_governor", "flyball_governor.toml", 10.0, 7e-12},
                                       {"euler_top", "euler_top", 100.0, 1e-12},
                                       {"lagrange_top", "lagrange_top", 5.0, 1e-12},
                                       {"bennett", "bennett", 5.0, 1e-12},
                                       {"sarrus", "sarrus", 5.0, 1e-12},
                                       {"car_axis", "car_axis", 3.0, 1e-12},
                                       {"babyboot", "babyboot", 10.0, 2e-10},
                                       {"cart_pole_1", "cart_pole:1", 10.0, 2e-12},
                                       {"cart_pole_1e3", "cart_pole:1e3", 10.0, 1e-12},
                                       {"cart_pole_1e6", "cart_pole:1e6", 10.0, 1e-12}}) {
    const FrozenReference reference = frozen(registries, problem);
    double apart = 0.0;
    for (std::size_t k = 0; k < reference.check.q.size(); ++k) {
      for (std::size_t i = 0; i < reference.check.q[k].size(); ++i) {
        apart = std::max(apart, std::abs(reference.reference.q[k][i] - reference.check.q[k][i]));
      }
    }
    EXPECT_LT(apart, problem.limit) << problem.name;
    EXPECT_NE(reference.reference.name, reference.check.name) << problem.name;
  }
}

// [Mazzia2008], car axis, t = 3 s: the test set's solution by GAMD in quadruple precision, as two programs that are
// built on the test set print it too (deTestSet's reference("caraxis"), an example of Radau5 for SUNDIALS).
TEST(field_references, car_axis_ends_where_the_test_set_says) {
  const FrozenReference reference = frozen(default_registries(), {"car_axis", "car_axis", 3.0, 0.0});
  const std::vector<double>& q = reference.reference.q.back();
  const double left_x = -q[1] * std::sin(q[0]);
  const double left_y = q[1] * std::cos(q[0]);
  EXPECT_NEAR(left_x, 0.493455784275402809122e-1, 1e-12);
  EXPECT_NEAR(left_y, 0.496989460230171153861, 1e-12);
  EXPECT_NEAR(left_x + std::cos(q[0] + q[2]), 0.104174252488542151681e1, 1e-12);
  EXPECT_NEAR(left_y + std::sin(q[0] + q[2]), 0.373911027265361256927, 1e-12);
}

// The angular momentum of a free body keeps its place in the world; the file has attitudes alone, so the body's rates
// are taken from energy and momentum: R I w = I w0.
TEST(field_references, eulers_top_keeps_its_momentum_and_energy) {
  const FrozenReference reference = frozen(default_registries(), {"euler_top", "euler_top", 100.0, 0.0});
  const Vec3 inertia(2.0, 3.0, 4.0);
  const Vec3 momentum = inertia.cwiseProduct(Vec3(0.1, 2.0, 0.15));
  const double energy = momentum.cwiseProduct(momentum).cwiseQuotient(inertia).sum();
  for (const std::vector<double>& q : reference.reference.q) {
    const Eigen::Quaterniond attitude(q[0], q[1], q[2], q[3]);
    EXPECT_NEAR(attitude.norm(), 1.0, 1e-15);
    const Vec3 in_body = attitude.conjugate() * momentum;
    // Rounding of 12 J.
    EXPECT_NEAR(in_body.cwiseProduct(in_body).cwiseQuotient(inertia).sum(), energy, 1e-13);
  }
}

}  // namespace
}  // namespace mbdbench::studies
