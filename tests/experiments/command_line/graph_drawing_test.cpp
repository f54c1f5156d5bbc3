#include "experiments/command_line/graph_drawing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(GraphDrawing, AMechanismShowsEveryJointOnce) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "double_loop");
  const std::string graph = mechanism_graph(mechanism);
  EXPECT_TRUE(graph.starts_with("digraph \"double_loop\" {\n")) << graph;
  EXPECT_EQ(count(graph, " -> "), 10U);
  EXPECT_EQ(count(graph, "style=dashed"), 2U) << "cut joints";
  for (const Body& body : mechanism.bodies()) {
    EXPECT_GE(count(graph, "\"" + body.name + "\""), 1U);
  }
}

TEST(GraphDrawing, AnAssemblyTreeShowsEveryBodyAndEveryClosedJoint) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "double_loop");
  const std::string graph = assembly_graph(mechanism, GroundClosure::root);
  EXPECT_EQ(count(graph, "fillcolor"), 8U) << "leaves";
  EXPECT_EQ(count(graph, " -> "), count(graph, "[label=") - 1) << "a tree has one edge less than nodes";
  EXPECT_EQ(count(graph, "loops 1"), 2U);
}

TEST(GraphDrawing, ArmsHangOnTheirHub) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "star:20");
  EXPECT_EQ(count(assembly_graph(mechanism, GroundClosure::root), "style=dotted"), 20U);
  const std::string summary = assembly_summary(mechanism, GroundClosure::root);
  EXPECT_EQ(count(summary, "arms on one hub     20"), 1U) << summary;
}

TEST(GraphDrawing, NamesOfMechanismsWithParametersAreQuoted) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:1");
  EXPECT_TRUE(mechanism_graph(mechanism).starts_with("digraph \"pendulum:bodies=1\" {"));
}

TEST(GraphDrawing, InspectWritesBothGraphs) {
  const TemporaryDirectory directory;
  const std::filesystem::path target = directory.path() / "drawings";
  const CommandLineCall call = call_program({"inspect", "four_bar", "--graph", target.string()});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_EQ(count(call.output, "assembly depth"), 1U) << call.output;
  for (const char* const name : {"mechanism.dot", "assembly_tree.dot"}) {
    EXPECT_TRUE(std::filesystem::exists(target / name)) << name;
  }
  // A file where the directory should be.
  std::ofstream(directory.path() / "taken") << "x";
  const CommandLineCall taken = call_program({"inspect", "four_bar", "--graph", (directory.path() / "taken").string()});
  EXPECT_NE(taken.exit_code, 0);
  EXPECT_EQ(count(taken.errors, "taken"), 1U) << taken.errors;
}

}  // namespace
}  // namespace mbdbench
