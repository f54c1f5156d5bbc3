#include "experiments/studies/verdicts/comparison/file_difference.hpp"

#include <gtest/gtest.h>

#include <filesystem>
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

// loop:17 of GCC and of Clang: the files leave out what lies at zero, and where it lies is a sum of sines.
TEST(file_difference, a_frame_at_zero_may_be_missing_where_the_other_is_rounding) {
  const TemporaryDirectory directory;
  int count = 0;
  const auto joint = [&](const std::string& frame, const std::string& q0 = "0.18") {
    std::filesystem::path file = directory.path() / std::to_string(count++);
    std::ofstream(file) << "com = [0.5, 0.0, 0.0]\nb = \"body1\"\n"
                        << frame << "axis = [0.0, 0.0, 1.0]\nq0 = [" << q0 << "]\n";
    return file;
  };
  const std::string rounding = "frame_a = {position = [6.27872400409078e-17, 4.488323271826588e-17, 0.0]}\n";
  const std::string other_rounding = "frame_a = {position = [1.1102230246251565e-16, 0.0, -4e-17]}\n";
  EXPECT_TRUE(files_equal_but_for_rounding(joint(rounding), joint("")));
  EXPECT_TRUE(files_equal_but_for_rounding(joint(""), joint(rounding)));
  EXPECT_TRUE(files_equal_but_for_rounding(joint(rounding), joint(other_rounding)));
  EXPECT_TRUE(files_equal_but_for_rounding(joint(""), joint("frame_b = {position = [0.0, 1e-17, 0.0]}\n" + rounding)));
  EXPECT_FALSE(files_equal_but_for_rounding(joint("frame_a = {position = [1e-13, 0.0, 0.0]}\n"), joint("")))
      << "a small length that somebody has chosen";
  EXPECT_FALSE(files_equal_but_for_rounding(joint(rounding + rounding), joint(rounding + "name = \"j\"\n")));
  EXPECT_FALSE(files_equal_but_for_rounding(
      joint("frame_a = {position = [1e-17, 0.0, 0.0], rotation = [0.8, 0.6, 0.0, 0.0]}\n"), joint("")));
  EXPECT_FALSE(files_equal_but_for_rounding(joint("stiffness = 1e-17\n"), joint(""))) << "no place";
  EXPECT_EQ(first_difference_beyond_rounding(joint(rounding), joint("", "0.19")), "line 5: q0 = [0.18] -> q0 = [0.19]")
      << "not what is rounding";
  EXPECT_EQ(first_difference_beyond_rounding(joint(""), joint("mass = 1.0\n")),
            "line 3: axis = [0.0, 0.0, 1.0] -> mass = 1.0");
}

}  // namespace
}  // namespace mbdbench::studies
