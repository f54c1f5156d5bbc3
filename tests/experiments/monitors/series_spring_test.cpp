// Two springs in series, the example: together they are one spring of 200 N/m.
#include <gtest/gtest.h>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class SeriesSpringTest : public SimulateCommandTest {};

TEST_F(SeriesSpringTest, LoadsSwingAsOnOneSpring) {
  const std::string file = std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/series_spring.toml";
  // Half a period of 10 rad/s: twice the static length m g / k below the start.
  const CommandLineCall run = simulate("series", {"-m", file, "-f", "aba", "-t", "0.3141592653589793"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  // The node's gram and the damper leave 0.5 %.
  EXPECT_NEAR(state("series").x.at(1), -1.0 - 2.0 * 2.0 * 9.81 / 200.0, 2e-3);
}

}  // namespace
}  // namespace mbdbench
