/// \file
/// Runs of one motion told in other units of time. The leak of the tangent gauge is a rate of 5 1/s: beside a swing of
/// a day it was the stiffest part of the equations (1928095 evaluations for a four-bar linkage in units of 1e5 s).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/formats/csv_file.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/simulate_call.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/other_units.hpp"

namespace mbdbench {
namespace {

using TimeUnitsTest = SimulateCommandTest;

// Absolute tolerances have a unit, so that counts are not the same; a leak that is too stiff takes a thousand times as
// many.
TEST_F(TimeUnitsTest, RunsTakeAboutAsManyEvaluations) {
  for (const char* const key : {"four_bar", "double_loop"}) {
    const Mechanism seconds = test::from_catalogue(key);
    for (const FormulationEntry& entry : formulation_registry()) {
      // The penalty of dca-alm is an option with a unit.
      if (entry.key.starts_with("dca-alm") || !refusal_of(entry, seconds).empty()) {
        continue;
      }
      std::size_t usual = 0;
      for (const double time : {1.0, 1e-3, 1e3, 1e5}) {
        SCOPED_TRACE(fmt::format("{}, {}, time {}", key, entry.key, time));
        const std::string file = (directory_ / "other.toml").string();
        replace_file(file, write_mechanism(test::in_units(seconds, {.time = time})));
        const CommandLineCall run = simulate("run", {"-m", file, "-f", std::string(entry.key), "-t",
                                                     fmt::format("0:{}:{}", time, 2.0 * time), "--overwrite"});
        EXPECT_EQ(run.exit_code, 0) << run.errors;
        const std::size_t end = run.output.find(" evaluations");
        ASSERT_NE(end, std::string::npos) << run.output;
        const std::size_t begin = run.output.rfind(' ', end - 1) + 1;
        const std::size_t evaluations = std::stoul(run.output.substr(begin, end - begin));
        usual = time == 1.0 ? evaluations : usual;
        EXPECT_LE(evaluations, 10 * usual);
      }
    }
  }
}

TEST(TangentLeak, KnowsTheTimeOfTheMechanism) {
  const Mechanism usual = test::from_catalogue("four_bar");
  const std::vector<double> rest(static_cast<std::size_t>(usual.u_size()), 0.0);
  EXPECT_EQ(tangent_leak(5.0, usual, rest), 5.0) << "as it is given where the mechanism swings in seconds";
  const Mechanism slow(test::in_units(usual, {.time = 1e5}));
  EXPECT_LT(tangent_leak(5.0, slow, rest), 1e-2);
  EXPECT_GT(tangent_leak(5.0, slow, rest), 10.0 * slow.scales().rate);
  EXPECT_EQ(tangent_leak(0.0, slow, rest), 0.0);
}

}  // namespace
}  // namespace mbdbench
