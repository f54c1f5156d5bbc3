/// \file
/// Engines that take many states at a time: small scripts that answer rightly, otherwise, or not at all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "experiments/engines/engine_formulation.hpp"
#include "experiments/engines/engine_permission.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/observation/right_hand_sides.hpp"
#include "formulations/registry.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr const char* kTakesMany = R"(, "batches": true)";
// The script has its seconds by the number of threads.
constexpr const char* kSameAsOne = R"({"accelerations": [1, 2], "seconds": '$seconds'})";
constexpr const char* kOther = R"({"accelerations": [1, 2.0000001], "seconds": '$seconds'})";
constexpr const char* kWithoutTime = R"({"accelerations": [1, 2]})";

class EngineBatchesTest : public testing::Test {
 protected:
  /// Adds an engine for two links, which takes 4 ms for one state and 64 or 32 ms for many, and writes down what it is
  /// asked of many. \param announced further keys of its answer to the mechanism \param many its answer to many states
  void add(const std::string& key, const std::string& announced, const std::string& many) {
    const std::string file = (directory_ / key).string();
    std::ofstream(file) << fmt::format(R"(while read -r line; do
  case $line in
    *'"mechanism"'*) echo '{{"engine": "fake 1.0"{}}}' ;;
    *'"batch"'*)
      echo "$line" >> {}.asked
      case $line in *'"threads":2'*) seconds=0.032 ;; *) seconds=0.064 ;; esac
      echo '{}' ;;
    *) echo '{{"accelerations": [1, 2], "seconds": 4e-3}}' ;;
  esac
done
)",
                                       announced, file, many);
    permit_engine("sh " + file);
    registries_.formulations.push_back(engine_entry(key + "=sh " + file));
  }

  [[nodiscard]] std::unique_ptr<Formulation> make(const std::string& key) const {
    const FormulationChoice choice = choose_formulation(registries_.formulations, key);
    return make_formulation(registries_.formulations, *choice.entry, mechanism_, choice.options);
  }

  /// \returns what comes of 64 states on two threads; its seconds in `seconds`.
  RhsStatus timed(const std::string& key, double& seconds) {
    made_ = make(key);
    EngineBatches* const batches = engine_batches(*made_);
    EXPECT_NE(batches, nullptr) << key;
    return batches == nullptr ? RhsStatus() : batches->time_batch(0.0, initial_state(*made_, 0.0), 64, 2, seconds);
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
  Mechanism mechanism_ = find_mechanism(registries_, "pendulum:2");
  std::unique_ptr<Formulation> made_;  ///< its messages are those of the status
};

TEST_F(EngineBatchesTest, TheAccelerationsAreThoseOfOneState) {
  add("same", kTakesMany, kSameAsOne);
  add("rounded", kTakesMany, R"({"accelerations": [1, 2.00000001], "seconds": '$seconds'})");
  double seconds = 0.0;
  for (const char* const key : {"same", "rounded"}) {
    const RhsStatus status = timed(key, seconds);
    EXPECT_TRUE(status.ok) << key << ": " << status.message();
    EXPECT_EQ(seconds, 0.032);
  }
  const auto asked = nlohmann::json::parse(content_of(directory_ / "same.asked"))["batch"];
  EXPECT_EQ(asked["count"], 64);
  EXPECT_EQ(asked["threads"], 2);
  for (const char* const name : {"q", "v", "joint_forces", "body_wrenches"}) {
    EXPECT_EQ(asked["state"][name].size(), 2U) << name;
  }
}

TEST_F(EngineBatchesTest, WhateverGoesWrongHasItsReason) {
  add("other", kTakesMany, kOther);
  add("short", kTakesMany, R"({"accelerations": [1], "seconds": 1})");
  add("failing", kTakesMany, R"({"failed": "no threads"})");
  for (const auto& [key, words] : {std::pair{"other", "many states have other accelerations than one"},
                                   std::pair{"short", "with 1 numbers in \"accelerations\""},
                                   std::pair{"failing", "engine 'fake 1.0': no threads"}}) {
    double seconds = 1.0;
    const RhsStatus status = timed(key, seconds);
    EXPECT_FALSE(status.ok) << key;
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
    EXPECT_EQ(seconds, 1.0) << key;
  }
}

TEST_F(EngineBatchesTest, WhatDoesNotAnnounceThemHasNone) {
  add("alone", "", kSameAsOne);
  add("no", R"(, "batches": false)", kSameAsOne);
  for (const char* const key : {"alone", "no", "aba"}) {
    const std::unique_ptr<Formulation> made = make(key);
    EXPECT_EQ(engine_batches(*made), nullptr) << key;
  }
}

TEST_F(EngineBatchesTest, StudiesShowThemByTheEnginesClock) {
  add("same", kTakesMany, kSameAsOne);
  add("other", kTakesMany, kOther);
  add("silent", kTakesMany, kWithoutTime);
  add("alone", "", kSameAsOne);
  const auto file = directory_ / "study.toml";
  std::ofstream(file) << R"toml(name = "many"
mechanisms = ["pendulum:2"]
observe = ["time_per_evaluation", "time_per_state(64)", "time_per_state(64x2)"]
[variants]
"same" = "same"
"other" = "other"
"silent" = "silent"
"alone" = "alone"
)toml";
  const studies::Study study = studies::read_study(registries_, file);
  studies::ProcessTeam team(registries_, study, nullptr);
  const auto cells = observe_right_hand_sides(registries_, study, 0, {1e9, 1e9, 1e-6}, team);
  ASSERT_EQ(cells.size(), 4U);
  const auto of = [&](std::size_t variant, const char* observer) {
    return cells[variant].at(studies::parse_observer(observer));
  };
  const auto expect_time = [&](std::size_t variant, const char* observer, double seconds) {
    const studies::Measured time = of(variant, observer);
    EXPECT_TRUE(time.usable()) << time.note;
    EXPECT_DOUBLE_EQ(time.value, seconds);
    EXPECT_NE(time.note.find("the engine's own clock"), std::string::npos) << time.note;
  };
  expect_time(0, "time_per_evaluation", 4e-3);
  expect_time(0, "time_per_state(64)", 1e-3);
  expect_time(0, "time_per_state(64x2)", 5e-4);
  const auto expect_failed = [&](std::size_t variant, const char* observer, const char* words) {
    const studies::Measured time = of(variant, observer);
    EXPECT_EQ(time.state, studies::CellState::failed) << words;
    EXPECT_NE(time.note.find(words), std::string::npos) << time.note;
  };
  for (const char* const observer : {"time_per_state(64)", "time_per_state(64x2)"}) {
    expect_failed(1, observer, "many states have other accelerations than one");
    expect_failed(2, observer, "the engine does not tell its time");
  }
  expect_time(3, "time_per_state(64)", 4e-3);
  const studies::Measured two = of(3, "time_per_state(64x2)");
  EXPECT_EQ(two.state, studies::CellState::refused);
  EXPECT_NE(two.note.find("one thread"), std::string::npos) << two.note;
  EXPECT_EQ(content_of(directory_ / "alone.asked"), "") << "it is not asked for what it does not announce";
}

}  // namespace
}  // namespace mbdbench
