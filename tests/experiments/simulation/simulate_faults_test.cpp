/// \file
/// `mbdbench simulate` under faults: two runs into one directory, kill -9, a full disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "experiments/files/directory_lock.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

class SimulateFaultsTest : public SimulateCommandTest {
 protected:
  /// Runs the program in a process of its own. \param prepare called there first
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments,
                            const std::function<void()>& prepare = {}) const {
    const pid_t child = fork();
    if (child == 0) {
      if (prepare) {
        prepare();
      }
      _exit(call_program(arguments).exit_code);
    }
    return child;
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
};

int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool appears(const fs::path& file) {
  for (int i = 0; i < 3000 && !fs::exists(file); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fs::exists(file);
}

TEST_F(SimulateFaultsTest, TwoRunsDoNotShareADirectory) {
  {
    const DirectoryLock lock(directory_ / "run");
    const CommandLineCall second = simulate_pendulum("run", {"--time", "1"});
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_TRUE(says(second, "is writing there")) << second.errors;
    EXPECT_TRUE(says(second, std::to_string(getpid()))) << second.errors;
    EXPECT_FALSE(fs::exists(directory_ / "run" / "trajectory.csv.part"));
  }
  EXPECT_EQ(simulate_pendulum("run", {"--time", "1"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(directory_ / "run" / ".lock"));
}

TEST_F(SimulateFaultsTest, TheLockOfAKilledRunIsTakenOver) {
  const pid_t child = fork();
  if (child == 0) {
    const DirectoryLock lock(directory_ / "run");
    pause();
    _exit(0);
  }
  ASSERT_TRUE(appears(directory_ / "run" / ".lock"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(child, SIGKILL);
  exit_code_of(child);
  ASSERT_TRUE(fs::exists(directory_ / "run" / ".lock"));
  const CommandLineCall run = simulate_pendulum("run", {"--time", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run, "takes over the lock that process " + std::to_string(child))) << run.errors;
}

TEST_F(SimulateFaultsTest, AKilledRunContinuesFromItsCheckpoint) {
  const std::vector<std::string> arguments = {"simulate",     "--quiet", "-m",       "pendulum:3",
                                              "-f",           "aba",     "--time",   "1e4",
                                              "--checkpoint", "0.05",    "--output", path("killed")};
  const pid_t child = start(arguments);
  ASSERT_TRUE(appears(directory_ / "killed" / "checkpoint.json"));
  kill(child, SIGKILL);
  EXPECT_EQ(exit_code_of(child), -1);
  ASSERT_FALSE(fs::exists(directory_ / "killed" / "state.json")) << "it should have been killed before its end";
  const std::string part = content_of(directory_ / "killed" / "trajectory.csv.part");

  const CommandLineCall again = call_program(arguments);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(says(again, "--restart " + path("killed") + "/checkpoint.json")) << again.errors;
  EXPECT_EQ(content_of(directory_ / "killed" / "trajectory.csv.part"), part);

  const SavedState saved = read_saved_state(directory_ / "killed" / "checkpoint.json");
  EXPECT_GT(saved.t, 0.0);
  const CommandLineCall rest =
      simulate("rest", {"--restart", path("killed") + "/checkpoint.json", "--time", std::to_string(saved.t + 1.0)});
  EXPECT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_EQ(statistics("rest").at("t_start"), saved.t);

  // Asked for, everything that was left is replaced.
  EXPECT_EQ(simulate_pendulum("killed", {"--time", "1", "--overwrite"}).exit_code, 0);
  for (const char* const left : {"checkpoint.json", "trajectory.csv.part", ".lock"}) {
    EXPECT_FALSE(fs::exists(directory_ / "killed" / left)) << left;
  }
}

TEST_F(SimulateFaultsTest, ADiskThatIsFullHasItsOwnExitCodeAndKeepsTheState) {
  const pid_t child =
      start({"simulate", "--quiet", "-m", "pendulum:3", "-f", "aba", "--time", "1e4", "--output", path("full")}, [] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{200'000, 200'000};
        setrlimit(RLIMIT_FSIZE, &limit);
      });
  EXPECT_EQ(exit_code_of(child), 3);
  EXPECT_EQ(statistics("full").at("status"), "output_failed");
  EXPECT_GT(state("full").t, 0.0);
  EXPECT_EQ(
      simulate("rest", {"--restart", path("full") + "/state.json", "--time", std::to_string(state("full").t + 1.0)})
          .exit_code,
      0);
}

}  // namespace
}  // namespace mbdbench
