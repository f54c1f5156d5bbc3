/// \file
/// The study of [Chadaj2017] as it is shipped: counts of a prototype, and verdicts over all tolerances and integrators.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(Chadaj2017RunTest, ComesToTheKnownNumbersAndVerdicts) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"run", "chadaj2017", "--quick", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const std::vector<Record> records = read_records(directory / "records.csv");
  const auto value = [&](const char* mechanism, const std::string& formulation, const char* quantity,
                         const char* tolerance = "1e-06") {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.mechanism == mechanism && record.formulation == formulation && record.integrator == "ode45" &&
             record.parameters == std::string("tolerance=") + tolerance + ";end=10" && record.quantity == quantity;
    });
    EXPECT_NE(found, records.end()) << mechanism << ' ' << formulation << ' ' << quantity;
    return found == records.end() ? -1.0 : found->value.value_or(-1.0);
  };
  const std::string dca = "dca[projection=off]";
  const std::string hdca = "hdca[cut_axes=body,gauge=none,projection=off]";
  const std::string leak = "hdca[cut_axes=body,gauge=leak,leak=5,projection=off]";
  EXPECT_EQ(value("four_bar", dca, "evaluations"), 805.0);
  EXPECT_EQ(value("four_bar", hdca, "evaluations"), 2023.0);
  EXPECT_EQ(value("four_bar", leak, "evaluations"), 1105.0);
  EXPECT_EQ(value("four_bar", "hdca[gauge=none,projection=off]", "evaluations"), 1381.0);
  EXPECT_EQ(value("four_bar", "hdca[gauge=leak,leak=5,projection=off]", "evaluations"), 1111.0);
  for (const char* const mechanism : {"four_bar", "loop8", "double_loop"}) {
    EXPECT_LT(value(mechanism, hdca, "error_K", "1e-09"), 1e-6);
    EXPECT_GT(value(mechanism, hdca, "error_K", "1e-09"), 1e-12);
    EXPECT_EQ(value(mechanism, hdca, "ratio_evaluations"),
              value(mechanism, dca, "evaluations") / value(mechanism, hdca, "evaluations"));
    EXPECT_NEAR(value(mechanism, dca, "growth_position_drift"), 2.0, 0.3);
  }
  // sigma as the prototype has it: reactions are physical, so that they do not depend on the integrator.
  EXPECT_NEAR(value("four_bar", hdca, "largest_sigma"), 201.0, 0.5);
  EXPECT_NEAR(value("loop8", hdca, "largest_sigma"), 411.0, 0.5);
  EXPECT_NEAR(value("double_loop", hdca, "largest_sigma"), 405.0, 0.5);

  const CsvTable claims = read_csv(directory / "claims.csv");
  const auto verdict_of = [&](const std::string& words) { return claim_field(claims, words, "verdict"); };
  EXPECT_EQ(verdict_of("within the numerical accuracy"), "holds");
  EXPECT_EQ(verdict_of("grows quadratically"), "holds");
  EXPECT_EQ(verdict_of("finite differences of sigma"), "holds");
  EXPECT_EQ(verdict_of("differences of sigma are no constraint forces"), "holds");
  EXPECT_EQ(claim_outcome(claims, "preserves the energy better in all cases"), "2 of 3, mostly holds");
  EXPECT_EQ(verdict_of("It does so with every integrator"), "mostly does not");
  // Over all tolerances and integrators gauge control is not enough either.
  EXPECT_EQ(verdict_of("With gauge control HDCA preserves"), "mostly holds");
  EXPECT_EQ(verdict_of("near logarithmic complexity"), "by model");
  EXPECT_EQ(verdict_of("drift in the position constraints is negligible"), "holds");
  EXPECT_EQ(claim_outcome(claims, "as they are printed"), "3 of 3, holds");
  EXPECT_EQ(verdict_of("scaling D"), "not measured");
  EXPECT_FALSE(read_csv(directory / "timing_claims.csv").rows.empty());
  EXPECT_TRUE(std::filesystem::exists(directory / "trajectories/four_bar_HDCA_ode45_1e_06.csv"));
}

}  // namespace
}  // namespace mbdbench
