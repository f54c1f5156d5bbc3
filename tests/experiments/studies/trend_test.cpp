#include "experiments/records/trend.hpp"

#include <gtest/gtest.h>

#include "experiments/records/record_maker.hpp"

namespace mbdbench {
namespace {

Record trend_row(const std::string& parameters, double ours, double other, const std::string& unit = "1",
                 const std::string& quantity = "speedup", const std::string& formulation = "dca") {
  const RecordMaker maker({"e", "m", formulation, "ode45", parameters});
  Record row = maker.measured(quantity, unit, ours, "another machine");
  set_comparison(row, other, {"Paper, table 1", true}, {LimitKind::trend, 0.0});
  return row;
}

TEST(Trend, AsksForDirectionAndOrderOfMagnitude) {
  std::vector<Record> rows = {trend_row("n=1", 1.0, 2.0), trend_row("n=2", 3.0, 5.0), trend_row("n=3", 2.0, 9.0),
                              trend_row("n=4", 200.0, 9.5)};
  judge_trends(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::trend_only);
  EXPECT_EQ(rows[1].verdict, Verdict::trend_only);
  EXPECT_EQ(rows[2].verdict, Verdict::not_reproduced) << "falls where the table rises";
  EXPECT_NE(rows[2].note.find("other way"), std::string::npos) << rows[2].note;
  EXPECT_EQ(rows[3].verdict, Verdict::not_reproduced) << "21 times";
  EXPECT_NE(rows[3].note.find("not of the same order"), std::string::npos) << rows[3].note;
}

TEST(Trend, TimesOfAnotherMachineAreComparedInDirectionAlone) {
  std::vector<Record> rows = {trend_row("end=1", 1e-3, 0.5, "s", "wall_time"),
                              trend_row("end=2", 2e-3, 1.0, "s", "wall_time"),
                              trend_row("end=3", 1e-3, 2.0, "s", "wall_time")};
  judge_trends(rows);
  EXPECT_EQ(rows[1].verdict, Verdict::direction_only) << "500 times faster: all that is asked is the direction";
  EXPECT_EQ(rows[2].verdict, Verdict::not_reproduced);
}

TEST(Trend, ATimeIsJudgedByItsRatioToThatOfAnotherFormulationOnTheSameMachine) {
  std::vector<Record> rows = {
      trend_row("end=1", 1e-3, 0.5, "s", "wall_time", "one"), trend_row("end=1", 0.7e-3, 0.4, "s", "wall_time", "two"),
      trend_row("end=2", 2e-3, 1.0, "s", "wall_time", "one"), trend_row("end=2", 1e-3, 0.8, "s", "wall_time", "two")};
  judge_trends(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::direction_only) << "nothing beside it";
  EXPECT_EQ(rows[1].verdict, Verdict::trend_only) << "0.7 of the other's time, printed 0.8";
  EXPECT_NE(rows[1].note.find("ratio to one 0.7, printed 0.8"), std::string::npos) << rows[1].note;
  EXPECT_EQ(rows[3].verdict, Verdict::direction_only) << "0.5, printed 0.8";
}

TEST(Trend, SingleRowsAreATableOverTheirFormulations) {
  std::vector<Record> rows = {trend_row("end=1", 1.0, 1.0, "1", "error", "a"),
                              trend_row("end=1", 2.0, 0.5, "1", "error", "b")};
  judge_trends(rows);
  EXPECT_EQ(rows[1].verdict, Verdict::not_reproduced);
  Record other = rows[0];
  other.limit = Limit::within(0.1);
  other.verdict = Verdict::within_limit;
  rows = {other};
  judge_trends(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::within_limit) << "not a trend";
}

}  // namespace
}  // namespace mbdbench
