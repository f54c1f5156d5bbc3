// Gradients of runs that cannot be: each is refused with what is wrong and what would be right.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/experiments/gradients/gradient_problem.hpp"

namespace mbdbench {
namespace {

using gradients::Control;
using gradients::DifferentiableRun;
using gradients::VariedNumbers;

std::string refusal_of_call(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

struct Asked {
  std::string mechanism = "pendulum:2";
  std::vector<std::string> parameters = {"mass.body1"};
  std::vector<Control> controls = {};
  gradients::RunSettings settings = {"aba", "rk4", 0.0, 1.0, 0.1, 1e9};
};

std::string refusal(const Asked& asked) {
  return refusal_of_call([&] {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), asked.mechanism);
    const DifferentiableRun run(formulation_registry(), mechanism,
                                VariedNumbers(mechanism, asked.parameters, asked.controls), asked.settings);
  });
}

void expect_says(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

TEST(run_gradient_refusals, name_parameters_that_there_are) {
  expect_says(refusal({.parameters = {"mass.body9"}}), {"'mass.body9'", "pendulum", "did you mean", "mass.body1"});
  expect_says(refusal({.parameters = {"damping.joint1"}}), {"'damping.joint1'", "parameters:"});
  expect_says(refusal({.parameters = {"mass.body1", "mass.body1"}}), {"'mass.body1' stands twice"});
  expect_says(refusal({.parameters = {}}), {"no parameter and no control"});
  expect_says(refusal({.controls = {{"joint7", {0.0, 1.0}}}}), {"control 'joint7'", "joint1, joint2"});
  expect_says(refusal({.controls = {{"joint1", {0.0}}}}), {"control 'joint1'", "has 1 times"});
  expect_says(refusal({.controls = {{"joint1", {0.0, 0.5, 0.5}}}}), {"time 3 is 0.5", "increase"});
  expect_says(refusal({.controls = {{"joint1", {0.0, 1.0}}, {"joint1", {0.0, 1.0}}}}), {"stands twice"});
}

TEST(run_gradient_refusals, say_which_methods_steps_and_memory_are_taken) {
  expect_says(refusal({.settings = {"aba", "ode54", 0.0, 1.0, 0.1, 1e9}}),
              {"'ode54'", "did you mean \"ode45\"", "rk2, rk4, rkf45-fixed", "gauss4", "odeint-fehlberg78"});
  expect_says(refusal({.settings = {"aba", "ode113", 0.0, 1.0, 0.1, 1e9}}), {"'ode113' is no Runge-Kutta method"});
  expect_says(refusal({.settings = {"aba", "stormer-verlet", 0.0, 1.0, 0.1, 1e9}}),
              {"separable", "implicit-midpoint, gauss4 and gauss6"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, {}, 1e9}}), {"step: 'rk4' has fixed steps"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, 0.0, 1e9}}), {"step: is 0", "positive"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, std::nan(""), 1e9}}), {"step: is nan"});
  expect_says(refusal({.settings = {"aba", "rk4", 1.0, 1.0, 0.1, 1e9}}), {"from 1 to 1"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, 1e-12, 1e9}}), {"1e+12 steps"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, 0.01, 100.0}}), {"100 bytes are allowed", "at least"});
}

TEST(run_gradient_refusals, say_which_settings_go_with_a_method) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, 0.1, 1e9}}),
              {"step: 'ode45' chooses its steps", "rtol and atol"});
  expect_says(refusal({.settings = {"aba", "gauss4", 0.0, 1.0, 0.1, 1e9, 1e-6}}),
              {"rtol, atol: 'gauss4' has fixed steps", "ode23, ode45, rkf45, odeint-dopri5, odeint-fehlberg78"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, 0.1, 1e9, {}, 1e-6}}), {"rtol, atol: 'rk4'"});
  expect_says(refusal({.settings = {"aba", "rk4", 0.0, 1.0, 0.1, 1e9, {}, {}, {0.5}}}), {"land_on: 'rk4'"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 1e9, 0.0}}), {"rtol: is 0", "at least 2.22e-14"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 1e9, kNone}}), {"rtol: is nan"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 1e9, 1e-6, -1.0}}), {"atol: is -1", "positive"});
  expect_says(refusal({.settings = {"aba", "ode45", 1.0, 1.0, {}, 1e9}}), {"from 1 to 1"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 1e9, {}, {}, {0.5, 1.5}}}),
              {"land_on: time 1.5 is not in the run from 0 to 1"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 1e9, {}, {}, {kNone}}}), {"land_on: time nan"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 100.0}}), {"memory:", "7 steps", "tolerances"});
  expect_says(refusal({.settings = {"aba", "ode45", 0.0, 1.0, {}, 500.0, 1e-4}}), {"memory: 500 bytes are allowed"});
}

TEST(run_gradient_refusals, of_a_method_that_chooses_its_steps_ask_for_landings) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  const DifferentiableRun run(
      formulation_registry(), mechanism,
      VariedNumbers(mechanism, std::vector<std::string>{"mass.body1"}, {{"joint1", {0.2, 5.0}}}),
      {"aba", "ode45", 0.0, 1.0, {}, 1e9, 1e-6, {}, {0.5}});
  gradients::SquareSum objective(mechanism, run.times());
  const auto track = [&](double at) {
    return refusal_of_call([&] { objective.add_track("tip", std::vector<double>{at}, std::vector<double>(3), 1.0); });
  };
  EXPECT_EQ(track(0.0), "no error");
  EXPECT_EQ(track(0.2), "no error");
  EXPECT_EQ(track(0.5), "no error");
  EXPECT_EQ(track(1.0), "no error");
  // An end of a step it is, but not with other masses.
  expect_says(track(run.times().at(1)), {"no end of a step whatever the numbers are", "land_on"});
  expect_says(track(0.6), {"time 0.6", "the nearest such time is 0.5"});
}

TEST(run_gradient_refusals, say_where_there_are_no_derivatives) {
  expect_says(refusal({.mechanism = "four_bar", .settings = {"hdca[gauge=reset]", "rk4", 0.0, 1.0, 0.1, 1e9}}),
              {"'hdca[gauge=reset]'", "take tangent"});
  expect_says(refusal({.settings = {"nobody", "rk4", 0.0, 1.0, 0.1, 1e9}}), {"nobody"});
  expect_says(refusal({.mechanism = "four_bar"}), {"'aba' does not take mechanism"});
}

TEST(run_gradient_refusals, of_objectives_name_the_term) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");  // has a marker "tip"
  DifferentiableRun run(formulation_registry(), mechanism,
                        VariedNumbers(mechanism, std::vector<std::string>{"mass.body1"}, {}),
                        {"aba", "rk4", 0.0, 1.0, 0.1, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  const auto track = [&](const std::string& marker, const std::vector<double>& at, const std::vector<double>& places) {
    return refusal_of_call([&] { objective.add_track(marker, at, places, 1.0); });
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  expect_says(track("tipp", {0.5}, {0.0, 0.0, 0.0}), {"no marker 'tipp'", "did you mean \"tip\""});
  expect_says(track("tip", {0.55}, {0.0, 0.0, 0.0}), {"marker 'tip'", "time 0.55 is no end of a step"});
  expect_says(track("tip", {0.5}, {0.0, kNone, 0.0}), {"'tip' at time 0.5", "y is not a number"});
  expect_says(track("tip", {0.5}, {0.0}), {"x, y, z for every time"});
  const auto target = [&](const std::string& name, double value, double factor) {
    return refusal_of_call([&] { objective.add_target(name, value, factor, false); });
  };
  expect_says(target("q.joint9", 0.0, 1.0), {"'q.joint9'", "q.joint1"});
  expect_says(target("q.joint1", kNone, 1.0), {"target of 'q.joint1' is nan"});
  expect_says(target("q.joint1", 0.0, kNone), {"factor of 'q.joint1' is nan"});
  expect_says(refusal_of_call([&] { run.add_control_cost(1.0); }), {"no controls"});
  objective.add_target("q.joint1", 0.0, 1e308, false);
  objective.add_target("q.joint1", 1e10, 1e308, false);
  expect_says(refusal_of_call([&] { (void)run.gradient(std::vector<double>{1.0}, objective); }),
              {"the objective is inf"});
}

TEST(run_gradient_refusals, of_values_name_them) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:2");
  DifferentiableRun run(formulation_registry(), mechanism,
                        VariedNumbers(mechanism, std::vector<std::string>{"mass.body1", "v.joint2"}, {}),
                        {"aba", "rk4", 0.0, 1.0, 0.1, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  objective.add_target("q.joint1", 0.0, 1.0, false);
  const auto at = [&](const std::vector<double>& values) {
    return refusal_of_call([&] { (void)run.gradient(values, objective); });
  };
  expect_says(at({std::nan(""), 0.0}), {"'mass.body1' is nan"});
  expect_says(at({-1.0, 0.0}), {"body1", "mass"});
  expect_says(at({1.0}), {"2 numbers, 1 were given"});
  // The run leaves all numbers: a state that is not finite is told with its time.
  expect_says(at({1.0, 1e300}), {"t = "});
}

TEST(run_gradient_refusals, of_a_driven_joint_leave_its_start_alone) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_tree:seed=1,bodies=6,motions=1,loads=0");
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.motions.empty() || joint.nu != 1) {
      continue;
    }
    EXPECT_NE(refusal_of_call([&] {
                const VariedNumbers numbers(mechanism, std::vector<std::string>{"v." + joint.name}, {});
              }).find("none of that name"),
              std::string::npos);
    expect_says(refusal_of_call([&] {
                  const VariedNumbers numbers(mechanism, {}, {{joint.name, {0.0, 1.0}}});
                }),
                {"prescribed motion"});
  }
}

}  // namespace
}  // namespace mbdbench
