/// \file
/// Limits where rounding does more than the condition of a matrix tells: short arms, loops that are nearly singular,
/// and passes that end early.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "experiments/verification/verification.hpp"

namespace mbdbench {
namespace {

std::vector<VerificationResult> results_of(std::vector<std::string> mechanisms, std::vector<std::string> formulations,
                                           std::int64_t seed, bool derivatives = true) {
  VerificationOptions options;
  options.mechanisms = std::move(mechanisms);
  options.formulations = std::move(formulations);
  options.seed = seed;
  options.derivatives = derivatives;
  return verify(default_registries(), options, [](std::size_t, std::size_t) { return true; });
}

// Arms of links of 1e-6 m, a metre away from the origin, are known to 1e-10 of them, and velocities of their momenta to
// 1e-4: two ways to these differ by 1e-8, and no condition of a matrix that is scaled to the links tells.
TEST(RoundingLimits, ArmsRoundByTheDistanceFromTheOrigin) {
  for (const VerificationResult& result :
       results_of({"dill:bodies=12,taper=1e-6", "dill", "pendulum:4"}, {"hdca"}, 2, false)) {
    SCOPED_TRACE(result.mechanism + result.failure);
    EXPECT_NE(result.outcome(), CheckOutcome::failed) << result.velocity.error << " of " << result.velocity.limit;
    if (result.mechanism.find("taper") == std::string::npos) {
      EXPECT_LE(result.velocity.limit, 1e-11) << "where links are not short an error of this size is found";
    }
  }
}

// Passes over regularised loops ended where velocities were right to 1e-13, and reactions were not.
TEST(RoundingLimits, RegularisedLoopsKeepTheDigitsOfReactions) {
  for (const VerificationResult& result :
       results_of({"sarrus"}, {"hdca[loops=proximal]", "dca[loops=proximal]"}, 1, false)) {
    SCOPED_TRACE(result.formulation);
    EXPECT_EQ(result.outcome(), CheckOutcome::passed);
    EXPECT_LT(result.reaction.error, 1e-13);
  }
}

// Loops of the state are open by rounding, and those of independent coordinates close 1e-13 away from it: derivatives
// there differ by 2e-9 where limits are 1e-10.
TEST(RoundingLimits, IndependentCoordinatesMeanTheLoopsThatTheyClose) {
  for (const VerificationResult& result : results_of({"sarrus:angle=0.01"}, {"naudet-acc-reduced"}, 7)) {
    EXPECT_EQ(result.outcome(), CheckOutcome::passed) << result.derivative.error << " of " << result.derivative.limit;
    EXPECT_EQ(result.derivative.precise_directions, result.derivative.directions);
    EXPECT_LT(result.derivative.error, 5e-9) << "a wrong digit beyond these is found";
  }
}

// Less than a step away from a fold differences with other lengths are off by 0.2, and say that they know 0.2; and
// passes of derivatives of dca-alm take more than those of the state.
TEST(RoundingLimits, NextToAFoldNothingFails) {
  for (const VerificationResult& result : results_of({"double_loop:angle=1.5"}, {"naudet-acc-reduced", "dca-alm"}, 1)) {
    SCOPED_TRACE(result.formulation);
    EXPECT_NE(result.outcome(), CheckOutcome::failed) << result.failure;
    EXPECT_NE(result.derivative.outcome, CheckOutcome::failed) << result.derivative.error;
    EXPECT_LT(result.parameter.error, 1e-2) << "a wrong column is wrong by more";
  }
}

}  // namespace
}  // namespace mbdbench
