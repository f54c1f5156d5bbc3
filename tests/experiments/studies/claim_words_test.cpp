/// \file
/// Claims without a criterion of their own are told in words, not as the expression that decides them.
#include "experiments/studies/verdicts/claim_words.hpp"

#include <gtest/gtest.h>

namespace mbdbench::studies {
namespace {

TEST(ClaimWords, ObserversHaveTheirTitlesAndWhatTheBracketsChoose) {
  Study study;
  study.titles[parse_observer("evaluations")] = "number of evaluations";
  const auto words = [&](const char* text) { return condition_in_words(study, ClaimExpression(text)); };
  EXPECT_EQ(words("evaluations['DCA'] < 2 * evaluations['HDCA', integrator='ode45', tolerance=1e-6]"),
            "number of evaluations of DCA < 2 * number of evaluations of HDCA, ode45, 1e-06");
  EXPECT_EQ(words("evaluations < 3 and evaluations > 1"), "number of evaluations < 3 and number of evaluations > 1");
  EXPECT_EQ(words("exponent(evaluations['DCA']) < 1.2"),
            "power of the number of bodies in (number of evaluations of DCA) < 1.2");
}

}  // namespace
}  // namespace mbdbench::studies
