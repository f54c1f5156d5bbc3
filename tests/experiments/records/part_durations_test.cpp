/// \file
/// What the last run took tells what the next one will take; how well, tests/faults/time_left.py measures.
#include "experiments/records/timing/part_durations.hpp"

#include <gtest/gtest.h>

namespace mbdbench {
namespace {

TEST(PartDurations, DeclaredWeightsHoldUntilSomethingIsKnown) {
  const std::vector<DeclaredPart> parts = {{"a", 1}, {"b", 10}, {"c", 4}};
  const ExpectedTimes unknown = expected_times({}, parts);
  EXPECT_EQ(unknown.seconds, 0.0);
  EXPECT_EQ(unknown.total, 15U);
  EXPECT_EQ(unknown.weights, (std::vector<std::uint64_t>{1, 10, 4}));
  const ExpectedTimes known = expected_times({{"a", 2.0}, {"b", 0.25}}, parts);
  // c: at the pace of the others, 2.25 s for 11.
  EXPECT_EQ(known.weights, (std::vector<std::uint64_t>{2000, 250, 818}));
  EXPECT_EQ(known.total, 3068U);
  EXPECT_DOUBLE_EQ(known.seconds, 3.068);
}

}  // namespace
}  // namespace mbdbench
