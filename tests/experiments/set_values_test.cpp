/// \file
/// `--set` on mechanisms whose loops must be closed again: what is set stays, what follows is told, what cannot be is
/// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/simulation/initial_values.hpp"
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
  EXPECT_NE(run.errors.find("to close the loops with the values of --set"), std::string::npos) << run.errors;
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

}  // namespace
}  // namespace mbdbench
