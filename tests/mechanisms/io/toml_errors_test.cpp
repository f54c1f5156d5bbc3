/// \file
/// Bad files: the message names the file and the right line and tells what would be right.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "mechanisms/io/mechanism_reader.hpp"

namespace mbdbench {
namespace {

// The fields are spoilt by replacement, so the lines stay what they are here.
const std::string kValid = R"(name = "pendulum"
gravity = [0.0, 0.0, -9.81]

[[bodies]]
name = "bob"
mass = 1.0
com = [0.0, 0.0, -1.0]
inertia = [0.1, 0.1, 0.1]

[[joints]]
name = "hinge"
type = "revolute"
a = "ground"
b = "bob"
frame_a = {position = [0.0, 0.0, 0.0], rotation = [1.0, 0.0, 0.0, 0.0]}
axis = [0.0, 1.0, 0.0]
cut = false
q0 = [0.0]
[[joints.motions]]
component = 1
position = "t"
velocity = "1"
acceleration = "0"

[[joint_loads]]
name = "motor"
joint = "hinge"
component = 1
law = {over = "t", x = [0.0, 1.0], y = [2.0, 3.0]}

[[body_loads]]
name = "wind"
body = "bob"
force = [1.0, "t",
         {x = [0.0, 1.0], y = [2.0, 3.0]}]

[[joint_springs]]
name = "coil"
joint = "hinge"
stiffness = 3

[[point_springs]]
name = "stay"
body2 = "bob"
point1 = [1.0, 0.0, 0.0]
damping = 2.0

[[markers]]
name = "tip"
body = "bob"
)";

struct BadFile {
  const char* name;
  std::string from;
  std::string to;
  std::size_t line;
  std::vector<std::string> message_parts;
};

void PrintTo(const BadFile& bad, std::ostream* stream) {
  *stream << bad.name;
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kValid;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

class BadMechanismFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadMechanismFile, IsRefusedWithItsLine) {
  const std::string text = replaced(GetParam().from, GetParam().to);
  try {
    const Mechanism mechanism = load_mechanism(text, "bad.toml");
    FAIL() << "accepted";
  } catch (const FileError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.line(), GetParam().line) << message;
    EXPECT_EQ(message.find("bad.toml:" + std::to_string(GetParam().line) + ": "), 0U) << message;
    for (const std::string& part : GetParam().message_parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
    }
  }
}

const std::vector<BadFile> kSyntaxCases = {
    {"Unclosed", "com = [0.0, 0.0, -1.0]", "com = [0.0, 0.0, -1.0", 8, {}},
    {"NoValue", "mass = 1.0", "mass =", 6, {}},
    {"KeyTwice", "mass = 1.0", "mass = 1.0\nmass = 2.0", 7, {"mass"}},
    {"UnclosedString", "b = \"bob\"", "b = \"bob", 14, {}},
};

const std::vector<BadFile> kFieldCases = {
    {"UnknownTopKey", "gravity =", "gravty =", 2, {"\"gravty\"", "did you mean \"gravity\"", "bodies", "markers"}},
    {"UnknownTable", "[[point_springs]]", "[[springs]]", 42, {"\"springs\"", "point_springs"}},
    {"UnknownBodyKey", "mass = 1.0", "weight = 1.0\nmass = 1.0", 6, {"'bob'", "\"weight\"", "mass", "inertia"}},
    {"UnknownJointKey", "cut = false", "cutt = false", 17, {"'hinge'", "did you mean \"cut\""}},
    {"UnknownFrameKey", "rotation =", "orientation =", 15, {"'hinge'", "frame_a", "\"orientation\"", "rotation"}},
    {"UnknownMotionKey", "position = \"t\"", "positon = \"t\"", 21, {"'hinge'", "motion", "did you mean \"position\""}},
    {"MisspeltMass", "mass = 1.0", "maas = 1.0", 6, {"'bob'", "\"maas\"", "did you mean \"mass\""}},
    {"UnknownLawKey", "over = \"t\"", "of = \"t\"", 29, {"'motor'", "law", "\"of\"", "over"}},
    {"NameMissing", "name = \"pendulum\"\n", "\n", 1, {"mechanism", "name", "missing"}},
    {"MassMissing", "mass = 1.0\n", "\n", 4, {"'bob'", "mass", "missing"}},
    {"InertiaMissing", "inertia = [0.1, 0.1, 0.1]\n", "\n", 4, {"'bob'", "inertia", "missing"}},
    {"BodyNameMissing", "name = \"bob\"\n", "\n", 4, {"body number 1", "name", "missing"}},
    {"JointTypeMissing", "type = \"revolute\"\n", "\n", 10, {"'hinge'", "type", "missing"}},
    {"OutboardMissing", "b = \"bob\"\n", "\n", 10, {"'hinge'", "b is missing"}},
    {"LawMissing", "law = {over = \"t\", x = [0.0, 1.0], y = [2.0, 3.0]}", "", 25, {"'motor'", "law", "missing"}},
    {"TableValuesMissing", ", y = [2.0, 3.0]}\n\n", "}\n\n", 29, {"'motor'", "y is missing"}},
    {"MassText", "mass = 1.0", "mass = \"1 kg\"", 6, {"'bob'", "mass is a string", "must be a number"}},
    {"MassDate", "mass = 1.0", "mass = 2024-01-01", 6, {"'bob'", "date", "must be a number"}},
    {"NameNumber", "name = \"bob\"", "name = 7", 5, {"body number 1", "name is a number", "string in quotes"}},
    {"BodiesTable", "[[bodies]]", "[bodies]", 4, {"bodies is a table", "[[bodies]]"}},
    {"MotionsNumbers",
     "[[joints.motions]]",
     "motions = [3]",
     19,
     {"'hinge'", "motions holds a number", "[[joints.motions]]"}},
    {"ComShort", "com = [0.0, 0.0, -1.0]", "com = [0.0, -1.0]", 7, {"'bob'", "com has 2 numbers", "must have 3"}},
    {"ComText",
     "com = [0.0, 0.0, -1.0]",
     "com = [0.0, \"0\", 1.0]",
     7,
     {"'bob'", "number 2 of com", "must be a number"}},
    {"ComNumber", "com = [0.0, 0.0, -1.0]", "com = 1", 7, {"'bob'", "com is a number", "list of numbers"}},
    {"InertiaFour",
     "inertia = [0.1, 0.1, 0.1]",
     "inertia = [1, 1, 1, 1]",
     8,
     {"'bob'", "4 numbers", "xx, yy, zz, xy, xz, yz"}},
    {"InertiaRagged",
     "inertia = [0.1, 0.1, 0.1]",
     "inertia = [[1, 0, 0],\n [0, 1], [0, 0, 1]]",
     9,
     {"'bob'", "row of 2 numbers", "3 rows of 3"}},
    {"InertiaHalfRows", "inertia = [0.1, 0.1, 0.1]", "inertia = [[1, 0, 0], 1, 1]", 8, {"'bob'", "row 2 of inertia"}},
    {"RotationThree",
     "rotation = [1.0, 0.0, 0.0, 0.0]",
     "rotation = [1.0, 0.0, 0.0]",
     15,
     {"rotation has 3", "have 4"}},
    {"FrameList",
     "frame_a = {position",
     "frame_b = [0, 0]\nframe_a = {position",
     15,
     {"frame_b is a list", "{position"}},
    {"CutText", "cut = false", "cut = \"no\"", 17, {"'hinge'", "cut is a string", "true or false"}},
    {"TypeUnknown",
     "\"revolute\"",
     "\"revolut\"",
     12,
     {"\"revolut\"", "did you mean \"revolute\"", "prismatic", "fixed"}},
    {"ComponentZero", "component = 1\nlaw", "component = 0\nlaw", 28, {"'motor'", "component", "integer from 1"}},
    {"ComponentHuge", "component = 1\nlaw", "component = 99999999999\nlaw", 28, {"'motor'", "integer from 1"}},
    {"ComponentFloat", "component = 1\nlaw", "component = 1.0\nlaw", 28, {"'motor'", "integer from 1"}},
    {"LawBoolean", "law = {", "law = true #", 29, {"'motor'", "law is true or false", "a formula in quotes", "over ="}},
    {"ForceTwo", "force = [1.0, \"t\",", "force = [1.0,", 34, {"'wind'", "force has 2 components", "must have 3"}},
    {"ForceElement", "force = [1.0, \"t\",", "force = [1.0,\n [2],", 35, {"'wind'", "force[1] is a list"}},
    {"ForceFormulaTable",
     "{x = [0.0, 1.0], y",
     "{x = 1, y",
     35,
     {"'wind'", "force[2]", "x is a number", "list of numbers"}},
};

// Readable files that make no mechanism: the model's errors get the line of the field, or of what contains it.
const std::vector<BadFile> kModelCases = {
    {"GravityInfinite", "-9.81", "inf", 2, {"gravity", "finite"}},
    {"MassNegative", "mass = 1.0", "mass = -1.0", 6, {"'bob'", "positive"}},
    {"MassNaN", "mass = 1.0", "mass = nan", 6, {"'bob'", "finite"}},
    {"InertiaNegative", "inertia = [0.1, 0.1, 0.1]", "inertia = [0.1, 0.1, -0.1]", 8, {"'bob'", "positive"}},
    {"BodyName", "name = \"bob\"", "name = \"big bob\"", 5, {"'big bob'", "letters"}},
    {"UnknownBody", "b = \"bob\"", "b = \"bop\"", 14, {"'hinge'", "'bop'"}},
    {"AxisNotUnit", "axis = [0.0, 1.0, 0.0]", "axis = [0.0, 1.0, 1.0]", 16, {"'hinge'", "1.414"}},
    {"RotationNotUnit", "rotation = [1.0, 0.0", "rotation = [1.0, 0.1", 15, {"'hinge'", "frame_a.rotation"}},
    {"PositionsTwo", "q0 = [0.0]", "q0 = [0.0, 0.0]", 18, {"'hinge'", "has 1"}},
    {"MotionVelocity", "velocity = \"1\"", "velocity = \"2\"", 22, {"'hinge'", "not the derivative"}},
    {"MotionComponent", "component = 1\nposition", "component = 2\nposition", 20, {"'hinge'", "component 2", "has 1"}},
    {"LoadJoint",
     "joint = \"hinge\"\ncomponent",
     "joint = \"hing\"\ncomponent",
     27,
     {"'motor'", "did you mean \"hinge\""}},
    {"LoadTable", "x = [0.0, 1.0]", "x = [1.0, 0.0]", 29, {"'motor'", "increase strictly"}},
    {"ForceFormula", "force = [1.0, \"t\"", "force = [1.0, \"tt\"", 34, {"'wind'", "\"tt\""}},
    {"ForceTable", "{x = [0.0, 1.0]", "{x = [1.0, 1.0]", 35, {"'wind'", "increase strictly"}},
    {"Stiffness", "stiffness = 3", "stiffness = -3", 40, {"'coil'", "not negative"}},
    {"SpringOneBody", "body2 = \"bob\"", "body2 = \"ground\"", 44, {"'stay'", "both ends"}},
    {"MarkerBody", "name = \"tip\"\nbody = \"bob\"", "name = \"tip\"\nbody = \"box\"", 50, {"'tip'"}},
};

std::string case_name(const testing::TestParamInfo<BadFile>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Syntax, BadMechanismFile, testing::ValuesIn(kSyntaxCases), case_name);
INSTANTIATE_TEST_SUITE_P(Fields, BadMechanismFile, testing::ValuesIn(kFieldCases), case_name);
INSTANTIATE_TEST_SUITE_P(Model, BadMechanismFile, testing::ValuesIn(kModelCases), case_name);

TEST(MechanismFile, ValidTextIsAccepted) {
  const Mechanism mechanism = load_mechanism(replaced("q0 = [0.0]", "v0 = [1]"), "good.toml");
  EXPECT_EQ(mechanism.u0()[0], 1.0);
  EXPECT_EQ(mechanism.description().joint_springs[0].stiffness, 3.0);
}

TEST(MechanismFile, PlacesCountInTheOrderOfTheFile) {
  // The tree takes bodies and joints in the other order; the error must still name the line of "first".
  const std::string text = R"(name = "reversed"
[[bodies]]
name = "outer"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[bodies]]
name = "inner"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "second"
type = "revolute"
a = "inner"
b = "outer"
dependent = true
[[joints]]
name = "first"
type = "revolute"
b = "inner"
q0 = [0.25]
motions = [{position = "0", velocity = "0", acceleration = "0"}]
)";
  try {
    const Mechanism mechanism = load_mechanism(text, "reversed.toml");
    FAIL() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.line(), 20U) << error.what();
  }
}

TEST(MechanismFile, MissingFileAndFolder) {
  const auto expect_error = [](const std::filesystem::path& path, const std::string& part) {
    try {
      static_cast<void>(read_mechanism(path));
      FAIL() << "accepted";
    } catch (const FileError& error) {
      EXPECT_EQ(error.line(), 0U);
      EXPECT_EQ(std::string(error.what()).find(path.string() + ": "), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_error(std::filesystem::path(testing::TempDir()) / "no_such_mechanism.toml", "cannot be opened");
  expect_error(testing::TempDir(), "folder");
}

TEST(MechanismFile, ReadsWhatIsOnDisk) {
  const auto path = std::filesystem::path(testing::TempDir()) / "mbdbench_toml_errors_test.toml";
  std::ofstream(path) << kValid;
  EXPECT_EQ(read_mechanism(path).name, "pendulum");
  std::ofstream(path) << "name = 1\n";
  EXPECT_THROW(static_cast<void>(load_mechanism(path)), FileError);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mbdbench
