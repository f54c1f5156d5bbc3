// Derivatives by stiffness and damping of springs between points and in cut joints. x' is linear in them, so that two
// right-hand sides of mechanisms with other springs give the column to rounding, whatever lies between these.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "formulations/registry.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::Variant;

constexpr Variant kOfAll[] = {{"aba", ""},
                              {"dense", ""},
                              {"bae-haug", ""},
                              {"dca", "leaf=body"},
                              {"dense-momentum", ""},
                              {"dense-momentum", "gauge=none"},
                              {"hdca", "leaf=body"},
                              {"naudet", ""},
                              {"naudet-acc", ""},
                              {"dca-alm", "alpha=1e3,eps_a=1e-14,iterations=30"},
                              {"dca-alm-proj", "alpha=1e3,eps_a=1e-14,iterations=30"}};

/// Springs between points of any two bodies, the ground among them, and those in scalar components of cut joints.
MechanismDescription with_springs(const Mechanism& made, RandomSource& random) {
  MechanismDescription description = made.description();
  const auto point = [&random] {
    return Vec3(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
  };
  for (int k = 0; k < 2; ++k) {
    const std::size_t first = random.index(description.bodies.size());
    const std::size_t second = random.index(description.bodies.size() + 1);
    PointSpringDescription spring;
    spring.name = fmt::format("between_{}", k);
    if (second != first && second < description.bodies.size()) {
      spring.body1 = description.bodies[second].name;
    }
    spring.body2 = description.bodies[first].name;
    spring.point1 = point();
    spring.point2 = point();
    spring.stiffness = random.uniform(5.0, 20.0);
    spring.damping = random.uniform(0.5, 2.0);
    spring.rest = random.uniform(0.0, 0.5);
    description.point_springs.push_back(spring);
  }
  for (const Joint& joint : made.cut_joints()) {
    if (!has_quaternion(joint.type) && joint.nq > 0 && joint.nq == joint.nu && joint.type != JointType::universal) {
      description.joint_springs.push_back({"cut_" + joint.name, joint.name, 0, random.uniform(5.0, 20.0),
                                           random.uniform(0.5, 2.0), random.uniform(-0.5, 0.5)});
    }
  }
  return description;
}

/// The number of a spring of this name.
double& number_of(MechanismDescription& description, const RateParameter& parameter) {
  const auto in = [&](auto& springs) -> double* {
    for (auto& spring : springs) {
      if (spring.name == parameter.name) {
        return parameter.kind == ParameterKind::stiffness ? &spring.stiffness : &spring.damping;
      }
    }
    return nullptr;
  };
  double* found = in(description.point_springs);
  if (found == nullptr) {
    found = in(description.joint_springs);
  }
  if (found == nullptr) {
    throw std::logic_error("no spring is called " + parameter.name);
  }
  return *found;
}

std::vector<RateParameter> springs_of(const MechanismDescription& description) {
  std::vector<RateParameter> all;
  for (const ParameterKind kind : {ParameterKind::stiffness, ParameterKind::damping}) {
    for (const PointSpringDescription& spring : description.point_springs) {
      all.push_back({kind, spring.name, 0});
    }
    for (const JointSpringDescription& spring : description.joint_springs) {
      all.push_back({kind, spring.name, 0});
    }
  }
  return all;
}

struct Treated {
  int variants = 0;
  int columns = 0;
};

void expect_columns(const MechanismDescription& description, const Variant& variant, const std::string& what,
                    Treated& treated) {
  const Mechanism mechanism(description);
  if (!refusal_of(*find_formulation(formulation_registry(), variant.key), mechanism).empty()) {
    return;
  }
  const auto formulation = test::make(variant.key, mechanism, variant.options);
  if (!formulation->without_jacobian().empty()) {
    return;
  }
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok) << what;
  const std::vector<RateParameter> parameters = springs_of(description);
  std::vector<double> rows(x.size() * parameters.size());
  const RhsStatus status = formulation->parameter_jacobian(0.3, x, parameters, rows);
  ASSERT_TRUE(status.ok) << what << ": " << status.message();
  std::vector<double> here(x.size());
  std::vector<double> there(x.size());
  ASSERT_TRUE(formulation->rhs(0.3, x, here).ok) << what;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    MechanismDescription other = description;
    const double change = 1.5 * number_of(other, parameters[k]) + 1.0;
    number_of(other, parameters[k]) += change;
    const Mechanism with_other(other);
    ASSERT_TRUE(test::make(variant.key, with_other, variant.options)->rhs(0.3, x, there).ok) << what;
    double largest = 1.0;
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max({largest, std::abs(here[i]), std::abs(there[i])});
      worst = std::max(worst, std::abs(there[i] - here[i] - change * rows[i * parameters.size() + k]));
    }
    // Rounding of both right-hand sides: conditions here are below 1e4, those of absolute coordinates with penalties
    // some 1e6, and their passes end at 1e-14 of what they began with.
    const double limit = (variant.key.starts_with("dca-alm") ? 1e-8 : 1e-11) * largest;
    EXPECT_LT(worst, limit) << what << ", " << parameters[k].name << " "
                            << (parameters[k].kind == ParameterKind::stiffness ? "stiffness" : "damping");
    ++treated.columns;
  }
  ++treated.variants;
}

TEST(spring_parameters, columns_are_differences_of_linear_functions) {
  const std::uint64_t first = test::seed_of_run(31);
  Treated of_trees;
  Treated of_loops;
  for (std::uint64_t seed = first; seed < first + 6; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const MechanismDescription tree =
        with_springs(test::loop_named(fmt::format("random_tree:seed={},bodies={}", seed, 4 + seed % 4)), random);
    const Mechanism closed =
        test::loop_named(fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 5 + seed % 3, 1 + seed % 2));
    const MechanismDescription loop = with_springs(closed, random);
    for (const Variant& variant : kOfAll) {
      expect_columns(tree, variant, fmt::format("{}[{}], tree {}", variant.key, variant.options, seed), of_trees);
      if (closed.held_by_velocity().empty() && test::is_free_beside(closed)) {
        expect_columns(loop, variant, fmt::format("{}[{}], loop {}", variant.key, variant.options, seed), of_loops);
      }
    }
  }
  EXPECT_GE(of_trees.variants, 50);
  EXPECT_GE(of_loops.variants, 20);
}

/// A mass that slides past the fixed end of a spring: m x'' = -(k (L - L_0) + c (x / L) x') x / L.
TEST(spring_parameters, have_the_digits_of_a_closed_form) {
  constexpr double kMass = 2.0, kAside = 0.7, kRest = 0.4, kPlace = -1.3, kSpeed = 1.7;
  MechanismDescription description;
  description.name = "sliding mass";
  description.gravity = Vec3::Zero();
  description.bodies.push_back({"mass", kMass, Vec3::Zero(), Mat3::Identity()});
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.b = "mass";
  slide.axis = Vec3::UnitX();
  description.joints.push_back(slide);
  description.point_springs.push_back(
      {"spring", kGround, "mass", Vec3(0.0, kAside, 0.0), Vec3::Zero(), 30.0, 4.0, kRest});
  const Mechanism mechanism(description);
  const double length = std::hypot(kPlace, kAside);
  const std::vector<RateParameter> both = springs_of(description);
  for (const char* const key : {"aba", "dense", "naudet"}) {
    const double inertia = std::string(key) == "naudet" ? 1.0 : kMass;  // p' is m x''
    const double rate = std::string(key) == "naudet" ? kMass * kSpeed : kSpeed;
    std::vector<double> rows(4);
    ASSERT_TRUE(test::make(key, mechanism)->parameter_jacobian(0.0, std::vector{kPlace, rate}, both, rows).ok) << key;
    EXPECT_EQ(rows[0], 0.0) << key;
    EXPECT_EQ(rows[1], 0.0) << key;
    EXPECT_NEAR(rows[2], -(length - kRest) * kPlace / length / inertia, 1e-15) << key;
    EXPECT_NEAR(rows[3], -kSpeed * kPlace * kPlace / (length * length) / inertia, 1e-15) << key;
  }
}

TEST(spring_parameters, that_are_not_there_are_said) {
  const Mechanism mechanism = test::loop_named("four_bar");
  const auto formulation = test::make("bae-haug", mechanism);
  std::vector<double> x(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> column(x.size());
  const std::vector<RateParameter> wrong = {{ParameterKind::damping, "spring", 0}};
  try {
    static_cast<void>(formulation->parameter_jacobian(0.0, x, wrong, column));
    ADD_FAILURE() << "taken";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "damping of 'spring': there is no spring of that name in a joint or between points");
  }
}

}  // namespace
}  // namespace mbdbench
