// `mpirun -n R mbdbench simulate` as users call it: the files of one process for any number of processes and threads,
// and errors that end all processes with their message and exit code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/experiments/on_processes.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

class SimulateOnProcessesRunTest : public OnProcessesTest {
 protected:
  int simulate(int processes, const std::string& arguments) {
    return shell(fmt::format("{} -n {} {} simulate --quiet {}", kMpirun, processes, program(), arguments));
  }
};

TEST_F(SimulateOnProcessesRunTest, any_processes_and_threads_write_the_files_of_one) {
  for (const auto& [key, leaf] : {std::pair<std::string, const char*>("hdca", "subchain"),
                                  {"dca", "subchain"},
                                  {"tree", "subchain,exchange=tree"},
                                  {"bodies", "body"}}) {
    const std::string arguments =
        fmt::format("--mechanism pendulum_xyz:60 --formulation {}[leaf={},subchains=32] --time 0.1",
                    key == "dca" ? key : "hdca", leaf);
    ASSERT_EQ(shell(fmt::format("{} simulate --quiet {} --output {}_alone", program(), arguments, key)), 0) << said_;
    for (const auto& [processes, threads] : {std::pair(2, 1), {2, 2}, {4, 1}}) {
      const std::string output = fmt::format("{}_{}_{}", key, processes, threads);
      ASSERT_EQ(simulate(processes, fmt::format("{} --threads {} --output {}", arguments, threads, output)), 0)
          << said_;
      // Once, by the first process.
      EXPECT_EQ(said_.find("results: "), said_.rfind("results: "));
      for (const char* file : {"trajectory.csv", "statistics.json", "state.json", "mechanism.toml"}) {
        const std::string expected = content_of(directory_ / (key + "_alone") / file);
        EXPECT_FALSE(expected.empty()) << file;
        EXPECT_TRUE(content_of(directory_ / output / file) == expected) << output << "/" << file;
      }
    }
  }
}

TEST_F(SimulateOnProcessesRunTest, sub_chains_of_a_loop_write_the_files_of_one_and_follow_the_work_of_dampers) {
  const std::string arguments =
      "--mechanism loop:15,springs=3 --formulation bae-haug[alpha=10,beta=10,processes=2] --time 0:0.05:0.3";
  ASSERT_EQ(shell(program() + " simulate --quiet --output alone " + arguments), 0) << said_;
  ASSERT_EQ(simulate(2, "--output processes " + arguments), 0) << said_;
  for (const char* file : {"trajectory.csv", "statistics.json", "state.json"}) {
    EXPECT_FALSE(content_of(directory_ / "alone" / file).empty()) << file;
    EXPECT_TRUE(content_of(directory_ / "processes" / file) == content_of(directory_ / "alone" / file)) << file;
  }
  // Without the option every process has the whole state, and is told what would divide it.
  EXPECT_EQ(simulate(2, "--mechanism loop:9 --formulation bae-haug[alpha=10,beta=10] --time 0.1 --output run"), 0);
  EXPECT_TRUE(said("each computes all of it; formulation 'bae-haug' on 2 processes: option processes=2 makes it"))
      << said_;
}

// Any mechanism, formulation and integrator: branches that processes share, quaternions, projections, implicit methods.
TEST_F(SimulateOnProcessesRunTest, processes_with_the_whole_state_write_the_files_of_one) {
  for (const char* const arguments :
       {"--mechanism random_tree:seed=4,bodies=300 --formulation hdca --time 0:0.02:0.06",
        "--mechanism ladder:80 --formulation dca-alm-proj --time 0:0.01:0.02",
        "--mechanism double_loop --formulation dca --integrator gauss4 --fixed-step 0.01 --time 0:0.05:0.1",
        // Exact derivatives, which every process computes by itself.
        "--mechanism random_tree:seed=4,bodies=300,loads=0 --formulation hdca --integrator ode15s --time "
        "0:0.01:0.01"}) {
    ASSERT_EQ(shell(program() + " simulate --quiet --overwrite --output alone " + arguments), 0) << said_;
    ASSERT_EQ(simulate(2, std::string("--overwrite --output processes ") + arguments), 0) << said_;
    for (const char* file : {"trajectory.csv", "statistics.json", "state.json"}) {
      EXPECT_FALSE(content_of(directory_ / "alone" / file).empty()) << file;
      EXPECT_TRUE(content_of(directory_ / "processes" / file) == content_of(directory_ / "alone" / file))
          << file << ' ' << arguments;
    }
  }
}

// A loop through the ground, and loops that leave branches, with projections and quaternions.
TEST_F(SimulateOnProcessesRunTest, branches_of_closed_mechanisms_write_the_files_of_one) {
  for (const char* const arguments :
       {"--mechanism loop:1101 --formulation dca --time 0:0.002:0.004",
        "--mechanism loop:401 --formulation bae-haug --time 0:0.002:0.004",
        "--mechanism random_closed:seed=4701,bodies=280,cuts=5 --formulation hdca --time 0:0.002:0.004"}) {
    ASSERT_EQ(shell(program() + " simulate --quiet --overwrite --output alone " + arguments), 0) << said_;
    ASSERT_EQ(simulate(2, std::string("--overwrite --output processes ") + arguments), 0) << said_;
    EXPECT_FALSE(said("each computes all of it")) << said_;
    for (const char* file : {"trajectory.csv", "statistics.json", "state.json"}) {
      EXPECT_FALSE(content_of(directory_ / "alone" / file).empty()) << file;
      EXPECT_TRUE(content_of(directory_ / "processes" / file) == content_of(directory_ / "alone" / file))
          << file << ' ' << arguments;
    }
  }
  // Loops one behind another have no branches.
  ASSERT_EQ(simulate(2, "--mechanism ladder:120 --formulation dca --time 1e-4 --overwrite --output processes"), 0);
  EXPECT_TRUE(said("each computes all of it")) << said_;
}

TEST_F(SimulateOnProcessesRunTest, loads_in_joints_are_evaluated_where_the_joints_are) {
  ASSERT_EQ(shell(program() + " export -m pendulum_xyz:60 -o chain.toml"), 0) << said_;
  std::ofstream chain(directory_ / "chain.toml", std::ios::app);
  for (const int joint : {3, 20, 41, 60}) {
    chain << fmt::format(
                 "\n[[joint_loads]]\nname = \"motor{0}\"\njoint = \"joint{0}\"\nlaw = \"2 * sin(3 * t) - 0.5 * v\"\n",
                 joint)
          << fmt::format(
                 "\n[[joint_springs]]\nname = \"spring{0}\"\njoint = \"joint{0}\"\nstiffness = 5.0\ndamping = 1.0\n",
                 joint);
  }
  chain.close();
  for (const std::string formulation : {"hdca[leaf=subchain,subchains=32]", "dca[leaf=body,subchains=32]"}) {
    const std::string arguments = "--mechanism chain.toml --time 0:0.02:0.06 --overwrite --formulation " + formulation;
    ASSERT_EQ(shell(program() + " simulate --quiet --output alone " + arguments), 0) << said_;
    ASSERT_EQ(simulate(4, "--output processes " + arguments), 0) << said_;
    for (const char* file : {"trajectory.csv", "statistics.json", "state.json"}) {
      EXPECT_FALSE(content_of(directory_ / "alone" / file).empty()) << file;
      EXPECT_TRUE(content_of(directory_ / "processes" / file) == content_of(directory_ / "alone" / file))
          << formulation << " " << file;
    }
  }
}

TEST_F(SimulateOnProcessesRunTest, a_run_on_processes_continues_one_of_one_and_the_other_way_round) {
  const std::string arguments =
      "--mechanism pendulum_xyz:60 --formulation hdca[leaf=subchain,subchains=32] --time "
      "0:0.02:0.04";
  ASSERT_EQ(simulate(2, arguments + " --output first"), 0) << said_;
  ASSERT_EQ(simulate(2, "--restart first/state.json --time 0:0.02:0.08 --output processes"), 0) << said_;
  ASSERT_EQ(shell(program() + " simulate --quiet --restart first/state.json --time 0:0.02:0.08 --output alone"), 0)
      << said_;
  EXPECT_EQ(content_of(directory_ / "processes/trajectory.csv"), content_of(directory_ / "alone/trajectory.csv"));
  EXPECT_EQ(content_of(directory_ / "processes/state.json"), content_of(directory_ / "alone/state.json"));
}

TEST_F(SimulateOnProcessesRunTest, errors_end_all_processes_with_one_message_and_exit_code) {
  const std::string divided =
      "--mechanism pendulum:64 --formulation hdca[leaf=subchain,subchains=16] --output run --time "
      "0.1";
  const auto refused = [&](int processes, const std::string& arguments, const std::string& message) {
    EXPECT_EQ(simulate(processes, arguments), 2) << said_;
    EXPECT_TRUE(said(message)) << said_;
    EXPECT_EQ(said_.find("mbdbench: "), said_.rfind("mbdbench: ")) << "once, not by every process: " << said_;
    EXPECT_FALSE(fs::exists(directory_ / "run")) << arguments;
  };
  refused(4, divided, "option subchains=32 makes it 4 blocks");
  refused(2, divided + " --integrator cvode-bdf", "ode45, ode23, ode113");
  refused(2, divided + " --nonsense", "unknown option '--nonsense'");
  EXPECT_EQ(shell(fmt::format("{} -n 2 {} list", kMpirun, program())), 2);
  EXPECT_TRUE(said("mbdbench list runs on one process only")) << said_;
  EXPECT_EQ(shell(fmt::format("{} -np 2 {} run nosuch", kMpirun, program())), 2);
  EXPECT_EQ(said_.find("unknown experiment"), said_.rfind("unknown experiment")) << said_;
  EXPECT_TRUE(said("unknown experiment 'nosuch'")) << said_;
}

TEST_F(SimulateOnProcessesRunTest, what_fails_on_one_process_ends_all) {
  const std::string divided = "--mechanism pendulum:64 --formulation hdca[leaf=subchain,subchains=16] --quiet";
  // A process with another command: found before anything is computed.
  const std::string simulate_it = fmt::format("{} simulate {} --output run", program(), divided);
  EXPECT_EQ(shell(two_processes(simulate_it + " --time 1", simulate_it + " --time 2")), 2);
  EXPECT_TRUE(said("different commands")) << said_;
  EXPECT_FALSE(fs::exists(directory_ / "run"));
  // Only the first process writes: a directory that it cannot make.
  std::ofstream(directory_ / "file") << "no directory";
  EXPECT_EQ(simulate(2, divided + " --time 0.1 --output file/run"), 3) << said_;
  // A process that cannot read what the others can.
  EXPECT_EQ(shell(two_processes(simulate_it + " --time 1", simulate_it + " --time 1 --set nonsense=1")), 2);
  EXPECT_TRUE(said("nonsense")) << said_;
  // A process that is killed while the others wait for it: mpirun tells, and nobody waits for ever.
  const std::string killed = simulate_it + " --time 1000 & sleep 1; kill -KILL $!; wait $!";
  EXPECT_NE(shell(two_processes(simulate_it + " --time 1000", killed)), 124) << said_;
}

// States of a batch: two rows a formulation, files once, and the reasons why not.
TEST_F(SimulateOnProcessesRunTest, bench_shares_the_states_of_a_batch) {
  const std::string bench = fmt::format("{} -n 2 {} bench", kMpirun, program());
  ASSERT_EQ(shell(bench + " -m robot_arm -f aba -f nothing-of-loops --batch 64"), 2) << said_;
  EXPECT_EQ(said_.find("unknown formulation"), said_.rfind("unknown formulation")) << said_;
  ASSERT_EQ(shell(bench + " -m robot_arm -m four_bar -f aba -f bae-haug --batch 64 --repetitions 2 -o times"), 0)
      << said_;
  EXPECT_TRUE(said("shared by 2 processes")) << said_;
  EXPECT_TRUE(said("bae-haug, rates everywhere")) << said_;
  EXPECT_TRUE(said("refused: it has closed loops")) << said_;
  EXPECT_EQ(said_.find("mechanism  "), said_.rfind("mechanism  ", said_.rfind("mechanism  ") - 1)) << said_;
  EXPECT_NE(content_of(directory_ / "times" / "timings.csv").find("batch=64,processes=2"), std::string::npos);
  EXPECT_EQ(shell(bench + " -m robot_arm -f aba"), 2);
  EXPECT_TRUE(said("but the states of --batch")) << said_;
  const std::string alone = program() + " bench -m robot_arm -f aba --repetitions 2 --batch ";
  EXPECT_EQ(shell(two_processes(alone + "8", alone + "16")), 2);
  EXPECT_TRUE(said("different commands")) << said_;
}

}  // namespace
}  // namespace mbdbench
