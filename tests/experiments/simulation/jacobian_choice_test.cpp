/// \file
/// Where implicit methods of `mbdbench simulate` take df/dx from, and what it saves.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "experiments/simulation/simulation.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class JacobianChoiceTest : public SimulateCommandTest {
 protected:
  nlohmann::json counts(const std::string& output, std::vector<std::string> more) const {
    const CommandLineCall call = simulate(output, std::move(more));
    EXPECT_EQ(call.exit_code, 0) << call.errors;
    return statistics(output);
  }
};

TEST_F(JacobianChoiceTest, ExactWhereThereAreDerivativesAndDifferencesOnRequest) {
  const std::vector<std::vector<std::string>> methods = {
      {"ode15s"}, {"ode15s-bdf"}, {"odeint-rosenbrock4"}, {"trapezoidal", "--fixed-step", "0.01"}};
  for (const std::vector<std::string>& method : methods) {
    for (const std::string formulation : {"aba", "naudet"}) {
      SCOPED_TRACE(method.front() + " " + formulation);
      std::vector<std::string> arguments = {"-m", "pendulum:4", "-f", formulation, "-t", "1", "--overwrite", "-i"};
      arguments.insert(arguments.end(), method.begin(), method.end());
      const nlohmann::json exact = counts("exact", arguments);
      arguments.insert(arguments.end(), {"--jacobian", "differences"});
      const nlohmann::json differences = counts("differences", arguments);
      EXPECT_EQ(exact.at("jacobian"), "exact");
      EXPECT_EQ(differences.at("jacobian"), "differences");
      EXPECT_GT(exact.at("npds"), 0);
      EXPECT_LT(exact.at("nfevals"), differences.at("nfevals"));
      const SavedState a = state("exact");
      const SavedState b = state("differences");
      for (std::size_t i = 0; i < a.x.size(); ++i) {
        EXPECT_NEAR(a.x[i], b.x[i], 1e-3) << "some hundreds of local errors of 1e-6; the same step, solved to rounding";
      }
    }
  }
}

/// States with coordinates of cut joints, and with numbers that no derivative moves.
TEST_F(JacobianChoiceTest, ReducedMomentaOfLoopsTakeExactOnes) {
  for (const std::string method : {"ode15s", "ode15s-bdf"}) {
    for (const std::string mechanism : {"four_bar", "slider_crank"}) {
      SCOPED_TRACE(method + " " + mechanism);
      std::vector<std::string> arguments = {"-m",   mechanism, "-f",   "naudet", "-t",    "0.5",        "-i",
                                            method, "--rtol",  "1e-8", "--atol", "1e-10", "--overwrite"};
      const nlohmann::json exact = counts("exact", arguments);
      arguments.insert(arguments.end(), {"--jacobian", "differences"});
      const nlohmann::json differences = counts("differences", arguments);
      EXPECT_EQ(exact.at("jacobian"), "exact");
      EXPECT_GT(exact.at("npds"), 0);
      // Its Jacobian of eight columns is formed twice; the slider-crank's once in 600 evaluations.
      if (mechanism == "four_bar") {
        EXPECT_LT(exact.at("nfevals"), differences.at("nfevals"));
      }
      const SavedState a = state("exact");
      const SavedState b = state("differences");
      for (std::size_t i = 0; i < a.x.size(); ++i) {
        EXPECT_NEAR(a.x[i], b.x[i], 1e-6 * (1.0 + std::abs(b.x[i]))) << "a hundred local errors of 1e-8";
      }
    }
  }
}

TEST_F(JacobianChoiceTest, GaussMethodsTakeExactOnesFromTheStartOnRequestAndWhereSweepsFail) {
  const std::vector<std::string> arguments = {"-m", "pendulum:4", "-f",     "hdca",         "-t",
                                              "1",  "-i",         "gauss4", "--fixed-step", "0.01"};
  std::vector<std::string> on_request = arguments;
  on_request.insert(on_request.end(), {"--jacobian", "exact"});
  const nlohmann::json sweeps = counts("sweeps", arguments);
  const nlohmann::json newton = counts("newton", on_request);
  EXPECT_EQ(sweeps.at("npds"), 0);
  EXPECT_GT(newton.at("npds"), 0);
  EXPECT_LT(newton.at("nfevals"), sweeps.at("nfevals"));
  const SavedState a = state("sweeps");
  const SavedState b = state("newton");
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    EXPECT_NEAR(a.x[i], b.x[i], 1e-10) << "the same steps, solved to rounding";
  }
  const std::string stiff = std::string(MBDBENCH_SOURCE_DIR) + "/experiments/studies/mechanisms/stiff_arm.toml";
  const nlohmann::json unasked =
      counts("stiff", {"-m", stiff, "-f", "aba", "-t", "0.5", "-i", "gauss4", "--fixed-step", "0.01"});
  EXPECT_GT(unasked.at("npds"), 0);
  EXPECT_EQ(unasked.at("jacobian"), "exact");
}

TEST_F(JacobianChoiceTest, FormulationsWithoutDerivativesTakeDifferencesUnlessExactOnesAreAskedFor) {
  EXPECT_EQ(
      counts("automatic", {"-m", "four_bar", "-f", "hdca[gauge=reset]", "-i", "ode15s", "-t", "0.5"}).at("jacobian"),
      "differences");
  const CommandLineCall refused = simulate(
      "refused", {"-m", "four_bar", "-f", "hdca[gauge=reset]", "-i", "ode15s", "-t", "0.5", "--jacobian", "exact"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "no exact derivatives of mechanism")) << refused.errors;
  EXPECT_TRUE(says(refused, "take tangent")) << "what has them: " << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "refused"));
}

TEST_F(JacobianChoiceTest, DifferencesStandInWhereAStateHasNoExactOne) {
  const std::string flat = std::string(MBDBENCH_SOURCE_DIR) + "/tests/experiments/mechanisms/flat_parallelogram.toml";
  const std::vector<std::string> arguments = {"-m", flat, "-f", "dense", "-i", "ode15s", "-t", "0.5"};
  const nlohmann::json automatic = counts("automatic", arguments);
  EXPECT_EQ(automatic.at("jacobian"), "exact");
  EXPECT_GE(automatic.at("jacobians_by_differences"), 1);
  std::vector<std::string> strict = arguments;
  strict.insert(strict.end(), {"--jacobian", "exact"});
  const CommandLineCall refused = simulate("strict", strict);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(says(refused, "singular")) << refused.errors;
}

TEST_F(JacobianChoiceTest, MethodsWithoutJacobiansRefuseTheChoice) {
  for (const std::string choice : {"exact", "differences"}) {
    const CommandLineCall call =
        simulate("run", {"-m", "pendulum:3", "-f", "aba", "-i", "ode45", "-t", "0.5", "--jacobian", choice});
    EXPECT_EQ(call.exit_code, 2);
    EXPECT_TRUE(says(call, "integrator 'ode45' forms no Jacobian; these do: ode15s")) << call.errors;
  }
}

TEST_F(JacobianChoiceTest, ARestartGoesOnWithTheChoice) {
  counts("half", {"-m", "pendulum:3", "-f", "aba", "-i", "ode15s", "-t", "0.5", "--jacobian", "differences"});
  const std::string file = (directory_ / "half" / "state.json").string();
  const CommandLineCall on = simulate("on", {"--restart", file, "-t", "1"});
  ASSERT_EQ(on.exit_code, 0) << on.errors;
  EXPECT_TRUE(says(on, "--jacobian differences")) << on.output;
  EXPECT_EQ(statistics("on").at("jacobian"), "differences");
  EXPECT_EQ(counts("exact", {"--restart", file, "-t", "1", "--jacobian", "exact"}).at("jacobian"), "exact");
  EXPECT_FALSE(counts("other", {"--restart", file, "-t", "1", "-i", "ode45"}).contains("jacobian"));
  EXPECT_EQ(state("other").settings.jacobian, JacobianChoice::automatic);
}

TEST_F(JacobianChoiceTest, QuaternionsAndProjectionsDoNotDisturbIt) {
  // Normalised quaternions are states that after_step changed; a projected formulation hands its derivatives on.
  const nlohmann::json tree = counts("tree", {"-m", "random_tree:seed=5,bodies=3,loads=0", "-f", "aba", "-i", "ode15s",
                                              "-t", "2", "--rtol", "1e-6", "--project", "1e-9"});
  EXPECT_EQ(tree.at("jacobian"), "exact");
  EXPECT_EQ(tree.at("status"), "ok");
}

}  // namespace
}  // namespace mbdbench
