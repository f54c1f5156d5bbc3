#include "experiments/registries/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

class AvailableMemoryTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = directory_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  TemporaryDirectory directory_;
};

TEST_F(AvailableMemoryTest, IsTheMachinesOrTheGroupsWhicheverIsLess) {
  EXPECT_EQ(available_memory(directory_.path()), std::nullopt);
  write("proc/meminfo", "MemTotal:       8000 kB\nMemFree:   100 kB\nMemAvailable:  4000 kB\n");
  EXPECT_EQ(available_memory(directory_.path()), 4000.0 * 1024.0);
  // Version 2, without a limit, then with one around the process's own group.
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  EXPECT_EQ(available_memory(directory_.path()), 4000.0 * 1024.0);
  write("sys/fs/cgroup/outer/memory.max", "1000000\n");
  write("sys/fs/cgroup/outer/memory.current", "250000\n");
  EXPECT_EQ(available_memory(directory_.path()), 750000.0);
  // Version 1, where no limit is a huge number.
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_memory(directory_.path()), 750000.0);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "600000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  EXPECT_EQ(available_memory(directory_.path()), 500000.0);
}

TEST_F(AvailableMemoryTest, WhatCannotFitIsRefusedWithTheNumber) {
  Registries registries = default_registries();
  FormulationEntry greedy = *find_formulation(registries.formulations, "dense");
  greedy.key = "greedy";
  greedy.memory.per_velocity_pair = 1e15;
  registries.formulations.push_back(greedy);
  const CommandLineCall run = call_program(registries, {"simulate", "-m", "pendulum:3", "-f", "greedy", "-t", "1",
                                                        "--quiet", "-o", (directory_ / "run").string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("'greedy' needs about 9e+06 GB of memory"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
}

TEST_F(AvailableMemoryTest, EveryFormulationStatesWhatItNeeds) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100");
  for (const FormulationEntry& entry : formulation_registry()) {
    EXPECT_GT(entry.memory.bytes(mechanism), 1e5) << entry.key;
  }
}

}  // namespace
}  // namespace mbdbench
