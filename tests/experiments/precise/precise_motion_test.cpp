/// \file
/// The reference of 113 bits: against equations derived by hand, against dense and other formulations, and its own
/// laws.
#include "experiments/precise/precise_motion.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/verification/equation_matrices.hpp"
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

// Loops of every kind that the catalogue has, and rows that repeat others.
TEST(PreciseMotion, HasTheAccelerationsOfDenseOnLoops) {
  int compared = 0;
  for (const char* const key :
       {"four_bar:angle=0.3", "five_bar", "double_loop:angle=0.2", "slider_crank", "bricard", "bennett", "loop:9",
        "ladder:4", "coupled_loops", "biped", "grid:2", "sarrus", "random_closed:seed=3", "random_closed:seed=4"}) {
    const Mechanism mechanism = of_catalogue(key);
    if (!refuse_precise_motion(mechanism).empty()) {
      continue;
    }
    ++compared;
    const auto dense = formulation_of(mechanism, "dense");
    const std::vector<double> x = initial_state(*dense, 0.0);
    std::vector<double> rates(x.size());
    ASSERT_TRUE(dense->rhs(0.0, x, rates).ok) << key;
    const std::vector<double> found = precise_accelerations(mechanism, 0.0, all(mechanism.q0()), all(mechanism.u0()));
    // dense rounds by its condition, up to 1e4 here.
    EXPECT_LT(difference(std::span(rates).subspan(static_cast<std::size_t>(mechanism.q_size())), found), 1e-11) << key;
  }
  EXPECT_GE(compared, 10);
}

// Springs, dampers and constant forces, with other numbers than the file's.
TEST(PreciseMotion, TakesNumbersThatAreOthersThanTheFiles) {
  MechanismDescription description = of_catalogue("pendulum_xyz:4").description();
  description.joint_springs.push_back({.name = "spring",
                                       .joint = description.joints[1].name,
                                       .component = 0,
                                       .stiffness = 30.0,
                                       .damping = 2.0,
                                       .rest = 0.4});
  description.joint_loads.push_back({"push", description.joints[2].name, 0, ConstantLaw{3.0}});
  const Mechanism mechanism(description);
  TreeNumbers numbers(mechanism);
  numbers.masses[2] = 5.0;
  numbers.stiffness[0] = 70.0;
  numbers.damping[0] = 0.5;
  numbers.forces[3] = -4.0;
  description.bodies[2].mass = 5.0;
  description.joint_springs[0].stiffness = 70.0;
  description.joint_springs[0].damping = 0.5;
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
    const PreciseMotion::MomentumRates rates = motion.momentum_rates(0.0, q, motion.momenta(q, u));
    for (std::size_t i = 0; i < u.size(); ++i) {
      const Real slope = (after[i] - before[i]) / (step * 2);
      // Truncation 1e-22, of terms of up to 1e3.
      EXPECT_LT(abs(slope - rates.p[i]).convert_to<double>(), 1e-17) << "seed " << seed << ", " << i;
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_LT(abs(rates.q[i] - qdot[i]).convert_to<double>(), 1e-25) << "seed " << seed << ", " << i;
    }
  }
}

TEST(PreciseMotion, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(refuse_precise_motion(of_catalogue("car_axis")), "");
  EXPECT_NE(refuse_precise_motion(of_catalogue("random_tree")).find("does not know"), std::string::npos);
  EXPECT_EQ(refuse_precise_motion(of_catalogue("coil")), "");
  EXPECT_EQ(refuse_precise_motion(of_catalogue("four_bar")), "");
  EXPECT_THROW(precise_accelerations(of_catalogue("car_axis"), 0.0, {}, {}), std::invalid_argument);
  const Mechanism four_bar = of_catalogue("four_bar");
  EXPECT_NE(refuse_precise_changes(*formulation_of(four_bar, "hdca")).find("impulses"), std::string::npos);
  EXPECT_NE(refuse_precise_changes(*formulation_of(four_bar, "dca-alm")).find("joints"), std::string::npos);
  EXPECT_EQ(refuse_precise_changes(*formulation_of(four_bar, "bae-haug")), "");
}

// The goal of exact derivatives: 13 digits where conditions allow.
TEST(PreciseChanges, ExactDerivativesHaveThirteenDigits) {
  for (const auto& [key, formulations] :
       {std::pair{"robot_arm", std::vector{"aba", "naudet", "naudet-acc", "bae-haug", "dense"}},
        std::pair{"quadruped", std::vector{"aba", "naudet", "naudet-acc", "bae-haug"}},
        std::pair{"pendulum_xyz:8", std::vector{"aba", "naudet", "dca", "hdca"}},
        std::pair{"four_bar:angle=0.3", std::vector{"bae-haug", "dense", "dca"}},
        std::pair{"five_bar", std::vector{"bae-haug", "dense", "dca"}}}) {
    const Mechanism mechanism = of_catalogue(key);
    for (const char* const word : formulations) {
      const auto formulation = formulation_of(mechanism, word);
      ASSERT_EQ(refuse_precise_changes(*formulation), "") << word << " on " << key;
      const std::vector<double> x = initial_state(*formulation, 0.0);
      // Along the motion itself, which keeps the constraints of positions, and of velocities where it is that of u too.
      std::vector<double> direction(x.size());
      ASSERT_TRUE(formulation->rhs(0.0, x, direction).ok);
      std::vector<double> found(x.size());
      ASSERT_TRUE(formulation->jacobian_vector(0.0, x, direction, found).ok);
      const Eigen::VectorXd expected = precise_change(*formulation, 0.0, x, direction);
      EXPECT_LT(difference(found, all(expected)), 1e-13) << word << " on " << key;
    }
  }
}

}  // namespace
}  // namespace mbdbench::precise
