/// \file
/// `mbdbench inspect`: it asks what the other commands ask, so those that it promises have a first right-hand side.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/verification/verification.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/chains/link.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

nlohmann::json inspected(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"inspect", "--json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const CommandLineCall call = call_program(words);
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  return nlohmann::json::parse(call.output);
}

TEST(InspectCommand, SaysTheSameAsJson) {
  const nlohmann::json json = inspected({"four_bar"});
  EXPECT_EQ(json["degrees_of_freedom"], 2);
  EXPECT_EQ(json["bodies"], json["body_list"].size());
  EXPECT_EQ(json["joint_list"].size(), 5U);
  EXPECT_EQ(json["loops"].size(), 1U);
  EXPECT_EQ(json["formulations"].size(), default_registries().formulations.size());
}

// It looked at the mechanism only: "yes" for one whose first right-hand side `verify` could not have.
TEST(InspectCommand, AsksTheFormulationAtTheStart) {
  const TemporaryDirectory directory;
  const std::string file = (directory / "push.toml").string();
  const Mechanism pendulum = make_mechanism(mechanism_registry(), "pendulum:2");
  std::ofstream(file) << write_mechanism(pendulum.description())
                      << "[[joint_loads]]\nname = \"push\"\njoint = \"joint1\"\nlaw = \"1/t\"\n";
  const nlohmann::json answers = inspected({file, "-f", "dca[leaf=body]", "-f", "aba"})["formulations"];
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["key"], "dca[leaf=body]");
  for (const nlohmann::json& answer : answers) {
    EXPECT_EQ(answer["can"], false) << answer;
    EXPECT_NE(answer["refusal"].get<std::string>().find("joint 'joint2': "), std::string::npos) << answer;
  }
  const CommandLineCall text = call_program({"inspect", file, "-f", "aba"});
  EXPECT_NE(text.output.find("aba  no: joint 'joint"), std::string::npos) << text.output;
  EXPECT_EQ(inspected({"pendulum:2", "-f", "aba"})["formulations"][0]["can"], true);
  EXPECT_EQ(call_program({"inspect", "pendulum", "-f", "dcaa"}).exit_code, 2);
}

// Options have limits of their own, which the registry's entry does not know.
TEST(InspectCommand, AnswersForOptions) {
  const nlohmann::json answers = inspected({"four_bar", "-f", "dca[leaf=subtree]", "-f", "dca"})["formulations"];
  EXPECT_EQ(answers[0]["can"], false);
  EXPECT_EQ(answers[1]["can"], true);
}

TEST(InspectCommand, SaysWhatItDidNotTry) {
  const nlohmann::json answers = inspected({"pendulum:3000", "-f", "dense", "-f", "dca"})["formulations"];
  EXPECT_EQ(answers[0]["can"], true);
  EXPECT_EQ(answers[0]["tried"], false);
  EXPECT_EQ(answers[1]["tried"], true);
  const CommandLineCall text = call_program({"inspect", "pendulum:3000", "-f", "dense"});
  EXPECT_NE(text.output.find("yes; its right-hand side was not tried, it needs matrices of"), std::string::npos)
      << text.output;
}

// A link in the middle that is heavier by so much has reactions in which those of the others drown. Both said yes to
// formulations whose accelerations are wrong there.
TEST(InspectCommand, GivesTheAnswerOfVerify) {
  const TemporaryDirectory directory;
  std::size_t doubted = 0;
  std::size_t refused = 0;
  for (const double ratio : {1e3, 1e6, 1e9}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum_xyz:3").description();
    description.bodies[1].mass *= ratio;
    description.bodies[1].inertia *= ratio;
    const std::string file = (directory / "heavy_link.toml").string();
    std::ofstream(file) << write_mechanism(description);
    const nlohmann::json answers = inspected({file})["formulations"];
    const std::vector<VerificationResult> rows = verify(default_registries(), Mechanism(description), {});
    ASSERT_EQ(answers.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}, ratio {}: {}", rows[i].formulation, ratio, answers[i].dump()));
      if (!rows[i].refusal.empty() || answers[i]["can"] == false) {
        const bool wrong = rows[i].outcome() == CheckOutcome::failed && !rows[i].only_imprecise();
        EXPECT_TRUE(wrong || !rows[i].refusal.empty() || !rows[i].failure.empty());
        refused += wrong ? 1 : 0;
        continue;
      }
      const bool doubts = !answers[i]["doubt"].get<std::string>().empty();
      EXPECT_EQ(doubts, rows[i].outcome() >= CheckOutcome::ill_conditioned);
      doubted += doubts ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_GT(doubted, 0U);
  const CommandLineCall text = call_program({"inspect", (directory / "heavy_link.toml").string()});
  EXPECT_NE(text.output.find("no: it disagrees with dense (verify): "), std::string::npos) << text.output;
}

TEST(InspectCommand, WhomItPromisesHasAFirstRightHandSide) {
  std::vector<std::string> words;
  for (const MechanismEntry& entry : mechanism_registry()) {
    words.emplace_back(entry.key);
  }
  for (std::uint64_t seed = 1; seed <= test::extent(12); ++seed) {
    words.push_back(fmt::format("random_tree:seed={},bodies=8", seed));
    words.push_back(fmt::format("random_closed:seed={}", seed));
  }
  const Registries registries = default_registries();
  std::size_t promised = 0;
  for (const std::string& word : words) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), word);
    const nlohmann::json answers = inspected({word})["formulations"];
    for (const nlohmann::json& answer : answers) {
      if (answer["can"] != true) {
        continue;
      }
      ++promised;
      const auto key = answer["key"].get<std::string>();
      const auto formulation = test::make(key, mechanism);
      const test::Evaluation here = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
      EXPECT_TRUE(here.status.ok) << word << ' ' << key << ' ' << here.status.message();
      for (const double rate : here.xdot) {
        EXPECT_TRUE(std::isfinite(rate)) << word << ' ' << key;
      }
    }
  }
  EXPECT_GT(promised, 300U);
}

}  // namespace
}  // namespace mbdbench
