/// \file
/// The study of [Malczyk2012] as it is shipped: what passes the singular positions, and with how many passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "experiments/simulation/simulation.hpp"
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

const std::map<std::string, std::string> kMalczykModels = {{"rect", "five_bar:shape=rect"},
                                                           {"rhombus", "five_bar:shape=rhombus"},
                                                           {"line", "five_bar:shape=line"},
                                                           {"coupled", "coupled_loops"}};

TEST(Malczyk2012Monitor, SeesWhatTheObservationAlongTheTreeDoesNot) {
  // A gap in a tree joint: closed by conversion to joint coordinates, present in the state.
  const Registries registries = default_registries();
  const Mechanism mechanism = make_mechanism(registries.mechanisms, "pendulum:2");
  const auto formulation =
      make_formulation(registries.formulations, *find_formulation(registries.formulations, "dca-alm"), mechanism, "");
  std::vector<double> x = initial_state(*formulation, 0.0);
  x[kAbsoluteCoordinates] += 1e-3;
  Observation observation;
  ASSERT_TRUE(formulation->observe(0.0, x, observation).ok);
  EXPECT_LT(observation.position_residual, 1e-12);
  auto& augmented = dynamic_cast<AugmentedLagrangianFormulation&>(*formulation);
  AbsoluteObservation absolute;
  ASSERT_TRUE(augmented.observe_absolute(0.0, x, absolute).ok);
  EXPECT_NEAR(absolute.position_residual, 1e-3, 1e-9);
}

TEST(Malczyk2012RunTest, PassesTheSingularPositions) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"run", "malczyk2012", "--quick", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const std::vector<Record> records = read_records(directory / "records.csv");
  for (const Record& entry : records) {
    // Multipliers that do not look at the rank cannot begin where it is lost.
    const bool expected =
        entry.formulation == "dense[projection=off,rank=fixed]" && entry.mechanism == "five_bar:shape=line";
    EXPECT_EQ(entry.verdict == Verdict::failed, expected && entry.verdict != Verdict::refused)
        << entry.formulation << " on " << entry.mechanism << ": " << entry.note;
  }
  const auto value = [&](const std::string& model, const char* quantity) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.mechanism == kMalczykModels.at(model) && record.formulation == "dca-alm-proj" &&
             record.parameters == "tolerance=1e-06;end=10" && record.quantity == quantity;
    });
    return found == records.end() ? -1.0 : found->value.value_or(-1.0);
  };
  // The regular motion and the folding rhombus: tolerances of the paper, 1e-14 and 1e-12, in sums over four bodies.
  for (const char* const model : {"rect", "rhombus"}) {
    EXPECT_GE(value(model, "position_drift"), 0.0);
    EXPECT_LT(value(model, "position_drift"), 1e-14) << model;
    EXPECT_LT(value(model, "velocity_drift"), 1e-12) << model;
  }
  // The rhombus folds in every swing, the line starts folded; rect stays away.
  EXPECT_LT(value("rhombus", "smallest_singular_value"), 1e-3);
  EXPECT_LT(value("line", "smallest_singular_value"), 1e-12);
  EXPECT_GT(value("rect", "smallest_singular_value"), 0.1);
  // All passes are needed where a direction of the constraints is lost, few elsewhere.
  EXPECT_EQ(value("rhombus", "most_singular_passes_acceleration"), 10.0);
  EXPECT_LE(value("rhombus", "most_regular_passes_acceleration"), 5.0);
  EXPECT_LE(value("rect", "mean_passes_position"), 3.0);
  for (const auto& [model, mechanism] : kMalczykModels) {
    EXPECT_LT(value(model, "energy_error"), 1e-3) << mechanism;
    EXPECT_TRUE(std::filesystem::exists(directory / ("trajectories/" + model + "_projections_ode45_1e_06.csv")));
  }
  const CsvTable claims = read_csv(directory / "claims.csv");
  EXPECT_EQ(claims.rows.size(), 20U);
  EXPECT_EQ(
      std::count_if(claims.rows.begin(), claims.rows.end(), [](const auto& row) { return row[9] == "not measured"; }),
      1)
      << "an argument of the paper";
  EXPECT_EQ(claim_outcome(claims, "O(k log n)"), "4 of 4, by model");
  EXPECT_EQ(claim_outcome(claims, "Usually at most 4 iterations"), "4 of 4, holds");
  EXPECT_EQ(claim_outcome(claims, "three redundant constraints"), "3 of 3, holds");
  // As printed: 1e7 is what rounding does not let by; how far it goes is the processor's affair.
  EXPECT_EQ(claim_field(claims, "good convergence rate at each level", "verdict"), "mostly holds");
  EXPECT_EQ(claim_field(claims, "good convergence rate at each level", "parts"), "12");
  // Where the rhombus folds, rounding decides on the steps of 1e6, too: on an AMD EPYC with AVX2 1e7 takes 1.6 times
  // the evaluations there, elsewhere more than three times.
  const std::string sets_the_steps = claim_outcome(claims, "a penalty of 1e7 leaves so much rounding");
  EXPECT_TRUE(sets_the_steps == "8 of 8, holds" || sets_the_steps.starts_with("7 of 8")) << sets_the_steps;
  EXPECT_EQ(claim_field(claims, "As printed, passes come within", "parts"), "36");
  EXPECT_EQ(claim_field(claims, "may fail completely", "verdict"), "holds") << "one failure suffices";
}

}  // namespace
}  // namespace mbdbench
