#include "experiments/chadaj2017/chadaj2017.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/chadaj2017/claims.hpp"
#include "experiments/chadaj2017/ratios.hpp"
#include "experiments/chadaj2017/record_search.hpp"
#include "experiments/chadaj2017/run_monitor.hpp"
#include "experiments/files/csv_file.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"

namespace mbdbench::chadaj2017 {
namespace {

Record record(const Variant& variant, const char* parameters, const char* quantity, double value) {
  Record result;
  result.experiment = kExperiment;
  result.mechanism = kCases[0];
  result.formulation = variant.label();
  result.integrator = "ode45";
  result.parameters = parameters;
  result.quantity = quantity;
  result.unit = "1";
  result.value = value;
  return result;
}

TEST(GrowthFit, FindsThePowerOfARunningMaximum) {
  GrowthFit fit;
  for (int i = 1; i <= 1000; ++i) {
    const double t = 0.01 * i;
    // Before 1 s anything may happen that does not exceed what follows.
    fit.add(t, t < 1.0 ? 1e-9 : -3e-6 * t * t);
  }
  ASSERT_TRUE(fit.exponent().has_value());
  EXPECT_NEAR(*fit.exponent(), 2.0, 1e-9);
  EXPECT_NEAR(fit.largest(), 3e-4, 1e-15);
  EXPECT_FALSE(GrowthFit().exponent().has_value());
}

TEST(Chadaj2017Ratios, InterpolateBetweenTolerancesAtEqualError) {
  // Evaluations 100 error^(-1/4) and 50 error^(-1/4): twice as many at every error, whatever the tolerances give.
  std::vector<Record> records;
  for (const auto& [tolerance, error] :
       {std::pair("tolerance=0.001", 3e-3), std::pair("tolerance=1e-06", 2e-5), std::pair("tolerance=1e-09", 4e-8)}) {
    for (const auto& [variant, factor] : {std::pair(kDca, 100.0), std::pair(kHdca, 50.0)}) {
      const double own = variant.name == kDca.name ? error : 3.0 * error;
      records.push_back(record(variant, tolerance, "point_error", own));
      records.push_back(record(variant, tolerance, "function_evaluations", factor * std::pow(own, -0.25)));
    }
  }
  const std::vector<Record> ratios = ratios_at_equal_error(records);
  // 1e-3 to 1e-6 lie between the errors of both; 1e-7 does not, nor does 1e-2.
  ASSERT_EQ(ratios.size(), 4U);
  for (const Record& ratio : ratios) {
    EXPECT_EQ(ratio.formulation, kHdca.label());
    EXPECT_NEAR(*ratio.value, 2.0, 1e-12) << ratio.parameters;
  }
  const std::vector<Record> equal_tolerance =
      ratios_at_equal_tolerance(records, "function_evaluations", "evaluation_ratio");
  ASSERT_EQ(equal_tolerance.size(), 3U);
  EXPECT_NEAR(*equal_tolerance[0].value, 2.0 * std::pow(3.0, 0.25), 1e-12);
}

TEST(Chadaj2017Claims, WithoutRecordsNothingIsMeasured) {
  for (const Claim& claim : claims_of_records({})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
  }
  for (const Claim& claim : claims_of_timings({})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
  }
}

TEST(Chadaj2017Claims, EnergyIsJudgedAtEveryToleranceAndWithEveryIntegrator) {
  std::vector<Record> records;
  // ode45 is better at one of two tolerances, ode23 at neither, and output at equal steps counts no second time.
  for (const auto& [integrator, parameters, error] :
       {std::tuple("ode45", "tolerance=1e-06", 1.0), std::tuple("ode45", "tolerance=1e-09", 3.0),
        std::tuple("ode45", "tolerance=1e-06;output_step=0.01", 1.0), std::tuple("ode23", "tolerance=1e-06", 3.0),
        std::tuple("ode23", "tolerance=1e-09", 3.0)}) {
    for (const auto& [variant, value] : {std::pair(kDca, 2.0), std::pair(kHdca, error)}) {
      records.push_back(record(variant, parameters, "largest_energy_error", value));
      records.back().integrator = integrator;
    }
  }
  const std::vector<Claim> claims = claims_of_records(records);
  const auto energy = std::find_if(claims.begin(), claims.end(), [](const Claim& claim) {
    return claim.statement == "HDCA preserves the energy better in all cases.";
  });
  ASSERT_NE(energy, claims.end());
  EXPECT_EQ(energy->measured.substr(0, 6), "1 of 4");
  EXPECT_NE(energy->measured.find("ode45: 1 of 2; ode113: 0 of 0; ode23: 0 of 2"), std::string::npos)
      << energy->measured;
  EXPECT_EQ(energy->verdict, ClaimVerdict::holds_in_part);
}

std::string verdict_of(const CsvTable& claims, const std::string& statement) {
  const auto found = std::find_if(claims.rows.begin(), claims.rows.end(),
                                  [&](const auto& row) { return row[2].find(statement) != std::string::npos; });
  return found == claims.rows.end() ? "no such claim" : found->back();
}

TEST(Chadaj2017RunTest, RunsInPartsAndComesToTheKnownNumbersAndVerdicts) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(run_experiment(run_chadaj2017, directory, {.stop_after = 3}));
  EXPECT_FALSE(std::filesystem::exists(directory / "records.csv"));
  const std::string kept = content_of(directory / "trajectories/four_bar_hdca_errors.csv");
  ASSERT_FALSE(kept.empty());
  EXPECT_TRUE(run_experiment(run_chadaj2017, directory));
  EXPECT_EQ(content_of(directory / "trajectories/four_bar_hdca_errors.csv"), kept);

  const std::vector<Record> records = read_records(directory / "records.csv");
  expect_reproduced(records);
  int exact = 0;
  for (const Record& entry : records) {
    exact += entry.verdict == Verdict::exact ? 1 : 0;
  }
  // The prototype's five counts of case 1, four of them in two parts each.
  EXPECT_EQ(exact, 9);
  const auto value = [&](std::string_view mechanism, const Variant& variant, const char* parameters,
                         const char* quantity) {
    return find_value(records, mechanism, variant, "ode45", parameters, quantity).value_or(0.0);
  };
  constexpr const char* kFigures = "tolerance=1e-06;output_step=0.01";
  for (const std::string_view mechanism : kCases) {
    // Requested output changes no step.
    EXPECT_EQ(value(mechanism, kHdca, kFigures, "function_evaluations"),
              value(mechanism, kHdca, "tolerance=1e-06", "function_evaluations"));
    // The reference agrees with itself in other variables far better than the runs compared with it.
    EXPECT_LT(value(mechanism, {"", "dense", ""}, "tolerance=1e-13", "point_uncertainty"), 1e-9);
    EXPECT_LT(value(mechanism, kHdca, "tolerance=1e-09", "point_error"), 1e-6);
    EXPECT_GT(value(mechanism, kHdca, "tolerance=1e-09", "point_error"), 1e-12);
    EXPECT_TRUE(std::filesystem::exists(directory / ("trajectories/" + std::string(mechanism) + "_dca.csv")));
  }
  // sigma as the prototype has it: reactions are physical, so that they do not depend on the integrator.
  EXPECT_NEAR(value("four_bar", kHdca, kFigures, "largest_sigma"), 201.0, 0.5);
  EXPECT_NEAR(value("loop8", kHdca, kFigures, "largest_sigma"), 411.0, 0.5);
  EXPECT_NEAR(value("double_loop", kHdca, kFigures, "largest_sigma"), 405.0, 0.5);

  const CsvTable claims = read_csv(directory / "claims.csv");
  EXPECT_EQ(verdict_of(claims, "within the numerical accuracy"), "holds");
  EXPECT_EQ(verdict_of(claims, "grows quadratically"), "holds");
  EXPECT_EQ(verdict_of(claims, "preserves the energy better in all cases"), "holds in part");
  // Over all tolerances and integrators gauge control is not enough either.
  EXPECT_EQ(verdict_of(claims, "With gauge control HDCA preserves"), "holds in part");
  EXPECT_EQ(verdict_of(claims, "drift in the position constraints is negligible"), "holds");
  EXPECT_EQ(verdict_of(claims, "scaling D"), "not measured");
  EXPECT_FALSE(read_csv(directory / "timing_claims.csv").rows.empty());
}

}  // namespace
}  // namespace mbdbench::chadaj2017
