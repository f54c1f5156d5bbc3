#include "mechanisms/io/urdf/urdf_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/urdf/urdf_graph.hpp"
#include "mechanisms/io/urdf/urdf_inertia.hpp"
#include "mechanisms/io/urdf/urdf_joint_reader.hpp"
#include "mechanisms/io/urdf/urdf_unread.hpp"

namespace mbdbench {
namespace urdf {
namespace {

constexpr int kGroundHead = -1;

/// Where a link is: on the ground or on the body of the link `head`, and the link's frame there.
struct Place {
  int head = kGroundHead;
  Pose pose;
};

class UrdfReader {
 public:
  UrdfReader(const RobotOptions& options, SourceLines& lines, Findings& findings)
      : options_(options), lines_(lines), findings_(findings) {}

  MechanismDescription read(const XMLElement& robot);

 private:
  void read_masses();
  void place_links();
  void name_links();
  void write_bodies();
  void check_masses();
  void write_joints();
  void write_markers();
  [[nodiscard]] const UrdfLink& link(int index) const { return graph_.links[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const UrdfJoint& joint(int index) const { return graph_.joints[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Place& place(int link_index) { return places_[static_cast<std::size_t>(link_index)]; }
  [[nodiscard]] std::string body_of(int head) const {
    return head == kGroundHead ? kGround : names_[static_cast<std::size_t>(head)];
  }

  const RobotOptions& options_;
  SourceLines& lines_;
  Findings& findings_;
  MechanismDescription description_;
  UrdfGraph graph_;
  std::vector<Place> places_;           // of links
  std::vector<MassProperties> masses_;  // of links, those of the ground excepted
  std::vector<std::string> names_;      // of links, as ours
};

/// Links that are fixed to the ground do not move, whatever they weigh.
void UrdfReader::read_masses() {
  masses_.resize(graph_.links.size());
  std::vector<bool> grounded(graph_.links.size(), false);
  for (const int index : graph_.order) {
    const UrdfLink& from = link(index);
    const bool is_root = from.joint < 0;
    const bool on_ground =
        is_root ? !options_.floating
                : grounded[static_cast<std::size_t>(joint(from.joint).parent)] && is_fixed(joint(from.joint));
    grounded[static_cast<std::size_t>(index)] = on_ground;
    const XMLElement* const inertial = from.element->FirstChildElement("inertial");
    if (inertial != nullptr && (!on_ground || (options_.keep_fixed && !is_root))) {
      const std::size_t before = findings_.error_count();
      MassProperties& own = masses_[static_cast<std::size_t>(index)];
      own = read_inertial(*inertial, from.name, findings_);
      if (findings_.error_count() != before) {
        own.mass = 1.0;  // so that one error is not told as another one as well
      }
    }
  }
}

void UrdfReader::place_links() {
  places_.resize(graph_.links.size());
  for (const int index : graph_.order) {
    const UrdfLink& from = link(index);
    if (from.joint < 0) {
      place(index) = {options_.floating ? index : kGroundHead, {}};
      continue;
    }
    const UrdfJoint& inboard = joint(from.joint);
    const bool lumped =
        is_fixed(inboard) && !(options_.keep_fixed && masses_[static_cast<std::size_t>(index)].regular());
    const Place& parent = place(inboard.parent);
    place(index) = lumped ? Place{parent.head, parent.pose * origin(*inboard.element, findings_)} : Place{index, {}};
  }
}

void UrdfReader::name_links() {
  FittingNames fitting;
  fitting.take(kGround);
  const int root = graph_.order.front();
  std::vector<std::string> renamed;
  for (std::size_t i = 0; i < graph_.links.size(); ++i) {
    const std::string& name = graph_.links[i].name;
    const bool is_ground = static_cast<int>(i) == root && !options_.floating;
    names_.push_back(is_ground ? kGround : fitting.fit(name));
    if (!is_ground && names_.back() != name) {
      renamed.push_back(fmt::format("'{}' is {}", name, names_.back()));
    }
  }
  if (!renamed.empty()) {
    findings_.note(fmt::format("links with names that formulas cannot have: {}", fmt::join(renamed, ", ")));
  }
}

void UrdfReader::write_bodies() {
  std::vector<std::size_t> body(graph_.links.size(), 0);
  std::vector<std::string> lumped;
  std::vector<MassProperties> sums;
  for (const int index : graph_.order) {
    const Place& where = place(index);
    const MassProperties& own = masses_[static_cast<std::size_t>(index)];
    if (where.head == index) {
      const XMLElement* const inertial = link(index).element->FirstChildElement("inertial");
      const XMLElement& shown = inertial != nullptr ? *inertial : *link(index).element;
      body[static_cast<std::size_t>(index)] = sums.size();
      lines_.note({"bodies", sums.size(), ""}, line_of(shown));
      sums.push_back(own);
      description_.bodies.push_back({body_of(index), 0.0, Vec3::Zero(), Mat3::Zero()});
    } else if (where.head != kGroundHead && (own.mass != 0.0 || !own.inertia.isZero(0.0))) {
      add(sums[body[static_cast<std::size_t>(where.head)]], own, where.pose);
      lumped.push_back(fmt::format("'{}' to '{}'", link(index).name, link(where.head).name));
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    BodyDescription& written = description_.bodies[i];
    written.mass = sums[i].mass;
    written.com = sums[i].com;
    written.inertia = sums[i].inertia;
  }
  if (!lumped.empty()) {
    findings_.note(fmt::format("links that are fixed add their masses: {}", fmt::join(lumped, ", ")));
  }
}

/// A link may weigh nothing where it carries others that do: the model looks closer at those.
void UrdfReader::check_masses() {
  std::vector<bool> weighs(graph_.links.size(), false);
  bool any = false;
  for (std::size_t i = graph_.order.size(); i-- > 0;) {
    const int index = graph_.order[i];
    const auto own = static_cast<std::size_t>(index);
    weighs[own] = weighs[own] || masses_[own].mass != 0.0 || !masses_[own].inertia.isZero(0.0);
    any = any || weighs[own];
    if (weighs[own] && link(index).joint >= 0) {
      weighs[static_cast<std::size_t>(joint(link(index).joint).parent)] = true;
    }
  }
  if (!any && !description_.bodies.empty()) {
    findings_.error(line_of(*link(graph_.order.front()).element),
                    "no link that moves has a mass: the file describes shapes and joints alone; give every link that "
                    "moves an <inertial>");
    return;
  }
  for (const int index : graph_.order) {
    if (place(index).head == index && !weighs[static_cast<std::size_t>(index)] && link(index).joint >= 0) {
      findings_.error(line_of(*link(index).element),
                      fmt::format("link '{}' moves in joint '{}', and neither it nor what it carries has a mass; give "
                                  "it an <inertial>, or make the joint fixed",
                                  link(index).name, joint(link(index).joint).name));
    }
  }
}

void UrdfReader::write_joints() {
  JointReader joints(graph_, options_, description_, lines_, findings_);
  joints.prepare();
  const int root = graph_.order.front();
  if (options_.floating) {
    JointDescription base;
    FittingNames names;
    for (const int index : graph_.order) {
      if (link(index).joint >= 0 && place(index).head == index) {  // joints of merged links are not there any more
        names.take(joints.name(link(index).joint));
      }
    }
    base.name = names.fit("floating_base", position_count(JointType::free));
    base.type = JointType::free;
    base.b = body_of(root);
    lines_.note({"joints", 0, ""}, line_of(*link(root).element));
    description_.joints.push_back(std::move(base));
  }
  for (const int index : graph_.order) {
    if (link(index).joint >= 0 && place(index).head == index) {
      const UrdfJoint& inboard = joint(link(index).joint);
      const Place& parent = place(inboard.parent);
      joints.read(link(index).joint, body_of(parent.head), body_of(index),
                  parent.pose * origin(*inboard.element, findings_));
    }
  }
  joints.finish();
}

void UrdfReader::write_markers() {
  for (const int index : graph_.order) {
    const Place& where = place(index);
    if (where.head == index || link(index).joint < 0) {
      continue;
    }
    MarkerDescription marker{names_[static_cast<std::size_t>(index)], body_of(where.head), where.pose.position};
    marker.rotation << where.pose.rotation.w(), where.pose.rotation.vec();
    lines_.note({"markers", description_.markers.size(), ""}, line_of(*link(index).element));
    description_.markers.push_back(std::move(marker));
  }
}

MechanismDescription UrdfReader::read(const XMLElement& robot) {
  check_macros(robot, findings_);
  if (findings_.failed()) {
    return {};
  }
  description_.name = text_of(robot, "name", findings_, false);
  if (description_.name.empty()) {
    description_.name = "robot";
    findings_.note("the robot has no name");
  }
  description_.source = options_ == RobotOptions() ? "URDF" : fmt::format("URDF [{}]", to_text(options_));
  graph_ = collect_graph(robot, findings_);
  note_unread(robot, findings_);
  if (graph_.order.empty()) {
    return {};
  }
  read_masses();
  place_links();
  name_links();
  write_bodies();
  check_masses();
  write_joints();
  write_markers();
  const UrdfLink& root = link(graph_.order.front());
  if (description_.bodies.empty() && !findings_.failed()) {
    findings_.error(line_of(*root.element),
                    fmt::format("nothing moves: link '{}'{} the ground; --floating gives it a free joint", root.name,
                                graph_.links.size() == 1 ? ", the only one, is" : " and all that is fixed to it are"));
  }
  if (!options_.floating) {
    findings_.note(fmt::format("link '{}' is the ground; --floating gives it a free joint", root.name));
  }
  description_.notes = findings_.notes();
  return std::move(description_);
}

}  // namespace
}  // namespace urdf

MechanismDescription read_urdf(const tinyxml2::XMLElement& robot, std::string_view file_name,
                               const RobotOptions& options, SourceLines& lines) {
  Findings findings;
  MechanismDescription description = urdf::UrdfReader(options, lines, findings).read(robot);
  findings.throw_if_failed(file_name, lines);
  return description;
}

}  // namespace mbdbench
