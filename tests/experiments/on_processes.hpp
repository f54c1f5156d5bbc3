#pragma once
/// \file
/// Calls of the program under mpirun, as users call it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {

// What a machine with fewer processors than processes, in a container and with root as its only user, needs.
constexpr const char* kMpirun =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 ASAN_OPTIONS=detect_leaks=0 "
    "mpirun --oversubscribe --bind-to none";

/// The program in the build folder above the one of the tests.
inline std::string program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "mbdbench").string();
}

/// \returns a launcher's command that gives the two processes commands of their own. Not with mpirun's colon: that of
/// Open MPI 5.0.7 breaks down at it, whatever the programs are.
inline std::string two_processes(const std::string& first, const std::string& second) {
  return fmt::format("{} -n 2 sh -c 'if [ \"$OMPI_COMM_WORLD_RANK\" = 0 ]; then {}; else {}; fi'", kMpirun, first,
                     second);
}

/// Whether two processes of the program find one another: there is an mpirun, and the program was built with MPI.
inline bool can_run_on_processes() {
  static const bool can =
      std::system(fmt::format("env {} -np 2 {} --version > /dev/null 2>&1", kMpirun, program()).c_str()) == 0;
  return can;
}

class OnProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run_on_processes()) {
      GTEST_SKIP() << "there is no mpirun, or the program was built without MPI";
    }
  }

  /// \returns the exit code of a shell command in the temporary directory; what it says is kept in `said_`. Ends by
  /// itself: a process that waits for ever is an error.
  int shell(const std::string& command) {
    const std::string log = (directory_ / "log").string();
    const int status = std::system(
        fmt::format("cd {} && timeout 120 env {} > {} 2>&1", directory_.path().string(), command, log).c_str());
    said_ = content_of(log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] bool said(const std::string& text) const { return said_.find(text) != std::string::npos; }

  TemporaryDirectory directory_;
  std::string said_;
};

}  // namespace mbdbench
