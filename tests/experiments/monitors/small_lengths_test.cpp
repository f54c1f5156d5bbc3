/// \file
/// A linkage of millimetres with the tolerances that suit metres: its momenta are below the absolute tolerance, so that
/// nothing but the loops limits the first step of forms that hold momenta and few coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/simulate_call.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/other_units.hpp"

namespace mbdbench {
namespace {

using SmallLengthsTest = SimulateCommandTest;

TEST_F(SmallLengthsTest, AFirstStepThatReachesTooFarIsShortened) {
  for (const double length : {0.1, 0.01, 0.001, 0.0001}) {
    const Mechanism small(test::in_units(test::from_catalogue("four_bar"), {.length = length}));
    const std::string file = (directory_ / "small.toml").string();
    replace_file(file, write_mechanism(small.description()));
    for (const char* key : {"naudet-reduced", "naudet-acc-reduced", "naudet"}) {
      const CommandLineCall run = simulate("run", {"-m", file, "-f", key, "-t", "0:0.5:1", "--overwrite"});
      EXPECT_EQ(run.exit_code, 0) << length << " " << key << ": " << run.errors;
    }
  }
}

}  // namespace
}  // namespace mbdbench
