// The documented laws of contact and friction stop a block where Coulomb's law does.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class SlidingBlockTest : public SimulateCommandTest {};

TEST_F(SlidingBlockTest, ComesToRestWhereCoulombsLawSays) {
  const std::string file = std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/sliding_block.toml";
  for (const std::string key : {"dense", "hdca", "dca"}) {
    const CommandLineCall run = simulate(key, {"-m", file, "-f", key, "-t", "1.0"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const SavedState end = state(key);
    const double way = 1.5 * 1.5 / (2.0 * 0.3 * 9.81);
    // It sinks in first, and the last 0.01 m/s creep: 1 % of the way.
    EXPECT_NEAR(end.x.at(0), way, 0.01 * way) << key;
    EXPECT_LT(std::abs(end.x.at(3)), 1e-3) << key;  // v, or p of half a kilogram
    EXPECT_GT(end.x.at(1), 0.0) << key;             // in the floor: -z
  }
}

}  // namespace
}  // namespace mbdbench
