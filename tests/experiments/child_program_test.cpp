#include "experiments/malczyk2008/child_program.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "experiments/malczyk2008/two_ranks.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/terminal/interruption.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::malczyk2008 {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

template <class Condition>
bool comes_true(const Condition& condition) {
  // Far above what it takes (tens of milliseconds, seconds for MPI on a busy machine): nothing waits for its end.
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < end) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// This process inherits the children of its children that died, so that it can wait for them.
class Inheritance {
 public:
  Inheritance() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Inheritance() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;
  Inheritance(Inheritance&&) = delete;
  Inheritance& operator=(Inheritance&&) = delete;
};

/// \returns whether all descendants have ended, and the status of the one that ended last.
bool all_gone(int& last_status) {
  return comes_true([&] {
    int status = 0;
    const pid_t process = waitpid(-1, &status, WNOHANG);
    last_status = process > 0 ? status : last_status;
    return process < 0 && errno == ECHILD;
  });
}

/// Starts a main program that does `work` and kills it once `started` is true.
template <class Work, class Condition>
void start_and_kill(const Work& work, const Condition& started, const std::vector<int>& signals) {
  const pid_t main_program = fork();
  ASSERT_GE(main_program, 0);
  if (main_program == 0) {
    const InterruptionGuard guard;  // as in `mbdbench run`
    work();
    _exit(0);
  }
  EXPECT_TRUE(comes_true(started));
  for (const int signal : signals) {
    kill(main_program, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  int status = 0;
  ASSERT_EQ(waitpid(main_program, &status, 0), main_program);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), signals.back());
}

TEST(ChildProgram, TellsHowItEnded) {
  const TemporaryDirectory directory;
  const fs::path log = directory / "log";
  EXPECT_EQ(run_child({"/bin/sh", "-c", "echo $WORD; echo errors >&2"}, {"WORD=output"}, log), "");
  EXPECT_EQ(content_of(log), "output\nerrors\n");
  EXPECT_EQ(run_child({"/bin/sh", "-c", "exit 3"}, {}, log), "exit status 3");
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -9 $$"}, {}, log), "killed by signal 9");
  EXPECT_EQ(run_child({"/no/such/program"}, {}, log), "/no/such/program cannot be started: No such file or directory");
}

TEST(ChildProgram, ThatDoesNotEndIsEnded) {
  const Inheritance inheritance;
  const TemporaryDirectory directory;
  const fs::path log = directory / "log";
  const auto start = Clock::now();
  EXPECT_EQ(run_child({"/bin/sh", "-c", "sleep 600; true"}, {"PATH=/usr/bin:/bin"}, log, 0.5), "not ended after 0.5 s");
  // Below the ten seconds after which it would have been killed.
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 9.0);
  // The sleep ends too, which the shell started.
  int status = 0;
  EXPECT_TRUE(all_gone(status));
}

// Programs inherit that SIGCHLD is ignored; then nobody learns how a child ended.
TEST(ChildProgram, WhoseEndIsNotKnownDidNotSucceed) {
  const TemporaryDirectory directory;
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const std::string end = run_child({"/bin/sh", "-c", "exit 0"}, {}, directory / "log");
  std::signal(SIGCHLD, before);
  EXPECT_EQ(end, "its end is not known: No child processes");
}

// Without the signal at the parent's death the sleep outlives this test's patience.
TEST(ChildProgram, EndsWithTheProgramThatStartedIt) {
  const Inheritance inheritance;
  for (const std::vector<int>& signals : {std::vector<int>{SIGKILL}, {SIGHUP}, {SIGTERM, SIGTERM}, {SIGINT, SIGINT}}) {
    const TemporaryDirectory directory;
    const fs::path log = directory / "log";
    start_and_kill(
        [&] {
          run_child({"/bin/sh", "-c", "echo started; exec sleep 600"}, {"PATH=/usr/bin:/bin"}, log);
        },
        [&] { return content_of(log) == "started\n"; }, signals);
    int status = 0;
    ASSERT_TRUE(all_gone(status));
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
  }
}

TEST(ChildProgram, OneInterruptionLetsItFinish) {
  const TemporaryDirectory directory;
  const fs::path log = directory / "log";
  const InterruptionGuard guard;
  const std::string script = "kill -INT $PPID; kill -TERM $PPID; sleep 0.1; echo finished";
  EXPECT_EQ(run_child({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, log), "");
  EXPECT_EQ(content_of(log), "finished\n");
  EXPECT_TRUE(interruption_requested());
}

// mpirun and both ranks: two processors would stay busy for hours.
TEST(TwoRanks, EndWithTheMainProgram) {
  if (!why_no_two_ranks().empty()) {
    GTEST_SKIP() << why_no_two_ranks();
  }
  const Inheritance inheritance;
  const TemporaryDirectory directory;
  Job job;
  job.tasks.push_back({.mechanism = "slider_crank", .end = 0.1, .step = 0.01, .repetitions = 1 << 30, .patience = 1e4});
  const auto ranks_at_work = [&] {
    // The ranks name the job in their command line; mpirun does too.
    int found = 0;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
      found +=
          content_of(entry.path() / "cmdline").find((directory / "job.json").string()) != std::string::npos ? 1 : 0;
    }
    return found == 3;
  };
  start_and_kill([&] { run_job(default_registries(), job, directory.path()); }, ranks_at_work, {SIGKILL});
  int status = 0;
  EXPECT_TRUE(all_gone(status));
  EXPECT_FALSE(ranks_at_work());
}

}  // namespace
}  // namespace mbdbench::malczyk2008
