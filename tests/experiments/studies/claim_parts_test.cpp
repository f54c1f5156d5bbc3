// Parts of claims: what counts as one, and what came of them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/verdicts/study_claims.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

// Eight lines.
const std::string kRuns =
    "name = \"runs\"\nmechanisms = [\"pendulum:2\", \"pendulum:4\", \"pendulum:8\"]\nend = 1.0\n"
    "integrators = [\"ode45\"]\ntolerances = [1e-6]\nobserve = [\"evaluations\"]\n[variants]\n\"DCA\" = \"dca\"\n";

class ClaimPartsTest : public testing::Test {
 protected:
  [[nodiscard]] Study read(const std::string& text) const {
    std::ofstream(directory_.path() / "study.toml") << text;
    return read_study(registries_, directory_.path() / "study.toml", false);
  }

  void expect_refused(const std::string& text, std::size_t line, const std::string& words) const {
    try {
      static_cast<void>(read(text));
      ADD_FAILURE() << "read: " << text;
    } catch (const FileError& error) {
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
};

TEST_F(ClaimPartsTest, APartWithoutAMeasurementIsRefusedOrDoesNotCount) {
  const std::string sizes =
      "name = \"sizes\"\nmechanisms = [\"pendulum:2\", \"pendulum:4\", \"pendulum:8\"]\n"
      "observe = [\"bodies\", \"memory_per_body\"]\n[variants]\n\"DCA\" = \"dca\"\n";
  const std::string claim = "[[claims]]\nsource = \"s\"\ntext = \"t\"\nover = [\"mechanism\"]\n";
  // Such a side would let what it leaves out hold untested: 10 of 18 of which 2 of 10 were true.
  expect_refused(sizes + claim + "holds = \"bodies < 4 or memory_per_body < 1\"\n", 10,
                 "\"bodies < 4\" depends on no measured result");
  expect_refused(sizes + claim + "holds = \"memory_per_body < 1 or not (bodies >= 4)\"\n", 10, "Say with where");
  expect_refused(sizes + claim + "holds = \"bodies >= 4 and memory_per_body < 1\"\n", 10, "\"bodies >= 4\"");
  expect_refused(sizes + claim + "holds = \"bodies < 4 * bodies\"\n", 10, "depends on no measured result");
  expect_refused(kRuns + claim + "holds = \"inaccuracies > 0 or evaluations < 3\"\n", 13, "\"inaccuracies > 0\"");
  const Study study =
      read(sizes + claim + "holds = \"memory_per_body < 1 or memory_per_body > 5\"\nwhere = \"bodies >= 4\"\n");
  StudyResults results;
  const Observer bodies = parse_observer("bodies");
  const Observer memory = parse_observer("memory_per_body");
  for (std::size_t m = 0; m < 3; ++m) {
    results.cells[{m, 0, 0, 0}][bodies] = Measured::number(std::pow(2.0, m + 1));
    results.cells[{m, 0, 0, 0}][memory] = {CellState::disturbed, 0.5, "busy"};
  }
  results.cells[{0, 0, 0, 0}][memory] = Measured::number(0.5);
  Claim judged = judge_claims(study, results, true)[0];
  EXPECT_EQ(judged.count, (ClaimCount{0, 0, 2})) << "the smallest is no part, the others were not measured";
  EXPECT_EQ(judged.verdict, ClaimVerdict::not_measured);
  results.cells[{1, 0, 0, 0}][memory] = Measured::number(0.5);
  results.cells[{2, 0, 0, 0}][memory] = Measured::number(2.0);
  judged = judge_claims(study, results, true)[0];
  EXPECT_EQ(judged.count, (ClaimCount{1, 2, 0}));
  EXPECT_EQ(judged.verdict, ClaimVerdict::mostly_holds);
}

TEST_F(ClaimPartsTest, EveryPartOfAClaimOfThisRepositoryNeedsAMeasurement) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(MBDBENCH_SOURCE_DIR) + "/experiments/studies")) {
    if (entry.path().extension() != ".toml") {
      continue;
    }
    const Study study = read_study(registries_, entry.path(), false);
    // Nothing was measured: the mechanisms have their sizes, and runs say that they are right. No claim has a part.
    StudyResults results;
    results.position_uncertainty.assign(study.mechanisms.size(), Measured::number(0.0));
    results.orientation_uncertainty = results.position_uncertainty;
    for (const CellKey& cell : study.cells()) {
      for (const Observer& observer : study.observers) {
        const auto size = static_cast<double>(study.mechanisms[cell.mechanism].mechanism->body_count());
        results.cells[cell][observer] = observer.quantity == Quantity::bodies ? Measured::number(size)
                                        : observer.selects()                  ? Measured::number(0.0)
                                                             : Measured{CellState::disturbed, 1.0, "not measured"};
      }
    }
    for (const bool timed : {false, true}) {
      for (const Claim& claim : judge_claims(study, results, timed)) {
        EXPECT_EQ(claim.count.parts, 0U) << study.name << ": " << claim.statement;
        EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << study.name << ": " << claim.statement;
      }
    }
  }
}

TEST_F(ClaimPartsTest, WhatAFormulationStatesOfItselfIsJudgedByModel) {
  const std::string sizes =
      "name = \"sizes\"\nmechanisms = [\"pendulum:2\", \"pendulum:4\"]\nobserve = [\"stages\"]\n"
      "[variants]\n\"DCA\" = \"dca\"\n[[claims]]\nsource = \"s\"\ntext = \"t\"\nover = [\"mechanism\"]\n";
  const Study study = read(sizes + "holds = \"stages <= 2 and passes(acceleration) < 2\"\n");
  StudyResults results;
  for (std::size_t m = 0; m < 2; ++m) {
    results.cells[{m, 0, 0, 0}][parse_observer("stages")] = Measured::number(2.0 + static_cast<double>(m));
    results.cells[{m, 0, 0, 0}][parse_observer("passes(acceleration)")] = Measured::number(1.0);
  }
  const Claim claim = judge_claims(study, results, false)[0];
  EXPECT_EQ(claim.verdict, ClaimVerdict::by_model) << "whatever came of it";
  EXPECT_EQ(claim.basis, ClaimBasis::model);
  EXPECT_EQ(claim.count, (ClaimCount{1, 2, 0}));
  const Study measured = read(sizes + "holds = \"modelled_speedup(2) < evaluation_speedup\"\n");
  results = {};
  for (std::size_t m = 0; m < 2; ++m) {
    results.cells[{m, 0, 0, 0}][parse_observer("modelled_speedup(2)")] = Measured::number(1.5);
    results.cells[{m, 0, 0, 0}][parse_observer("evaluation_speedup")] = Measured::number(1.6);
  }
  EXPECT_EQ(judge_claims(measured, results, true)[0].verdict, ClaimVerdict::holds) << "times test the model";
}

TEST_F(ClaimPartsTest, OneCaseSufficesWhereASentenceSaysThatThereIsOne) {
  const Study study = read(kRuns +
                           "[[claims]]\nsource = \"s\"\ntext = \"may fail\"\nsome = true\nover = [\"mechanism\"]\n"
                           "baseline = \"nothing\"\nholds = \"evaluations < 15\"\n");
  StudyResults results;
  for (std::size_t m = 0; m < 3; ++m) {
    results.cells[{m, 0, 0, 0}][parse_observer("evaluations")] = Measured::number(10.0 * static_cast<double>(m + 1));
  }
  const Claim judged = judge_claims(study, results, false)[0];
  EXPECT_EQ(judged.verdict, ClaimVerdict::holds);
  EXPECT_EQ(judged.count, (ClaimCount{1, 3, 0})) << "and how many there are stands beside it";
  EXPECT_EQ(judged.baseline, "nothing");
}

}  // namespace
}  // namespace mbdbench::studies
