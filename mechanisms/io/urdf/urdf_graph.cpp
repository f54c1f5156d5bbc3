#include "mechanisms/io/urdf/urdf_graph.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::urdf {
namespace {

/// Gathers the graph of one file.
class GraphCollector {
 public:
  explicit GraphCollector(Findings& findings) : findings_(findings) {}

  UrdfGraph collect(const XMLElement& robot);

 private:
  void add_link(const XMLElement& element);
  void add_joint(const XMLElement& element);
  int end_of(const XMLElement& joint, const char* role, const std::string& owner);
  void order_links(const XMLElement& robot, bool blames);
  UrdfLink& link(int index) { return graph_.links[static_cast<std::size_t>(index)]; }
  UrdfJoint& joint(int index) { return graph_.joints[static_cast<std::size_t>(index)]; }

  Findings& findings_;
  UrdfGraph graph_;
  std::unordered_map<std::string, int> links_;
  std::unordered_map<std::string, int> joints_;
  std::vector<std::string> names_;
};

void GraphCollector::add_link(const XMLElement& element) {
  const std::string name = text_of(element, "name", findings_);
  if (name.empty()) {
    return;
  }
  const auto [known, added] = links_.emplace(name, static_cast<int>(graph_.links.size()));
  if (!added) {
    findings_.error(line_of(element), fmt::format("there is a link '{}' already, in line {}; rename one of the two",
                                                  name, line_of(*link(known->second).element)));
    return;
  }
  names_.push_back(name);
  graph_.links.push_back({name, &element, -1, {}});
}

int GraphCollector::end_of(const XMLElement& joint, const char* role, const std::string& owner) {
  const XMLElement* const end = child(joint, role, owner, findings_);
  const std::string name = end == nullptr ? std::string() : text_of(*end, "link", findings_);
  if (name.empty()) {
    return -1;
  }
  const auto found = links_.find(name);
  if (found == links_.end() && name == "world" && std::string_view(role) == "parent") {
    findings_.note("link 'world' is not declared, and taken for the ground");
    const int world = static_cast<int>(graph_.links.size());
    links_.emplace(name, world);
    graph_.links.push_back({name, end, -1, {}});
    return world;
  }
  if (found == links_.end()) {
    findings_.error(line_of(*end), fmt::format("{}: there is no link '{}'{}", owner, name,
                                               findings_.enough() ? "" : "; " + suggest_name(name, names_, "links")));
    return -1;
  }
  return found->second;
}

void GraphCollector::add_joint(const XMLElement& element) {
  UrdfJoint added;
  added.name = text_of(element, "name", findings_);
  added.element = &element;
  const std::string owner = fmt::format("joint '{}'", added.name);
  added.type = text_of(element, "type", findings_);
  added.parent = end_of(element, "parent", owner);
  added.child = end_of(element, "child", owner);
  const int index = static_cast<int>(graph_.joints.size());
  if (const auto [known, is_new] = joints_.emplace(added.name, index); !is_new && !added.name.empty()) {
    findings_.error(line_of(element), fmt::format("there is a joint '{}' already, in line {}; rename one of the two",
                                                  added.name, line_of(*joint(known->second).element)));
  }
  if (added.parent >= 0 && added.parent == added.child) {
    findings_.error(line_of(element),
                    fmt::format("{}: link '{}' is its parent and its child", owner, link(added.child).name));
  } else if (added.child >= 0 && link(added.child).joint >= 0) {
    const UrdfJoint& other = joint(link(added.child).joint);
    findings_.error(line_of(element),
                    fmt::format("{}: link '{}' is the child of joint '{}' (line {}) already; URDF describes trees, "
                                "loops are closed in the TOML format (mbdbench export writes it)",
                                owner, link(added.child).name, other.name, line_of(*other.element)));
  } else if (added.child >= 0) {
    link(added.child).joint = index;
    if (added.parent >= 0) {
      link(added.parent).children.push_back(index);
    }
  }
  graph_.joints.push_back(std::move(added));
}

/// One link is no joint's child, and all others are reached from it. With errors before, links are ordered as far as
/// they go, so that what stands in them is looked at too.
void GraphCollector::order_links(const XMLElement& robot, bool blames) {
  for (int i = 0; i < static_cast<int>(graph_.links.size()); ++i) {
    if (link(i).joint >= 0) {
      continue;
    }
    if (!graph_.order.empty() && blames) {
      const UrdfLink& root = link(graph_.order.front());
      findings_.error(line_of(*link(i).element),
                      fmt::format("link '{}' is no joint's child, and neither is '{}' (line {}); a robot has one such "
                                  "link, its base: join the two, or take one out",
                                  link(i).name, root.name, line_of(*root.element)));
    }
    graph_.order.push_back(i);
  }
  if (graph_.links.empty()) {
    findings_.error(line_of(robot), "there is no <link>");
  } else if (graph_.order.empty() && blames) {
    findings_.error(line_of(robot),
                    "every link is some joint's child, so the joints go round in a cycle; one link must be the base");
  }
  if (graph_.order.empty()) {
    return;
  }
  std::vector<bool> reached(graph_.links.size(), false);
  for (std::size_t next = 0; next < graph_.order.size(); ++next) {
    const int from = graph_.order[next];
    reached[static_cast<std::size_t>(from)] = true;
    for (const int outward : link(from).children) {
      graph_.order.push_back(joint(outward).child);
    }
  }
  for (std::size_t i = 0; i < graph_.links.size() && blames; ++i) {
    if (!reached[i]) {
      findings_.error(line_of(*graph_.links[i].element),
                      fmt::format("no joints lead from the base '{}' to link '{}': it is in a cycle, or behind one",
                                  link(graph_.order.front()).name, graph_.links[i].name));
    }
  }
}

UrdfGraph GraphCollector::collect(const XMLElement& robot) {
  for (const XMLElement* element = robot.FirstChildElement("link"); element != nullptr;
       element = element->NextSiblingElement("link")) {
    add_link(*element);
  }
  const std::size_t before = findings_.error_count();
  for (const XMLElement* element = robot.FirstChildElement("joint"); element != nullptr;
       element = element->NextSiblingElement("joint")) {
    add_joint(*element);
  }
  // A joint that lacks an end leaves links without one that leads to them: only the first error is to blame.
  order_links(robot, findings_.error_count() == before);
  return std::move(graph_);
}

}  // namespace

UrdfGraph collect_graph(const XMLElement& robot, Findings& findings) {
  return GraphCollector(findings).collect(robot);
}

}  // namespace mbdbench::urdf
