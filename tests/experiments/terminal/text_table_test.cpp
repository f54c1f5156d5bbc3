/// \file
/// Tables are as wide as the terminal at most, and colours appear where they are wanted.
#include "experiments/terminal/text_table.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/records/claim.hpp"
#include "experiments/terminal/terminal.hpp"

namespace mbdbench {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TextTable table() {
  return {{{"mechanism", "formulation", "error", "verdict"},
           {"a_mechanism_of_a_long_name", "hdca[leaf=subchain,subchains=32]", "1.2345e-07", "passed"},
           {"four_bar", "aba", "refused: it has closed loops and the formulation takes trees only"}},
          {2}};
}

TEST(TextTable, CutsTextAndNeverNumbersToTheWidthOfTheTerminal) {
  const std::vector<std::string> whole = lines_of(table_text(table(), std::nullopt));
  EXPECT_NE(whole[1].find("hdca[leaf=subchain,subchains=32]  1.2345e-07  passed"), std::string::npos) << whole[1];
  EXPECT_TRUE(whole[2].ends_with("trees only"));
  for (const std::size_t columns : {120U, 80U, 60U, 50U}) {
    const std::vector<std::string> lines = lines_of(table_text(table(), columns));
    ASSERT_EQ(lines.size(), columns < 60 ? 6U : 3U) << "two lines a row where one has no room for two names";
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), columns) << line;
    }
    const std::string text = table_text(table(), columns);
    EXPECT_NE(text.find("1.2345e-07"), std::string::npos) << text;
    EXPECT_NE(text.find("refused"), std::string::npos) << text;
    EXPECT_NE(text.find("passed"), std::string::npos) << text;
  }
  EXPECT_NE(table_text(table(), 60).find('~'), std::string::npos);
}

TEST(TextTable, TextIsBrokenAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 4, std::nullopt), "one two three");
  const std::string text =
      wrapped("verdict   a statement that is longer than what one line of the terminal holds", 10, 32);
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(line.size(), 32U) << line;
  }
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_GT(lines.size(), 2U);
  EXPECT_TRUE(lines[1].starts_with("          ") && lines[1][10] != ' ') << lines[1];
}

TEST(Colours, AreWantedOnTerminalsUnlessSaidOtherwise) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_colours(ColourChoice::automatic, true));
  EXPECT_FALSE(wants_colours(ColourChoice::automatic, false));
  EXPECT_TRUE(wants_colours(ColourChoice::always, false));
  EXPECT_FALSE(wants_colours(ColourChoice::never, true));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colours(ColourChoice::automatic, true));
  EXPECT_TRUE(wants_colours(ColourChoice::always, true)) << "what is said counts more than the environment";
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(wants_colours(ColourChoice::automatic, true)) << "empty: not set, as no-color.org says";
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colours(ColourChoice::automatic, true));
  unsetenv("NO_COLOR");
  EXPECT_THROW(use_colours("sometimes"), std::invalid_argument);
}

TEST(Terminal, ThatALauncherGivesItsProcessesIsNone) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  EXPECT_TRUE(terminal_columns(terminal).has_value());
  setenv("PMI_RANK", "0", 1);
  EXPECT_FALSE(terminal_columns(terminal).has_value()) << "mpirun writes what it reads there to a file";
  unsetenv("PMI_RANK");
  close(terminal);
}

TEST(Colours, MarkFailuresAndVerdictsAndNothingElse) {
  use_colours("always");
  EXPECT_EQ(coloured("FAILED", "FAILED"), "\x1b[31mFAILED\x1b[0m");
  EXPECT_EQ(coloured("hdca", "hdca"), "hdca");
  const TextTable rows = {{{"what", "verdict"}, {"a", "FAILED: why"}, {"b", "passed"}}, {}};
  EXPECT_EQ(table_text(rows, 80), "what  verdict\na     \x1b[31mFAILED: why\x1b[0m\nb     \x1b[32mpassed\x1b[0m\n");
  Claim claim;
  claim.verdict = ClaimVerdict::does_not_hold;
  EXPECT_TRUE(claim_table({claim}).starts_with("\x1b[31mdoes not hold\x1b[0m  "));
  use_colours("never");
  EXPECT_EQ(coloured("FAILED", "FAILED"), "FAILED");
  use_colours("auto");
}

}  // namespace
}  // namespace mbdbench
