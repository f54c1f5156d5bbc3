/// \file
/// `dense`, the reference of everything else, against a reference of another kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "experiments/registries/registries.hpp"
#include "experiments/soak/random_mechanism.hpp"
#include "experiments/verification/reference/verification_reference.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/experiments/kane/kane_by_differences.hpp"
#include "tests/support/added_loads.hpp"

namespace mbdbench {
namespace {

/// Compares accelerations at the initial state.
void expect_agreement(const Mechanism& mechanism) {
  SCOPED_TRACE(mechanism.name());
  VerificationReference dense(mechanism, *find_formulation(formulation_registry(), "dense"),
                              *find_formulation(formulation_registry(), "dense-momentum"));
  const Reference reference =
      dense.at({0.0, mechanism.q0(), mechanism.u0(), Eigen::VectorXd::Zero(mechanism.constraint_size())});
  ASSERT_EQ(reference.failure, "");
  const KaneAccelerations kane = accelerations_by_differences(mechanism);
  const Eigen::VectorXd& second = kane.rates;
  ASSERT_EQ(second.size(), reference.accelerations.size());
  if (second.size() == 0) {
    return;
  }
  const double size = std::max({reference.acceleration_scale, second.lpNorm<Eigen::Infinity>(), kane.without_loops});
  const double error = (second - reference.accelerations).lpNorm<Eigen::Infinity>() / std::max(size, 1e-300);
  // dense: 10 n eps cond as in verify. Loops are closed to 1e-12 only, and the redundant rows of such a state do not
  // quite agree: each method spreads that in its own way.
  const double rounding =
      10.0 * static_cast<double>(second.size()) * std::numeric_limits<double>::epsilon() * reference.condition;
  EXPECT_LE(error, std::clamp(rounding, 1e-9, 1e-4));
}

TEST(SecondReference, AgreesWithDenseOnTheWholeCatalogue) {
  const Registries registries = default_registries();
  for (const MechanismEntry& entry : registries.mechanisms) {
    expect_agreement(make_mechanism(registries.mechanisms, entry.key));
  }
}

// ./check --full asks for a thousand.
TEST(SecondReference, AgreesWithDenseOnRandomMechanisms) {
  const char* const asked = std::getenv("MBDBENCH_RANDOM_MECHANISMS");
  const int count = asked == nullptr ? 200 : std::atoi(asked);
  ASSERT_GT(count, 0);
  const Registries registries = default_registries();
  for (int seed = 1; seed <= count; ++seed) {
    const Mechanism mechanism = soak::draw_mechanism(registries.mechanisms, seed);
    const auto cuts = mechanism.cut_joints();
    // Rods are compared with links without mass (cut_only_joints_forms_test).
    if (std::none_of(cuts.begin(), cuts.end(), [](const Joint& joint) { return is_cut_only(joint.type); })) {
      expect_agreement(mechanism);
    }
  }
}

TEST(SecondReference, AgreesWithDenseOnBushingsFrictionAndStops) {
  for (int seed = 1; seed <= 40; ++seed) {
    MechanismDescription description =
        make_mechanism(mechanism_registry(), fmt::format("random_{}:seed={},bodies={}",
                                                         seed % 2 == 0 ? "closed" : "tree", seed, 3 + seed % 6))
            .description();
    RandomSource random(seed);
    test::add_bushings(random, description);
    test::add_friction(random, description);
    test::add_stops(random, description);
    expect_agreement(Mechanism(description));
  }
}

}  // namespace
}  // namespace mbdbench
