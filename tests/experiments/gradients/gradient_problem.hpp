#pragma once
// Random trees and loops with springs, dampers, controls and an objective, for tests of gradients of runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/link_length.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// A mechanism with springs and dampers in its simple joints and a marker on its last body.
inline Mechanism sprung(MechanismDescription description, RandomSource& random) {
  int count = 0;
  for (const JointDescription& joint : description.joints) {
    if (!joint.cut && (joint.type == JointType::revolute || joint.type == JointType::prismatic)) {
      description.joint_springs.push_back({.name = fmt::format("spring{}", ++count),
                                           .joint = joint.name,
                                           .component = 0,
                                           .stiffness = random.uniform(1.0, 10.0),
                                           .damping = random.uniform(0.1, 1.0),
                                           .rest = random.uniform(-0.5, 0.5)});
    }
  }
  MarkerDescription marker;
  marker.name = "seen";
  marker.body = description.bodies.back().name;
  marker.point = Vec3(0.1, -0.2, 0.3);
  description.markers.push_back(marker);
  return Mechanism(description);
}

/// Springs between points: from the ground to a body, and, where there are two, between the first and the last one.
inline void add_point_springs(MechanismDescription& description, RandomSource& random) {
  const auto point = [&random] {
    return Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
  };
  for (const bool inside : {false, true}) {
    if (inside && description.bodies.size() < 2) {
      continue;
    }
    PointSpringDescription spring;
    spring.name = inside ? "inside" : "to_ground";
    if (inside) {
      spring.body1 = description.bodies.front().name;
    }
    spring.body2 = description.bodies.back().name;
    spring.point1 = point();
    spring.point2 = point();
    spring.stiffness = random.uniform(1.0, 10.0);
    spring.damping = random.uniform(0.1, 1.0);
    spring.rest = random.uniform(0.0, 0.5);
    description.point_springs.push_back(spring);
  }
}

/// \returns the largest magnitude, 0 of none.
inline double largest_of(const std::vector<double>& numbers) {
  double size = 0.0;
  for (const double number : numbers) {
    size = std::max(size, std::abs(number));
  }
  return size;
}

/// A random tree, sprung.
inline Mechanism sprung_tree(std::uint64_t seed, int bodies, RandomSource& random, int motions = 0) {
  return sprung(make_mechanism(mechanism_registry(),
                               fmt::format("random_tree:seed={},bodies={},motions={},loads=0", seed, bodies, motions))
                    .description(),
                random);
}

/// \returns methods, all of them or those that choose their steps.
inline std::vector<std::string> gradient_methods(bool all = true) {
  std::vector<std::string> methods = {"rk2",    "rk4",    "rkf45-fixed", "implicit-midpoint",
                                      "gauss4", "gauss6", "trapezoidal"};
  if (!all) {
    methods.clear();
  }
  methods.insert(methods.end(), {"ode23", "ode45", "rkf45", "odeint-dopri5", "odeint-fehlberg78"});
  return methods;
}

/// \returns a step of a method, or its tolerance where it chooses them.
inline double step_or_tolerance(const std::string& method, double step, double tolerance) {
  return gradients::step_method(method).adaptive ? tolerance : step;
}

/// All that a gradient may be taken by: masses, springs, starts (as many as constraints leave free, the first ones), a
/// control in every second joint.
struct GradientProblem {
  /// \param lengths whether links are varied too: those that may be beside all else
  GradientProblem(const Mechanism& tree, const std::string& formulation, const std::string& method, double step,
                  double memory = 1e9, bool lengths = false)
      : mechanism(tree),
        settings(settings_of(formulation, method, step, memory)),
        run(formulation_registry(), mechanism, numbers(mechanism, lengths), settings),
        objective(mechanism, run.times()) {
    const std::size_t last = run.times().count();
    const std::vector<double> at =
        settings.step ? std::vector<double>{run.times().at(last / 4), run.times().at(last / 2), run.times().at(last)}
                      : settings.land_on;
    objective.add_track("seen", at, std::vector<double>{0.1, 0.2, 0.3, -0.2, 0.4, 0.1, 0.3, 0.0, -0.5}, 0.7);
    for (const StateComponent& component : velocity_names(mechanism)) {
      objective.add_target(component.name, 0.3, 0.5, component.joint == mechanism.tree_joints().front().name);
    }
    if (!run.numbers().controls().empty()) {
      run.add_control_cost(0.01);
    }
  }

  /// \param step of methods that choose their steps the tolerance
  static gradients::RunSettings settings_of(const std::string& formulation, const std::string& method, double step,
                                            double memory) {
    gradients::RunSettings asked{formulation, method, 0.0, 0.4, step, memory};
    if (gradients::step_method(method).adaptive) {
      asked.step.reset();
      asked.relative_tolerance = step;
      asked.land_on = {0.11, 0.2, 0.4};
    }
    return asked;
  }

  static std::vector<StateComponent> velocity_names(const Mechanism& tree) {
    std::vector<StateComponent> names;
    for (const Joint& joint : tree.tree_joints()) {
      for (int i = 1; joint.motions.empty() && i <= joint.nu; ++i) {
        names.push_back({joint.nu == 1 ? "v." + joint.name : fmt::format("v.{}.{}", joint.name, i), StateKind::velocity,
                         joint.name});
      }
    }
    return names;
  }

  static gradients::VariedNumbers numbers(const Mechanism& tree, bool lengths = false) {
    std::vector<std::string> names;
    for (const Body& body : tree.bodies()) {
      names.push_back("mass." + body.name);
    }
    const auto add_spring = [&names](const auto& spring) {
      names.push_back("stiffness." + spring.name);
      names.push_back("damping." + spring.name);
    };
    const MechanismDescription& given = tree.description();
    std::for_each(given.joint_springs.begin(), given.joint_springs.end(), add_spring);
    std::for_each(given.point_springs.begin(), given.point_springs.end(), add_spring);
    std::vector<gradients::Control> controls;
    std::vector<std::string> starts;
    for (std::size_t k = 0; k < tree.tree_joints().size(); ++k) {
      const Joint& joint = tree.tree_joints()[k];
      if (!joint.motions.empty()) {
        continue;  // it goes as it is told
      }
      if (has_coordinate_rates(joint.type)) {
        for (int i = 1; i <= joint.nq; ++i) {
          starts.push_back(joint.nq == 1 ? "q." + joint.name : fmt::format("q.{}.{}", joint.name, i));
        }
      }
      if (k % 2 == 0 && joint.nu > 0) {
        controls.push_back({joint.nu == 1 ? joint.name : joint.name + ".2", {0.05, 0.15, 0.3}});
      }
    }
    for (const StateComponent& component : velocity_names(tree)) {
      starts.push_back(component.name);
    }
    for (const Joint& joint : tree.tree_joints()) {
      if (lengths && find_link_length(tree, joint.name)) {
        starts.insert(starts.begin(), "length." + joint.name);
      }
    }
    for (const std::string& start : free_starts(tree, starts)) {
      names.push_back(start);
    }
    return gradients::VariedNumbers(tree, names, controls);
  }

  /// \returns those that may be varied beside all that stand before them.
  static std::vector<std::string> free_starts(const Mechanism& mechanism, const std::vector<std::string>& starts) {
    std::vector<std::string> free;
    for (const std::string& start : starts) {
      free.push_back(start);
      try {
        const gradients::VariedNumbers numbers(mechanism, free, {});
      } catch (const std::invalid_argument&) {
        free.pop_back();
      }
    }
    return free;
  }

  /// \returns the mechanism's own numbers, controls drawn at random.
  std::vector<double> values(RandomSource& random) const {
    std::vector<double> all = run.numbers().own_values();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const gradients::VariedKind kind = run.numbers().numbers()[i].kind;
      if (kind == gradients::VariedKind::control || kind == gradients::VariedKind::start_velocity) {
        all[i] = random.uniform(-1.0, 1.0);
      }
    }
    return all;
  }

  const Mechanism& mechanism;
  gradients::RunSettings settings;
  gradients::DifferentiableRun run;
  gradients::SquareSum objective;
};

}  // namespace mbdbench::test
