// Other engines as formulations: one in NumPy agrees with the dense reference on every joint type, and whatever an
// engine may do wrong ends as a row with its reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/engines/engine_formulation.hpp"
#include "experiments/engines/engine_messages.hpp"
#include "experiments/engines/engine_permission.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"

namespace mbdbench {
namespace {

/// \returns a Python that has NumPy; empty where there is none.
std::string python() {
  for (const char* const candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system(fmt::format("{} -c 'import numpy' > /dev/null 2>&1", candidate).c_str()) == 0) {
      return candidate;
    }
  }
  return {};
}

std::vector<VerificationResult> verify_engine(const std::string& command, const std::vector<std::string>& mechanisms,
                                              const std::string& options = {}) {
  Registries registries = default_registries();
  registries.formulations.push_back(engine_entry("engine=" + command));
  permit_engine(command);
  VerificationOptions what;
  what.mechanisms = mechanisms;
  what.formulations = {"engine" + options};
  what.states = 1;
  return verify(registries, what, [](std::size_t, std::size_t) { return true; });
}

/// \returns a shell command that answers the mechanism, then every state, with these words.
std::string answering(const std::string& mechanism, const std::string& state) {
  return fmt::format("sh -c 'read line; echo \"{}\"; while read line; do echo \"{}\"; done'", mechanism, state);
}

constexpr const char* kTaken = R"({\"engine\": \"fake 1.0\"})";

TEST(EngineFormulation, TheTextbookAgreesWithDenseOnEveryTree) {
  const std::string interpreter = python();
  if (interpreter.empty()) {
    GTEST_SKIP() << "no python3 with NumPy";
  }
  const std::string command =
      fmt::format("{} {}/examples/engines/newton_euler_engine.py", interpreter, MBDBENCH_SOURCE_DIR);
  const std::vector<std::string> trees = {"pendulum:3", "random_tree:seed=3,loads=1", "random_tree:seed=6,loads=1",
                                          "random_tree:seed=9,bodies=12,loads=1",
                                          "random_tree:seed=9,bodies=12,loads=1,screws=1"};
  std::set<JointType> types;
  for (const std::string& word : trees) {
    const Mechanism mechanism = find_mechanism(default_registries(), word);
    for (const Joint& joint : mechanism.tree_joints()) {
      types.insert(joint.type);
    }
  }
  EXPECT_EQ(types.size(), kAllJointTypes.size()) << "the trees should have every joint type between them";
  const auto rows = verify_engine(command, trees);
  for (const VerificationResult& row : rows) {
    EXPECT_EQ(row.outcome(), CheckOutcome::passed) << row.mechanism << ": " << row.failure << row.refusal;
    EXPECT_EQ(row.rate.outcome, CheckOutcome::passed) << row.mechanism;
    EXPECT_EQ(row.reaction.outcome, CheckOutcome::not_compared) << "engines tell no reactions";
  }
  const auto closed = verify_engine(command, {"four_bar"});
  EXPECT_NE(closed.front().refusal.find("closed loops"), std::string::npos) << closed.front().refusal;
}

/// \returns a formulation of a mechanism at its start with every rate and coordinate moved; its derivatives in `rows`.
std::unique_ptr<Formulation> differentiated(const Registries& registries, const Mechanism& mechanism,
                                            const std::string& word, std::vector<double>& rows) {
  const FormulationChoice choice = choose_formulation(registries.formulations, word);
  auto made = make_formulation(registries.formulations, *choice.entry, mechanism, choice.options);
  std::vector<double> x = initial_state(*made, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (made->layout()[i].kind != StateKind::quaternion) {
      x[i] += 0.3 * std::sin(static_cast<double>(3 * i + 1));
    }
  }
  rows.assign(x.size() * x.size(), 0.0);
  const RhsStatus status = made->jacobian(0.0, x, rows);
  EXPECT_TRUE(status.ok) << word << ": " << status.message();
  return made;
}

// Two programs that share nothing: steps along the imaginary axis through Newton's and Euler's equations, and `aba`.
TEST(EngineFormulation, DerivativesOfTheTextbookAreThoseOfAba) {
  const std::string interpreter = python();
  if (interpreter.empty()) {
    GTEST_SKIP() << "no python3 with NumPy";
  }
  const std::string command =
      fmt::format("{} {}/examples/engines/newton_euler_engine.py", interpreter, MBDBENCH_SOURCE_DIR);
  Registries registries = default_registries();
  registries.formulations.push_back(engine_entry("engine=" + command));
  permit_engine(command);
  for (const char* const word : {"pendulum_xyz:5", "robot_arm", "quadruped", "random_tree:seed=3,bodies=9,loads=0",
                                 "random_tree:seed=9,bodies=12,loads=0"}) {
    const Mechanism mechanism = find_mechanism(registries, word);
    std::vector<double> expected;
    std::vector<double> found;
    static_cast<void>(differentiated(registries, mechanism, "aba", expected));
    const auto engine = differentiated(registries, mechanism, "engine", found);
    double size = 0.0;
    double difference = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      size = std::max(size, std::abs(expected[i]));
      difference = std::max(difference, std::abs(found[i] - expected[i]));
    }
    // Both are exact but for rounding, which the inverse of M enlarges by its condition, up to 1e3 here.
    EXPECT_LT(difference, 1e-11 * size) << word;
    EXPECT_EQ(engine->without_jacobian(), "");
    // The products are those of the rows, whatever the formulation itself offers.
    const std::vector<double> x = initial_state(*engine, 0.0);
    std::vector<double> rows(x.size() * x.size());
    std::vector<double> along(x.size());
    std::vector<double> back(x.size());
    ASSERT_TRUE(engine->jacobian(0.0, x, rows).ok);
    const std::vector<double> ones(x.size(), 1.0);
    ASSERT_TRUE(engine->jacobian_vector(0.0, x, ones, along).ok);
    ASSERT_TRUE(engine->vector_jacobian(0.0, x, ones, back).ok);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double row = 0.0;
      double column = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        row += rows[i * x.size() + j];
        column += rows[j * x.size() + i];
      }
      EXPECT_NEAR(along[i], row, 1e-12 * size);
      EXPECT_NEAR(back[i], column, 1e-12 * size);
    }
  }
}

TEST(EngineFormulation, AnEngineWithoutDerivativesSaysSo) {
  Registries registries = default_registries();
  const Mechanism mechanism = find_mechanism(registries, "pendulum:2");
  const auto make = [&](const std::string& command) {
    permit_engine(command);
    const FormulationEntry entry = engine_entry("engine=" + command);
    return entry.make(mechanism, parse_parameters(entry.options, "", entry.key), {});
  };
  const auto without = make(answering(kTaken, R"({\"accelerations\": [1, 2]})"));
  EXPECT_NE(without->without_jacobian().find("fake 1.0 gives no derivatives"), std::string::npos);
  const auto wrong = make(answering(R"({\"engine\": \"fake 1.0\", \"derivatives\": true})", R"({\"by_v\": [[1, 2]]})"));
  EXPECT_EQ(wrong->without_jacobian(), "");
  std::vector<double> x(4);
  std::vector<double> rows(16);
  const RhsStatus status = wrong->jacobian(0.0, x, rows);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(status.message().find("without 2 rows of 2 numbers in \"by_motion\""), std::string::npos)
      << status.message();
}

TEST(EngineFormulation, WrongAccelerationsFail) {
  // Two links released from rest: these are not their accelerations.
  const auto rows = verify_engine(answering(kTaken, R"({\"accelerations\": [1, 2]})"), {"pendulum:2"});
  EXPECT_EQ(rows.front().rate.outcome, CheckOutcome::failed);
}

TEST(EngineFormulation, WhateverGoesWrongIsARowWithItsReason) {
  const auto failure = [](const std::string& command, const std::string& words, const std::string& options = {}) {
    const auto rows = verify_engine(command, {"pendulum:2"}, options);
    EXPECT_EQ(rows.front().outcome(), CheckOutcome::failed) << command;
    EXPECT_NE(rows.front().failure.find(words), std::string::npos) << rows.front().failure;
  };
  failure("false", "ended with exit status 1 before it answered");
  failure("/nonexistent/engine", "the shell cannot start it");
  failure("sh -c 'kill -SEGV $$'", "killed by signal 11");
  failure("sleep 60", "no answer after 0.05 s", "[timeout=0.05]");
  failure("cat", "without its name");
  failure("sh -c 'read line; echo good morning'", "answered 'good morning', which is not a JSON object");
  failure(answering(kTaken, R"({\"accelerations\": [1]})"), "with 1 numbers in \"accelerations\"; there must be 2");
  failure(answering(kTaken, R"({\"failed\": \"singular\"})"), "singular");
  failure(fmt::format("sh -c 'read line; echo \"{}\"; read line; exit 3'", kTaken), "exit status 3");
  const auto refused =
      verify_engine(answering(R"({\"engine\": \"fake 1.0\", \"refused\": \"too long\"})", ""), {"pendulum:2"});
  EXPECT_EQ(refused.front().refusal, "fake 1.0: too long");
  const auto driven = verify_engine("cat", {"random_tree:seed=6,motions=2"});
  EXPECT_NE(driven.front().refusal.find("prescribed motions"), std::string::npos);
}

TEST(EngineFormulation, TheLinesOfAMechanismAreItsBodiesAndItsInitialState) {
  const std::string lines = engine_lines(find_mechanism(default_registries(), "squeezer"));
  const std::size_t end = lines.find('\n');
  const auto mechanism = nlohmann::json::parse(lines.substr(0, end))["mechanism"];
  EXPECT_EQ(mechanism["bodies"].size(), 7U);
  EXPECT_EQ(mechanism["joints"].size(), 10U);
  const auto state = nlohmann::json::parse(lines.substr(end + 1));
  EXPECT_EQ(state["joint_forces"][0], 0.033);
  EXPECT_EQ(state["q"].size(), 7U);
  EXPECT_NE(state["body_wrenches"][2][0], 0.0) << "the spring pulls K3";
  EXPECT_EQ(state["body_wrenches"][3][0], 0.0);
}

TEST(EngineFormulation, NamesAreCheckedBeforeAnythingRuns) {
  for (const char* const word : {"", "engine", "=cat", "engine=", "two words=cat", "a[b]=cat"}) {
    EXPECT_THROW(engine_entry(word), std::invalid_argument) << word;
  }
  EXPECT_EQ(engine_entry("my-engine_2=cat").key, "my-engine_2");
}

}  // namespace
}  // namespace mbdbench
