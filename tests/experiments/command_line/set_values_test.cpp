/// \file
/// `--set` on mechanisms whose loops must be closed again: what is set stays, what follows is told, what cannot be is
/// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/simulation/initial_values.hpp"

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/simulate_call.hpp"
#include "tests/support/catalogue_mechanism.hpp"

namespace mbdbench {
namespace {

using SetValuesTest = SimulateCommandTest;

ChangedStart four_bar_with(const std::vector<std::string>& assignments) {
  return with_initial_values(test::from_catalogue("four_bar"), assignments);
}

TEST_F(SetValuesTest, HoldsWhatIsSetAndMovesTheOthers) {
  const ChangedStart start = four_bar_with({"q.joint1=0.4", "v.joint1=1"});
  EXPECT_EQ(start.mechanism.q0()[0], 0.4);
  EXPECT_EQ(start.mechanism.u0()[0], 1.0);
  EXPECT_FALSE(start.moved.empty());
  for (const MovedValue& value : start.moved) {
    EXPECT_FALSE(value.was_set) << value.name;
    EXPECT_NE(value.from, value.to) << value.name;
  }
  EXPECT_NE(moved_text(start).find("q.joint2 moved from"), std::string::npos) << moved_text(start);
  // The marks of the description stay: they say which joints depend.
  const Mechanism before = test::from_catalogue("four_bar");
  for (std::size_t k = 0; k < before.description().joints.size(); ++k) {
    EXPECT_EQ(start.mechanism.description().joints[k].dependent, before.description().joints[k].dependent);
  }
}

TEST_F(SetValuesTest, TellsWhatFollowed) {
  const CommandLineCall run =
      simulate("run", {"--mechanism", "four_bar", "--formulation", "dense", "--time", "0.1", "--set", "q.joint1=0.4"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("to close the loops with the values that were set"), std::string::npos) << run.errors;
  EXPECT_EQ(state("run").t, 0.1);
}

TEST_F(SetValuesTest, RefusesValuesThatDoNotFit) {
  const CommandLineCall run =
      simulate("run", {"--mechanism", "four_bar", "--formulation", "dense", "--time", "0.1", "--set", "q.joint1=0.4",
                       "--set", "q.joint2=0.4", "--set", "q.joint3=0.4"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.errors.find("do not close with this value"), std::string::npos) << run.errors;
}

TEST_F(SetValuesTest, ValuesTypedWithFewDigitsGiveWay) {
  const Mechanism closed = four_bar_with({"q.joint1=0.4"}).mechanism;
  std::vector<std::string> typed;
  typed.reserve(static_cast<std::size_t>(closed.q0().size()));
  // All of them: one that is not set starts where it was, far from closing the loop with the others.
  for (int i = 0; i < static_cast<int>(closed.q0().size()); ++i) {
    typed.push_back(fmt::format("q.joint{}={:.4f}", i + 1, closed.q0()[i]));
  }
  const ChangedStart start = four_bar_with(typed);
  EXPECT_LT((start.mechanism.q0() - closed.q0()).lpNorm<Eigen::Infinity>(), 1e-3);
  ASSERT_FALSE(start.moved.empty());
  EXPECT_TRUE(start.moved.front().was_set);
}

TEST_F(SetValuesTest, TreesTakeAnything) {
  const ChangedStart start =
      with_initial_values(test::from_catalogue("pendulum:3"), std::vector<std::string>{"q.joint2=3"});
  EXPECT_EQ(start.mechanism.q0()[1], 3.0);
  EXPECT_TRUE(start.moved.empty());
  EXPECT_EQ(moved_text(start), "");
}

/// A crank of 1 m, a coupler of 2 m and a rocker of 1.5 m between two points 2 m apart, with typed coordinates.
std::string typed_four_bar(const std::string& crank, const std::string& others, const std::string& last) {
  return "name = \"typed\"\n" +
         [&] {
           std::string text;
           for (const char* name : {"crank", "coupler", "rocker"}) {
             text += fmt::format("[[bodies]]\nname = \"{}\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.1]\n", name);
           }
           return text;
         }() +
         fmt::format(R"(
[[joints]]
name = "hub"
b = "crank"
type = "revolute"
axis = [0.0, 1.0, 0.0]
{}
[[joints]]
name = "elbow"
a = "crank"
b = "coupler"
type = "revolute"
axis = [0.0, 1.0, 0.0]
frame_a = {{position = [1.0, 0.0, 0.0]}}
{}
[[joints]]
name = "foot"
b = "rocker"
type = "revolute"
axis = [0.0, 1.0, 0.0]
frame_a = {{position = [2.0, 0.0, 0.0]}}
{}
[[joints]]
name = "wrist"
a = "coupler"
b = "rocker"
type = "revolute"
axis = [0.0, 1.0, 0.0]
frame_a = {{position = [2.0, 0.0, 0.0]}}
frame_b = {{position = [1.5, 0.0, 0.0]}}
cut = true
)",
                     crank, others, last);
}

Mechanism from_text(const std::string& text) {
  return load_mechanism(text, "typed.toml");
}

TEST_F(SetValuesTest, TellsWhatMovedOfAStartThatAFileTypes) {
  const std::string text = typed_four_bar("q0 = [-1.0]\nv0 = [1.0]", "q0 = [0.7]", "q0 = [-1.3]");
  replace_file(directory_ / "typed.toml", text);
  const Mechanism mechanism = from_text(text);
  std::vector<std::string> names;
  for (const MovedValue& value : mechanism.moved_start()) {
    names.push_back(value.name);
    EXPECT_FALSE(value.was_set);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"q.hub", "v.hub", "q.elbow", "q.foot"})) << "typed values only";
  const std::string sentence = "to close the loops of mechanism 'typed' at the start, q.hub moved from -1 to ";
  const std::string file = (directory_ / "typed.toml").string();
  const auto path = [&](const char* name) { return (directory_ / name).string(); };
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"inspect", file},
        {"verify", "-m", file, "-f", "dca", "--states", "0"},
        {"export", "-m", file},
        {"draw", "-m", file, "-o", path("typed.svg")},
        {"matrices", "-m", file, "-o", path("matrices")},
        {"simulate", "-m", file, "-f", "dense", "-t", "0.01", "-o", path("run")}}) {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 0) << call.errors;
    EXPECT_NE(call.errors.find(sentence), std::string::npos) << arguments.front() << ": " << call.errors;
  }
}

TEST_F(SetValuesTest, SaysNothingOfWhatMayMoveOrHasOnlyItsLastDigitsOff) {
  const std::string typed =
      typed_four_bar("q0 = [-1.0]\nv0 = [1.0]", "q0 = [0.7]\ndependent = true", "q0 = [-1.3]\ndependent = true");
  EXPECT_TRUE(from_text(typed).moved_start().empty()) << "asked for";
  const Mechanism closed = from_text(typed);
  const auto digits = [&](int place, int count) {
    return fmt::format("q0 = [{:.{}f}]\nv0 = [{:.{}f}]", closed.q0()[place], count, closed.u0()[place], count);
  };
  EXPECT_TRUE(from_text(typed_four_bar(digits(0, 9), digits(1, 9), digits(2, 9))).moved_start().empty());
  EXPECT_FALSE(from_text(typed_four_bar(digits(0, 5), digits(1, 5), digits(2, 5))).moved_start().empty());
  EXPECT_TRUE(from_text(write_mechanism(closed.description())).moved_start().empty());
}

TEST_F(SetValuesTest, ZeroRatesWithoutGravityAreNoDifference) {
  std::string text = typed_four_bar("q0 = [-1.0]", "q0 = [0.7]\ndependent = true", "q0 = [-1.3]\ndependent = true");
  text.insert(text.find("[[bodies]]"), "gravity = [0.0, 0.0, 0.0]\n");
  const ChangedStart start = with_initial_values(from_text(text), std::vector<std::string>{"v.hub=0"});
  EXPECT_TRUE(start.moved.empty());
}

/// Two wheels behind gears, whose typed rates conflict.
TEST_F(SetValuesTest, SaysOnceWhatMovedFromWhereItWasTyped) {
  const std::string file = (directory_ / "gears.toml").string();
  replace_file(file, R"(name = "gears"
[[bodies]]
name = "small"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[bodies]]
name = "large"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "first"
type = "revolute"
b = "small"
v0 = [2.0]
[[joints]]
name = "second"
type = "revolute"
b = "large"
v0 = [5.0]
[[couplings]]
name = "gears"
terms = [{joint = "first", factor = 1.0}, {joint = "second", factor = 2.0}]
)");
  const std::string matrices = (directory_ / "matrices").string();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"simulate", "-m", file, "-f", "dense", "-t", "0.01", "-o",
                                 (directory_ / "run").string()},
        {"matrices", "-m", file, "-o", matrices}}) {
    std::vector<std::string> with_set = arguments;
    with_set.insert(with_set.end(), {"--set", "v.second=1"});
    const CommandLineCall call = call_program(with_set);
    ASSERT_EQ(call.exit_code, 0) << call.errors;
    EXPECT_NE(call.errors.find("with the values that were set, v.first moved from 2 to -2"), std::string::npos)
        << call.errors;
    EXPECT_EQ(call.errors.find("at the start"), std::string::npos) << call.errors;
    EXPECT_EQ(call.errors.find("v.second"), std::string::npos) << call.errors;
  }
}

}  // namespace
}  // namespace mbdbench
