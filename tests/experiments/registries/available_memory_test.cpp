#include "experiments/registries/memory_demand.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/records/record.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

/// The registries with `greedy`, which says that it needs more memory than any machine has.
Registries with_greedy() {
  Registries registries = default_registries();
  FormulationEntry greedy = *find_formulation(registries.formulations, "dense");
  greedy.key = "greedy";
  greedy.memory.per_velocity_pair = 1e15;
  registries.formulations.push_back(greedy);
  return registries;
}

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
  const CommandLineCall run = call_program(with_greedy(), {"simulate", "-m", "pendulum:3", "-f", "greedy", "-t", "1",
                                                           "--quiet", "-o", (directory_ / "run").string()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("'greedy' needs about 9e+06 GB of memory"), std::string::npos) << run.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
}

TEST_F(AvailableMemoryTest, BenchRefusesTheRowAndKeepsTheOthers) {
  const std::string folder = (directory_ / "times").string();
  const CommandLineCall call = call_program(with_greedy(), {"bench", "-m", "pendulum:3", "-m", "pendulum:4", "-f",
                                                            "aba", "-f", "greedy", "--repetitions", "1", "-o", folder});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  const std::vector<Record> records = read_records(directory_ / "times" / "timings.csv");
  ASSERT_EQ(records.size(), 4U);
  for (const std::size_t k : {1U, 3U}) {
    EXPECT_EQ(records[k].verdict, Verdict::refused);
    EXPECT_NE(records[k].note.find("needs about"), std::string::npos) << records[k].note;
  }
  EXPECT_NE(records[0].verdict, Verdict::refused);
}

TEST_F(AvailableMemoryTest, AStudyIsRefusedBeforeItStarts) {
  const auto study = [&](const std::string& variants, const std::string& observe, const std::string& more) {
    std::ofstream(directory_ / "study.toml")
        << "name = \"large\"\nmechanisms = [\"pendulum:3\"]\nobserve = " << observe << "\n"
        << more << "[variants]\n"
        << variants;
    return call_program(with_greedy(), {"study", (directory_ / "study.toml").string(), "--no-report", "--quiet", "-o",
                                        (directory_ / "run").string()});
  };
  const std::string runs = "end = 0.1\nintegrators = [\"ode45\"]\ntolerances = [1e-4]\n";
  for (const CommandLineCall& call : {study("\"small\" = \"aba\"\n\"large\" = \"greedy\"\n", "[\"evaluations\"]", runs),
                                      study("\"small\" = \"aba\"\n\"large\" = \"greedy\"\n", "[\"bodies\"]", ""),
                                      study("\"small\" = \"aba\"\n", "[\"position_error\"]",
                                            runs + "references = [\"greedy with ode45\", \"dense with ode45\"]\n")}) {
    EXPECT_EQ(call.exit_code, 2) << call.output;
    EXPECT_NE(call.errors.find("'greedy' needs about 9e+06 GB of memory"), std::string::npos) << call.errors;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "run" / "parts")) << "nothing has begun";
  }
}

TEST_F(AvailableMemoryTest, VerifyLooksAtAllBeforeTheFirst) {
  Registries registries = with_greedy();
  registries.formulations.entries.back().memory = {.per_body = 1e3, .per_row_pair = 1e15};  // of closed mechanisms
  const CommandLineCall call = call_program(
      registries, {"verify", "-m", "pendulum:2", "-m", "four_bar", "-f", "greedy", "--states", "1", "--quiet"});
  EXPECT_EQ(call.exit_code, 2) << call.output;
  EXPECT_NE(call.errors.find("mechanism 'four_bar' in formulation 'greedy' needs"), std::string::npos) << call.errors;
  EXPECT_EQ(call.output, "") << "nothing is compared, of which the table would be lost";
}

TEST_F(AvailableMemoryTest, AnIntegratorsMatricesCountToo) {
  Registries registries = default_registries();
  for (OdeEntry& entry : registries.integrators) {
    entry.matrices *= 1e14;
    entry.stage_matrices *= 1e14;
  }
  const auto run = [&](const std::string& integrator, const std::vector<std::string>& settings = {}) {
    std::vector<std::string> words = {"simulate", "-m",      "pendulum:3", "-f",
                                      "aba",      "-i",      integrator,   "-t",
                                      "0.1",      "--quiet", "-o",         (directory_ / integrator).string()};
    words.insert(words.end(), settings.begin(), settings.end());
    return call_program(registries, words);
  };
  const CommandLineCall call = run("ode15s");
  EXPECT_EQ(call.exit_code, 2) << call.output;
  EXPECT_NE(call.errors.find("integrator 'ode15s', which keeps matrices"), std::string::npos) << call.errors;
  EXPECT_EQ(run("ode45").exit_code, 0) << "explicit ones keep none";
  EXPECT_EQ(run("gauss4", {"--fixed-step", "0.1", "--jacobian", "exact"}).exit_code, 2)
      << "Newton's method for its stages keeps some";
  EXPECT_EQ(run("gauss4", {"--fixed-step", "0.1"}).exit_code, 0) << "fixed-point iteration keeps none";
}

TEST_F(AvailableMemoryTest, WhatStandsBesideOneAnotherIsAddedUp) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:3");
  FormulationEntry half = *find_formulation(formulation_registry(), "dense");
  half.memory = {.per_body = 0.6 * available_memory().value_or(1e300) / 3.0};
  MemoryDemand demand;
  demand.add(half, mechanism);
  EXPECT_NO_THROW(demand.require());
  demand.add(half, mechanism);
  EXPECT_THROW(demand.require(), MemoryRefusal);
}

TEST_F(AvailableMemoryTest, EveryFormulationStatesWhatItNeeds) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100");
  for (const FormulationEntry& entry : formulation_registry()) {
    EXPECT_GT(entry.memory.bytes(mechanism), 1e5) << entry.key;
  }
}

}  // namespace
}  // namespace mbdbench
