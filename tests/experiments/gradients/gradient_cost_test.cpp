// What a gradient of a run costs: how often the formulation is asked, and the time in units of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/experiments/gradients/gradient_problem.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

using gradients::DifferentiableRun;
using gradients::VariedNumbers;

struct Calls {
  int rates = 0;
  int products = 0;
  int others = 0;
};

/// What is told of all formulations of the entries below; tests of one process run one after another.
Calls& calls() {
  static Calls all;
  return all;
}

/// Aba, which counts what it is asked for; and, `moved`, one that does with accepted steps what projections do.
class CountedAba : public test::ForwardingFormulation {
 public:
  CountedAba(const Mechanism& mechanism, bool moves)
      : ForwardingFormulation(
            make_formulation(formulation_registry(), *find_formulation(formulation_registry(), "aba"), mechanism)),
        moves_(moves) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<CountedAba>(mechanism(), moves_);
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    ++calls().products;
    return right().vector_jacobian(t, x, weights, product);
  }
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override {
    ++calls().products;
    return right().weighted_derivatives(t, x, weights, product, by);
  }
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override {
    ++calls().others;
    return right().parameter_jacobian(t, x, parameters, derivatives);
  }
  [[nodiscard]] std::string without_jacobian() const override { return right().without_jacobian(); }
  bool after_step(double /*t*/, std::span<double> x) override {
    x[0] += moves_ ? 1e-12 : 0.0;
    return moves_;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    ++calls().rates;
    return right().rhs(t, x, xdot);
  }

 private:
  bool moves_;
};

FormulationRegistry counted_entries() {
  FormulationEntry counted = *find_formulation(formulation_registry(), "aba");
  counted.key = "counted";
  counted.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                    const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    return std::make_unique<CountedAba>(mechanism, false);
  };
  FormulationEntry moved = counted;
  moved.key = "moved";
  moved.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                  const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    return std::make_unique<CountedAba>(mechanism, true);
  };
  return {{counted, moved}};
}

TEST(run_gradient, asks_for_a_run_and_a_product_a_stage_whatever_the_number_of_parameters) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:4");
  const FormulationRegistry entries = counted_entries();
  const auto count = [&](const std::vector<std::string>& parameters, std::size_t knots, double memory) {
    std::vector<gradients::Control> controls;
    for (const char* const joint : {"joint1", "joint2", "joint3", "joint4"}) {
      gradients::Control control{joint, {}};
      for (std::size_t k = 0; k < knots; ++k) {
        control.times.push_back(0.01 * static_cast<double>(k));
      }
      if (knots > 0) {
        controls.push_back(control);
      }
    }
    DifferentiableRun run(entries, mechanism, VariedNumbers(mechanism, parameters, controls),
                          {"counted", "rk4", 0.0, 1.0, 0.01, memory});
    gradients::SquareSum objective(mechanism, run.times());
    objective.add_target("q.joint1", 0.0, 1.0, true);
    calls() = {};
    (void)run.gradient(run.numbers().own_values(), objective);
    return calls();
  };
  for (const auto& asked : {count({"v.joint1"}, 0, 1e9),
                            count({"mass.body1", "mass.body2", "mass.body3", "mass.body4", "q.joint1"}, 50, 1e9)}) {
    EXPECT_EQ(asked.rates, 400);
    EXPECT_EQ(asked.products, 400);
    EXPECT_EQ(asked.others, 0);
  }
  const Calls with_checkpoints = count({"v.joint1"}, 0, 4e3);
  EXPECT_EQ(with_checkpoints.rates, 800);
  EXPECT_EQ(with_checkpoints.products, 400);
}

TEST(run_gradient, refuses_formulations_that_change_the_ends_of_steps) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:4");
  DifferentiableRun run(counted_entries(), mechanism,
                        VariedNumbers(mechanism, std::vector<std::string>{"v.joint1"}, {}),
                        {"moved", "rk4", 0.0, 1.0, 0.01, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  objective.add_target("q.joint1", 0.0, 1.0, true);
  try {
    (void)run.gradient(run.numbers().own_values(), objective);
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("projection"), std::string::npos) << error.what();
  }
}

/// Time of this thread alone: other programs do not count.
double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A gradient costs less than so many runs. 2.7 to 4.4 was measured on a quiet machine.
constexpr double kRunsAtMost = 6.0;

/// How many runs a gradient takes, least times over least times. Both are taken in turn, seven times; then up to five
/// times as often while the ratio looks too large: what else runs on the machine takes cache and clock rate from some
/// turns and never gives any, so that more turns bring both least times nearer to those of a quiet machine.
template <typename Run, typename Gradient>
double runs_per_gradient(const Run& run, const Gradient& gradient) {
  const auto lessen = [](double& least, const auto& work) {
    const double before = thread_seconds();
    work();
    least = std::min(least, thread_seconds() - before);
  };
  double least_run = std::numeric_limits<double>::infinity();
  double least_gradient = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 7 || (turn < 35 && least_gradient >= kRunsAtMost * least_run); ++turn) {
    lessen(least_run, run);
    lessen(least_gradient, gradient);
  }
  return least_gradient / least_run;
}

/// What is timed: a mechanism and who treats it.
struct Timed {
  const char* word;
  std::vector<const char*> formulations;
};

TEST(run_gradient, costs_a_few_runs_at_any_number_of_parameters) {
  const std::vector<const char*> open = {"aba", "naudet"};
  const std::vector<const char*> closed = {"bae-haug[projection=velocities]", "bae-haug[projection=off]"};
  for (const auto& [word, formulations] :
       {Timed{"pendulum:8", open}, Timed{"robot_arm", open}, Timed{"quadruped", open}, Timed{"humanoid", open},
        Timed{"pendulum_xyz:64", open}, Timed{"four_bar:angle=0.3", closed}, Timed{"five_bar", closed},
        Timed{"double_loop:angle=0.2", closed}}) {
    const Mechanism plain = make_mechanism(mechanism_registry(), word);
    MechanismDescription description = plain.description();
    std::vector<gradients::Control> controls;
    for (const Joint& joint : plain.tree_joints()) {
      if ((joint.type == JointType::revolute || joint.type == JointType::prismatic) && joint.motions.empty()) {
        description.joint_springs.push_back({.name = fmt::format("spring{}", description.joint_springs.size() + 1),
                                             .joint = joint.name,
                                             .component = 0,
                                             .stiffness = 1.0,
                                             .damping = 0.1});
        controls.push_back({joint.name, {0.0, 0.02, 0.04, 0.06, 0.08, 0.1}});
      }
    }
    const Mechanism mechanism(description);
    std::vector<std::string> names;
    for (const Body& body : mechanism.bodies()) {
      names.push_back("mass." + body.name);
    }
    for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
      names.insert(names.end(), {"stiffness." + spring.name, "damping." + spring.name});
    }
    std::vector<std::string> starts;
    for (const StateComponent& component : test::GradientProblem::velocity_names(mechanism)) {
      starts.push_back(component.name);
    }
    for (const std::string& start : test::GradientProblem::free_starts(mechanism, starts)) {
      names.push_back(start);
    }
    std::vector<std::string> with_lengths = names;
    for (const Joint& joint : mechanism.tree_joints()) {
      if (find_link_length(mechanism, joint.name)) {
        with_lengths.insert(with_lengths.begin(), "length." + joint.name);
      }
    }
    for (const char* const key : formulations) {
      const auto ratio = [&](const std::vector<std::string>& parameters, const std::vector<gradients::Control>& loads) {
        DifferentiableRun run(formulation_registry(), mechanism, VariedNumbers(mechanism, parameters, loads),
                              {key, "rk4", 0.0, 0.1, 4e-4, 1e9});
        gradients::SquareSum objective(mechanism, run.times());
        objective.add_target(names.back(), 0.0, 1.0, false);
        const std::vector<double> values = run.numbers().own_values();
        return runs_per_gradient([&] { (void)run.value(values, objective); },
                                 [&] { (void)run.gradient(values, objective); });
      };
      const double by_one = ratio({names.back()}, {});
      const double by_all = ratio(names, controls);
      const double by_lengths = ratio(with_lengths, controls);
      fmt::print("{}, {}: a gradient by 1 number takes {:.2f} runs, by {} numbers {:.2f}, by {} lengths too {:.2f}\n",
                 word, key, by_one, names.size() + 6 * controls.size(), by_all, with_lengths.size() - names.size(),
                 by_lengths);
#ifdef NDEBUG  // sanitizers and debuggers weigh other things
      EXPECT_LT(by_one, kRunsAtMost) << word << " " << key;
      EXPECT_LT(by_all, kRunsAtMost) << word << " " << key;
      EXPECT_LT(by_lengths, kRunsAtMost) << word << " " << key;
#endif
    }
  }
}

}  // namespace
}  // namespace mbdbench
