// Gradients of runs on planar loops against differences of the same run in 113 bits.
#include "tests/experiments/gradients/precise_loop_run.hpp"
#ifdef __SIZEOF_FLOAT128__

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "mechanisms/model/link_length.hpp"
#include "tests/experiments/gradients/gradient_problem.hpp"

namespace mbdbench {
namespace {

using gradients::VariedKind;

/// A planar linkage with a spring and a damper in every joint of its tree.
Mechanism sprung_linkage(const std::string& word) {
  MechanismDescription description = make_mechanism(mechanism_registry(), word).description();
  for (const JointDescription& joint : description.joints) {
    if (!joint.cut) {
      description.joint_springs.push_back({.name = "spring_" + joint.name,
                                           .joint = joint.name,
                                           .component = 0,
                                           .stiffness = 3.0,
                                           .damping = 0.5,
                                           .rest = 0.25});
    }
  }
  return Mechanism(description);
}

TEST(run_gradient, agrees_with_differences_of_113_bits_on_planar_loops) {
  const std::map<std::string, std::vector<std::string>> free = {
      {"four_bar:angle=0.3", {"joint1", "joint2"}},
      {"five_bar", {"joint1", "joint4"}},
      {"double_loop:angle=0.2", {"joint1", "joint2", "joint5", "joint6"}}};
  for (const auto& [word, joints] : free) {
    const Mechanism mechanism = sprung_linkage(word);
    std::vector<std::string> names = {"mass.body1", "mass.body3", "stiffness.spring_joint2", "damping.spring_joint1",
                                      "damping.spring_joint4"};
    for (const Joint& joint : mechanism.tree_joints()) {
      if (find_link_length(mechanism, joint.name)) {
        names.push_back("length." + joint.name);
      }
    }
    for (const std::string& joint : joints) {
      names.push_back("q." + joint);
      names.push_back("v." + joint);
    }
    const gradients::VariedNumbers numbers(mechanism, names, {{"joint1", {0.0, 0.05, 0.2}}, {"joint3", {0.02, 0.08}}});
    std::vector<double> values = numbers.own_values();
    RandomSource random(8);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const VariedKind kind = numbers.numbers()[i].kind;
      if (kind == VariedKind::control || kind == VariedKind::start_velocity) {
        values[i] = random.uniform(-2.0, 2.0);
      } else if (kind == VariedKind::start_position) {
        values[i] += random.uniform(-0.1, 0.1);
      } else if (kind == VariedKind::length) {
        values[i] *= random.uniform(0.98, 1.02);
      }
    }
    for (const char* const projection : {"velocities", "off"}) {
      double value = 0.0;
      std::vector<double> differences;
      for (const char* const key : {"dense", "bae-haug", "dca"}) {
        const std::string formulation = fmt::format("{}[projection={}]", key, projection);
        gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers,
                                         {formulation, "rk4", 0.0, 0.1, 0.0125, 1e9});
        gradients::SquareSum objective(mechanism, run.times());
        for (const Joint& joint : mechanism.tree_joints()) {
          objective.add_target("q." + joint.name, 0.3, 1.0, false);
          objective.add_target("v." + joint.name, 0.0, 1.0, false);
        }
        objective.add_track("K", std::vector<double>{0.1}, std::vector<double>{1.0, -1.0, 0.0}, 1.0);
        const gradients::RunGradient got = run.gradient(values, objective);
        if (differences.empty()) {
          test::PreciseLoopRun precise(mechanism, run, values, std::string(projection) == "velocities");
          value = static_cast<double>(precise.objective({}).value);
          const double h = 0x1p-36;  // leaves h^2 = 2e-22
          for (std::size_t i = 0; i < values.size(); ++i) {
            const Precise rise = precise.objective({i, Precise(h)}) - precise.objective({i, Precise(-h)});
            differences.push_back(static_cast<double>((rise / Precise(2.0 * h)).value));
          }
          // The other run in 113 bits, which knows more than planar links: both leave some 1e-20.
          std::vector<double> units(values.size() * values.size());
          for (std::size_t i = 0; i < values.size(); ++i) {
            units[i * values.size() + i] = 1.0;
          }
          const std::vector<double> also = run.precise_along(values, units, objective);
          for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_NEAR(also[i], differences[i], 1e-15 * test::largest_of(differences))
                << formulation << " on " << word << ", " << numbers.numbers()[i].name;
          }
        }
        EXPECT_NEAR(got.value, value, 1e-12 * got.value) << formulation << " on " << word;
        double size = 0.0;
        for (const double derivative : got.gradient) {
          size = std::max(size, std::abs(derivative));
        }
        double worst = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          // The run has the rounding of 32 right-hand sides, each magnified by the condition of Phi_q M^-1 Phi_q^T.
          const double error = std::abs(differences[i] - got.gradient[i]) / size;
          EXPECT_LT(error, 1e-12) << formulation << " on " << word << ", " << numbers.numbers()[i].name << ": "
                                  << got.gradient[i];
          worst = std::max(worst, error);
        }
        fmt::print("{} on {}: largest error of the gradient {:.1e}\n", formulation, word, worst);
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench

#endif
