/// \file
/// What the last run took tells what the next one will take; how well, tests/faults/time_left.py measures.
#include "experiments/records/part_durations.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "experiments/experiment_parts.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(PartDurations, DeclaredWeightsHoldUntilSomethingIsKnown) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "parts");
  const std::vector<DeclaredPart> parts = {{"a", 1}, {"b", 10}, {"c", 4}};
  const ExpectedTimes unknown = expected_times(PartDurations(directory.path()).last(), parts);
  EXPECT_EQ(unknown.seconds, 0.0);
  EXPECT_EQ(unknown.total, 15U);
  EXPECT_EQ(unknown.weights, (std::vector<std::uint64_t>{1, 10, 4}));
  PartDurations first(directory.path());
  first.keep("a", 2.0);
  first.keep("b", 0.25);
  const ExpectedTimes known = expected_times(PartDurations(directory.path()).last(), parts);
  // c: at the pace of the others, 2.25 s for 11.
  EXPECT_EQ(known.weights, (std::vector<std::uint64_t>{2000, 250, 818}));
  EXPECT_EQ(known.total, 3068U);
  EXPECT_DOUBLE_EQ(known.seconds, 3.068);
  std::ofstream(directory / "parts" / "durations.json") << "[1, 2";
  EXPECT_TRUE(PartDurations(directory.path()).last().empty()) << "damaged: as if it were not there";
}

TEST(PartDurations, AreKeptByEveryRun) {
  const TemporaryDirectory directory;
  const Registries registries{};
  const ExperimentContext context{
      .registries = registries, .output = directory.path(), .quick = false, .stop_requested = {}, .quiet = true};
  const auto compute = [](const std::vector<Record>&) { return PartResult{}; };
  ASSERT_TRUE(run_parts(context, "test", {{"one", 1, compute}, {"two", 1, compute}}));
  EXPECT_EQ(PartDurations(directory.path()).last().size(), 2U);
}

}  // namespace
}  // namespace mbdbench
