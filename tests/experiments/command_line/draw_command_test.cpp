#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "experiments/drawing/mechanism_drawing.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Kinematics at_start(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions({mechanism.q0().data(), static_cast<std::size_t>(mechanism.q0().size())});
  return kinematics;
}

TEST(ViewOfMechanisms, IsThePlaneOfMotionWithGravityDownwards) {
  for (const char* const key : {"four_bar", "pendulum:3", "double_loop"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const View view = view_of(at_start(mechanism));
    EXPECT_TRUE(view.planar) << key;
    const Eigen::Vector2d gravity = view.of(mechanism.gravity());
    // Unit vectors of a plane: rounding only.
    EXPECT_NEAR(gravity.x(), 0.0, 1e-12) << key;
    EXPECT_NEAR(gravity.y(), -mechanism.gravity().norm(), 1e-12) << key;
  }
}

TEST(ViewOfMechanisms, OfASpatialOneShowsAllThreeAxes) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:4");
  const View view = view_of(at_start(mechanism));
  EXPECT_FALSE(view.planar);
  EXPECT_NEAR(view.right.dot(view.up), 0.0, 1e-12);
  for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    EXPECT_GT(view.of(axis).norm(), 0.3) << "an axis that is nearly normal to the page cannot be told";
  }
}

TEST(StickFigures, LinksJoinTheJointsWithTheirLengths) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar");
  const Kinematics kinematics = at_start(mechanism);
  const View view = view_of(kinematics);
  const StickFigure figure = stick_figure(kinematics, view);
  std::size_t joints = 0;
  std::size_t cuts = 0;
  for (const FigureSymbol& symbol : figure.symbols) {
    joints += symbol.kind == SymbolKind::joint ? 1 : 0;
    cuts += symbol.cut ? 1 : 0;
  }
  EXPECT_EQ(joints, mechanism.tree_joints().size() + mechanism.cut_joints().size());
  EXPECT_EQ(cuts, mechanism.cut_joints().size());
  // The first link begins at the first joint, and ends where the second one is.
  const FigureLine& link = figure.lines.front();
  ASSERT_EQ(link.kind, LineKind::link);
  EXPECT_NEAR((link.from - view.of(kinematics.tree_joint(0).point)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((link.to - view.of(kinematics.tree_joint(1).point)).norm(), 0.0, 1e-12);
}

TEST(StickFigures, HaveTheSameLinesAtEveryPosition) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:seed=5,cuts=3");
  Kinematics kinematics = at_start(mechanism);
  const View view = view_of(kinematics);
  const StickFigure start = stick_figure(kinematics, view);
  std::vector<double> q(mechanism.q0().begin(), mechanism.q0().end());
  for (double& value : q) {
    value += 0.1;
  }
  kinematics.set_positions(q);
  const StickFigure moved = stick_figure(kinematics, view);
  EXPECT_EQ(moved.lines.size(), start.lines.size());
  EXPECT_EQ(moved.symbols.size(), start.symbols.size());
}

TEST(MechanismDrawing, ShowsEveryCatalogueMechanismWithinThePage) {
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), entry.key);
    const Kinematics kinematics = at_start(mechanism);
    const StickFigure figure = stick_figure(kinematics, view_of(kinematics));
    const DrawingScale scale = drawing_scale({&figure, 1});
    ASSERT_FALSE(figure.symbols.empty()) << entry.key;
    for (const FigureSymbol& symbol : figure.symbols) {
      const Eigen::Vector2d place = scale.pixel(symbol.at);
      EXPECT_GE(place.minCoeff(), 0.0) << entry.key;
      EXPECT_LE(place.x(), 360.0) << entry.key;
      EXPECT_LE(place.y(), scale.height) << entry.key;
    }
  }
}

TEST(StickFigures, ShowSpringsAndDampersOfJointsAndBetweenPoints) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:2").description();
  const std::string first = description.joints[0].name;
  const std::string second = description.joints[1].name;
  description.joint_springs = {{"both", first, 0, 10.0, 1.0, 0.0}, {"brake", second, 0, 0.0, 1.0, 0.0}};
  description.point_springs = {
      {"strut", kGround, description.bodies[1].name, {1.0, 0.0, 0.0}, Vec3::Zero(), 5.0, 2.0, 0.1}};
  const Mechanism mechanism(description);
  const Kinematics kinematics = at_start(mechanism);
  const StickFigure figure = stick_figure(kinematics, view_of(kinematics));
  std::vector<std::pair<std::string, SymbolKind>> drawn;
  for (const FigureSymbol& symbol : figure.symbols) {
    if (symbol.kind == SymbolKind::spring || symbol.kind == SymbolKind::damper) {
      drawn.emplace_back(symbol.name, symbol.kind);
    }
  }
  const std::vector<std::pair<std::string, SymbolKind>> expected = {{"strut", SymbolKind::spring},
                                                                    {"strut", SymbolKind::damper},
                                                                    {"both", SymbolKind::spring},
                                                                    {"both", SymbolKind::damper},
                                                                    {"brake", SymbolKind::damper}};
  EXPECT_EQ(drawn, expected);
  const std::string svg = mechanism_drawing(mechanism, {mechanism.q0().data(), 2}, "");
  EXPECT_EQ(occurrences(svg, ">both</text>"), 1U);
  EXPECT_NE(svg.find(">spring</text>"), std::string::npos) << "the legend";
  EXPECT_NE(svg.find(">damper</text>"), std::string::npos);
}

TEST(DrawCommand, DrawsWhatDoesNotCloseWithItsGapInRed) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "open.toml").string();
  // The pin is 2 m from the pivot on the crank, and 3 m on the ground.
  std::ofstream(file) << R"(name = "open"
[[bodies]]
name = "crank"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "pivot"
type = "revolute"
b = "crank"
axis = [0.0, 1.0, 0.0]
[[joints]]
name = "pin"
type = "spherical"
a = "crank"
b = "ground"
cut = true
frame_a = {position = [2.0, 0.0, 0.0]}
frame_b = {position = [3.0, 0.0, 0.0]}
)";
  const CommandLineCall call = call_program({"draw", file});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_NE(call.output.find("does not close: joint 'pin' is open by 1 m"), std::string::npos) << call.output;
  EXPECT_EQ(occurrences(call.output, "stroke=\"#d40000\""), 1U);
  EXPECT_NE(call.errors.find("cannot be assembled"), std::string::npos) << call.errors;
  EXPECT_NE(call.errors.find("drawn open"), std::string::npos) << call.errors;
  EXPECT_EQ(call_program({"simulate", "-m", file, "-f", "dense", "-t", "1"}).exit_code, 2);
  // Other mistakes are told and not drawn.
  std::ofstream(file, std::ios::app) << "[[joint_loads]]\nname = \"push\"\njoint = \"none\"\nlaw = 1.0\n";
  std::ofstream(file, std::ios::app) << "nonsense = 1\n";
  const CommandLineCall wrong = call_program({"draw", file});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.output, "");
}

TEST(MechanismDrawing, NamesCannotBreakThePage) {
  EXPECT_EQ(xml_text("a<b>&\"c\n"), "a&lt;b&gt;&amp;&quot;c ");
}

TEST(DrawCommand, WritesAPictureAndKeepsAnEarlierOne) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "four_bar.svg").string();
  const CommandLineCall first = call_program({"draw", "four_bar", "-o", file});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  const std::string svg = content(file);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_EQ(occurrences(svg, "<svg "), 1U);
  EXPECT_EQ(occurrences(svg, "cut joint"), 1U) << "in the legend";
  const CommandLineCall again = call_program({"draw", "four_bar", "-o", file});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(occurrences(again.errors, "--overwrite"), 1U) << again.errors;
  EXPECT_EQ(call_program({"draw", "pendulum:2", "-o", file, "--overwrite"}).exit_code, 0);
  EXPECT_NE(content(file), svg);
  EXPECT_EQ(call_program({"draw", "four_bar"}).output, svg) << "standard output";
}

TEST(DrawCommand, BadInputSaysWhatWouldBeRight) {
  const TemporaryDirectory directory;
  const auto refusal = [](const std::vector<std::string>& arguments) {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, 2);
    return call.errors;
  };
  EXPECT_EQ(occurrences(refusal({"draw"}), "what shall be drawn?"), 1U);
  EXPECT_EQ(occurrences(refusal({"draw", "four_bar", "-o", "x.png"}), "rsvg-convert"), 1U);
  EXPECT_EQ(occurrences(refusal({"draw", "four_bar", "-o", "x.pdf"}), "must end in .svg"), 1U);
  EXPECT_EQ(occurrences(refusal({"draw", "--motion", directory.path().string()}), "state.json is missing"), 1U);
  EXPECT_EQ(occurrences(refusal({"draw", "four_bar", "--motion", "x"}), "leave MECHANISM"), 1U);
  EXPECT_EQ(occurrences(refusal({"draw", "--motion", "x", "--frames", "1"}), "from 2 to"), 1U);
}

TEST(DrawCommand, AnimatesARun) {
  const TemporaryDirectory directory;
  const std::string run = (directory.path() / "run").string();
  const std::string file = (directory.path() / "motion.html").string();
  // Reduced coordinates: the page needs those that the state does not hold.
  const CommandLineCall simulated = call_program({"simulate", "-m", "four_bar", "-f", "naudet-reduced", "--integrator",
                                                  "ode45", "--time", "0:0.05:1", "--output", run, "--quiet"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.errors;
  ASSERT_EQ(call_program({"draw", "--motion", run, "-o", file, "--frames", "11"}).exit_code, 0);
  const std::string page = content(file);
  EXPECT_EQ(occurrences(page, "const times = [0,0.1,0.2,"), 1U);
  EXPECT_EQ(occurrences(page, "],\n["), 10U) << "frames";
  EXPECT_EQ(occurrences(page, "naudet-reduced, ode45"), 1U);
  EXPECT_EQ(occurrences(page, " id="), 0U) << "a report has several on one page";
  EXPECT_EQ(occurrences(page, "(prefers-reduced-motion: reduce)"), 1U);
  EXPECT_EQ(occurrences(page, "://"), 1U) << "the name of SVG's namespace, and nothing from a network";
  // The drawing of the last frame and that of the final state show the same place: coordinates in tenths of a pixel of
  // another scale, so only their number can be compared.
  const CommandLineCall end = call_program({"draw", "--state", run + "/state.json"});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  EXPECT_EQ(occurrences(end.output, "at t = 1 s"), 1U);
  EXPECT_EQ(occurrences(end.output, "class=\"line\""), occurrences(page, "class=\"line\""));
  fs::resize_file(fs::path(run) / "trajectory.csv", 0);
  EXPECT_EQ(call_program({"draw", "--motion", run}).exit_code, 2);
}

TEST(DrawCommand, ShowsTheStateOfAFileAndNotTheStart) {
  const TemporaryDirectory directory;
  const std::string run = (directory.path() / "run").string();
  ASSERT_EQ(call_program({"simulate", "-m", "pendulum:2", "-f", "dense", "--integrator", "ode45", "--time", "0.5",
                          "--output", run, "--quiet"})
                .exit_code,
            0);
  const std::string start = call_program({"draw", "pendulum:2"}).output;
  const std::string end = call_program({"draw", "--state", run + "/state.json"}).output;
  const auto first_line = [](const std::string& svg) {
    const std::size_t at = svg.find("class=\"line\"");
    return svg.substr(at, svg.find('\n', at) - at);
  };
  EXPECT_NE(first_line(start), first_line(end));
}

}  // namespace
}  // namespace mbdbench
