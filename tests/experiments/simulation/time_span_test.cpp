#include "experiments/simulation/time_span.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace mbdbench {
namespace {

std::string refusal(const char* text) {
  try {
    parse_time_span(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TimeSpanTest, ReadsTheThreeForms) {
  EXPECT_EQ(times_of(parse_time_span("10")), (std::vector{0.0, 10.0}));
  EXPECT_EQ(times_of(parse_time_span("1:3")), (std::vector{1.0, 3.0}));
  EXPECT_EQ(times_of(parse_time_span("1:0.5:2.5")), (std::vector{1.0, 1.5, 2.0, 2.5}));
  EXPECT_EQ(times_of(parse_time_span("0:-1:-2")), (std::vector{0.0, -1.0, -2.0}));
}

TEST(TimeSpanTest, TheEndIsAlwaysReachedExactly) {
  // 0.1 is not a binary fraction: 100 of them need not be 10.
  const std::vector<double> times = times_of(parse_time_span("0:0.1:10"));
  EXPECT_EQ(times.size(), 101U);
  EXPECT_EQ(times.back(), 10.0);
  EXPECT_EQ(times_of(parse_time_span("0:0.4:1")), (std::vector{0.0, 0.4, 0.8, 1.0}));
}

TEST(TimeSpanTest, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("ten"), "time 'ten': 'ten' is not a finite number");
  EXPECT_EQ(refusal("0:inf"), "time '0:inf': 'inf' is not a finite number");
  EXPECT_NE(refusal("0").find("no length"), std::string::npos);
  EXPECT_NE(refusal("0:-1:5").find("do not lead from 0 to 5"), std::string::npos);
  EXPECT_NE(refusal("0:0:5").find("do not lead from 0 to 5"), std::string::npos);
  EXPECT_NE(refusal("0:1e-12:5").find("samples"), std::string::npos);
  EXPECT_NE(refusal("0:1:2:3").find("write T, t0:tf or t0:dt:tf"), std::string::npos);
}

TEST(TimeSpanTest, ARestartKeepsTheTimesThatAreLeft) {
  const TimeSpan span = parse_time_span("0:1:4");
  EXPECT_EQ(times_after(span, 2.0), (std::vector{2.0, 3.0, 4.0}));
  EXPECT_EQ(times_after(span, 2.5), (std::vector{2.5, 3.0, 4.0}));
  EXPECT_EQ(times_after(parse_time_span("4"), 3.5), (std::vector{3.5, 4.0}));
  EXPECT_THROW(times_after(span, 4.0), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench
