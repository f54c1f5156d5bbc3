// Files say their format: older ones and those without a number are read, newer ones are refused with what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/result_folder.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/file_format.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr const char* kArm = R"(
name = "arm"
[[bodies]]
name = "link"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "hinge"
type = "revolute"
b = "link"
)";

class FileFormat : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }
  /// \returns what the error says; empty where there is none.
  template <typename Read>
  static std::string refusal(const Read& read) {
    try {
      read();
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }
  static std::string of_mechanism(const std::string& format) {
    return refusal([&] { parse_mechanism(format + kArm, "arm.toml"); });
  }
  TemporaryDirectory directory_;
};

constexpr const char* kNewer = "is that of a newer mbdbench, and this one reads formats up to 1: use a newer mbdbench";

TEST_F(FileFormat, MechanismsOfThisFormatAndOfNoneAreRead) {
  EXPECT_EQ(of_mechanism(""), "");
  EXPECT_EQ(of_mechanism("format = 1\n"), "");
  const std::string newer = of_mechanism("# a newer file\nformat = 2\nunknown_to_us = 3\n");
  EXPECT_NE(newer.find(kNewer), std::string::npos) << newer;
  EXPECT_NE(newer.find("arm.toml:2"), std::string::npos) << newer;
  for (const char* const wrong : {"0", "-1", "1.5", "\"1\"", "[1]", "true"}) {
    EXPECT_NE(of_mechanism(fmt::format("format = {}\n", wrong)).find("must be a whole number from 1 to 1"),
              std::string::npos)
        << wrong;
  }
}

TEST_F(FileFormat, StudiesLikewise) {
  const auto of_study = [&](const std::string& format) {
    const std::string file = written("study.toml", format + R"(
name = "small"
mechanisms = ["pendulum:2"]
end = 0.1
integrators = ["ode45"]
tolerances = [1e-4]
observe = ["evaluations"]
[variants]
"DCA" = "dca"
)");
    return refusal([&] { studies::read_study(default_registries(), file, false); });
  };
  EXPECT_EQ(of_study(""), "");
  EXPECT_EQ(of_study("format = 1"), "");
  EXPECT_NE(of_study("format = 2\nunknown_to_us = 3").find(kNewer), std::string::npos);
}

TEST_F(FileFormat, FoldersOfResultsSayTheirsAndNewerOnesAreNotTouched) {
  const std::string run = (directory_ / "run").string();
  ASSERT_EQ(call_program({"simulate", "-m", "pendulum:2", "-f", "dca", "-t", "0.1", "--quiet", "-o", run}).exit_code,
            0);
  const auto file = directory_ / "run/provenance.json";
  nlohmann::json provenance = nlohmann::json::parse(content_of(file));
  EXPECT_EQ(provenance.at("format"), kResultFormat);
  EXPECT_EQ(call_program({"compare", run, run}).exit_code, 0);
  provenance.erase("format");  // as older programs wrote it
  std::ofstream(file) << provenance.dump();
  EXPECT_EQ(call_program({"compare", run, run}).exit_code, 0);
  provenance["format"] = kResultFormat + 1;
  std::ofstream(file) << provenance.dump();
  const CommandLineCall compared = call_program({"compare", run, run});
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_NE(compared.errors.find(kNewer), std::string::npos) << compared.errors;
  EXPECT_NE(refusal([&] {
              const ResultFolder folder(directory_ / "run", {.command = "simulate", .continues = true}, false);
            }).find(kNewer),
            std::string::npos);
}

TEST_F(FileFormat, StatesSayWhichProgramContinuesThem) {
  const auto restarted = [&](int format) {
    const std::string state = written("state.json", fmt::format(R"({{"format": {}}})", format));
    return call_program({"simulate", "--restart", state, "-t", "1", "-o", (directory_ / "rest").string()});
  };
  EXPECT_NE(restarted(1).errors.find("continue it with the program that saved it"), std::string::npos);
  EXPECT_NE(restarted(3).errors.find("continue it with the newer program"), std::string::npos) << restarted(3).errors;
  EXPECT_EQ(restarted(3).exit_code, 2);
}

}  // namespace
}  // namespace mbdbench
