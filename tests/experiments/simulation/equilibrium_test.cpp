/// \file
/// Runs of mechanisms in equilibrium without gravity: neither weights nor energies tell what rounding is measured with,
/// but loads and inertias do.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "experiments/files/formats/csv_file.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

constexpr std::string_view kWheels = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "small"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[bodies]]
name = "large"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[couplings]]
name = "gears"
terms = [{joint = "first", factor = 20.0}, {joint = "second", factor = 60.0}]
[[joints]]
name = "second"
type = "revolute"
b = "large"
[[joint_loads]]
name = "load"
joint = "second"
law = 6.0
[[joints]]
name = "first"
type = "revolute"
b = "small"
)toml";
constexpr const char* kHeld = R"toml(motions = [{position = "0"}]
)toml";
constexpr const char* kOpposed = R"toml([[joint_loads]]
name = "opposed"
joint = "first"
law = 2.0
)toml";
/// The load acts later: what it is at the start tells nothing.
constexpr const char* kGrowing = R"toml(motions = [{position = "0"}]
[[joint_loads]]
name = "grows"
joint = "second"
law = "60*t"
)toml";

constexpr const char* kTriangle = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "left"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[bodies]]
name = "right"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "p"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "left"
q0 = [-0.9272952180016122]
[[joints]]
name = "q"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "right"
frame_a = {position = [1.2, 0.0, 0.0]}
q0 = [-2.214297435588181]
[[joints]]
name = "r"
type = "revolute"
axis = [0.0, 1.0, 0.0]
a = "left"
b = "right"
frame_a = {position = [1.0, 0.0, 0.0]}
frame_b = {position = [1.0, 0.0, 0.0]}
cut = true
[[body_loads]]
name = "push"
body = "left"
point = [0.7, 0.0, 0.0]
force = [30.0, 0.0, -70.0]
)toml";

constexpr const char* kParallelogram = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "left"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[bodies]]
name = "coupler"
mass = 1.0
com = [0.6, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[bodies]]
name = "right"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "p"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "left"
q0 = [-1.1]
[[joints]]
name = "q"
type = "revolute"
axis = [0.0, 1.0, 0.0]
a = "left"
b = "coupler"
frame_a = {position = [1.0, 0.0, 0.0]}
q0 = [1.1]
[[joints]]
name = "r"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "right"
frame_a = {position = [1.2, 0.0, 0.0]}
q0 = [-1.1]
[[joints]]
name = "s"
type = "revolute"
axis = [0.0, 1.0, 0.0]
a = "coupler"
b = "right"
frame_a = {position = [1.2, 0.0, 0.0]}
frame_b = {position = [1.0, 0.0, 0.0]}
cut = true
[[joint_loads]]
name = "forth"
joint = "p"
law = 5.0
[[joint_loads]]
name = "back"
joint = "r"
law = -5.0
)toml";

constexpr const char* kChain = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "first"
mass = 1.0
com = [0.3, 0.1, 0.2]
inertia = [0.1, 0.2, 0.3]
[[bodies]]
name = "second"
mass = 2.0
com = [0.4, 0.3, -0.2]
inertia = [0.1, 0.2, 0.3]
[[bodies]]
name = "third"
mass = 2.0
com = [0.4, 0.3, -0.2]
inertia = [0.1, 0.2, 0.3]
[[joints]]
name = "p"
type = "spherical"
b = "first"
q0 = [0.5, 0.5, 0.5, 0.5]
[[joints]]
name = "q"
type = "revolute"
a = "first"
b = "second"
q0 = [0.4]
frame_a = {position = [0.7, 0.1, 0.3]}
[[joints]]
name = "r"
type = "spherical"
a = "second"
b = "third"
q0 = [0.8, 0.6, 0.0, 0.0]
frame_a = {position = [0.7, 0.1, 0.3]}
)toml";

using EquilibriumTest = SimulateCommandTest;

TEST_F(EquilibriumTest, RoundingIsMeasuredWithLoadsAndInertias) {
  const std::string wheels(kWheels);
  int checked = 0;
  for (const std::string& text : {wheels + kHeld, wheels + kOpposed, wheels + kGrowing, std::string(kTriangle),
                                  std::string(kParallelogram), std::string(kChain)}) {
    const std::string file = (directory_ / "still.toml").string();
    replace_file(file, "name = \"still\"\n" + text);
    const Mechanism mechanism = load_mechanism("name = \"still\"\n" + text, "still.toml");
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!refusal_of(entry, mechanism).empty()) {
        continue;
      }
      for (const char* const end : {"1", "10"}) {
        const CommandLineCall run =
            simulate("run", {"-m", file, "-f", std::string(entry.key), "-t", end, "--overwrite"});
        EXPECT_EQ(run.exit_code, 0) << entry.key << " to " << end << " s: " << run.errors << text;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 60);
}

}  // namespace
}  // namespace mbdbench
