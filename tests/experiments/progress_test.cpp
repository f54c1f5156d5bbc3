#include "experiments/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace mbdbench {
namespace {

/// Options with a stream and a clock that the test turns.
struct Stage {
  std::ostringstream stream;
  double now = 0.0;

  ProgressOptions options(bool terminal, bool quiet = false) {
    return {quiet, &stream, terminal, [this] { return now; }};
  }
};

TEST(ProgressBar, WritesPlainLinesRarely) {
  Stage stage;
  {
    ProgressBar bar("table 1", 1000, stage.options(false));
    for (int i = 0; i < 1000; ++i) {
      stage.now += 1.0;
      bar.advance();
    }
  }
  const std::string text = stage.stream.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10) << text;
  EXPECT_TRUE(text.starts_with("table 1:  10 %  100/1000  15 min 0 s left\n")) << text;
  EXPECT_TRUE(text.ends_with("table 1: 100 %  1000/1000  16 min 40 s in all\n")) << text;
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos);
}

TEST(ProgressBar, ShortWorkIsOneLine) {
  Stage stage;
  ProgressBar bar("short", 100, stage.options(false));
  for (int i = 0; i < 150; ++i) {
    stage.now += 0.01;
    bar.advance();
  }
  EXPECT_EQ(stage.stream.str(), "short: 100 %  100/100  1 s in all\n");
}

TEST(ProgressBar, RedrawsOneLineOnATerminal) {
  Stage stage;
  {
    ProgressBar bar("run", 4, stage.options(true));
    stage.now = 5.0;
    bar.set(2);
    stage.now = 5.01;
    bar.set(3);  // too soon to be drawn
  }
  const std::string text = stage.stream.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 2) << text;
  EXPECT_NE(text.find("[###############...............]  50 %  2/4  5 s left"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(ProgressBar, QuietAndEmptyWorkSayNothing) {
  Stage stage;
  ProgressBar quiet("quiet", 2, stage.options(true, true));
  quiet.set(2);
  ProgressBar empty("empty", 0, stage.options(false));
  empty.set(0);
  EXPECT_EQ(stage.stream.str(), "");
}

}  // namespace
}  // namespace mbdbench
