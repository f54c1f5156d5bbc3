#include "experiments/command_line/graph_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/terminal/message.hpp"
#include "formulations/assembly/assembly_options.hpp"

namespace mbdbench {
namespace {

/// \returns the text in quotes, as Graphviz reads it.
std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + '"';
}

std::string body_name(const Mechanism& mechanism, int body) {
  return body < 0 ? "ground" : mechanism.bodies()[static_cast<std::size_t>(body)].name;
}

AssemblyTree assembly_tree(const Mechanism& mechanism, GroundClosure ground) {
  return {mechanism.body_count(), assembly_joints(mechanism), ground};
}

/// Joints are numbered tree joints first, then cut joints, as the assembly does.
const Joint& joint_of(const Mechanism& mechanism, int joint) {
  const int cut = joint - mechanism.body_count();
  return cut < 0 ? mechanism.tree_joints()[static_cast<std::size_t>(joint)]
                 : mechanism.cut_joints()[static_cast<std::size_t>(cut)];
}

// More names would make a node wider than the page.
constexpr std::size_t kMostNames = 6;

std::string joint_names(const Mechanism& mechanism, const std::vector<int>& joints) {
  std::string text;
  for (std::size_t i = 0; i < joints.size() && i < kMostNames; ++i) {
    text += (i == 0 ? "" : ", ") + joint_of(mechanism, joints[i]).name;
  }
  if (joints.size() > kMostNames) {
    text += fmt::format(" and {} more", joints.size() - kMostNames);
  }
  return text;
}

std::string edge(const Mechanism& mechanism, const Joint& joint) {
  return fmt::format("  {} -> {} [label={}{}];\n", dot_quoted(body_name(mechanism, joint.a)),
                     dot_quoted(body_name(mechanism, joint.b)),
                     dot_quoted(fmt::format("{} ({})", joint.name, to_string(joint.type))),
                     joint.cut ? ", style=dashed, dir=none, constraint=false" : "");
}

std::string node_label(const Mechanism& mechanism, const AssemblyNode& node) {
  std::string label = node.body >= 0 ? body_name(mechanism, node.body) : "";
  const auto add = [&label](std::string_view what, const std::string& names) {
    if (!names.empty()) {
      label += fmt::format("{}{} {}", label.empty() ? "" : "\n", what, names);
    }
  };
  add("closes", joint_names(mechanism, node.closed));
  add("handles", joint_names(mechanism, node.external));
  if (node.loops > 0) {
    add("loops", fmt::format("{}", node.loops));
  }
  return label;
}

}  // namespace

std::string mechanism_graph(const Mechanism& mechanism) {
  std::string text =
      fmt::format("digraph {} {{\n  node [shape=box, fontname=Helvetica];\n", dot_quoted(mechanism.name()));
  text += "  edge [fontname=Helvetica, fontsize=10];\n  \"ground\" [style=filled, fillcolor=gray85];\n";
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      text += edge(mechanism, joint);
    }
  }
  return text + "}\n";
}

std::string assembly_graph(const Mechanism& mechanism, GroundClosure ground) {
  const AssemblyTree tree = assembly_tree(mechanism, ground);
  std::string text = fmt::format("digraph {} {{\n  node [shape=box, fontname=Helvetica, fontsize=10];\n",
                                 dot_quoted("assembly tree of " + mechanism.name()));
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const AssemblyNode& node = tree.nodes()[i];
    text += fmt::format("  n{} [label={}{}];\n", i, dot_quoted(node_label(mechanism, node)),
                        node.body >= 0 ? ", style=filled, fillcolor=gray92" : "");
    for (const int child : {node.child1, node.child2}) {
      if (child >= 0) {
        text += fmt::format("  n{} -> n{} [dir=none];\n", i, child);
      }
    }
    for (const RakedArm& arm : node.arms) {
      text += fmt::format("  n{} -> n{} [dir=none, style=dotted, label={}];\n", i, arm.child,
                          dot_quoted(joint_of(mechanism, arm.joint).name));
    }
  }
  return text + "}\n";
}

std::string assembly_summary(const Mechanism& mechanism, GroundClosure ground) {
  const AssemblyFigures figures = assembly_tree(mechanism, ground).figures();
  return fmt::format(
      "assembly depth      {}\n"
      "widest node         {} of external handles, {}, {} closed at once\n"
      "loops closed        {}\n"
      "arms on one hub     {}\n"
      "cost                {:.3g} flops to factorise once, {:.3g} a body\n",
      figures.depth, counted(figures.max_width, "row"), counted(figures.max_handles, "handle"),
      counted(figures.max_closed, "joint"), figures.loops, figures.max_arms, figures.flops,
      figures.flops / std::max(1, mechanism.body_count()));
}

}  // namespace mbdbench
