/// \file
/// `mbdbench simulate` from the outside: files, exit codes, messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

TEST_F(SimulateCommandTest, ProjectionsHaveTheInstructionSetThatWasAskedFor) {
  if (best_instruction_set().level == 0) {
    GTEST_SKIP() << "this machine has one instruction set";
  }
  for (const char* const set : {"auto", "baseline"}) {
    EXPECT_EQ(simulate(set, {"-m", "loop:24", "-f", "naudet[projection=off]", "--project", "1e-12", "-t", "0:0.05:0.5",
                             "--simd", set})
                  .exit_code,
              0)
        << set;
  }
  // The recursion itself has one set of kernels; sums of the assembly differ in their last digits.
  EXPECT_NE(content_of(directory_ / "auto" / "trajectory.csv"), content_of(directory_ / "baseline" / "trajectory.csv"));
}

TEST_F(SimulateCommandTest, WritesEveryFile) {
  const CommandLineCall run = simulate_pendulum("run", {"--time", "0:0.25:1"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  for (const char* file :
       {"trajectory.csv", "statistics.json", "timings.json", "state.json", "mechanism.toml", "provenance.json"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_ / "run" / file)) << file;
  }
  const CsvTable trajectory = read_csv(directory_ / "run" / "trajectory.csv");
  EXPECT_EQ(trajectory.rows.size(), 5U);
  const nlohmann::json json = statistics("run");
  EXPECT_EQ(json.at("status"), "ok");
  EXPECT_EQ(json.at("samples"), 5);
  EXPECT_EQ(json.at("rhs_calls"), json.at("nfevals"));
  const SavedState saved = state("run");
  EXPECT_EQ(saved.t, 1.0);
  EXPECT_EQ(saved.names,
            (std::vector<std::string>{"q.joint1", "q.joint2", "q.joint3", "v.joint1", "v.joint2", "v.joint3"}));
  // The last sample and the saved state are the same numbers.
  for (std::size_t i = 0; i < saved.x.size(); ++i) {
    EXPECT_EQ(std::stod(trajectory.rows.back()[i + 1]), saved.x[i]);
  }
}

TEST_F(SimulateCommandTest, OneOutputStepGivesTwoSamples) {
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0:1:1"}).exit_code, 0);
  const CsvTable trajectory = read_csv(directory_ / "run" / "trajectory.csv");
  ASSERT_EQ(trajectory.rows.size(), 2U);
  EXPECT_EQ(std::stod(trajectory.rows.front().front()), 0.0);
  EXPECT_EQ(std::stod(trajectory.rows.back().front()), 1.0);
}

TEST_F(SimulateCommandTest, RunsBackwardInTimeAreJudgedLikeOthers) {
  const CommandLineCall run = call_program({"simulate", "--mechanism", "four_bar:angle=0.3", "--formulation", "dense",
                                            "--time", "5:-2.5:0", "--output", (directory_ / "run").string()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(statistics("run").at("status"), "ok");
}

// p' = f + kappa Phi_q^T sigma takes sigma away forward in time; backward it would make it grow by exp(kappa t).
TEST_F(SimulateCommandTest, BackwardInTimeNoGaugeLeaks) {
  const auto run = [&](const char* formulation) {
    return simulate("run", {"--mechanism", "four_bar", "--formulation", formulation, "--time", "5:-5:0", "--rtol",
                            "1e-8", "--atol", "1e-8", "--overwrite"});
  };
  for (const char* const formulation : {"hdca", "hdca[leaf=body]", "dense-momentum"}) {
    const CommandLineCall backward = run(formulation);
    EXPECT_EQ(backward.exit_code, 0) << formulation << ": " << backward.errors;
    EXPECT_TRUE(says(backward, "backward in time")) << formulation;
    const nlohmann::json energy = statistics("run").at("energy");
    EXPECT_LT(energy.at("largest_imbalance").get<double>(), 1e-5) << formulation << ", J of 5.65 J";
  }
  const CommandLineCall asked = run("hdca[leak=5]");
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_TRUE(says(asked, "leak=0")) << asked.errors;
}

TEST_F(SimulateCommandTest, TwoRunsGiveTheSameFiles) {
  for (const char* output : {"a", "b"}) {
    ASSERT_EQ(simulate_pendulum(output, {"--time", "1"}).exit_code, 0);
  }
  for (const char* file : {"trajectory.csv", "statistics.json", "state.json", "mechanism.toml"}) {
    EXPECT_EQ(content_of(directory_ / "a" / file), content_of(directory_ / "b" / file)) << file;
  }
}

// The biped passes a singular position of its two dependent joints at 0.893 s.
TEST_F(SimulateCommandTest, TellsWhenAndHowTheDependentJointsChange) {
  const auto simulate_biped = [&](const std::string& output, const std::string& formulation, const char* switching) {
    return simulate(output, {"--mechanism", "biped", "--formulation", formulation + "[" + switching + "]", "--rtol",
                             "1e-8", "--atol", "1e-8", "--time", "1"});
  };
  for (const std::string formulation : {"naudet", "naudet-reduced", "naudet-acc-reduced"}) {
    SCOPED_TRACE(formulation);
    const CommandLineCall run = simulate_biped(formulation, formulation, "switching=on");
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const nlohmann::json events = statistics(formulation).at("events");
    ASSERT_EQ(events.size(), 1U) << events;
    const auto t = events[0].at("t").get<double>();
    const std::string change = events[0].at("change");
    // Close before it, where an entry of K exceeds `switch_at` = 50.
    EXPECT_GT(t, 0.88);
    EXPECT_LT(t, 0.893);
    EXPECT_EQ(change, "dependent joints: ankle1, knee1 instead of hip, knee2");
    EXPECT_TRUE(says(run, change)) << run.output;
    // The state says the same: the first sample with another choice is the one at that time.
    const CsvTable trajectory = read_csv(directory_ / formulation / "trajectory.csv");
    const auto found = std::find(trajectory.columns.begin(), trajectory.columns.end(), "dependent.1");
    ASSERT_NE(found, trajectory.columns.end());
    const auto column = static_cast<std::size_t>(found - trajectory.columns.begin());
    const auto row = std::find_if(trajectory.rows.begin(), trajectory.rows.end(),
                                  [&](const auto& cells) { return cells[column] != trajectory.rows.front()[column]; });
    ASSERT_NE(row, trajectory.rows.end());
    EXPECT_EQ(std::stod(row->front()), t);
  }
  // A projection packs the state anew and so comes back to the choice of the start once that is well conditioned.
  ASSERT_EQ(simulate("projected", {"-m", "biped", "-f", "naudet", "--time", "1", "--project", "1e-10"}).exit_code, 0);
  const nlohmann::json events = statistics("projected").at("events");
  ASSERT_EQ(events.size(), 2U) << events;
  EXPECT_EQ(events[1].at("change"), "dependent joints: hip, knee2 instead of ankle1, knee1");
  ASSERT_EQ(simulate_biped("off", "naudet", "switching=off").exit_code, 1);
  EXPECT_TRUE(statistics("off").at("events").empty());
}

TEST_F(SimulateCommandTest, SetsInitialValuesByName) {
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0:0.5:1", "--set", "q.joint1=0.5", "--set", "v.joint3=1"}).exit_code,
            0);
  const CsvTable trajectory = read_csv(directory_ / "run" / "trajectory.csv");
  EXPECT_EQ(trajectory.rows.front()[1], "0.5");
  EXPECT_EQ(trajectory.rows.front()[6], "1");
  const CommandLineCall wrong = simulate_pendulum("wrong", {"--time", "1", "--set", "q.joint4=0.5"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(says(wrong, "has no initial value 'q.joint4'")) << wrong.errors;
  EXPECT_TRUE(says(wrong, "q.joint3")) << wrong.errors;
}

TEST_F(SimulateCommandTest, ErrorControlReachesTheIntegrator) {
  const auto count = [&](const std::string& output, std::vector<std::string> more) {
    more.insert(more.end(), {"--time", "2"});
    const CommandLineCall run = simulate_pendulum(output, more);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return statistics(output).at("nfevals").get<int>();
  };
  const int all = count("all", {});
  EXPECT_EQ(count("named", {"--control", "position,velocity"}), all);
  EXPECT_EQ(count("kinds", {"--atol", "position=1e-6", "--atol", "velocity=1e-6"}), all);
  EXPECT_LT(count("angles", {"--control", "position"}), all);
  EXPECT_GT(count("tight", {"--rtol", "1e-9", "--atol", "1e-9"}), all);
  EXPECT_GT(count("small", {"--max-step", "0.005"}), all);
  EXPECT_NE(count("norm", {"--norm-control"}), all);
}

TEST_F(SimulateCommandTest, TheFehlbergPairsChoicesReachIt) {
  const std::vector<std::string> common = {"--time", "2", "--integrator", "rkf45"};
  const auto run_with = [&](const std::string& output, std::vector<std::string> more) {
    more.insert(more.begin(), common.begin(), common.end());
    const CommandLineCall run = simulate_pendulum(output, more);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return statistics(output);
  };
  const nlohmann::json plain = run_with("plain", {});
  EXPECT_FALSE(plain.contains("mean_local_error"));
  EXPECT_EQ(plain.at("niterations"), 0);
  const nlohmann::json recorded = run_with("recorded", {"--local-error"});
  EXPECT_EQ(recorded.at("nfevals"), plain.at("nfevals"));
  ASSERT_EQ(recorded.at("mean_local_error").size(), 6U);
  const double error = recorded.at("mean_local_error").at("v.joint3").get<double>();
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 1e-4) << "the tolerance is 1e-6 relative to velocities of some rad/s";
  run_with("higher", {"--higher-order"});
  EXPECT_NE(state("higher").x, state("plain").x);
}

TEST_F(SimulateCommandTest, IterationsOfImplicitMethodsAreShown) {
  const CommandLineCall run =
      simulate_pendulum("run", {"--time", "1", "--integrator", "gauss4", "--fixed-step", "0.01"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_GT(statistics("run").at("niterations"), 300);
}

TEST_F(SimulateCommandTest, AFailedRunKeepsWhatItHas) {
  const CommandLineCall run = simulate_pendulum("run", {"--time", "10", "--max-evaluations", "200"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "the limit of 200 evaluations is reached")) << run.errors;
  EXPECT_EQ(statistics("run").at("status"), "evaluation_limit");
  EXPECT_GT(read_csv(directory_ / "run" / "trajectory.csv").rows.size(), 10U);
  const CommandLineCall rest =
      simulate("rest", {"--time", "10", "--restart", (directory_ / "run" / "state.json").string()});
  EXPECT_EQ(rest.exit_code, 0) << rest.errors;
}

TEST_F(SimulateCommandTest, AnInterruptedRunKeepsWhatItHasAndSaysHowToContinue) {
  Registries registries = default_registries();
  // An integrator that is interrupted by the user after its first step.
  OdeEntry interrupted = *find_integrator(registries.integrators, "ode45");
  interrupted.key = "interrupted";
  interrupted.solve = [](const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                         const OdeOptions& options, OdeSink& sink) {
    std::raise(SIGINT);
    return find_integrator(integrator_registry(), "ode45")->solve(system, tspan, x0, options, sink);
  };
  registries.integrators.push_back(interrupted);
  const std::string output = (directory_ / "run").string();
  const CommandLineCall run = call_program(
      registries, {"simulate", "--quiet", "--mechanism", "pendulum:3", "--formulation", "dense", "--integrator",
                   "interrupted", "--time", "2", "--atol", "position=1e-8", "--output", output});
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_TRUE(says(run, "--restart " + output + "/state.json --time 2 --output ")) << run.errors;
  EXPECT_TRUE(says(run, "--output " + output + "-continued")) << run.errors;
  EXPECT_EQ(statistics("run").at("status"), "stopped");
  const SavedState saved = state("run");
  EXPECT_EQ(std::stod(read_csv(directory_ / "run" / "trajectory.csv").rows.back().front()), saved.t);
  EXPECT_LT(saved.t, 2.0);
  // The command need not repeat it.
  EXPECT_EQ(saved.settings.absolute_tolerance_of.at(StateKind::position), 1e-8);
}

TEST_F(SimulateCommandTest, AnEarlierRunIsNotOverwrittenUnasked) {
  ASSERT_EQ(simulate_pendulum("run", {"--time", "1"}).exit_code, 0);
  const std::string before = content_of(directory_ / "run" / "trajectory.csv");
  const CommandLineCall refused = simulate_pendulum("run", {"--time", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "already holds a run")) << refused.errors;
  EXPECT_EQ(content_of(directory_ / "run" / "trajectory.csv"), before);
  EXPECT_EQ(simulate_pendulum("run", {"--time", "2", "--overwrite"}).exit_code, 0);
}

TEST_F(SimulateCommandTest, BadInputIsExplained) {
  const auto refused = [&](std::vector<std::string> more, const std::string& reason) {
    const CommandLineCall run = simulate("run", std::move(more));
    EXPECT_EQ(run.exit_code, 2) << reason;
    EXPECT_TRUE(says(run, reason)) << run.errors;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "run"));
  };
  const std::vector<std::string> good = {"--mechanism", "pendulum:3", "--formulation", "dense", "--time", "1"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = good;
    all.insert(all.end(), more);
    return all;
  };
  refused({"--formulation", "dense", "--time", "1"}, "--mechanism is missing");
  refused({"--mechanism", "pendulum:3", "--time", "1"}, "--formulation is missing");
  refused({"--mechanism", "pendulun:3", "--formulation", "dense", "--time", "1"}, "pendulum");
  refused({"--mechanism", "none.toml", "--formulation", "dense", "--time", "1"}, "none.toml");
  refused({"--mechanism", "pendulum:3", "--formulation", "hdac", "--time", "1"}, "did you mean \"hdca\"?");
  refused(with({"--integrator", "ode54"}), "did you mean \"ode45\"?");
  refused(with({"--integrator", "stormer-verlet", "--fixed-step", "0.01"}), "is for separable systems only");
  refused(with({"--rtol", "-1"}), "-1");
  refused(with({"--atol", "speed=1"}), "'speed' is not a kind of state");
  refused(with({"--max-evaluations", "-5"}), "--max-evaluations -5: must be from 1 to");
  refused(with({"--max-evaluations", "0"}), "--max-evaluations 0: must be from 1 to");
  refused(with({"--refine", "0"}), "--refine 0: must be from 1 to 1000; leave it out for the default");
  refused(with({"--fixed-step", "0.01"}), "integrator 'ode45' chooses its steps itself; --max-step limits them");
  refused(with({"--higher-order"}), "--higher-order: integrator 'ode45' leaves no such choice; rkf45");
  refused(with({"--integrator", "gauss4", "--fixed-step", "0.01", "--local-error"}), "'gauss4' leaves no such choice");
  refused(with({"--max-step", "3e-15"}), "--max-step 3e-15: must be at least 3.55e-15 s");
  refused(with({"--max-step", "-1"}), "--max-step -1: must be at least");
  refused(with({"--control", "momentum"}), "--control: the state has no component of kind momentum");
  refused(with({"--set", "q.joint1"}), "must read name=value");
  const auto chosen = [](const char* mechanism, const char* formulation) {
    return std::vector<std::string>{"--mechanism", mechanism, "--formulation", formulation, "--time", "1"};
  };
  refused(chosen("pendulum:3", "hdca[nonsense=1]"), "nonsense");
  refused(chosen("pendulum:3", "hdca[gauge=leak"), "should end with ]");
  refused(chosen("pendulm:3", "hdca"), "did you mean \"pendulum\"?");
  refused(with({"--formulation", "hdca"}), "--formulation is given 2 times; give it once");
  refused(with({"--integrator", "gauss4"}), "--fixed-step H is missing: integrator 'gauss4'");
  refused(with({"--rtol", "1e-20"}), "--rtol 1e-20: must be");
  refused(with({"--rtol"}), "--rtol needs a value");
  refused(with({"--rtol", "tight"}), "--rtol 'tight': must be a number");
  refused(with({"--atol", "0"}), "--atol 0: must be positive");
  refused(with({"--atol", "position=-1"}), "--atol position=-1: must be positive");
  refused(with({"--initial-step", "-1"}), "--initial-step -1: must be positive");
  refused(with({"--max-step", "inf"}), "--max-step inf: must be finite");
  refused(with({"--checkpoint", "-3"}), "--checkpoint '-3': must be a number from 0 to");
  refused(with({"--norm-control", "--atol", "position=1e-3"}), "--norm-control: the norm");
  refused(with({"--frequency", "3"}), "--frequency");
}

TEST(SimulateHelpTest, ShowsExamples) {
  const CommandLineCall run = call_program({"simulate", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(says(run, "Examples:"));
  EXPECT_TRUE(says(run, "--restart run/state.json"));
}

TEST_F(SimulateCommandTest, ProjectionKeepsTheConstraintsIsRecordedAndTakenOverByARestart) {
  const std::vector<std::string> loop = {"--mechanism",         "four_bar", "--formulation",
                                         "dca[projection=off]", "--rtol",   "1e-4"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), loop.begin(), loop.end());
    return more;
  };
  ASSERT_EQ(simulate("plain", with({"--time", "1"})).exit_code, 0);
  ASSERT_EQ(simulate("projected", with({"--time", "1", "--project", "1e-10"})).exit_code, 0);
  EXPECT_EQ(statistics("plain")["projection_tolerance"], 0.0);
  EXPECT_EQ(statistics("projected")["projection_tolerance"], 1e-10);
  // Every projected step costs one evaluation more.
  EXPECT_GT(statistics("projected")["nfevals"], statistics("plain")["nfevals"]);
  EXPECT_EQ(state("projected").settings.projection_tolerance, 1e-10);
  const std::string file = (directory_ / "projected" / "state.json").string();
  const CommandLineCall rest = simulate("rest", {"--restart", file, "--time", "2"});
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_TRUE(says(rest, "--project 1e-10")) << rest.output;
  for (const char* wrong : {"-1e-8", "2", "nan"}) {
    const CommandLineCall refused = simulate("refused", with({"--time", "1", "--project", wrong}));
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_TRUE(says(refused, "--project")) << refused.errors;
  }
}

TEST_F(SimulateCommandTest, ASingularStartIsNamedBeforeTheRun) {
  const CommandLineCall run =
      simulate("line", {"--mechanism", "five_bar:line", "--formulation", "hdca", "--time", "0.01"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run, "the initial position is singular")) << run.errors;
  EXPECT_TRUE(says(run, "'joint5'")) << run.errors;
}

}  // namespace
}  // namespace mbdbench
