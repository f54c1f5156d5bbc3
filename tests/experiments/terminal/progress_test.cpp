#include "experiments/terminal/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace mbdbench {
namespace {

/// Options with a stream and a clock that the test turns.
struct Stage {
  std::ostringstream stream;
  double now = 0.0;

  ProgressOptions options(bool terminal, bool quiet = false, std::size_t columns = 80) {
    ProgressOptions made;
    made.quiet = quiet;
    made.stream = &stream;
    made.terminal = terminal;
    made.clock = [this] { return now; };
    made.columns = [columns] { return columns; };
    return made;
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

/// \returns the drawings of a bar, without what moves the cursor.
std::vector<std::string> drawings(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line, '\r');) {
    if (const std::size_t end = line.find("\x1b[K"); end != std::string::npos) {
      lines.push_back(line.substr(0, end));
    }
  }
  return lines;
}

TEST(ProgressBar, StaysWithinTheTerminalWhateverItsWidth) {
  for (const std::size_t columns : {1U, 2U, 10U, 30U, 44U, 60U, 200U}) {
    Stage stage;
    ProgressBar bar("a long label of work", 1000, stage.options(true, false, columns));
    for (int i = 0; i < 100; ++i) {
      stage.now += 1.0;
      bar.doing("part " + std::to_string(i));
      bar.advance(10);
    }
    for (const std::string& line : drawings(stage.stream.str())) {
      EXPECT_LT(line.size(), std::max<std::size_t>(columns, 2)) << line;
    }
    if (columns >= 44) {
      EXPECT_NE(stage.stream.str().find(" left"), std::string::npos) << "the time comes before the bar";
    }
  }
}

TEST(ProgressBar, SaysSomethingDuringSetUpAndWhatIsBeingDone) {
  Stage stage;
  ProgressBar bar("run", 4, stage.options(true));
  EXPECT_NE(stage.stream.str().find("setting up"), std::string::npos);
  bar.doing("table");
  EXPECT_TRUE(drawings(stage.stream.str()).back().ends_with("table"));
  stage.now = 5.0;
  bar.set(4);
  EXPECT_TRUE(drawings(stage.stream.str()).back().ends_with("in all"));
}

TEST(ProgressBar, WhatWasThereAlreadyIsNoMeasureOfTheRest) {
  Stage stage;
  ProgressOptions options = stage.options(true);
  options.expected = 200.0;
  ProgressBar bar("run", 100, options);
  EXPECT_NE(stage.stream.str().find("3 min 20 s left"), std::string::npos) << "expected, before anything is done";
  stage.now = 1.0;
  bar.skip(50);
  EXPECT_NE(stage.stream.str().find("1 min 50 s left"), std::string::npos) << stage.stream.str();
  stage.now = 11.0;
  bar.advance(25);
  // 25 units took 11 s, where 50 s were expected, which counts as 5 units and 10 s would.
  EXPECT_NE(stage.stream.str().find("18 s left"), std::string::npos) << stage.stream.str();
}

TEST(ProgressBar, AFirstPartOfMillisecondsDoesNotOverrideWhatIsExpected) {
  Stage stage;
  ProgressOptions options = stage.options(true);
  options.expected = 100.0;
  ProgressBar bar("run", 100000, options);
  stage.now = 0.2;
  bar.advance(20);  // ten times slower than expected: its pace alone says 16 min 40 s
  EXPECT_NE(drawings(stage.stream.str()).back().find("1 min 44 s left"), std::string::npos) << stage.stream.str();
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
