/// \file
/// A study's folder says what it was made from, and `compare` judges nothing that was made from something else.
#include <filesystem>
#include <fstream>

#include "experiments/files/text_digest.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

constexpr const char* kMechanism = R"(name = "arm"
gravity = [0.0, 0.0, -9.81]
[[bodies]]
name = "link"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "hinge"
type = "revolute"
b = "link"
axis = [0.0, 1.0, 0.0]
frame_b = {position = [0.0, 0.0, 0.5]}
q0 = [0.5]
[[joint_springs]]
name = "coil"
joint = "hinge"
stiffness = STIFFNESS
)";

constexpr const char* kStudy = R"(name = "arm"
mechanisms = ["arm.toml", "pendulum:2"]
end = 1.0
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["evaluations", "energy_error"]
[variants]
"DCA" = "dca"
"HDCA" = "hdca"
[[figures]]
name = "energy"
title = "energy"
curves = ["energy_error"]
)";

class StudyInputsTest : public SimulateCommandTest {
 protected:
  static std::string with(std::string text, const std::string& word, const std::string& other) {
    text.replace(text.find(word), word.size(), other);
    return text;
  }

  void run(const std::string& folder, const std::string& stiffness, const std::string& study = kStudy) const {
    std::ofstream(directory_ / "arm.toml") << with(kMechanism, "STIFFNESS", stiffness);
    std::ofstream(directory_ / "study.toml") << study;
    const CommandLineCall call = call_program({"study", (directory_ / "study.toml").string(), "--no-report", "--quiet",
                                               "-o", (directory_ / folder).string()});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
  }

  [[nodiscard]] CommandLineCall compare(const std::string& a, const std::string& b) const {
    return call_program({"compare", (directory_ / a).string(), (directory_ / b).string()});
  }
};

TEST_F(StudyInputsTest, AnotherSpringIsAnotherInputAndNothingWorse) {
  run("a", "15.0");
  run("b", "16.0");
  EXPECT_NE(content_of(directory_ / "a" / "study.json"), content_of(directory_ / "b" / "study.json"));
  EXPECT_TRUE(std::filesystem::exists(directory_ / "a" / "inputs" / "declaration.toml"));
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 2) << "something could not be judged\n" << call.output;
  EXPECT_TRUE(says(call, "mechanism 'arm.toml' is another one: line")) << call.output;
  EXPECT_TRUE(says(call, "15")) << call.output;
  EXPECT_TRUE(says(call, "not judged, made from other inputs: ")) << call.output;
  EXPECT_FALSE(says(call, "worse")) << call.output;
  EXPECT_TRUE(says(call, "equal: 6 numbers\n")) << "of the other mechanism, its two curves included\n" << call.output;
  run("c", "15.0");
  const CommandLineCall same = compare("a", "c");
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_FALSE(says(same, "other inputs")) << same.output;
}

TEST_F(StudyInputsTest, AMechanismWhoseLastDigitsAreAnotherCompilersIsTheSame) {
  const std::string without_curves = std::string(kStudy).substr(0, std::string_view(kStudy).find("[[figures]]"));
  run("a", "15.0", without_curves);
  run("b", "15.000000000000002", without_curves);
  EXPECT_NE(content_of(directory_ / "a" / "study.json"), content_of(directory_ / "b" / "study.json"));
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 0) << call.output;
  EXPECT_TRUE(says(call, "equal but for rounding: 1\n  mechanism 'arm.toml'\n")) << call.output;
  EXPECT_FALSE(says(call, "other inputs")) << call.output;
}

TEST_F(StudyInputsTest, WhatIsRenamedIsNotWorse) {
  run("a", "15.0");
  run("b", "15.0", with(kStudy, "\"HDCA\"", "\"Hamilton\""));
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 0) << call.output;
  EXPECT_TRUE(says(call, "variant 'HDCA' is called 'Hamilton'")) << call.output;
  EXPECT_FALSE(says(call, "missing")) << "the file of its curve is found\n" << call.output;
  EXPECT_FALSE(says(call, "new")) << call.output;
  std::filesystem::copy_file(directory_ / "arm.toml", directory_ / "robot.toml");
  run("c", "15.0", with(kStudy, "arm.toml", "robot.toml"));
  const CommandLineCall moved = compare("a", "c");
  EXPECT_EQ(moved.exit_code, 0) << moved.output;
  EXPECT_TRUE(says(moved, "mechanism 'arm.toml' is called 'robot.toml'")) << moved.output;
}

TEST_F(StudyInputsTest, WhatIsNoLongerDeclaredIsNotMissing) {
  run("a", "15.0");
  run("b", "15.0", with(kStudy, "\"HDCA\" = \"hdca\"\n", ""));
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 2) << call.output;
  EXPECT_TRUE(says(call, "variant 'HDCA' (hdca) is no longer declared")) << call.output;
  EXPECT_FALSE(says(call, "worse")) << call.output;
}

TEST_F(StudyInputsTest, ChangesInOneFolderAreTold) {
  run("a", "15.0");
  std::ofstream(directory_ / "arm.toml") << with(kMechanism, "STIFFNESS", "17.0");
  const CommandLineCall again = call_program(
      {"study", (directory_ / "study.toml").string(), "--no-report", "--quiet", "-o", (directory_ / "a").string()});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_TRUE(says(again, "mechanism 'arm.toml' is another one")) << again.errors;
}

TEST_F(StudyInputsTest, RunsOfSimulateAreComparedToo) {
  const std::vector<std::string> settings = {"--time", "0:0.1:1", "--rtol", "1e-6", "--atol", "1e-6"};
  ASSERT_EQ(simulate_pendulum("a", settings).exit_code, 0);
  ASSERT_EQ(simulate_pendulum("b", settings).exit_code, 0);
  const CommandLineCall same = compare("a", "b");
  EXPECT_EQ(same.exit_code, 0) << same.output << same.errors;
  EXPECT_TRUE(says(same, "equal: 15 numbers")) << same.output;
  ASSERT_EQ(simulate_pendulum("loose", {"--time", "0:0.1:1", "--rtol", "1e-3", "--atol", "1e-6"}).exit_code, 0);
  const CommandLineCall other = compare("a", "loose");
  EXPECT_EQ(other.exit_code, 2) << other.output;
  EXPECT_TRUE(says(other, "relative_tolerance: 1e-06 -> 0.001")) << other.output;
  nlohmann::json worse = statistics("b");
  worse["nfevals"] = worse["nfevals"].get<int>() + 6;
  worse["energy"]["largest_imbalance"] = 1.0;
  std::ofstream(directory_ / "b" / "statistics.json") << worse;
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 1) << call.output;
  EXPECT_TRUE(says(call, "worse: 2")) << call.output;
  run("study", "15.0");
  EXPECT_EQ(compare("a", "study").exit_code, 2) << "a run is no study";
}

TEST_F(StudyInputsTest, AStatisticOfAnotherKindIsADifferenceNotAnError) {
  ASSERT_EQ(simulate_pendulum("a", {"--time", "0.1"}).exit_code, 0);
  ASSERT_EQ(simulate_pendulum("b", {"--time", "0.1"}).exit_code, 0);
  nlohmann::json spoilt = statistics("b");
  spoilt["status"] = 3;
  spoilt["energy"] = "none";
  std::ofstream(directory_ / "b" / "statistics.json") << spoilt;
  const CommandLineCall call = compare("a", "b");
  EXPECT_EQ(call.exit_code, 1) << call.output << call.errors;
  EXPECT_TRUE(says(call, "status: ok -> 3")) << call.output;
  EXPECT_FALSE(says(call, "json.exception")) << call.errors;
}

TEST(ReferenceInputs, StandBesideWhatWasFrozenFromThem) {
  const std::filesystem::path references = std::filesystem::path(MBDBENCH_SOURCE_DIR) / "results" / "reference";
  for (const char* const paper : {"naudet2005", "chadaj2017", "malczyk2012"}) {
    const std::filesystem::path folder = references / paper;
    const CommandLineCall call = call_program({"compare", folder.string(), folder.string()});
    EXPECT_EQ(call.exit_code, 0) << call.output << call.errors;
    EXPECT_FALSE(says(call, "no inputs are known")) << call.output;
    const nlohmann::json study = nlohmann::json::parse(content_of(folder / "study.json"));
    EXPECT_EQ(study["inputs"]["declaration"], text_digest(content_of(folder / "inputs" / "declaration.toml"))) << paper;
    for (const nlohmann::json& mechanism : study["mechanisms"]) {
      const std::string file = mechanism["file"];
      if (file.empty()) {
        continue;  // too large to be kept
      }
      EXPECT_EQ(mechanism["digest"], text_digest(content_of(folder / file))) << paper << ' ' << file;
    }
  }
}

}  // namespace
}  // namespace mbdbench
