/// \file
/// Bushings, friction, stops and joints that only close loops before `verify`: every formulation against the dense
/// reference in velocities, rates, reactions, accelerations and the balance of power.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/held_block.hpp"

namespace mbdbench {
namespace {

void expect_verified(const MechanismDescription& description) {
  const TemporaryDirectory directory;
  const std::string file = (directory / "mechanism.toml").string();
  std::ofstream(file) << write_mechanism(description);
  const CommandLineCall call = call_program({"verify", "-m", file, "--states", "3"});
  EXPECT_EQ(call.exit_code, 0) << write_mechanism(description) << call.output << call.errors;
}

TEST(AddedLoads, EveryFormulationAgreesOnBushingsFrictionAndStops) {
  for (int seed = 1; seed <= 6; ++seed) {
    for (const char* kind : {"tree", "closed"}) {
      MechanismDescription description =
          make_mechanism(mechanism_registry(), fmt::format("random_{}:seed={},bodies={}", kind, seed, 4 + seed % 4))
              .description();
      RandomSource random(seed);
      test::add_bushings(random, description);
      test::add_friction(random, description);
      test::add_stops(random, description);
      expect_verified(description);
    }
  }
}

TEST(AddedLoads, EveryFormulationAgreesOnJointsThatOnlyCloseLoops) {
  for (const JointType type : kCutOnlyTypes) {
    expect_verified(test::held_block(type));
  }
}

}  // namespace
}  // namespace mbdbench
