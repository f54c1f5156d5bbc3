#include "experiments/malczyk2012/malczyk2012.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/csv_file.hpp"
#include "experiments/malczyk2012/claims.hpp"
#include "experiments/malczyk2012/run_case.hpp"
#include "experiments/malczyk2012/violation_monitor.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"

namespace mbdbench::malczyk2012 {
namespace {

TEST(Malczyk2012Claims, WithoutRecordsNothingIsMeasured) {
  for (const Claim& claim : claims_of_records({})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
  }
  for (const Claim& claim : claims_of_timings({}, {})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
  }
}

TEST(Malczyk2012Monitor, SeesWhatTheObservationAlongTheTreeDoesNot) {
  // A gap in a tree joint: closed by conversion to joint coordinates, present in the state.
  const Registries registries = default_registries();
  RunCase run(registries, "pendulum:2", kPenalty);
  std::vector<double> x = run.x0();
  x[kAbsoluteCoordinates] += 1e-3;
  Observation observation;
  ASSERT_TRUE(run.formulation().observe(0.0, x, observation).ok);
  EXPECT_LT(observation.position_residual, 1e-12);
  auto& augmented = dynamic_cast<AugmentedLagrangianFormulation&>(run.formulation());
  AbsoluteObservation absolute;
  ASSERT_TRUE(augmented.observe_absolute(0.0, x, absolute).ok);
  EXPECT_NEAR(absolute.position_residual, 1e-3, 1e-9);
}

TEST(Malczyk2012RunTest, RunsInPartsAndPassesTheSingularPositions) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(run_experiment(run_malczyk2012, directory));
  const std::vector<Record> records = read_records(directory / "records.csv");
  for (const Record& entry : records) {
    EXPECT_NE(entry.verdict, Verdict::failed) << entry.formulation << " on " << entry.mechanism << ": " << entry.note;
  }
  const auto value = [&](const Model& model, const Variant& variant, const char* quantity) {
    return find_value(records, model.key, variant, run_parameters(kEnd), quantity).value_or(-1.0);
  };
  // The regular motion and the folding rhombus: tolerances of the paper, 1e-14 and 1e-12, in sums over four bodies.
  for (const Model& model : {kRect, kRhombus}) {
    EXPECT_GE(value(model, kProjected, "largest_position_violation"), 0.0);
    EXPECT_LT(value(model, kProjected, "largest_position_violation"), 1e-14) << model.name;
    EXPECT_LT(value(model, kProjected, "largest_velocity_violation"), 1e-12) << model.name;
  }
  // The rhombus folds in every swing, the line starts folded; rect stays away.
  EXPECT_LT(value(kRhombus, kProjected, "smallest_singular_value"), 1e-3);
  EXPECT_LT(value(kLine, kProjected, "smallest_singular_value"), 1e-12);
  EXPECT_GT(value(kRect, kProjected, "smallest_singular_value"), 0.1);
  // All passes are needed where a direction of the constraints is lost, few elsewhere.
  EXPECT_EQ(value(kRhombus, kProjected, "most_singular_acceleration_iterations"), 10.0);
  EXPECT_LE(value(kRhombus, kProjected, "most_regular_acceleration_iterations"), 5.0);
  EXPECT_LE(value(kRect, kProjected, "mean_position_iterations"), 3.0);
  for (const Model& model : kModels) {
    EXPECT_LT(value(model, kProjected, "largest_energy_error"), 1e-3) << model.name;
    EXPECT_TRUE(std::filesystem::exists(directory / ("trajectories/" + std::string(model.name) + "_alm_proj.csv")));
  }
  const CsvTable claims = read_csv(directory / "claims.csv");
  EXPECT_EQ(claims.rows.size(), 7U);
  EXPECT_TRUE(std::none_of(claims.rows.begin(), claims.rows.end(),
                           [](const auto& row) { return row.back() == "not measured"; }));
}

}  // namespace
}  // namespace mbdbench::malczyk2012
