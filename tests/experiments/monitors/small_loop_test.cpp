/// \file
/// A loop that is far smaller than the rest of its mechanism moves as it does alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

/// A four-bar linkage of this size; arms turn in the plane z = 0.
/// \param mark before all its names
std::string links(double size, const std::string& mark) {
  const auto body = [&](const char* name, double x, double y) {
    const double inertia = 0.02 * size * size;
    return fmt::format(
        "[[bodies]]\nname = \"{}{}\"\nmass = 1.0\ncom = [{:.17g}, {:.17g}, 0.0]\ninertia = [{:.17g}, {:.17g}, "
        "{:.17g}]\n",
        mark, name, x * size, y * size, inertia, inertia, inertia);
  };
  const auto joint = [&](const char* name, const std::string& a, const char* b, const std::string& frames) {
    return fmt::format("[[joints]]\nname = \"{}{}\"\ntype = \"revolute\"\na = \"{}\"\nb = \"{}{}\"\n{}", mark, name,
                       a == "ground" ? a : mark + a, mark, b, frames);
  };
  const auto frame = [size](const char* name, double x, double y) {
    return fmt::format("frame_{} = {{position = [{:.17g}, {:.17g}, 0.0]}}\n", name, x * size, y * size);
  };
  return body("left", 0.15, -0.5) + body("coupler", 1.0, -0.2) + body("right", 0.15, -0.7) +
         joint("p", "ground", "left", "") + joint("q", "left", "coupler", frame("a", 0.3, -1.0)) +
         joint("r", "ground", "right", frame("a", 2.0, 0.0)) +
         joint("s", "coupler", "right", frame("a", 2.0, -0.4) + frame("b", 0.3, -1.4) + "cut = true\n");
}

/// The same as a mechanism, in a gravity that swings it alike at any size.
std::string linkage(double size) {
  return fmt::format("name = \"linkage\"\ngravity = [{:.17g}, {:.17g}, 0.0]\n", 6.0 * size, -9.81 * size) +
         links(size, "");
}

/// A pendulum that stands beside it and shares nothing with it.
std::string crane(double length) {
  return fmt::format(
      "[[bodies]]\nname = \"crane\"\nmass = 1.0\ncom = [0.0, {:.17g}, 0.0]\ninertia = [{:.17g}, {:.17g}, {:.17g}]\n"
      "[[joints]]\nname = \"crane\"\ntype = \"revolute\"\nb = \"crane\"\n",
      -length, 0.1 * length * length, 0.1 * length * length, 0.1 * length * length);
}

class SmallLoopTest : public SimulateCommandTest {
 protected:
  /// \returns the angle of the linkage after a second and a half.
  double angle(const std::string& text, const std::string& formulation, const std::string& name) const {
    const auto file = directory_ / (name + ".toml");
    std::ofstream(file) << text;
    const CommandLineCall call = simulate(
        name + formulation, {"-m", file.string(), "-f", formulation, "-t", "1.5", "--rtol", "1e-8", "--atol", "1e-10"});
    EXPECT_EQ(call.exit_code, 0) << formulation << call.errors;
    return state(name + formulation).q.front();
  }
};

TEST_F(SmallLoopTest, MovesAsItDoesAlone) {
  for (const char* formulation :
       {"dense", "dense-momentum", "dca", "hdca", "bae-haug", "naudet", "naudet-acc", "naudet-reduced"}) {
    const double alone = angle(linkage(1.0), formulation, "linkage");
    EXPECT_GT(std::abs(alone), 0.05) << formulation;
    for (const double size : {1e-4, 1e-7}) {
      // Ten thousand times the tolerance; loops that fall apart are off by a radian and more.
      EXPECT_NEAR(angle(linkage(size) + crane(1.0), formulation, fmt::format("watch{:.0e}", size)), alone, 1e-4)
          << formulation << ", " << size;
      EXPECT_NEAR(angle(linkage(size) + links(1.0, "big_"), formulation, fmt::format("two{:.0e}", size)), alone, 1e-4)
          << formulation << ", beside a large loop, " << size;
    }
  }
}

TEST(small_loop, has_a_unit_of_its_own) {
  const Mechanism together = load_mechanism(linkage(1e-4) + crane(1.0), "together");
  EXPECT_EQ(together.scales().unit, 2.0);
  ASSERT_EQ(together.scales().loop_units.size(), 1U);
  // The coupler's joints are 1.02 and 1.02 from its centre of mass: 2.04e-4, next to 2^-12.
  EXPECT_EQ(together.scales().loop_units[0], std::exp2(-12.0));
  EXPECT_EQ(together.scales().rows[together.cut_joints()[0].row_offset], std::exp2(12.0));
  const Mechanism alone = load_mechanism(linkage(1.0), "alone");
  EXPECT_EQ(alone.scales().loop_units[0], alone.scales().unit);
}

}  // namespace
}  // namespace mbdbench
