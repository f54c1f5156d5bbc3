/// \file
/// The reference of 113 bits: against equations derived by hand, against dense and other formulations, and its own
/// laws.
#include "experiments/precise/motion/precise_motion.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench::precise {
namespace {

Mechanism of_catalogue(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

std::unique_ptr<Formulation> formulation_of(const Mechanism& mechanism, std::string_view key,
                                            std::string_view options = {}) {
  const auto& registry = formulation_registry();
  return make_formulation(registry, *find_formulation(registry, key), mechanism, options);
}

std::span<const double> all(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

Reals reals(const Eigen::VectorXd& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// \returns |a - b| over the largest |b|.
double difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      return std::numeric_limits<double>::infinity();
    }
    largest = std::max(largest, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return size > 0.0 ? largest / size : largest;
}

// The equations of motion of the baby boot in two lines.
TEST(PreciseMotion, IsThatOfEquationsDerivedByHand) {
  const Mechanism mechanism = of_catalogue("babyboot");
  const double a = 0.7;
  const double b = 1.1;
  const double rate = 2.0;
  const double turning = -3.0;
  const double bend = (5e-5 - 2.5e-4) * std::sin(b) * std::cos(b);
  const double inertia = 0.01 * 0.075 * 0.075 + 5e-6 + 0.1 * 0.2 * 0.2 + 2.5e-4 * std::cos(b) * std::cos(b) +
                         5e-5 * std::sin(b) * std::sin(b);
  const double weight = 9.81 * (0.01 * 0.075 + 0.1 * 0.2);
  const std::vector<double> q = {a, b};
  const std::vector<double> u = {rate, turning};
  const std::vector<double> found = precise_accelerations(mechanism, 0.0, q, u);
  ASSERT_EQ(found.size(), 2U);
  // Rounding of the formulas here.
  EXPECT_NEAR(found[0], (-weight * std::sin(a) - 2.0 * bend * rate * turning) / inertia, 1e-13);
  EXPECT_NEAR(found[1], bend * rate * rate / 2e-4, 1e-13);
}

/// A body on two hinges of one axis, one of them cut: all its rows repeat the tree's.
Mechanism door() {
  MechanismDescription description = of_catalogue("pendulum:1").description();
  JointDescription second = description.joints[0];
  second.name = "second_hinge";
  second.cut = true;
  second.q0 = {};
  second.v0 = {};
  second.frame_a.position += 0.5 * second.axis;
  second.frame_b.position += 0.5 * second.axis;
  description.joints.push_back(second);
  return Mechanism(description);
}

/// \returns the largest error of dense against the reference at moving states.
double error_of_dense(const Mechanism& mechanism, int states) {
  const auto dense = formulation_of(mechanism, "dense");
  double worst = 0.0;
  for (const VerificationState& state : draw_verification_states(mechanism, states, 7).states) {
    std::vector<double> x(dense->state_size());
    std::vector<double> rates(x.size());
    EXPECT_TRUE(dense->pack(state.t, all(state.q), all(state.u), x).ok);
    EXPECT_TRUE(dense->rhs(state.t, x, rates).ok);
    const std::vector<double> found = precise_accelerations(mechanism, state.t, all(state.q), all(state.u));
    const std::span<const double> own = std::span(rates).subspan(static_cast<std::size_t>(mechanism.q_size()));
    worst = std::max(worst, difference(own, found));
  }
  return worst;
}

// Loops of the catalogue, moving, with rows that repeat others; what repeats the tree alone; cut joints of every type.
TEST(PreciseMotion, HasTheAccelerationsOfDenseOnLoops) {
  for (const char* const key : {"four_bar:angle=0.3", "five_bar", "double_loop:angle=0.2", "bricard", "bennett",
                                "loop:9", "ladder:4", "coupled_loops", "biped", "grid:2", "sarrus", "rings:2"}) {
    const Mechanism mechanism = of_catalogue(key);
    ASSERT_EQ(refuse_precise_motion(mechanism), "") << key;
    // dense rounds by its condition, up to 1e4 here.
    EXPECT_LT(error_of_dense(mechanism, 3), 1e-10) << key;
  }
  EXPECT_LT(error_of_dense(door(), 3), 1e-12);
  std::set<JointType> cuts;
  for (int seed = 1; seed <= 40; ++seed) {
    const Mechanism mechanism = of_catalogue(fmt::format("random_closed:seed={},loads=0", seed));
    for (const Joint& joint : mechanism.cut_joints()) {
      cuts.insert(joint.type);
    }
    EXPECT_LT(error_of_dense(mechanism, 2), 1e-9) << "seed " << seed;
  }
  EXPECT_GE(cuts.size(), 7U) << "types of cut joints that were compared";
}

// Springs, dampers, in joints and between points, and constant forces, with other numbers than the file's.
TEST(PreciseMotion, TakesNumbersThatAreOthersThanTheFiles) {
  MechanismDescription description = of_catalogue("pendulum_xyz:4").description();
  description.joint_springs.push_back({.name = "spring",
                                       .joint = description.joints[1].name,
                                       .component = 0,
                                       .stiffness = 30.0,
                                       .damping = 2.0,
                                       .rest = 0.4});
  for (const int outer : {1, 3}) {
    PointSpringDescription spring;
    spring.name = fmt::format("between{}", outer);
    spring.body1 = outer == 1 ? spring.body1 : description.bodies[0].name;  // of the one the ground
    spring.body2 = description.bodies[static_cast<std::size_t>(outer)].name;
    spring.point1 = Vec3(0.3, -0.2, 0.1);
    spring.point2 = Vec3(-0.1, 0.2, 0.4);
    spring.stiffness = 20.0;
    spring.damping = 3.0;
    spring.rest = 0.3;
    description.point_springs.push_back(spring);
  }
  description.joint_loads.push_back({"push", description.joints[2].name, 0, ConstantLaw{3.0}});
  const Mechanism mechanism(description);
  TreeNumbers numbers(mechanism);
  numbers.masses[2] = 5.0;
  numbers.stiffness[0] = 70.0;
  numbers.damping[0] = 0.5;
  numbers.stiffness[2] = 35.0;
  numbers.damping[1] = 1.5;
  numbers.forces[3] = -4.0;
  description.bodies[2].mass = 5.0;
  description.joint_springs[0].stiffness = 70.0;
  description.joint_springs[0].damping = 0.5;
  description.point_springs[1].stiffness = 35.0;
  description.point_springs[0].damping = 1.5;
  description.joint_loads.push_back({"pull", description.joints[3].name, 0, ConstantLaw{-4.0}});
  const Mechanism other(description);
  RandomSource random(3);
  Eigen::VectorXd q(other.q_size());
  Eigen::VectorXd u(other.u_size());
  std::generate(q.begin(), q.end(), [&] { return random.uniform(-1.0, 1.0); });
  std::generate(u.begin(), u.end(), [&] { return random.uniform(-1.0, 1.0); });
  const auto dense = formulation_of(other, "dense");
  std::vector<double> x(dense->state_size());
  std::vector<double> rates(x.size());
  ASSERT_TRUE(dense->pack(0.0, all(q), all(u), x).ok);
  ASSERT_TRUE(dense->rhs(0.0, x, rates).ok);
  const Reals precise = PreciseMotion(mechanism, numbers).accelerations(0.0, reals(q), reals(u));
  std::vector<double> found;
  std::transform(precise.begin(), precise.end(), std::back_inserter(found),
                 [](const Real& rate) { return rate.convert_to<double>(); });
  EXPECT_LT(difference(std::span(rates).subspan(static_cast<std::size_t>(other.q_size())), found), 1e-12);
}

// p' is that of M u where u' is: differences along the motion itself.
TEST(PreciseMotion, MomentaMoveAsVelocitiesDo) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Mechanism mechanism = of_catalogue(fmt::format("random_tree:seed={},bodies=8,loads=0", seed));
    const TreeNumbers numbers(mechanism);
    PreciseMotion motion(mechanism, numbers);
    const Reals q = reals(mechanism.q0());
    Eigen::VectorXd drawn(mechanism.u_size());
    RandomSource random(static_cast<std::uint64_t>(seed));
    std::generate(drawn.begin(), drawn.end(), [&] { return random.uniform(-1.0, 1.0); });
    const Reals u = reals(drawn);
    const Reals qdot = motion.coordinate_rates(q, u);
    const Reals udot = motion.accelerations(0.0, q, u);
    const auto momenta_at = [&](const Real& s) {
      Reals there = q;
      Reals moving = u;
      for (std::size_t i = 0; i < q.size(); ++i) {
        there[i] += s * qdot[i];
      }
      for (std::size_t i = 0; i < u.size(); ++i) {
        moving[i] += s * udot[i];
      }
      return motion.momenta(there, moving);
    };
    const Real step = 1e-11;
    const Reals after = momenta_at(step);
    const Reals before = momenta_at(-step);
    const PreciseMotion::StateRates rates = motion.momentum_rates(0.0, q, motion.momenta(q, u));
    for (std::size_t i = 0; i < u.size(); ++i) {
      const Real slope = (after[i] - before[i]) / (step * 2);
      // Truncation 1e-22, of terms of up to 1e3.
      EXPECT_LT(abs(slope - rates.second[i]).convert_to<double>(), 1e-17) << "seed " << seed << ", " << i;
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_LT(abs(rates.q[i] - qdot[i]).convert_to<double>(), 1e-25) << "seed " << seed << ", " << i;
    }
  }
}

/// A direction of a state of velocities or momenta: of an open tree any, with loops along the constraints.
Eigen::VectorXd direction_at(const Mechanism& mechanism, const VerificationState& state, std::size_t size,
                             RandomSource& random) {
  Eigen::VectorXd direction(static_cast<Eigen::Index>(size));
  if (mechanism.cut_joints().empty()) {
    std::generate(direction.begin(), direction.end(), [&] { return random.uniform(-1.0, 1.0); });
    return direction;
  }
  const Eigen::MatrixXd basis = tangent_directions(mechanism, state.q, state.u).directions;
  direction.setZero();
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    direction += random.uniform(-1.0, 1.0) * basis.col(k);
  }
  return direction;
}

// The goal of exact derivatives: 13 digits where conditions allow, at moving states.
TEST(PreciseChanges, ExactDerivativesHaveThirteenDigits) {
  RandomSource random(5);
  double worst = 0.0;
  for (const auto& [key, formulations] :
       {std::pair{"robot_arm", std::vector{"aba", "naudet", "naudet-acc", "bae-haug", "dense"}},
        std::pair{"quadruped", std::vector{"aba", "naudet", "naudet-acc", "bae-haug"}},
        std::pair{"pendulum_xyz:8", std::vector{"aba", "naudet", "dca", "hdca"}},
        std::pair{"four_bar:angle=0.3", std::vector{"bae-haug", "dense", "dca", "hdca", "dense-momentum"}},
        std::pair{"five_bar", std::vector{"bae-haug", "dense", "dca", "hdca", "dense-momentum"}},
        std::pair{"bricard", std::vector{"bae-haug", "dense", "dca", "hdca", "dense-momentum"}}}) {
    const Mechanism mechanism = of_catalogue(key);
    for (const char* const word : formulations) {
      const auto formulation = formulation_of(mechanism, word);
      const Parameters options = choose_formulation(formulation_registry(), word).parameters;
      ASSERT_EQ(refuse_precise_changes(*formulation, options), "") << word << " on " << key;
      const PreciseChanges changes(*formulation, options);
      for (const VerificationState& state : draw_verification_states(mechanism, 2, 3).states) {
        std::vector<double> x(formulation->state_size());
        ASSERT_TRUE(formulation->pack(0.0, all(state.q), all(state.u), x).ok);
        const Eigen::VectorXd direction = direction_at(mechanism, state, x.size(), random);
        std::vector<double> found(x.size());
        ASSERT_TRUE(formulation->jacobian_vector(0.0, x, all(direction), found).ok);
        const Eigen::VectorXd expected = changes.along(0.0, x, all(direction));
        const auto split = static_cast<std::size_t>(mechanism.q_size());
        EXPECT_GT(expected.tail(mechanism.u_size()).lpNorm<Eigen::Infinity>(), 1e-3) << "a comparison of nothing";
        const double error = difference(std::span(found).subspan(split), all(expected).subspan(split));
        EXPECT_LT(error, 1e-13) << word << " on " << key;
        EXPECT_LT(difference(std::span(found).first(split), all(expected).first(split)), 1e-13) << word << ", " << key;
        worst = std::max(worst, error);
      }
    }
  }
  fmt::print("largest error {:.1e}\n", worst);
}

// Factors of M lose the fourth power of the length of a chain, 1.5e-11 here, and a LoopSolver 3e-13; eps of a state of
// 128 links is 1e-14 of derivatives, and rows times directions are sums of terms 200 times as large.
TEST(PreciseChanges, RowsOfLongChainsLoseNoConditionOfTheMassMatrix) {
  const Mechanism mechanism = of_catalogue("loop:129");
  const VerificationState state = draw_verification_states(mechanism, 1, 3).states.back();
  RandomSource random(7);
  for (const char* const projection : {"projection=velocities", "projection=off"}) {
    const auto formulation = formulation_of(mechanism, "bae-haug", projection);
    const Parameters options =
        choose_formulation(formulation_registry(), fmt::format("bae-haug[{}]", projection)).parameters;
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, all(state.q), all(state.u), x).ok);
    const Eigen::VectorXd direction = direction_at(mechanism, state, x.size(), random);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(direction.size(), direction.size());
    ASSERT_TRUE(formulation->jacobian(0.0, x, {rows.data(), x.size() * x.size()}).ok);
    const Eigen::VectorXd found = rows * direction;
    const Eigen::VectorXd expected = PreciseChanges(*formulation, options).along(0.0, x, all(direction));
    EXPECT_LT(difference(all(found), all(expected)), 2e-12) << projection;
  }
}

}  // namespace
}  // namespace mbdbench::precise
