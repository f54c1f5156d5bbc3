#include "experiments/integrators/integrators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/files/csv_file.hpp"
#include "experiments/integrators/published.hpp"
#include "experiments/integrators/work_case.hpp"
#include "experiments/records/line_fit.hpp"
#include "experiments/records/record.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"

namespace mbdbench::integrator_study {
namespace {

std::optional<double> number(const std::string& field) {
  return field.empty() ? std::nullopt : std::optional(std::stod(field));
}

TEST(IntegratorsTest, PublishedNumbersAreThoseOfTheFile) {
  const CsvTable file =
      read_csv(std::filesystem::path(MBDBENCH_SOURCE_DIR) / "results" / "published" / "matlab_solver_statistics.csv");
  ASSERT_EQ(file.rows.size(), kMatlabRuns.size());
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const MatlabRun& run = kMatlabRuns[i];
    const std::vector<std::string>& row = file.rows[i];
    EXPECT_EQ(row[0], run.problem);
    EXPECT_EQ(row[1], run.integrator);
    EXPECT_EQ(number(row[2]), run.steps);
    EXPECT_EQ(number(row[3]), run.failed_attempts);
    EXPECT_EQ(number(row[4]), run.function_evaluations);
    EXPECT_EQ(number(row[5]), run.final_y1);
    const bool counts_jacobians = row[6].find(" Jacobians;") != std::string::npos;
    EXPECT_EQ(counts_jacobians ? number(row[6]) : std::nullopt, run.jacobians);
  }
}

TEST(IntegratorsTest, LineThroughPoints) {
  const std::vector<double> x = {0.0, 1.0, 2.0, 3.0};
  const LineFit exact = fit_line(x, std::vector<double>{1.0, 3.0, 5.0, 7.0});
  EXPECT_NEAR(exact.slope, 2.0, 1e-15);
  EXPECT_NEAR(exact.offset, 1.0, 1e-15);
  EXPECT_NEAR(exact.slope_uncertainty, 0.0, 1e-15);
  // Deviations (1, -1, -1, 1) from the line: residual 4, two degrees of freedom, sum of squares of x 5.
  const LineFit scattered = fit_line(x, std::vector<double>{2.0, 2.0, 4.0, 8.0});
  EXPECT_NEAR(scattered.slope, 2.0, 1e-15);
  EXPECT_NEAR(scattered.slope_uncertainty, std::sqrt(4.0 / 2.0 / 5.0), 1e-15);
}

TEST(IntegratorsTest, RotationErrorIsTheAngle) {
  Outcome a;
  a.rotations = {Mat3::Identity()};
  Outcome b = a;
  b.rotations = {Eigen::AngleAxisd(0.3, Vec3(1.0, 2.0, 2.0).normalized()).toRotationMatrix()};
  EXPECT_NEAR(rotation_error(a, b), 0.3, 1e-14);
}

TEST(IntegratorsTest, FormulationsAreOneAKindOfStateUnlessNamed) {
  using Keys = std::vector<std::string>;
  Registries registries = default_registries();
  EXPECT_EQ(formulations_for(registries, "pendulum:3", {}), (Keys{"dca", "hdca"}));
  EXPECT_THROW(formulations_for(registries, "pendulum:3", Keys{"hcda"}), std::invalid_argument);
  for (FormulationEntry& entry : registries.formulations) {
    if (entry.key == "dca" || entry.key == "hdca") {
      entry.refusal = [](const Mechanism&) { return std::string("not this one"); };
    }
  }
  EXPECT_EQ(formulations_for(registries, "pendulum:3", {}), (Keys{"dense", "dense-momentum"}));
  EXPECT_EQ(formulations_for(registries, "pendulum:3", Keys{"hdca", "dense"}), (Keys{"dense"}));
}

/// The shared run has a mechanism of the user's.
class IntegratorsRunTest : public WholeExperimentTest<run_integrators> {
 protected:
  static void SetUpTestSuite() {
    directory = std::make_unique<TemporaryDirectory>();
    run_to_end({.mechanisms = {kOwnMechanism}});
  }

  static constexpr const char* kOwnMechanism = "pendulum_xyz:3";
};

TEST_F(IntegratorsRunTest, EveryAssertedVerdictComesOutRight) {
  EXPECT_TRUE(passed);
  expect_reproduced(records);
}

TEST_F(IntegratorsRunTest, MatlabsCountsAreExact) {
  int counts = 0;
  for (const Record& record : records) {
    if (record.expected_from == kMatlab.text && record.quantity != "final_y1") {
      EXPECT_EQ(record.verdict, Verdict::exact) << record.mechanism << " " << record.integrator;
      ++counts;
    }
  }
  // 3 x 3 on vdp1, 3 on lorenz, 3 on linear, 4 on vdp1000.
  EXPECT_EQ(counts, 19);
}

TEST_F(IntegratorsRunTest, EveryIntegratorHasAnOrderAndItsCurves) {
  std::map<std::string, std::set<std::string>> with_errors;
  std::set<std::string> with_order;
  for (const Record& record : records) {
    if (record.quantity == "observed_order" || record.quantity == "tolerance_exponent") {
      EXPECT_EQ(record.verdict, Verdict::within_limit);
      with_order.insert(record.integrator);
    }
    if (record.quantity == "error" || record.quantity == "position_error") {
      with_errors[record.mechanism + " " + record.formulation].insert(record.integrator);
    }
  }
  const std::string own = kOwnMechanism;
  for (const OdeEntry& entry : default_registries().integrators) {
    const std::string key(entry.key);
    EXPECT_TRUE(with_order.contains(key)) << key;
    EXPECT_TRUE(with_errors["kepler "].contains(key)) << key;
    for (const std::string& curve : {std::string("vdp1 "), std::string("lorenz "), std::string("pendulum:16 dca"),
                                     std::string("pendulum:16 hdca"), own + " dca", own + " hdca"}) {
      EXPECT_EQ(with_errors[curve].contains(key), !entry.needs_separable) << curve << " " << key;
    }
  }
}

TEST_F(IntegratorsRunTest, TighterTolerancesAreMoreAccurateAndFormulationsAgree) {
  for (const char* const formulation : {"dca", "hdca"}) {
    std::map<std::string, double> errors;
    for (const Record& record : records) {
      if (record.mechanism == kOwnMechanism && record.formulation == formulation && record.integrator == "ode45" &&
          record.quantity == "position_error") {
        errors[record.parameters] = *record.value;
      }
    }
    ASSERT_EQ(errors.size(), 4u);
    // Against a reference found with other formulations and methods: three decades of tolerance are worth two at least.
    EXPECT_LT(errors.at("tolerance=1e-06"), 1e-2 * errors.at("tolerance=1e-03")) << formulation;
    EXPECT_LT(errors.at("tolerance=1e-06"), 1e-3) << formulation;
  }
}

TEST_F(IntegratorsRunTest, LongRunsCostAboutTheSame) {
  std::map<std::string, double> largest;
  for (const Record& record : records) {
    if (record.quantity == "function_evaluations" && record.parameters.starts_with("duration=")) {
      largest[record.mechanism] = std::max(largest[record.mechanism], *record.value);
    }
  }
  ASSERT_EQ(largest.size(), 3u);
  for (const Record& record : records) {
    if (record.quantity == "function_evaluations" && record.parameters.starts_with("duration=") &&
        record.parameters.find("tolerance=1e-13") == std::string::npos) {
      // The work is tried out at the beginning of the motion; later the motion may be faster.
      EXPECT_GT(*record.value, 0.5 * largest[record.mechanism]) << record.mechanism << " " << record.integrator;
    }
  }
  EXPECT_FALSE(content_of(*directory / "trajectories/drift_pendulum_3_gauss4.csv").empty());
}

TEST_F(IntegratorsRunTest, AnInterruptedRunContinuesToTheSameRecords) {
  const TemporaryDirectory other;
  EXPECT_FALSE(run_experiment(run_integrators, other, {.stop_after = 40, .mechanisms = {kOwnMechanism}}));
  EXPECT_FALSE(std::filesystem::exists(other / "records.csv"));
  EXPECT_TRUE(std::filesystem::exists(other / "parts/matlab.csv"));
  EXPECT_TRUE(run_experiment(run_integrators, other, {.mechanisms = {kOwnMechanism}}));
  EXPECT_EQ(content_of(other / "records.csv"), content_of(*directory / "records.csv"));
}

TEST(IntegratorsCommandTest, BadMechanismsAndFormulationsSayWhatWouldBeRight) {
  const TemporaryDirectory output;
  const auto errors_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--quiet", "--output", output.path().string()});
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 2);
    return call.errors;
  };
  EXPECT_NE(errors_of({"chadaj2015", "--mechanism", "pendulum:3"}).find("has its own mechanisms"), std::string::npos);
  EXPECT_NE(errors_of({"integrators", "--mechanism", "pendulm:3"}).find("pendulum"), std::string::npos);
  EXPECT_NE(errors_of({"integrators", "--formulation", "hcda"}).find("there is no formulation 'hcda'; did you mean"),
            std::string::npos);
}

}  // namespace
}  // namespace mbdbench::integrator_study
