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
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/link.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// Bobs that spin freely about their links with an inertia of rounding: m l^2 / J is 1e17.
MechanismDescription spinning_bobs() {
  MechanismDescription description;
  description.name = "spinning bobs";
  std::string inboard = kGround;
  for (int i = 0; i < 3; ++i) {
    const std::string body = fmt::format("bob{}", i + 1);
    description.bodies.push_back({body, 1.0, link_end(), 1e-17 * Mat3::Identity()});
    JointDescription joint = link_joint(fmt::format("joint{}", i + 1), inboard, body, JointDescription{}.axis);
    joint.type = JointType::spherical;
    joint.v0 = {0.3, 0.5, -0.2};
    description.joints.push_back(joint);
    inboard = body;
  }
  return description;
}

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
  const std::string file = (directory / "bobs.toml").string();
  std::ofstream(file) << write_mechanism(spinning_bobs());
  const nlohmann::json answers =
      inspected({file, "-f", "dca[leaf=body]", "-f", "dca-alm", "-f", "aba"})["formulations"];
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["key"], "dca[leaf=body]");
  EXPECT_EQ(answers[0]["can"], false);
  EXPECT_NE(answers[0]["refusal"].get<std::string>().find("its inertia J is too small"), std::string::npos)
      << answers[0]["refusal"];
  EXPECT_EQ(answers[1]["can"], false);
  EXPECT_NE(answers[1]["refusal"].get<std::string>().find("not positive"), std::string::npos) << answers[1]["refusal"];
  EXPECT_EQ(answers[2]["can"], true);
  const CommandLineCall text = call_program({"inspect", file, "-f", "dca[leaf=body]"});
  EXPECT_NE(text.output.find("dca[leaf=body]  no: joint 'bob1': its inertia J is too small"), std::string::npos)
      << text.output;
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

TEST(InspectCommand, WhomItPromisesHasAFirstRightHandSide) {
  std::vector<std::string> words;
  for (const MechanismEntry& entry : mechanism_registry()) {
    words.emplace_back(entry.key);
  }
  for (int seed = 1; seed <= 12; ++seed) {
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
