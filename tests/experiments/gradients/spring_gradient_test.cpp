// Gradients of runs by springs between points and in cut joints: the adjoint, whose forces of one unit are its own,
// against forward sensitivities, which ask formulations for columns, and against differences of the run.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/experiments/gradients/loop_problems.hpp"

namespace mbdbench {
namespace {

/// Springs and dampers in cut joints that slide, which none of the catalogue's loops has.
int add_cut_springs(const Mechanism& made, MechanismDescription& description, RandomSource& random) {
  int count = 0;
  for (const Joint& joint : made.cut_joints()) {
    if (joint.type == JointType::prismatic || joint.type == JointType::cylindrical) {
      const int component = joint.type == JointType::cylindrical ? 1 : 0;  // behind the turn
      description.joint_springs.push_back({"cut_" + joint.name, joint.name, component, random.uniform(5.0, 20.0),
                                           random.uniform(0.5, 2.0), random.uniform(-0.5, 0.5)});
      ++count;
    }
  }
  return count;
}

/// \returns names of stiffness and damping of all springs that act on bodies.
std::vector<std::string> springs_on_bodies(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    names.insert(names.end(), {"stiffness." + spring.name, "damping." + spring.name});
  }
  for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
    if (mechanism.find_joint(spring.joint)->cut) {
      names.insert(names.end(), {"stiffness." + spring.name, "damping." + spring.name});
    }
  }
  return names;
}

void expect_agreement(const Mechanism& mechanism, const std::string& formulation) {
  SCOPED_TRACE(formulation + " on " + mechanism.name());
  const gradients::VariedNumbers numbers(mechanism, springs_on_bodies(mechanism), {});
  gradients::DifferentiableRun run(formulation_registry(), mechanism, numbers,
                                   {formulation, "rk4", 0.0, 0.3, 0.02, 1e9});
  gradients::SquareSum objective(mechanism, run.times());
  for (const StateComponent& component : test::GradientProblem::velocity_names(mechanism)) {
    objective.add_target(component.name, 0.3, 0.5, false);
    break;
  }
  objective.add_track("seen", std::vector<double>{0.14, 0.3}, std::vector<double>{0.1, 0.2, 0.3, 0.3, 0.0, -0.5}, 0.7);
  const std::vector<double> values = numbers.own_values();
  const gradients::RunGradient adjoint = run.gradient(values, objective);
  const double largest = test::largest_of(adjoint.gradient);
  EXPECT_GT(largest, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> unit(values.size());
    unit[i] = 1.0;
    // Products forward and back have the rounding of a solution each, at conditions of up to some 1e3.
    EXPECT_NEAR(adjoint.gradient[i], run.along(values, unit, objective).gradient.front(), 1e-11 * largest)
        << numbers.numbers()[i].name;
    const double difference = test::difference([&](double s) {
      std::vector<double> moved = values;
      moved[i] += s;
      return run.value(moved, objective);
    });
    // Differences leave 1e-12 of the value for rounding over steps of 1e-4, and what the condition makes of it.
    EXPECT_NEAR(adjoint.gradient[i], difference, 1e-7 * largest + 1e-10 * adjoint.value) << numbers.numbers()[i].name;
  }
}

TEST(run_gradient, by_springs_between_points_is_that_of_sensitivities_and_differences) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 3);
  for (std::uint64_t seed = first; seed < first + 4; ++seed) {  // quaternions and momenta among them
    RandomSource random(static_cast<std::int64_t>(seed));
    MechanismDescription description =
        test::sprung_tree(seed, 2 + static_cast<int>(seed % 4), random, seed % 2 == 0 ? 1 : 0).description();
    test::add_point_springs(description, random);
    const Mechanism tree(description);
    for (const char* const formulation : {"aba", "naudet"}) {
      expect_agreement(tree, formulation);
    }
  }
}

TEST(run_gradient, by_springs_in_cut_joints_is_that_of_sensitivities_and_differences) {
  const std::uint64_t first = test::seed_of_run(1);
  std::set<std::string> treated;
  int springs = 0;
  std::uint64_t seed = first;
  for (; seed < first + 60 && springs < 3; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism made =
        make_mechanism(mechanism_registry(), fmt::format("random_closed:seed={},bodies=5,cuts=1,loads=0", seed));
    MechanismDescription description = made.description();
    const int added = add_cut_springs(made, description, random);
    if (added == 0 || made.rheonomic() || made.generic_rank().overconstrained || !made.held_by_velocity().empty()) {
      continue;
    }
    test::add_point_springs(description, random);
    const Mechanism mechanism = test::sprung(description, random);
    for (const char* const formulation :
         {"bae-haug[projection=velocities]", "dense[projection=velocities]", "dense-momentum", "hdca"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
      if (!refusal_of(*choice.entry, mechanism).empty() ||
          !make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options)
               ->without_jacobian()
               .empty()) {
        continue;
      }
      expect_agreement(mechanism, formulation);
      treated.insert(formulation);
    }
    springs += added;
  }
  fmt::print("seeds {} to {}: {} springs in cut joints\n", first, seed - 1, springs);
  EXPECT_GE(springs, 3);
  EXPECT_GE(treated.size(), 3U);
}

}  // namespace
}  // namespace mbdbench
