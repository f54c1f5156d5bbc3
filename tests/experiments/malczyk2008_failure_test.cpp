/// \file
/// What becomes of mechanisms whose right-hand sides cannot be evaluated, and of ranks that answer nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/malczyk2008/measurement.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/forwarding_formulation.hpp"
#include "tests/support/thread_exchange.hpp"

namespace mbdbench::malczyk2008 {
namespace {

FormulationEntry the_bae_haug_entry() {
  const Registries registries = default_registries();
  return *std::find_if(registries.formulations.begin(), registries.formulations.end(),
                       [](const FormulationEntry& entry) { return entry.key == "bae-haug"; });
}

/// The sequential program until 0.05 s, nothing later.
class EndingFormulation final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<EndingFormulation>(right().clone());
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return t > 0.05 ? RhsStatus{false, "crank", "no right-hand side from here on, t is", t} : right().rhs(t, x, xdot);
  }
};

Registries with_ending_bae_haug() {
  Registries registries = default_registries();
  for (FormulationEntry& entry : registries.formulations) {
    if (entry.key == "bae-haug") {
      entry.make = [](const Mechanism& mechanism, const Parameters& options) -> std::unique_ptr<Formulation> {
        return std::make_unique<EndingFormulation>(the_bae_haug_entry().make(mechanism, options));
      };
    }
  }
  return registries;
}

/// A loop of bodies so heavy that the sum of two inertias overflows: the model is valid, its equations are not finite.
Registries with_overflowing_loop() {
  Registries registries = default_registries();
  MechanismEntry entry;
  entry.key = "overflowing";
  entry.make = [](const Parameters& /*parameters*/) {
    const Registries catalogue = default_registries();
    const auto loop = std::find_if(catalogue.mechanisms.begin(), catalogue.mechanisms.end(),
                                   [](const MechanismEntry& other) { return other.key == "loop"; });
    MechanismDescription description = loop->make(parse_parameters(loop->parameters, "", "loop"));
    for (BodyDescription& body : description.bodies) {
      body.mass = 1.5e308;
    }
    return description;
  };
  registries.mechanisms.push_back(entry);
  return registries;
}

/// \returns what both ranks say, rank 0 first.
std::array<TaskTimes, 2> on_both_ranks(const Registries& registries, const Task& task) {
  std::array<TaskTimes, 2> times;
  test::on_two_ranks([&](Exchange& exchange) {
    times[static_cast<std::size_t>(exchange.rank())] = measure(registries, {&task, 1}, &exchange).front();
  });
  return times;
}

void expect_no_times(const TaskTimes& times) {
  EXPECT_FALSE(times.serial || times.sub_chains || times.two_ranks);
  PartResult part;
  add_times(part, "overflowing", "", "time_per_evaluation", times);
  ASSERT_EQ(part.timings.size(), 1U);
  EXPECT_EQ(part.timings.front().verdict, Verdict::failed);
  EXPECT_EQ(part.timings.front().note, times.failure);
}

// Were failures not seen, the times would be those of a return.
TEST(Malczyk2008Failure, ARightHandSideThatFailsHasNoTime) {
  const Registries registries = with_overflowing_loop();
  const Task task = {"overflowing", 0.0, 0.0, 2, 0.1};
  const TaskTimes alone = measure(registries, {&task, 1}, nullptr).front();
  EXPECT_NE(alone.failure.find("not"), std::string::npos) << alone.failure;
  expect_no_times(alone);
  const std::array<TaskTimes, 2> both = on_both_ranks(registries, task);
  for (const TaskTimes& times : both) {
    EXPECT_NE(times.failure, "");
    expect_no_times(times);
  }
}

// On two ranks the sequential program fails first; the one on two ranks, which follows, does not.
TEST(Malczyk2008Failure, OfTheFirstProgramIsKept) {
  const Registries registries = with_ending_bae_haug();
  const Task task = {"slider_crank", 0.1, 0.01, 2, 1.0};
  const std::array<TaskTimes, 2> both = on_both_ranks(registries, task);
  EXPECT_NE(both[0].failure.find("no right-hand side from here on"), std::string::npos) << both[0].failure;
  expect_no_times(both[0]);
  EXPECT_EQ(both[1].failure, "");
}

/// Puts a program of this text in the place of mpirun.
class OtherMpirun {
 public:
  OtherMpirun(const TemporaryDirectory& directory, const std::string& script) : path_(std::getenv("PATH")) {
    const std::filesystem::path file = directory / "mpirun";
    std::ofstream(file) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("PATH", (directory.path().string() + ":" + path_).c_str(), 1);
  }
  ~OtherMpirun() { setenv("PATH", path_.c_str(), 1); }
  OtherMpirun(const OtherMpirun&) = delete;
  OtherMpirun& operator=(const OtherMpirun&) = delete;
  OtherMpirun(OtherMpirun&&) = delete;
  OtherMpirun& operator=(OtherMpirun&&) = delete;

 private:
  std::string path_;
};

TEST(TwoRanksFailure, WithoutAnAnswerTheSequentialPartIsLeft) {
  if (!why_no_two_ranks().empty()) {
    GTEST_SKIP() << why_no_two_ranks();
  }
  Job job;
  job.tasks.push_back({"slider_crank", 0.0, 0.0, 1, 0.1});
  // mpirun -np 2 PROGRAM JOB RESULT
  for (const auto& [script, reason] :
       {std::pair("echo quiet end", "quiet end"), std::pair("echo nonsense > $5", "cannot be read as JSON"),
        std::pair("echo '{}' > $5", "tasks"),
        std::pair("echo '{\"tasks\":[],\"messages\":[],\"library\":\"\",\"transport\":\"\"}' > $5",
                  "0 tasks are answered of 1")}) {
    const TemporaryDirectory directory;
    const OtherMpirun mpirun(directory, script);
    const JobResult result = run_job(default_registries(), job, directory.path());
    EXPECT_TRUE(result.failure.starts_with("mpirun ended without an answer")) << script << ": " << result.failure;
    EXPECT_NE(result.failure.find(reason), std::string::npos) << script << ": " << result.failure;
    ASSERT_EQ(result.tasks.size(), 1U);
    EXPECT_TRUE(result.tasks.front().serial.has_value());
    EXPECT_FALSE(result.tasks.front().two_ranks.has_value());
  }
}

TEST(TwoRanksFailure, TheirTimeIsLimitedAboveWhatTheTasksMayTake) {
  Job job;
  EXPECT_GE(longest_time(job), 60.0);
  job.tasks.push_back({"slider_crank", 0.0, 0.0, 200, 3.0});
  job.tasks.push_back({"slider_crank", 0.0, 0.0, 200, 5.0});
  EXPECT_DOUBLE_EQ(longest_time(job) - longest_time({}), 20.0 * 8.0);
}

}  // namespace
}  // namespace mbdbench::malczyk2008
