// Weights of a mechanism with loops (Formulation::weighted_derivatives): what they are worth by the state, by joint
// forces, masses and lengths in one pass, against weights times the columns of each, and against differences of
// right-hand sides (of lengths in length_derivatives_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "mechanisms/model/link_length.hpp"
#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

/// Every joint force by component of u, then every mass.
std::vector<RateParameter> forces_and_masses(const Mechanism& mechanism) {
  std::vector<RateParameter> parameters;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int component = 0; component < joint.nu; ++component) {
      parameters.push_back({ParameterKind::joint_force, joint.name, component});
    }
  }
  for (const Body& body : mechanism.bodies()) {
    parameters.push_back({ParameterKind::mass, body.name, 0});
  }
  return parameters;
}

/// And every length of a link.
std::vector<RateParameter> with_lengths(const Mechanism& mechanism) {
  std::vector<RateParameter> parameters = forces_and_masses(mechanism);
  for (const Joint& joint : mechanism.tree_joints()) {
    if (find_link_length(mechanism, joint.name)) {
      parameters.push_back({ParameterKind::length, joint.name, 0});
    }
  }
  return parameters;
}

/// What one pass gives, by the entries of x, and in the order of with_lengths.
struct OnePass {
  OnePass(Formulation& formulation, const std::vector<double>& x, const Eigen::VectorXd& weights)
      : by_state(weights.size()), others(formulation.mechanism().u_size() + 2 * formulation.mechanism().body_count()) {
    const Mechanism& mechanism = formulation.mechanism();
    const auto forces = static_cast<std::size_t>(mechanism.u_size());
    const std::size_t bodies = mechanism.bodies().size();
    std::vector<double> lengths(bodies);
    const std::span<double> all(others.data(), forces + bodies);
    const RhsStatus status = formulation.weighted_derivatives(0.3, x, view(weights), {by_state.data(), x.size()},
                                                              {all.first(forces), all.subspan(forces), lengths});
    EXPECT_TRUE(status.ok) << status.message();
    Eigen::Index count = mechanism.u_size() + mechanism.body_count();
    for (std::size_t k = 0; k < bodies; ++k) {
      if (find_link_length(mechanism, mechanism.tree_joints()[k].name)) {
        others[count++] = lengths[k];
      }
    }
    others.conservativeResize(count);
  }
  Eigen::VectorXd by_state;
  Eigen::VectorXd others;
};

void expect_columns(Formulation& formulation, const std::vector<double>& x, const Eigen::VectorXd& weights,
                    const std::string& what) {
  const Mechanism& mechanism = formulation.mechanism();
  const std::vector<RateParameter> parameters = with_lengths(mechanism);
  const OnePass got(formulation, x, weights);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns(
      static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(parameters.size()));
  ASSERT_TRUE(
      formulation.parameter_jacobian(0.3, x, parameters, {columns.data(), static_cast<std::size_t>(columns.size())}).ok)
      << what;
  const Eigen::VectorXd expected = columns.transpose() * weights;
  // Two ways through the same equations: the rounding of each is magnified by their condition.
  const double limit = 100.0 * std::numeric_limits<double>::epsilon() * (10.0 + test::condition_at(mechanism, x)) *
                       static_cast<double>(x.size()) * std::max(1.0, columns.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto place = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(got.others[place], expected[place], limit) << what << ", " << parameters[k].name;
  }
  Eigen::VectorXd alone(got.by_state.size());
  ASSERT_TRUE(formulation.vector_jacobian(0.3, x, view(weights), {alone.data(), x.size()}).ok) << what;
  EXPECT_EQ(got.by_state, alone) << what;
}

TEST(loop_weights, are_weights_times_the_columns_on_random_mechanisms) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 29);
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + 30; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism made = test::loop_named(fmt::format("random_closed:seed={},bodies={},cuts={},screws={},loads=0",
                                                          seed, 4 + seed % 5, 1 + seed % 3, seed % 2));
      if (!made.held_by_velocity().empty() || !test::is_free_beside(made)) {
        continue;
      }
      const Mechanism mechanism = test::with_joint_loads(made.description(), random);
      for (const test::Variant& variant : test::kVariants) {
        const auto formulation = test::make(variant.key, mechanism, variant.options);
        if (!formulation->without_jacobian().empty()) {
          EXPECT_TRUE(test::may_have_none(variant)) << formulation->without_jacobian();
          continue;
        }
        const std::vector<double> x = test::state_beside(*formulation, random, 0.01);
        expect_columns(*formulation, x, test::random_vector(static_cast<int>(x.size()), random),
                       fmt::format("{}[{}], seed {}, {}", variant.key, variant.options, seed, set.name));
        ++treated;
      }
    }
  }
  EXPECT_GE(treated, 200);
}

TEST(loop_weights, are_weights_times_the_columns_of_constraints_of_velocities_alone) {
  int treated = 0;
  for (MechanismDescription& description :
       test::held_by_blades(test::unloaded(test::loop_named("five_bar").description()))) {
    RandomSource random(8);
    const Mechanism mechanism = test::with_joint_loads(std::move(description), random);
    // What is chosen for open trees would project nothing.
    for (const test::Variant& variant : {test::Variant{"dense", "projection=velocities"}, test::kVariants[1],
                                         test::Variant{"dense-momentum", "gauge=tangent"}, test::kMomenta[1]}) {
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      const std::vector<double> x = test::state_beside(*formulation, random, 0.01);
      expect_columns(*formulation, x, test::random_vector(static_cast<int>(x.size()), random),
                     fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name()));
      ++treated;
    }
  }
  EXPECT_EQ(treated, 20);
}

TEST(loop_weights, agree_with_differences_of_right_hand_sides) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 8);
  int treated = 0;
  for (std::uint64_t seed = first; seed < first + 9; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const std::string word =
        seed % 3 == 0 ? "double_loop:angle=0.2" : fmt::format("random_closed:seed={},bodies=6,cuts=2,loads=0", seed);
    const Mechanism made(test::unloaded(test::loop_named(word).description()));
    if (!made.held_by_velocity().empty() || !test::is_free_beside(made)) {
      continue;
    }
    const Mechanism mechanism = test::with_joint_loads(made.description(), random);
    const std::vector<RateParameter> parameters = forces_and_masses(mechanism);
    for (const test::Variant& variant : {test::kVariants[0], test::kVariants[2], test::kVariants[3], test::kMomenta[0],
                                         test::kMomenta[1], test::kMomenta[2]}) {
      if (test::is_compromise(variant, mechanism)) {
        continue;
      }
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      if (!formulation->without_jacobian().empty()) {
        EXPECT_TRUE(test::may_have_none(variant)) << formulation->without_jacobian();
        continue;
      }
      const std::vector<double> x = test::state_beside(*formulation, random, 0.01);
      const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
      const OnePass got(*formulation, x, weights);
      Eigen::VectorXd rates(weights.size());
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].component > 0) {
          continue;  // test::with_parameter loads first components
        }
        const auto slope = [&](double scale) {
          return test::difference([&](double s) {
                   const Mechanism moved(test::with_parameter(mechanism.description(), parameters[k], scale * s));
                   EXPECT_TRUE(
                       test::make(variant.key, moved, variant.options)->rhs(0.3, x, {rates.data(), x.size()}).ok);
                   return weights.dot(rates);
                 }) /
                 scale;
        };
        // Differences of fourth order lose 1e-13 of x' over a step of 1e-3, more where loops are ill-conditioned, as
        // another step shows.
        const double expected = slope(1.0);
        EXPECT_NEAR(got.others[static_cast<Eigen::Index>(k)], expected,
                    1e-8 * std::max(1.0, got.others.cwiseAbs().maxCoeff()) + 1e-9 * rates.cwiseAbs().maxCoeff() +
                        std::abs(slope(0.5) - expected))
            << variant.key << '[' << variant.options << "], seed " << seed << ", " << parameters[k].name;
      }
      const auto along_weights = [&](double scale) {
        return test::difference([&](double s) {
                 std::vector<double> moved = x;
                 for (std::size_t i = 0; i < moved.size(); ++i) {
                   moved[i] += scale * s * weights[static_cast<Eigen::Index>(i)];
                 }
                 EXPECT_TRUE(formulation->rhs(0.3, moved, {rates.data(), x.size()}).ok);
                 return weights.dot(rates);
               }) /
               scale;
      };
      const double by_state = along_weights(0.5);
      EXPECT_NEAR(got.by_state.dot(weights), by_state,
                  1e-8 * std::max(1.0, got.by_state.cwiseAbs().maxCoeff()) + 1e-9 * rates.cwiseAbs().maxCoeff() +
                      std::abs(along_weights(1.0) - by_state))
          << variant.key << '[' << variant.options << "], seed " << seed;
      ++treated;
    }
  }
  EXPECT_GE(treated, 24);
}

}  // namespace
}  // namespace mbdbench
