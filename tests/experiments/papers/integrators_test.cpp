/// \file
/// The studies `integrators` and `long_runs` as they are shipped: orders, what limits whom, whose energy drifts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(IntegratorsRunTest, FixedOrdersAreMetAndEveryIntegratorHasItsCurves) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"run", "integrators", "--quick", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const std::vector<Record> records = read_records(directory / "records.csv");
  std::map<std::string, std::set<std::string>> with_errors;
  std::set<std::string> with_order;
  for (const Record& record : records) {
    if (record.expected_from.starts_with("theory")) {
      EXPECT_EQ(record.verdict, Verdict::within_limit) << record.integrator << ' ' << record.value.value_or(0.0);
      with_order.insert(record.integrator);
    }
    if (record.quantity == "position_error" && record.value) {
      with_errors[record.mechanism + " " + record.formulation].insert(record.integrator);
    }
  }
  for (const OdeEntry& entry : default_registries().integrators) {
    const std::string key(entry.key);
    // One runs on separable test problems alone, one is rkf45 where there are no outputs to restart at.
    const bool on_mechanisms = !entry.needs_separable && key != "rkf45-restarted";
    EXPECT_EQ(with_order.contains(key), on_mechanisms && !entry.adaptive) << key;
    for (const char* const curve : {"pendulum:2 dca", "pendulum:2 hdca", "pendulum:16 dca", "pendulum:16 hdca"}) {
      EXPECT_EQ(with_errors[curve].contains(key), on_mechanisms) << curve << ' ' << key;
    }
  }
  const CsvTable claims = read_csv(directory / "claims.csv");
  EXPECT_EQ(claim_field(claims, "On a stiff problem", "verdict"), "holds");
}

TEST(LongRunsRunTest, SymplecticMethodsKeepTheEnergyOfARegularMotionBoundedAndOthersDrift) {
  const TemporaryDirectory directory;
  const std::string declaration = std::string(MBDBENCH_SOURCE_DIR) + "/experiments/studies/long_runs.toml";
  const CommandLineCall call =
      call_program({"study", declaration, "--quick", "--no-report", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  std::map<std::string, double> growth;
  for (const Record& record : read_records(directory / "records.csv")) {
    if (record.mechanism == "pendulum:1" && record.quantity == "growth_energy_error") {
      growth[record.integrator] = record.value.value_or(HUGE_VAL);
    }
  }
  for (const char* const key : {"implicit-midpoint", "gauss4", "gauss6"}) {
    EXPECT_LT(growth.at(key), 0.05) << key;
  }
  for (const char* const key : {"ode45", "odeint-fehlberg78"}) {
    EXPECT_NEAR(growth.at(key), 1.0, 0.1) << key;
  }
  // Fifty windows and a heading, whatever the number of steps; the largest of all is that of the whole run.
  const CsvTable curve = read_csv(directory / "trajectories/pendulum_16_HDCA_gauss4_0_00556.csv");
  EXPECT_EQ(curve.rows.size(), 50U);
}

}  // namespace
}  // namespace mbdbench
