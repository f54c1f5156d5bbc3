/// \file
/// Mechanism files that somebody wrote to do harm: nested without end, with what terminals obey, with bytes that end
/// texts early. All of them are refused with a line and a reason.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/toml_text.hpp"
#include "mechanisms/model/description/visible_text.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"
#include "mechanisms/model/loads/formula_limits.hpp"

namespace mbdbench {
namespace {

// Beyond every stack, should anybody call himself for each level.
constexpr int kDeep = 200000;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

std::string refusal(const std::string& text, const char* file = "hostile.toml") {
  try {
    parse_mechanism(text, file);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

TEST(HostileFiles, TomlThatIsTooDeepIsRefusedBeforeItIsParsed) {
  const std::vector<std::string> deep = {
      "name = \"x\"\n" + repeated("a.", kDeep) + "a = 1\n",
      "name = \"x\"\n[" + repeated("a.", kDeep) + "a]\nb = 1\n",
      "name = \"x\"\n[[" + repeated("a.", kDeep) + "a]]\nb = 1\n",
      "name = \"x\"\na = " + repeated("[", kDeep) + repeated("]", kDeep) + "\n",
      "name = \"x\"\na = " + repeated("{b = ", kDeep) + "1" + repeated("}", kDeep) + "\n",
      "name = \"x\"\na = {" + repeated("b . ", kDeep) + "c = 1}\n",
      // Each line has few levels, together they are many.
      "name = \"x\"\n[" + repeated("a.", 20) + "a]\n" + repeated("b.", 20) + "c = 1\n",
      // Not hidden by what only looks like a string or a comment.
      "name = \"\\\"\" # \" [[[\na = ''' ' ''' # '''\n" + repeated("a.", kDeep) + "a = 1\n",
      "name = \"x\"\na = [ # ]\n" + repeated("[\n", kDeep),
  };
  for (const std::string& text : deep) {
    const std::string message = refusal(text);
    EXPECT_TRUE(says(message, "nested deeper than 32 levels")) << message.substr(0, 200);
    EXPECT_TRUE(says(message, "hostile.toml:")) << message.substr(0, 200);
  }
  EXPECT_TRUE(says(refusal("name = \"x\"\n\n[" + repeated("a.", kDeep) + "a]\n"), "hostile.toml:3:"));
}

TEST(HostileFiles, BracketsInStringsAndCommentsAreNoLevels) {
  const std::string many = repeated("[", 1000) + repeated("a.", 1000);
  for (const std::string& quoted : {"\"" + many + "\"", "'" + many + "'", "\"\"\"" + many + "\n" + many + "\"\"\"\"\"",
                                    "'''" + many + "\n''' # " + many, "\"" + many + "\\\"" + many + "\""}) {
    EXPECT_NO_THROW(parse_toml("a = " + quoted + "\n", "quoted.toml")) << quoted.substr(0, 60);
  }
  // A file of many tables is wide, not deep.
  const std::string wide = repeated("[[a.b]]\nc = [1.5, 2.5, [3.5]]\nd.e = {f = 1.0, g.h = 2.0}\n", 2000);
  EXPECT_EQ((*parse_toml(wide, "wide.toml")["a"]["b"].as_array()).size(), 2000U);
  EXPECT_EQ(parse_toml("a = [\n" + repeated("  1.5,\n", 500) + "]\n", "long.toml")["a"].as_array()->size(), 500U);
}

TEST(HostileFiles, UrdfThatIsTooDeepIsRefused) {
  const std::string message = refusal(repeated("<robot name=\"x\">", kDeep), "hostile.urdf");
  EXPECT_TRUE(says(message, "nested too deeply")) << message.substr(0, 200);
  EXPECT_TRUE(says(refusal(std::string("<robot name=\"x\">\n\0</robot>", 26), "hostile.urdf"),
                   "hostile.urdf:2: is not XML: it holds a NUL"));
}

// The nearest of 10^4 names was looked for 10^4 times: 10 s of a processor, of which a hundred messages are shown.
TEST(HostileFiles, TenThousandErrorsTakeNoLongerThanTheyAreRead) {
  std::string text = "<robot name=\"r\">";
  for (int i = 0; i < 10000; ++i) {
    text += "<link name=\"l" + std::to_string(i) + "\"/>";
  }
  for (int i = 0; i < 10000; ++i) {
    const std::string number = std::to_string(i);
    text += "<joint name=\"j" + number + "\" type=\"fixed\"><parent link=\"l" + number + "\"/><child link=\"x" +
            number + "\"/></joint>\n";
  }
  const std::clock_t begin = std::clock();
  const std::string message = refusal(text + "</robot>", "wide.urdf");
  EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC);
  EXPECT_TRUE(says(message, "there is no link 'x0'; links: l0, l1")) << message.substr(0, 500);
  EXPECT_TRUE(says(message, "more"));
}

TEST(HostileFiles, IncludedFilesHaveTheLimitsOfFiles) {
  std::string pattern = (std::filesystem::temp_directory_path() / "mbdbench-include-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto message = [&](const std::string& included) {
    return refusal("<mujoco><include file=\"" + included + "\"/></mujoco>", (folder / "hostile.xml").c_str());
  };
  ASSERT_EQ(mkfifo((folder / "pipe.xml").c_str(), 0600), 0);
  EXPECT_TRUE(says(message("pipe.xml"), "is a pipe; name an MJCF file")) << "and nobody waits for a writer";
  EXPECT_TRUE(says(message("/dev/zero"), "is a device; name an MJCF file")) << message("/dev/zero");
  EXPECT_TRUE(says(message("."), "is a folder; name an MJCF file")) << message(".");
  write("nul.xml", std::string("<m><worldbody>\0</worldbody></m>", 31));
  EXPECT_TRUE(says(message("nul.xml"), "cannot be read as XML")) << message("nul.xml");
  // Each of them is shallow enough for the parser.
  const int count = 40;
  for (int i = 0; i < count; ++i) {
    write("part" + std::to_string(i) + ".xml", "<m>" + repeated("<body>", 60) + "<include file=\"part" +
                                                   std::to_string(i + 1) + ".xml\"/>" + repeated("</body>", 60) +
                                                   "</m>");
  }
  EXPECT_TRUE(says(message("part0.xml"), "there would be more than 100 elements within one another"))
      << message("part0.xml");
  std::filesystem::remove_all(folder);
}

TEST(HostileFiles, WhatTerminalsObeyIsRefusedWithItsLine) {
  for (const char* const escape :
       {"\\u001b[2J", "\\u0000", "\\u0007", "\\u009b1m", "\\u202e", "\\u2066", "\\u2028", "\\b"}) {
    const std::string text = std::string("\nname = \"arm ") + escape + "\"\n";
    const std::string message = refusal(text);
    EXPECT_TRUE(says(message, "hostile.toml:2: a string holds the control character U+")) << escape << message;
    EXPECT_EQ(visible_text(message), message);
    const std::string key = refusal(std::string("name = \"x\"\n\"a") + escape + "\" = 1\n");
    EXPECT_TRUE(says(key, "hostile.toml:2: the key")) << key;
    EXPECT_EQ(visible_text(key), key);
  }
  EXPECT_TRUE(says(refusal("name = \"x\"\n\"a\\nb\" = 1\n"), "holds a line break"));
  // Raw ones the parser refuses, and its message quotes them.
  const std::string raw = refusal("name = \"\x1b[31m\"\n");
  EXPECT_TRUE(says(raw, "hostile.toml:1:")) << raw;
  EXPECT_EQ(visible_text(raw), raw);
}

TEST(HostileFiles, WhatPeopleWriteStaysAsItIs) {
  for (const char* const text : {"M\xc3\xbchle", "\xcf\x86 = 2\xcf\x80", "\xe6\xa9\x9f\xe6\xa2\xb0", "\xf0\x9f\xa6\xbe",
                                 "two\nlines\twith tabs", "lines\r\nof Windows"}) {
    EXPECT_EQ(visible_text(text), text);
    EXPECT_EQ(unseen_character(text), "");
  }
  EXPECT_EQ(visible_text(std::string("a\0b\x1b[1m\x7f\xc2\x9b\xe2\x80\xae", 13)),
            "a\\u0000b\\u001b[1m\\u007f\\u009b\\u202e");
  // A stray byte is none of ours to judge, but for those that are control characters in other encodings.
  EXPECT_EQ(visible_text("caf\xe9 \x9b"), "caf\xe9 \\u009b");
}

TEST(HostileFiles, IntegersBeyondDoublesAreNumbers) {
  const std::string text =
      "name = \"x\"\n[[bodies]]\nname = \"b\"\nmass = 9223372036854775807\ninertia = [1, 1, 9007199254740993]\n"
      "[[joints]]\nname = \"j\"\ntype = \"revolute\"\nb = \"b\"\n";
  const MechanismDescription description = parse_mechanism(text, "large.toml");
  EXPECT_EQ(description.bodies.front().mass, 9223372036854775807.0);
  EXPECT_EQ(description.bodies.front().inertia(2, 2), 9007199254740992.0);
}

TEST(HostileFormulas, NestedOnesAreRefusedByEveryReader) {
  const int many = kDeep;
  for (const std::string& formula : {repeated("(", many) + "t" + repeated(")", many), repeated("-", many) + "t",
                                     repeated("sin(", many) + "t" + repeated(")", many), repeated("2^", many) + "t",
                                     repeated("t ? 1 : ", many) + "t"}) {
    EXPECT_THROW(derivative_of(formula, "t"), ExpressionError) << formula.substr(0, 20);
    EXPECT_THROW(Expression(formula, std::vector<ExpressionVariable>{}), ExpressionError) << formula.substr(0, 20);
    // As long as formulas may be, and as deep as that allows.
    EXPECT_THROW(derivative_of(formula.substr(0, kLongestFormula), "t"), ExpressionError) << formula.substr(0, 20);
  }
  EXPECT_THROW(derivative_of(repeated("t+", many) + "t", "t"), ExpressionError);
  double t = 2.0;
  const std::string nested = repeated("(1+", 190) + "t*t" + repeated(")", 190);
  EXPECT_EQ(Expression(derivative_of(nested, "t"), {{"t", &t}})(), 4.0);
}

/// No variable but x.
class OneVariable final : public VariableScope {
 public:
  double* find(const std::string& name) override { return name == "x" ? &x_ : nullptr; }
  [[nodiscard]] std::vector<std::string> names() const override { return {"x"}; }

 private:
  double x_ = 2.0;
};

TEST(HostileFormulas, LoadsHaveTheLimitOfAllReaders) {
  OneVariable scope;
  const auto nested = [](const std::string& open, int depth, const std::string& close) {
    return repeated(open, depth) + "x" + repeated(close, depth);
  };
  for (const auto& [open, close] :
       {std::pair<std::string, std::string>{"(", ")"}, {"sin(", ")"}, {"x ? 1 : ", ""}, {"(x ? ", " : 1)"}}) {
    const int most = open == "(x ? " ? 100 : 200;
    EXPECT_NO_THROW(Expression(nested(open, most, close), scope)) << open;
    const std::string deeper = nested(open, most + 1, close);
    const std::string message = [&] {
      try {
        Expression(deeper, scope);
      } catch (const ExpressionError& error) {
        return std::string(error.what());
      }
      return std::string("it is read");
    }();
    EXPECT_TRUE(says(message, "is nested deeper than 200 levels")) << open << message;
  }
  // Long, not deep.
  EXPECT_NO_THROW(Expression(repeated("(x - 1) * -x + min(x, x ? 1 : 2) + ", 80) + "x", scope));
  EXPECT_THROW(Expression(repeated("x + ", 2000) + "x", scope), ExpressionError);
}

TEST(HostileFormulas, ANulEndsNothing) {
  double t = 2.0;
  try {
    static_cast<void>(Expression(std::string("t\0 + nonsense", 13), {{"t", &t}}));
    FAIL() << "accepted";
  } catch (const ExpressionError& error) {
    EXPECT_TRUE(says(error.what(), "U+0000 at letter 2")) << error.what();
    EXPECT_EQ(visible_text(error.what()), error.what());
  }
}

}  // namespace
}  // namespace mbdbench
