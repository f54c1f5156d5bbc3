#include "experiments/studies/verdicts/file_difference.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

TEST(file_difference, last_digits_beside_the_largest_number_of_the_line_are_rounding) {
  EXPECT_TRUE(equal_but_for_rounding("frame_a = {position = [0.20000000000000007, 4.998137343196174e-18, 0.0]}",
                                     "frame_a = {position = [0.2, 0.0, -1.4e-17]}"));
  EXPECT_TRUE(equal_but_for_rounding("v0 = [2.4000000000000017, 8.456675814258868e-16]", "v0 = [2.4, 8.6e-16]"));
  EXPECT_TRUE(equal_but_for_rounding("q0 = [-9.370825333944079e-18]", "q0 = [0.0]"));
  EXPECT_TRUE(equal_but_for_rounding("v0 = [2.3644664873495656e-16]", "v0 = [2.220446049250313e-16]"));
  EXPECT_FALSE(equal_but_for_rounding("q0 = [1e-13]", "q0 = [0.0]")) << "a start beside a singular position";
  EXPECT_FALSE(
      equal_but_for_rounding("frame_a = {position = [0.2, 0.0, 0.0]}", "frame_a = {position = [0.2, 1e-11, 0.0]}"))
      << "somebody's change";
  EXPECT_FALSE(equal_but_for_rounding("mass = 1e-15", "mass = 2e-15")) << "small numbers are no rounding";
  EXPECT_FALSE(equal_but_for_rounding("q0 = [0.5, 0.1]", "q0 = [0.5]"));
  EXPECT_FALSE(equal_but_for_rounding("q0 = [0.5]", "v0 = [0.5]"));
  EXPECT_FALSE(equal_but_for_rounding("joint = \"joint1\"", "joint = \"joint2\"")) << "digits of names";
  EXPECT_FALSE(equal_but_for_rounding("name = \"four-bar1\"", "name = \"four-bar2\""));
  EXPECT_FALSE(equal_but_for_rounding("axis = [1.0]", "axis = [-1.0]"));
}

TEST(file_difference, files_have_the_same_lines) {
  const TemporaryDirectory directory;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory.path() / name) << text;
    return directory.path() / name;
  };
  const auto a = write("a", "name = \"arm\"\nmass = 0.1\n");
  EXPECT_TRUE(files_equal_but_for_rounding(a, write("b", "name = \"arm\"\nmass = 0.10000000000000002\n")));
  EXPECT_FALSE(files_equal_but_for_rounding(a, write("c", "name = \"arm\"\n")));
  EXPECT_FALSE(files_equal_but_for_rounding(write("d", "name = \"arm\"\n"), a));
  EXPECT_FALSE(files_equal_but_for_rounding(a, directory.path() / "missing"));
  EXPECT_FALSE(files_equal_but_for_rounding(directory.path(), directory.path())) << "no file";
  EXPECT_EQ(first_difference(a, directory.path() / "b"), "line 2: mass = 0.1 -> mass = 0.10000000000000002");
}

}  // namespace
}  // namespace mbdbench::studies
