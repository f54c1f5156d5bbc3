// What an engine's program in C++ answers to messages that are wrong: the reason, and it goes on.
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "examples/engines/engine_protocol.hpp"

namespace mbdbench {
namespace {

using nlohmann::json;

/// \returns what an engine of accelerations 1, whose coordinates stay, answers to these lines.
std::vector<json> answers_to(const std::vector<std::string>& lines) {
  std::istringstream in;
  for (const std::string& line : lines) {
    in.str(in.str() + line + '\n');
  }
  std::ostringstream out;
  std::streambuf* const usual_in = std::cin.rdbuf(in.rdbuf());
  std::streambuf* const usual_out = std::cout.rdbuf(out.rdbuf());
  engine::serve(
      "still 1.0",
      [](const engine::Mechanism& mechanism) {
        return [&mechanism](const engine::State& state) {
          engine::Answer answer;
          answer.accelerations = state.joint_forces / mechanism.bodies.front().mass;
          return answer;
        };
      },
      0.0,
      [](const engine::Mechanism&, const engine::Simulation& asked) {
        return engine::Motion{{asked.times.size(), asked.q}, 1e-3};
      });
  std::cin.rdbuf(usual_in);
  std::cin.clear();
  std::cout.rdbuf(usual_out);
  std::vector<json> answers;
  std::istringstream given(out.str());
  for (std::string line; std::getline(given, line);) {
    answers.push_back(json::parse(line));
  }
  return answers;
}

json slider() {
  const json unit = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const json frame = {{"position", {0.0, 0.0, 0.0}}, {"rotation", unit}};
  const json body = {{"name", "box"}, {"mass", 2.0}, {"com", {0.0, 0.0, 0.0}}, {"inertia", unit}};
  const json joint = {
      {"name", "rail"},   {"type", "prismatic"}, {"cut", false},       {"a", -1},           {"b", 0},
      {"q", {0, 1}},      {"v", {0, 1}},         {"frame_a", frame},   {"frame_b", frame},  {"axis", unit[0]},
      {"axis2", unit[1]}, {"pitch", 0.0},        {"normal1", unit[1]}, {"normal2", unit[2]}};
  return {{"name", "slider"}, {"gravity", {0.0, 0.0, 0.0}},    {"q_size", 1},
          {"v_size", 1},      {"bodies", json::array({body})}, {"joints", json::array({joint})}};
}

json box_state() {
  return {{"t", 0.0},
          {"q", {0.0}},
          {"v", {0.0}},
          {"joint_forces", {3.0}},
          {"body_wrenches", json::array({{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}})}};
}

json box_motion() {
  const json spring = {
      {"a", -1},        {"b", 0},     {"point_a", {0.0, 0.0, 0.0}}, {"point_b", {0.0, 0.0, 0.0}}, {"stiffness", 1.0},
      {"damping", 0.0}, {"rest", 0.0}};
  return {{"times", {0.0, 1.0}},
          {"q", {0.5}},
          {"v", {0.0}},
          {"joint_forces", {0.0}},
          {"integrator", "any"},
          {"control", 1e-3},
          {"springs", json::array({spring})}};
}

std::string told(const char* name, const json& what) {
  return json{{name, what}}.dump();
}

TEST(EngineProtocol, GoodMessagesAreAnswered) {
  const auto answers = answers_to({told("mechanism", slider()), box_state().dump(), told("simulate", box_motion())});
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["engine"], "still 1.0");
  EXPECT_EQ(answers[1]["accelerations"], json({1.5}));
  EXPECT_EQ(answers[2]["q"], json({{0.5}, {0.5}}));
}

TEST(EngineProtocol, EveryWrongMessageIsAnsweredWithWhatIsWrong) {
  struct Wrong {
    std::string line, words;
  };
  std::vector<Wrong> wrongs = {
      {"good morning", "parse error"}, {"\"\xff", "parse error"}, {"null", "null"}, {"[]", "array"}};
  for (const char* const key : {"q", "v", "joint_forces", "body_wrenches"}) {
    json without = box_state();
    without.erase(key);
    wrongs.push_back({without.dump(), key});
    json shorter = box_state();
    shorter[key] = json::array();
    wrongs.push_back({shorter.dump(), std::string(key) + "\" has 0 entries; there must be 1"});
  }
  json wrench = box_state();
  wrench["body_wrenches"] = json::array({{1.0, 2.0}});
  wrongs.push_back({wrench.dump(), "\"body_wrenches\" has 2 entries; there must be 6"});
  const json whole = box_motion();
  for (const auto& [key, value] : whole.items()) {
    json without = whole;
    without.erase(key);
    wrongs.push_back({told("simulate", without), key});
  }
  wrongs.push_back({told("simulate", nullptr), "null"});
  wrongs.push_back({told("derivatives", box_state()), "it has no derivatives here"});
  for (const json& times : {json::array(), json{1.0}, json{0.0, 0.0}, json{0.0, 2.0, 1.0}}) {
    json motion = box_motion();
    motion["times"] = times;
    wrongs.push_back({told("simulate", motion), "two or more that increase"});
  }
  json far = box_motion();
  far["springs"][0]["b"] = 1;
  wrongs.push_back({told("simulate", far), "\"b\" of a spring is 1; there must be a number from -1 to 0"});
  far["springs"][0] = json::object();
  wrongs.push_back({told("simulate", far), "'a' not found"});

  std::vector<std::string> lines = {told("mechanism", slider())};
  for (const Wrong& wrong : wrongs) {
    lines.push_back(wrong.line);
  }
  lines.push_back(box_state().dump());
  const auto answers = answers_to(lines);
  ASSERT_EQ(answers.size(), lines.size()) << "one answer a line";
  for (std::size_t k = 0; k < wrongs.size(); ++k) {
    EXPECT_NE(answers[k + 1].value("failed", "").find(wrongs[k].words), std::string::npos)
        << wrongs[k].line << " -> " << answers[k + 1].dump();
  }
  EXPECT_TRUE(answers.back().contains("accelerations")) << "it goes on";
}

TEST(EngineProtocol, AMechanismThatIsNotOneIsRefusedAndEndsTheOneBefore) {
  json far = slider(), cut = slider(), few = slider(), wide = slider(), flat = slider();
  far["joints"][0]["b"] = 1;
  cut["joints"][0]["cut"] = true;
  few["joints"] = json::array();
  wide["joints"][0]["q"] = {0, 2};
  flat["bodies"][0]["inertia"] = {1.0, 1.0, 1.0};
  for (const json& wrong : {far, cut, few, wide, flat, json::object(), json()}) {
    const auto answers = answers_to(
        {told("mechanism", slider()), told("mechanism", wrong), box_state().dump(), told("simulate", box_motion())});
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_NE(answers[1].value("refused", ""), "") << wrong.dump();
    EXPECT_NE(answers[2].value("failed", "").find("no mechanism"), std::string::npos) << answers[2].dump();
    EXPECT_NE(answers[3].value("failed", "").find("no mechanism"), std::string::npos) << answers[3].dump();
  }
}

}  // namespace
}  // namespace mbdbench
