/// \file
/// What studies observe of right-hand sides alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/observation/right_hand_sides.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/studies/verdicts/study_claims.hpp"
#include "experiments/studies/verdicts/study_records.hpp"
#include "formulations/work_stage.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench::studies {
namespace {

constexpr const char* kRightHandSides = R"toml(name = "rhs"
mechanisms = ["pendulum:64", "pendulum:1200", "four_bar"]
observe = ["bodies", "time_per_evaluation", "time_per_body", "evaluation_speedup", "memory_per_body", "stages",
  "critical_path", "exchanges", "exchange_bytes", "modelled_speedup(1)", "modelled_speedup(2)", "operation_rate"]
[variants]
"ABA" = "aba"
"HDCA" = "hdca[leaf=body]"
"momenta" = "hdca[leaf=subchain,threads=1]"
"accelerations" = "dca[leaf=subchain,threads=1]"
"two" = "hdca[leaf=subchain,threads=2]"
[[claims]]
source = "here"
text = "Mechanisms are small."
holds = "bodies['ABA'] + 0 * stages['HDCA'] < 100"
over = ["mechanism"]
)toml";

class RightHandSidesTest : public testing::Test {
 protected:
  Study read(const std::string& text) const {
    const auto file = directory_.path() / "study.toml";
    std::ofstream(file) << text;
    return read_study(registries_, file);
  }

  /// Of cell (mechanism, variant) in the order of the declaration.
  static Measured of(const StudyResults& results, std::size_t mechanism, std::size_t variant,
                     const std::string& observer) {
    return results.of({mechanism, variant, 0, 0}, parse_observer(observer));
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
};

TEST_F(RightHandSidesTest, TheCriticalPathOfPassesIsLogarithmic) {
  const Study study = read(R"toml(name = "passes"
mechanisms = ["loop:17", "loop:65", "loop:257"]
observe = ["critical_path", "stages", "passes(acceleration)"]
[variants]
"passes" = "dca-alm-proj"
"one" = "dca-alm-proj[iterations=1]"
)toml");
  const auto results =
      run_study(registries_, study, {.output = directory_.path(), .jobs = 1, .quiet = true, .stop_requested = {}});
  ASSERT_TRUE(results);
  const auto path = [&](std::size_t mechanism, std::size_t variant) {
    return of(*results, mechanism, variant, "critical_path").value;
  };
  const auto passes = [&](std::size_t mechanism) { return of(*results, mechanism, 0, "passes(acceleration)").value; };
  // 16, 64 and 256 bodies are 4, 6 and 8 levels; nodes in the middle of a loop are all alike.
  EXPECT_DOUBLE_EQ(path(1, 1) - path(0, 1), path(2, 1) - path(1, 1));
  EXPECT_EQ(of(*results, 0, 1, "stages").value, 1.0 + 2.0 * 6.0) << "bodies, then levels up and down";
  EXPECT_EQ(of(*results, 0, 0, "stages").value, 1.0 + 2.0 * 6.0 * passes(0));
  const auto further = [&](std::size_t mechanism) {
    return (path(mechanism, 0) - path(mechanism, 1)) / (passes(mechanism) - 1.0);
  };
  EXPECT_GT(passes(2), 2.0);
  EXPECT_NEAR(further(1) - further(0), further(2) - further(1), 1e-9 * further(2));
}

TEST_F(RightHandSidesTest, AStudyOfThemNeedsNoIntegratorAndTellsWhatItMeasured) {
  const Study study = read(kRightHandSides);
  const auto output = directory_.path() / "out";
  std::filesystem::create_directories(output);
  const auto results =
      run_study(registries_, study, {.output = output, .jobs = 1, .quiet = true, .stop_requested = {}});
  ASSERT_TRUE(results);
  EXPECT_EQ(of(*results, 1, 0, "bodies").value, 1200.0);
  // One exchange in momenta, two in accelerations; 64 links are one block, which two processes cannot share.
  EXPECT_EQ(of(*results, 1, 2, "exchanges").value, 1.0);
  EXPECT_EQ(of(*results, 1, 3, "exchanges").value, 2.0);
  EXPECT_GT(of(*results, 1, 3, "exchange_bytes").value, of(*results, 1, 2, "exchange_bytes").value);
  EXPECT_EQ(of(*results, 0, 2, "exchanges").state, CellState::refused);
  EXPECT_EQ(of(*results, 1, 0, "exchanges").state, CellState::refused) << "aba has no parts";
  // Depth of the binary tree: log2 64 = 6 levels above the leaves, up and down, and what passes between the lanes.
  EXPECT_EQ(of(*results, 0, 1, "stages").value, 3.0 + 2.0 * 6.0);
  EXPECT_EQ(of(*results, 0, 0, "stages").value, 1.0) << "a sequential recursion is one piece";
  EXPECT_GT(of(*results, 0, 0, "operation_rate").value, 1e6);
  EXPECT_LT(of(*results, 1, 2, "operation_rate").value, 2.0 * results->machine.value().operations);
  // A tree of bodies is logarithmically deep, sub-chains are as long as they are.
  EXPECT_LT(of(*results, 1, 1, "critical_path").value, of(*results, 1, 2, "critical_path").value);
  // One worker is what was measured; two cannot be more than twice as fast.
  EXPECT_DOUBLE_EQ(of(*results, 1, 2, "modelled_speedup(1)").value, 1.0);
  if (std::thread::hardware_concurrency() > 1) {
    EXPECT_GT(of(*results, 1, 2, "modelled_speedup(2)").value, 0.0);
    EXPECT_LE(of(*results, 1, 2, "modelled_speedup(2)").value, 2.0);
    EXPECT_EQ(of(*results, 1, 4, "modelled_speedup(2)").state, CellState::refused);
  }
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    EXPECT_DOUBLE_EQ(of(*results, 1, v, "time_per_body").value * 1200.0,
                     of(*results, 1, v, "time_per_evaluation").value);
    // A state, a mass and an inertia at the least; a tenth of a megabyte a body would be a leak.
    if (AllocationGuard::active()) {  // not under sanitizers
      EXPECT_GT(of(*results, 1, v, "memory_per_body").value, 100.0);
      EXPECT_LT(of(*results, 1, v, "memory_per_body").value, 1e5);
    }
  }
  EXPECT_EQ(of(*results, 2, 0, "bodies").state, CellState::refused) << "aba refuses loops";
  const std::vector<Claim> claims = judge_claims(study, *results, false);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].measured, fmt::format("1 of 2; not pendulum:1200: 1.2e+03 and {:.3g}; 1 left out: no such value",
                                            of(*results, 1, 1, "stages").value));
  // Counts stand in the records, times apart; each once a mechanism and variant.
  const RecordSet written = study_records(study, *results);
  EXPECT_EQ(written.records.size(), 15U * 5U);
  EXPECT_EQ(written.timings.size(), 15U * 7U + (std::thread::hardware_concurrency() > 1 ? 3U : 2U))
      << "and limits of the machine";
}

TEST_F(RightHandSidesTest, ManyStatesAndDerivativesAreTimed) {
  const Study study = read(R"toml(name = "many"
mechanisms = ["quadruped", "four_bar"]
observe = ["components", "time_per_evaluation", "time_per_state(64)", "time_per_state(64x2)", "jacobian_time",
  "jacobian_cost", "direction_cost", "weights_cost"]
[variants]
"ABA" = "aba"
"reset" = "hdca[gauge=reset]"
)toml");
  const auto results =
      run_study(registries_, study, {.output = directory_.path(), .jobs = 1, .quiet = true, .stop_requested = {}});
  ASSERT_TRUE(results);
  const Measured one = of(*results, 0, 0, "time_per_evaluation");
  const Measured many = of(*results, 0, 0, "time_per_state(64)");
  const Measured cost = of(*results, 0, 0, "jacobian_cost");
  if (one.usable() && many.usable() && cost.usable()) {
    // Far from a measurement: a time of all states, or of none, would be off by 64 or more.
    EXPECT_LT(many.value, 4.0 * one.value);
    EXPECT_GT(many.value, 0.02 * one.value);
    EXPECT_DOUBLE_EQ(cost.value, of(*results, 0, 0, "jacobian_time").value / one.value);
    EXPECT_GT(cost.value, 1.0);
    for (const char* const product : {"direction_cost", "weights_cost"}) {
      const Measured of_product = of(*results, 0, 0, product);
      // 37 components: a product takes some 2.5 right-hand sides, all derivatives 6 to 8.
      EXPECT_TRUE(!of_product.usable() || (of_product.value > 1.0 && of_product.value < cost.value))
          << product << " " << of_product.value << " beside " << cost.value;
    }
  } else {
    // On a busy machine there is no time, and that is said.
    EXPECT_NE((one.note + many.note + cost.note).find("disturbed"), std::string::npos)
        << one.note << "; " << many.note << "; " << cost.note;
  }
  EXPECT_EQ(of(*results, 1, 1, "jacobian_time").state, CellState::refused)
      << "what gauge=reset does has no derivatives";
  EXPECT_EQ(of(*results, 1, 1, "weights_cost").state, CellState::refused);
  EXPECT_EQ(of(*results, 0, 0, "components").value, 37.0);
  EXPECT_EQ(of(*results, 1, 0, "time_per_state(64)").state, CellState::refused) << "aba refuses loops";
  EXPECT_EQ(parse_observer("time_per_state(64x2)").record_name(), "time_per_state_64x2");
  EXPECT_EQ(study.title_of(parse_observer("time_per_state(64x2)")), "time per state, 64 at a time on 2 threads");
  for (const char* const wrong : {"time_per_state(0)", "time_per_state(64x0)", "time_per_state(64x)",
                                  "time_per_state(64,2)", "time_per_state(many)", "time_per_state(99999999)",
                                  "time_per_state(99999999999)", "time_per_state(4294967297)", "time_per_state(x2)"}) {
    try {
      parse_observer(wrong);
      ADD_FAILURE() << "accepted: " << wrong;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("should read time_per_state(4096)"), std::string::npos) << error.what();
    }
  }
}

TEST_F(RightHandSidesTest, TheCommandStoresThemWithoutAMotion) {
  const auto file = directory_.path() / "study.toml";
  std::ofstream(file) << R"toml(name = "rhs"
mechanisms = ["pendulum:4"]
observe = ["bodies", "time_per_evaluation"]
[variants]
"ABA" = "aba"
"HDCA" = "hdca[leaf=body]"
)toml";
  const auto output = directory_.path() / "out";
  const CommandLineCall call =
      call_program(registries_, {"study", file.string(), "--no-report", "--quiet", "-o", output.string()});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_TRUE(std::filesystem::exists(output / "records.csv")) << call.output;
}

TEST_F(RightHandSidesTest, WhatIsOfARunNeedsAnIntegrator) {
  const auto expect_refused = [this](const std::string& text, const std::string& part) {
    try {
      read(text);
      FAIL() << "accepted: " << text;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  std::string text = kRightHandSides;
  expect_refused(
      text + "[[claims]]\nsource = \"s\"\ntext = \"t\"\nholds = \"steps['ABA', mechanism='four_bar'] < 1\"\n",
      "is of a run, and the study has no integrators");
  text.replace(text.find("\"bodies\""), 8, "\"steps\"");
  expect_refused(text, "observer 'steps' is of a run");
  text = kRightHandSides;
  text.replace(text.find("modelled_speedup(2)"), 19, "modelled_speedup(0)");
  expect_refused(text, "should read modelled_speedup(WORKERS)");
  text.replace(text.find("modelled_speedup(0)"), 19, "modelled_speedup");
  expect_refused(text, "should read modelled_speedup(WORKERS)");
}

TEST_F(RightHandSidesTest, ThreadsAreAnOptionOfTheVariant) {
  const auto threads = [](const Study& study) {
    std::vector<int> threads_of_variants;
    for (const StudyVariant& variant : study.variants) {
      threads_of_variants.push_back(variant.threads);
    }
    return threads_of_variants;
  };
  registries_.formulations.execution.threads = 1;
  const std::vector<int> by_options = threads(read(kRightHandSides));
  EXPECT_EQ(by_options[0], 1);
  EXPECT_EQ(by_options[1], 1);
  EXPECT_EQ(by_options[4], 2);
  registries_.formulations.execution.threads = 3;
  const std::vector<int> by_execution = threads(read(kRightHandSides));
  EXPECT_EQ(by_execution[0], 1);
  EXPECT_EQ(by_execution[1], 3) << "bodies as leaves are divided too: no sequential variant";
  EXPECT_EQ(by_execution[2], 1);
  registries_.formulations.execution.threads = 1;
  std::string text = kRightHandSides;
  text.replace(text.find("hdca[leaf=body]"), 15, "hdca[leaf=body,threads=2]");
  const Study refused = read(text);
  ProcessTeam team(registries_, refused, nullptr);
  const CellResult cell = observe_right_hand_sides(registries_, refused, 2, {1e9, 1e9, 1e-6}, team)[1];
  EXPECT_EQ(cell.at(parse_observer("bodies")).state, CellState::refused);
  EXPECT_NE(cell.at(parse_observer("bodies")).note.find("leaf=subchain or leaf=subtree may"), std::string::npos);
}

TEST(WorkStageTest, PiecesAreSharedAndStagesWait) {
  const std::vector<WorkStage> stages = {{1.0, 10.0}, {7.0, 4.0}, {1.0, 2.0}};
  EXPECT_DOUBLE_EQ(longest_work(stages, 1.0), 40.0);
  EXPECT_DOUBLE_EQ(arithmetic(std::vector<WorkStage>{{3.0, 5.0, 8.0}, {1.0, 2.0}}), 122.0);
  EXPECT_DOUBLE_EQ(longest_work(stages, 2.0), 10.0 + 4.0 * 4.0 + 2.0);
  EXPECT_DOUBLE_EQ(longest_work(stages, std::numeric_limits<double>::infinity()), 16.0);
  const WorkerModel machine{1e-9, 1e-7};
  EXPECT_DOUBLE_EQ(modelled_time(stages, machine, 1.0), 40e-9);
  // Two meetings, before and after the second stage, in log2 4 = 2 rounds each; seven pieces need no more than 7.
  EXPECT_DOUBLE_EQ(modelled_time(stages, machine, 4.0), 20e-9 + 4.0 * 1e-7);
  EXPECT_DOUBLE_EQ(modelled_time(stages, machine, 4096.0), 16e-9 + 6.0 * 1e-7);
}

}  // namespace
}  // namespace mbdbench::studies
