/// \file
/// What the last run took tells what the next one will take.
#include "experiments/part_durations.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "experiments/command_line.hpp"
#include "experiments/experiment_parts.hpp"
#include "experiments/progress.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

ExperimentPart part(const std::string& name, std::uint64_t weight) {
  return {name, weight, [](const std::vector<Record>&) { return PartResult{}; }};
}

TEST(PartDurations, DeclaredWeightsHoldUntilSomethingIsKnown) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "parts");
  const std::vector<ExperimentPart> parts = {part("a", 1), part("b", 10), part("c", 4)};
  EXPECT_FALSE(PartDurations(directory.path()).knows_any(parts));
  EXPECT_EQ(PartDurations(directory.path()).weights(parts), (std::vector<std::uint64_t>{1, 10, 4}));
  PartDurations first(directory.path());
  first.keep("a", 2.0);
  first.keep("b", 0.25);
  const PartDurations second(directory.path());
  EXPECT_TRUE(second.knows_any(parts));
  // c: at the pace of the others, 2.25 s for 11.
  EXPECT_EQ(second.weights(parts), (std::vector<std::uint64_t>{2000, 250, 818}));
  std::ofstream(directory / "parts" / "durations.json") << "[1, 2";
  EXPECT_FALSE(PartDurations(directory.path()).knows_any(parts)) << "damaged: as if it were not there";
}

/// The declared weights are wrong by a factor of a hundred; a repeated run knows better. A clock that the parts turn.
TEST(PartDurations, TheTimeLeftOfARepeatedRunIsWithinThirtyPercent) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "parts");
  const std::vector<ExperimentPart> parts = {part("quick", 100), part("long", 1), part("middle", 10)};
  const std::vector<double> seconds = {1.0, 100.0, 30.0};
  PartDurations last(directory.path());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    last.keep(parts[i].name, seconds[i]);
  }
  const std::vector<std::uint64_t> weights = PartDurations(directory.path()).weights(parts);
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  // The machine is a fifth slower this time.
  double left = 1.2 * 131.0;
  double told = PartDurations::seconds(total);
  EXPECT_NEAR(told, left, 0.3 * left);
  double now = 0.0;
  std::uint64_t done = 0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    now += 1.2 * seconds[i];
    left -= 1.2 * seconds[i];
    done += weights[i];
    told = now / static_cast<double>(done) * static_cast<double>(total - done);
    EXPECT_NEAR(told, left, 0.3 * left) << parts[i].name;
  }
}

TEST(PartDurations, AreKeptByEveryRun) {
  const TemporaryDirectory directory;
  const Registries registries{};
  const ExperimentContext context{
      .registries = registries, .output = directory.path(), .quick = false, .stop_requested = {}, .quiet = true};
  const std::vector<ExperimentPart> parts = {part("one", 1), part("two", 1)};
  ASSERT_TRUE(run_parts(context, "test", parts));
  EXPECT_TRUE(PartDurations(directory.path()).knows_any({parts[1]}));
}

}  // namespace
}  // namespace mbdbench
