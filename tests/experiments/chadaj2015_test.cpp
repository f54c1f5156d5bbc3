#include "experiments/chadaj2015/chadaj2015.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/chadaj2015/published.hpp"
#include "experiments/files/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"

namespace mbdbench {
namespace {

TEST(Chadaj2015Test, PublishedNumbersAreThoseOfTheFile) {
  const CsvTable file =
      read_csv(std::filesystem::path(MBDBENCH_SOURCE_DIR) / "results" / "published" / "chadaj2015_pendulum16.csv");
  ASSERT_EQ(file.columns, (std::vector<std::string>{"formulation", "integrator", "tolerance", "function_evaluations",
                                                    "wall_time_s"}));
  ASSERT_EQ(file.rows.size(), chadaj2015::kPublishedRuns.size());
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const chadaj2015::PublishedRun& run = chadaj2015::kPublishedRuns[i];
    EXPECT_EQ(file.rows[i][0], run.formulation);
    EXPECT_EQ(file.rows[i][1], run.integrator);
    EXPECT_EQ(std::stod(file.rows[i][2]), run.tolerance);
    EXPECT_EQ(std::stoi(file.rows[i][3]), run.function_evaluations);
    EXPECT_EQ(std::stod(file.rows[i][4]), run.wall_time_s);
  }
}

using Chadaj2015RunTest = WholeExperimentTest<run_chadaj2015>;

TEST_F(Chadaj2015RunTest, EveryAssertedVerdictComesOutRight) {
  EXPECT_TRUE(passed);
  expect_reproduced(records);
}

TEST_F(Chadaj2015RunTest, ThePublishedCountsAreExact) {
  for (const chadaj2015::PublishedRun& published : chadaj2015::kPublishedRuns) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.formulation == published.formulation && record.quantity == "function_evaluations" &&
             record.parameters == "tolerance=1e-06" && record.published_value;
    });
    ASSERT_NE(found, records.end());
    EXPECT_EQ(found->value, published.function_evaluations);
    EXPECT_EQ(found->verdict, Verdict::exact);
  }
}

TEST_F(Chadaj2015RunTest, OnlyThePapersFormulationsCarryItsNumbers) {
  int checked = 0;
  for (const Record& record : records) {
    if (record.formulation != "dense" && record.formulation != "dense-momentum") {
      continue;
    }
    EXPECT_NE(record.source, chadaj2015::kPaper.text) << record.quantity;
    if (record.quantity == "function_evaluations" || record.quantity == "rhs_calls") {
      ++checked;
      EXPECT_EQ(record.published_value, std::nullopt);
      EXPECT_EQ(record.verdict, Verdict::exact);
      EXPECT_EQ(record.note, record.formulation == "dense" ? "equal to dca's" : "equal to hdca's");
    }
  }
  EXPECT_EQ(checked, 4);
}

TEST_F(Chadaj2015RunTest, ClaimsComeToTheKnownVerdicts) {
  const CsvTable claims = read_csv(*directory / "claims.csv");
  const auto verdict_of = [&](const std::string& words) {
    const auto found = std::find_if(claims.rows.begin(), claims.rows.end(),
                                    [&](const auto& row) { return row[2].find(words) != std::string::npos; });
    return found == claims.rows.end() ? "no such claim" : found->back();
  };
  EXPECT_EQ(verdict_of("energy remains constant"), "holds");
  // 6.7 times DCA's at the paper's tolerance, more at loose ones.
  EXPECT_EQ(verdict_of("consistent with DCA's"), "does not hold");
  EXPECT_EQ(verdict_of("of the tip are right"), "holds");
  EXPECT_EQ(verdict_of("needs fewer evaluations"), "holds");
  EXPECT_EQ(verdict_of("as accurate as DCA"), "does not hold");
  EXPECT_EQ(verdict_of("MSC.Adams"), "not measured");
  EXPECT_EQ(read_csv(*directory / "timing_claims.csv").rows.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(*directory / "trajectories" / "dense_rkf45.csv"));
}

TEST_F(Chadaj2015RunTest, AnInterruptedRunContinuesToTheSameRecords) {
  const TemporaryDirectory other;
  EXPECT_FALSE(run_experiment(run_chadaj2015, other, {.stop_after = 4}));
  EXPECT_FALSE(std::filesystem::exists(other / "records.csv"));
  const std::string kept = content_of(other / "parts/table.timings.csv");
  ASSERT_FALSE(kept.empty());
  EXPECT_TRUE(run_experiment(run_chadaj2015, other));
  // Measured again, the times would differ.
  EXPECT_EQ(content_of(other / "parts/table.timings.csv"), kept);
  EXPECT_EQ(content_of(other / "records.csv"), content_of(*directory / "records.csv"));
  for (const char* file : {"dca.csv", "hdca.csv", "dca_energy_error.csv", "hdca_energy_error.csv"}) {
    const std::string path = std::string("trajectories/") + file;
    EXPECT_EQ(content_of(other / path), content_of(*directory / path)) << file;
    EXPECT_FALSE(content_of(other / path).empty()) << file;
  }
}

}  // namespace
}  // namespace mbdbench
