/// \file
/// Constraint forces by differences of sigma, beside lambda of a formulation that shares no code with it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

constexpr const char* kSigma = R"toml(name = "sigma"
mechanisms = ["slider_crank", "four_bar"]
end = 0.8
samples = 4
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["sigma_difference_error(0.002)", "sigma_difference_error(0.001)"]
[variants]
"momenta" = "hdca[gauge=none,projection=off]"
"gauge control" = "hdca[gauge=leak,leak=5,projection=off]"
"velocities" = "dca"
)toml";

TEST(SigmaDifferences, AreConstraintForcesWhereTheseAreUnique) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "study.toml";
  std::ofstream(file) << kSigma;
  const Registries registries = default_registries();
  const Study study = read_study(registries, file);
  const auto results =
      run_study(registries, study, {.output = directory.path(), .jobs = 1, .quiet = true, .stop_requested = {}});
  ASSERT_TRUE(results);
  const auto of = [&](std::size_t mechanism, std::size_t variant, const char* interval) {
    return results->of({mechanism, variant, 0, 0},
                       parse_observer(std::string("sigma_difference_error(") + interval + ")"));
  };
  const double coarse = of(0, 0, "0.002").value;
  const double fine = of(0, 0, "0.001").value;
  EXPECT_GT(fine, 1e-6) << "a difference has an error";
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2) << "of second order in the interval";
  EXPECT_GT(of(0, 1, "0.001").value, 0.01) << "sigma' = lambda - 5 sigma";
  EXPECT_NEAR(of(0, 1, "0.002").value / of(0, 1, "0.001").value, 1.0, 0.05) << "whatever the interval";
  EXPECT_EQ(of(1, 0, "0.001").state, CellState::refused);
  EXPECT_NE(of(1, 0, "0.001").note.find("3 of the 5 rows of the cut joints are redundant"), std::string::npos);
  EXPECT_EQ(of(0, 2, "0.001").state, CellState::refused) << "there is no sigma";
}

TEST(SigmaDifferences, NeedAnInterval) {
  EXPECT_THROW(parse_observer("sigma_difference_error(0)"), std::invalid_argument);
  EXPECT_THROW(parse_observer("sigma_difference_error(soon)"), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench::studies
