#include "mechanisms/io/urdf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/urdf_element.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace urdf {
namespace {

constexpr std::array kInertia = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

/// Where a link is: a body or the ground, and the link's frame in it.
struct Place {
  std::string body;
  Pose pose;
};

class UrdfReader {
 public:
  explicit UrdfReader(SourceLines& lines) : lines_(lines) {}

  MechanismDescription read(const XMLElement& robot);

 private:
  void collect(const XMLElement& robot);
  [[nodiscard]] std::string root(const XMLElement& robot) const;
  void read_tree(const std::string& root);
  void read_body(const std::string& name, const XMLElement& inertial);
  void read_joint(const XMLElement& element, const Place& parent, const std::string& child_name);
  void read_damping(const XMLElement& joint, const JointDescription& description);
  void read_mimic(const XMLElement& element, JointDescription& joint);

  SourceLines& lines_;
  MechanismDescription description_;
  std::vector<std::string> link_names_;  // in the file's order
  std::map<std::string, const XMLElement*> links_;
  std::map<std::string, const XMLElement*> joint_to_;  // by child link
  std::map<std::string, std::vector<std::string>> children_;
};

/// Names of links, and the joint that leads to each.
void UrdfReader::collect(const XMLElement& robot) {
  if (const XMLElement* const transmission = robot.FirstChildElement("transmission")) {
    fail(*transmission,
         "transmissions are not modelled: take the element out, and add what the rotors weigh to the links");
  }
  for (const XMLElement* link = robot.FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    const std::string name = required(*link, "name");
    if (const auto [known, added] = links_.emplace(name, link); !added) {
      fail(*link, fmt::format("there is a link '{}' already, in line {}", name, known->second->GetLineNum()));
    }
    link_names_.push_back(name);
  }
  for (const XMLElement* joint = robot.FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    const std::string owner = fmt::format("joint '{}'", required(*joint, "name"));
    std::array<std::string, 2> ends;
    for (const auto& [place, role] : {std::pair(0U, "parent"), {1U, "child"}}) {
      const XMLElement& end = child(*joint, role, owner);
      ends[place] = required(end, "link");
      if (!links_.contains(ends[place])) {
        fail(end, fmt::format("{}: there is no link '{}'; {}", owner, ends[place],
                              suggest_name(ends[place], link_names_, "links")));
      }
    }
    if (const auto [known, added] = joint_to_.emplace(ends[1], joint); !added) {
      fail(*joint,
           fmt::format("{}: link '{}' is the child of joint '{}' (line {}) already; URDF describes trees, loops are "
                       "closed in the TOML format (mbdbench export writes it)",
                       owner, ends[1], known->second->Attribute("name"), known->second->GetLineNum()));
    }
    children_[ends[0]].push_back(ends[1]);
  }
}

std::string UrdfReader::root(const XMLElement& robot) const {
  std::optional<std::string> found;
  for (const std::string& name : link_names_) {
    if (joint_to_.contains(name)) {
      continue;
    }
    if (found) {
      fail(*links_.at(name),
           fmt::format("link '{}' is no joint's child, and neither is '{}' (line {}); a robot has one "
                       "such link, its base",
                       name, *found, links_.at(*found)->GetLineNum()));
    }
    found = name;
  }
  if (!found) {
    fail(robot, link_names_.empty()
                    ? "there is no <link>"
                    : "every link is some joint's child, so the joints go round in a cycle; one link must "
                      "be the base");
  }
  return *found;
}

/// Links without inertia that are fixed to another one are frames of that one.
void UrdfReader::read_tree(const std::string& root) {
  std::vector<std::pair<std::string, Place>> open = {{root, {kGround, {}}}};
  std::size_t reached = 0;
  for (; reached < open.size(); ++reached) {
    const auto [name, place] = open[reached];
    for (const std::string& next : children_[name]) {
      const XMLElement& link = *links_.at(next);
      const XMLElement& joint = *joint_to_.at(next);
      const XMLElement* const inertial = link.FirstChildElement("inertial");
      const std::string type = required(joint, "type");
      if (inertial == nullptr && type != "fixed") {
        fail(link,
             fmt::format("link '{}' moves in joint '{}' and has no <inertial>; give its mass and inertia, or make "
                         "the joint fixed",
                         next, joint.Attribute("name")));
      }
      if (inertial == nullptr) {
        const Place frame = {place.body, place.pose * origin(joint)};
        lines_.note({"markers", description_.markers.size(), ""}, static_cast<std::size_t>(link.GetLineNum()));
        description_.markers.push_back({next, frame.body, frame.pose.position});
        open.emplace_back(next, frame);
        continue;
      }
      read_body(next, *inertial);
      read_joint(joint, place, next);
      open.emplace_back(next, Place{next, {}});
    }
  }
  for (const std::string& name : link_names_) {
    if (reached < link_names_.size() &&
        std::none_of(open.begin(), open.end(), [&](const auto& one) { return one.first == name; })) {
      fail(*links_.at(name),
           fmt::format("no joints lead from the base '{}' to link '{}': it is in a cycle, or behind one", root, name));
    }
  }
}

void UrdfReader::read_body(const std::string& name, const XMLElement& inertial) {
  const std::string owner = fmt::format("<inertial> of link '{}'", name);
  const XMLElement& mass = child(inertial, "mass", owner);
  const XMLElement& inertia = child(inertial, "inertia", owner);
  const Pose frame = origin(inertial);
  BodyDescription body;
  body.name = name;
  body.mass = number(mass, "value");
  body.com = frame.position;
  // Read before the matrix is filled: an error in the middle of that would leave it half done.
  std::array<double, 6> entry = {};
  std::transform(kInertia.begin(), kInertia.end(), entry.begin(),
                 [&](const char* which) { return number(inertia, which); });
  const auto& [xx, xy, xz, yy, yz, zz] = entry;
  Mat3 own;
  own << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  const Mat3 turn = frame.rotation.toRotationMatrix();
  const Mat3 turned = turn * own * turn.transpose();
  body.inertia = 0.5 * (turned + turned.transpose());
  const ElementReference where = {"bodies", description_.bodies.size(), ""};
  lines_.note(where, static_cast<std::size_t>(inertial.GetLineNum()));
  lines_.note({where.section, where.index, "mass"}, static_cast<std::size_t>(mass.GetLineNum()));
  lines_.note({where.section, where.index, "inertia"}, static_cast<std::size_t>(inertia.GetLineNum()));
  description_.bodies.push_back(std::move(body));
}

void UrdfReader::read_joint(const XMLElement& element, const Place& parent, const std::string& child_name) {
  static const std::map<std::string, JointType> kTypes = {
      {"revolute", JointType::revolute}, {"continuous", JointType::revolute}, {"prismatic", JointType::prismatic},
      {"floating", JointType::free},     {"planar", JointType::planar},       {"fixed", JointType::fixed}};
  JointDescription joint;
  joint.name = required(element, "name");
  const std::string type = required(element, "type");
  const auto known = kTypes.find(type);
  if (known == kTypes.end()) {
    std::vector<std::string> names;
    names.reserve(kTypes.size());
    for (const auto& [name, meaning] : kTypes) {
      names.push_back(name);
    }
    fail(element, fmt::format("joint '{}': there is no joint type '{}'; {}", joint.name, type,
                              suggest_name(type, names, "types")));
  }
  joint.type = known->second;
  const Pose frame = parent.pose * origin(element);
  joint.a = parent.body;
  joint.b = child_name;
  joint.frame_a.position = frame.position;
  joint.frame_a.rotation << frame.rotation.w(), frame.rotation.vec();
  if (joint.type != JointType::fixed && joint.type != JointType::free) {
    joint.axis = Vec3::UnitX();
    if (const XMLElement* const axis = element.FirstChildElement("axis")) {
      const Vec3 given = vector(*axis, "xyz");
      if (!(given.norm() > 1e-6) || !given.allFinite()) {
        fail(*axis, fmt::format("joint '{}': the axis has no direction", joint.name));
      }
      joint.axis = given.normalized();
    }
  }
  lines_.note({"joints", description_.joints.size(), ""}, static_cast<std::size_t>(element.GetLineNum()));
  read_damping(element, joint);
  read_mimic(element, joint);
  description_.joints.push_back(std::move(joint));
}

/// q = multiplier * q of the other joint + offset: a coupling, whose own joint is changed where they do not agree.
void UrdfReader::read_mimic(const XMLElement& element, JointDescription& joint) {
  const XMLElement* const mimic = element.FirstChildElement("mimic");
  if (mimic == nullptr) {
    return;
  }
  if (joint.type != JointType::revolute && joint.type != JointType::prismatic) {
    fail(*mimic, fmt::format("joint '{}': <mimic> is for joints with one coordinate", joint.name));
  }
  const auto optional_number = [&](const char* attribute, double otherwise) {
    return mimic->Attribute(attribute) != nullptr ? number(*mimic, attribute) : otherwise;
  };
  CouplingDescription coupling;
  coupling.name = joint.name + "_mimic";
  coupling.terms = {{joint.name, 0, 1.0}, {required(*mimic, "joint"), 0, -optional_number("multiplier", 1.0)}};
  coupling.value = optional_number("offset", 0.0);
  joint.dependent = true;
  lines_.note({"couplings", description_.couplings.size(), ""}, static_cast<std::size_t>(mimic->GetLineNum()));
  description_.couplings.push_back(std::move(coupling));
}

void UrdfReader::read_damping(const XMLElement& joint, const JointDescription& description) {
  const XMLElement* const dynamics = joint.FirstChildElement("dynamics");
  if (dynamics == nullptr) {
    return;
  }
  if (dynamics->Attribute("friction") != nullptr && number(*dynamics, "friction") != 0.0) {
    fail(*dynamics,
         fmt::format("joint '{}': friction is not modelled; set it to 0, or give damping", description.name));
  }
  const double damping = dynamics->Attribute("damping") != nullptr ? number(*dynamics, "damping") : 0.0;
  if (damping == 0.0) {
    return;
  }
  if (description.type != JointType::revolute && description.type != JointType::prismatic) {
    fail(*dynamics, fmt::format("joint '{}': damping is for joints with one coordinate", description.name));
  }
  JointSpringDescription damper;
  damper.name = description.name + "_damping";
  damper.joint = description.name;
  damper.damping = damping;
  lines_.note({"joint_springs", description_.joint_springs.size(), ""},
              static_cast<std::size_t>(dynamics->GetLineNum()));
  description_.joint_springs.push_back(std::move(damper));
}

MechanismDescription UrdfReader::read(const XMLElement& robot) {
  if (std::string_view(robot.Name()) != "robot") {
    fail(robot, "is no URDF: the outermost element is not <robot>");
  }
  description_.name = required(robot, "name");
  description_.source = "URDF";
  collect(robot);
  read_tree(root(robot));
  return std::move(description_);
}

}  // namespace
}  // namespace urdf

MechanismDescription parse_urdf(std::string_view text, std::string_view file_name, SourceLines& lines) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    // The parser would stop there and keep what is behind it to itself.
    throw FileError(
        file_name,
        1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')),
        "is no XML: it holds a NUL");
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || document.RootElement() == nullptr) {
    throw FileError(file_name, static_cast<std::size_t>(document.ErrorLineNum()),
                    document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED
                        ? "has elements nested too deeply; those of URDF need five levels"
                        : fmt::format("is no XML ({})", document.ErrorName()));
  }
  try {
    return urdf::UrdfReader(lines).read(*document.RootElement());
  } catch (const urdf::UrdfError& error) {
    throw FileError(file_name, error.line, error.what());
  }
}

}  // namespace mbdbench
