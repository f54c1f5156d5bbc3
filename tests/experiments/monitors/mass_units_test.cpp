// The limits of `verify` know units: the same mechanism in another unit of mass is judged the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/registries/registries.hpp"
#include "experiments/verification/verification.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

constexpr double kMassUnit = 1e5;

/// All masses times `factor`; without loads but gravity, so that nothing else depends on the unit.
Mechanism in_unit(const std::string& key, double factor) {
  MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
  for (BodyDescription& body : description.bodies) {
    body.mass *= factor;
    body.inertia *= factor;
  }
  return Mechanism(description);
}

void expect_the_same_verdicts(const std::string& key) {
  VerificationOptions options;
  options.states = 3;
  for (const FormulationEntry& entry : default_registries().formulations) {
    // The penalty alpha of dca-alm has a unit: 1 / alpha is added to what the bodies give way.
    if (!entry.key.starts_with("dca-alm")) {
      options.formulations.emplace_back(entry.key);
    }
  }
  const std::vector<VerificationResult> before = verify(default_registries(), in_unit(key, 1.0), options);
  const std::vector<VerificationResult> after = verify(default_registries(), in_unit(key, kMassUnit), options);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    SCOPED_TRACE(key + ", " + before[i].formulation);
    EXPECT_EQ(before[i].outcome(), after[i].outcome()) << after[i].failure;
    EXPECT_EQ(before[i].refusal, after[i].refusal);
    EXPECT_NEAR(after[i].condition / before[i].condition, 1.0, 1e-6);
    for (const auto block : {&VerificationResult::velocity, &VerificationResult::rate, &VerificationResult::reaction}) {
      const BlockCheck& one = before[i].*block;
      const BlockCheck& other = after[i].*block;
      EXPECT_EQ(one.outcome, other.outcome) << other.error << " of " << other.limit;
      // Each limit belongs to the state with the largest error over limit, which rounding may choose anew.
      EXPECT_LE(other.limit, 100.0 * one.limit + 1e-12);
      EXPECT_LE(one.limit, 100.0 * other.limit + 1e-12);
    }
  }
}

TEST(Verify, AnotherUnitOfMassChangesNoVerdict) {
  for (const char* const key : {"pendulum:4", "four_bar", "double_loop", "slider_crank", "bricard", "rings", "grid"}) {
    expect_the_same_verdicts(key);
  }
  for (std::uint64_t seed = 1; seed <= test::extent(30); ++seed) {
    expect_the_same_verdicts(fmt::format("random_closed:seed={},cuts={},loads=0", seed, 1 + seed % 3));
    expect_the_same_verdicts(fmt::format("random_tree:seed={},loads=0", seed));
  }
}

}  // namespace
}  // namespace mbdbench
