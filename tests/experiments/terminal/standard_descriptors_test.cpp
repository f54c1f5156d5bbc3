/// \file
/// A program that is started with closed descriptors opens them before its first file.
#include "experiments/terminal/standard_descriptors.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class StandardDescriptorsTest : public SimulateCommandTest {
 protected:
  /// Runs the program in a process of its own without these descriptors. \returns its exit code
  static int code_without(const std::vector<int>& closed, const std::vector<std::string>& arguments) {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<const char*> words = {"mbdbench"};
      for (const std::string& argument : arguments) {
        words.push_back(argument.c_str());
      }
      for (const int descriptor : closed) {
        close(descriptor);
      }
      _exit(run_command_line(default_registries(), static_cast<int>(words.size()), words.data()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(StandardDescriptorsTest, MessagesNeverGoIntoTheResults) {
  const std::vector<std::string> arguments = {"simulate", "-m", "pendulum:3", "-f", "aba", "-t", "0:0.1:1"};
  const auto with_output = [&](const std::string& name) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"-o", (directory_ / name).string()});
    return all;
  };
  ASSERT_EQ(call_program(with_output("open")).exit_code, 0);
  const std::vector<std::vector<int>> sets = {{0}, {2}, {0, 2}, {1}, {0, 1}, {1, 2}, {0, 1, 2}};
  for (const std::vector<int>& closed : sets) {
    const std::string name = testing::PrintToString(closed);
    const bool output_closed = std::find(closed.begin(), closed.end(), 1) != closed.end();
    EXPECT_EQ(code_without(closed, with_output(name)), output_closed ? 3 : 0) << name;
    for (const char* const file : {"trajectory.csv", "statistics.json", "state.json"}) {
      EXPECT_EQ(content_of(directory_ / name / file), content_of(directory_ / "open" / file)) << name << ' ' << file;
    }
  }
}

TEST_F(StandardDescriptorsTest, AWrongCommandEndsInOrder) {
  for (const std::vector<int>& closed : {std::vector<int>{2}, {1, 2}, {0, 1, 2}}) {
    EXPECT_EQ(code_without(closed, {"simulate", "-m", "nonsense"}), 2) << testing::PrintToString(closed);
  }
}

TEST_F(StandardDescriptorsTest, AFullStandardErrorLosesMessagesOnly) {
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/full", "w", stderr) == nullptr) {
      _exit(99);
    }
    const std::vector<const char*> words = {"mbdbench", "simulate", "-m", "nonsense"};
    _exit(run_command_line(default_registries(), static_cast<int>(words.size()), words.data()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

}  // namespace
}  // namespace mbdbench
