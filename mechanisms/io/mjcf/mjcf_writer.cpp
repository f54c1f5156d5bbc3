#include "mechanisms/io/mjcf/mjcf_writer.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/io/mjcf/mjcf_body.hpp"
#include "mechanisms/io/text/xml_writer.hpp"

namespace mbdbench {
namespace {

// Of elements inside one another: TINYXML2_MAX_ELEMENT_DEPTH of MuJoCo's copy of the library, less one.
constexpr int kMostLevels = 499;

using xml::spaced;

/// One of MuJoCo's joints, its axis in our joint axes.
struct Part {
  const char* type;
  Vec3 axis;
};

/// What a joint is in MuJoCo, from the inboard body outwards, in the order of our velocities unless it is free: then
/// ours are turned first, and the ball must be last.
std::vector<Part> parts_of(const Joint& joint) {
  const Part turn = {"hinge", joint.axis};
  switch (joint.type) {
    case JointType::fixed:
    case JointType::screw:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return {};
    case JointType::revolute:
      return {turn};
    case JointType::prismatic:
      return {{"slide", joint.axis}};
    case JointType::cylindrical:
      return {turn, {"slide", joint.axis}};
    case JointType::universal:
      return {turn, {"hinge", joint.axis2}};
    case JointType::planar:
      return {{"slide", joint.normal1}, {"slide", joint.normal2}, turn};
    case JointType::spherical:
      return {{"ball", Vec3::Zero()}};
    case JointType::free:
      return {{"slide", Vec3::UnitX()}, {"slide", Vec3::UnitY()}, {"slide", Vec3::UnitZ()}, {"ball", Vec3::Zero()}};
  }
  return {};
}

std::string quaternion(const Mat3& rotation) {
  const Eigen::Quaterniond q(rotation);
  return spaced(Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
}

class MjcfWriter {
 public:
  explicit MjcfWriter(const Mechanism& mechanism) : mechanism_(mechanism), outboard_(mechanism.bodies().size() + 1) {
    for (const Joint& joint : mechanism.tree_joints()) {
      outboard_[static_cast<std::size_t>(joint.a + 1)].push_back(joint.b);
    }
    read_springs();
    read_closings();
  }

  std::string text();

 private:
  /// A place on a body that a loop is closed at.
  struct Site {
    std::string name;
    Vec3 position;
    Mat3 rotation;
  };

  void read_springs();
  void read_closings();
  void write_tree();
  void open_body(int number);
  void write_joint(const Joint& joint);
  void write_sites(int number);
  void write_couplings();
  void write_tendons();
  /// \returns what the coordinate's joint is called in MuJoCo.
  [[nodiscard]] std::string part_name(const CouplingTerm& term) const;
  void write_start();

  const Mechanism& mechanism_;
  std::vector<std::vector<int>> outboard_;  ///< of the ground, then of every body
  std::map<std::string, JointSpringDescription> springs_;
  std::vector<std::string> left_out_;
  std::map<int, std::vector<Site>> sites_;
  std::vector<std::array<std::string, 3>> closings_;  ///< element and two sites
  std::vector<double> q_, v_;                         ///< of the start, in the order of the tree as it is written
  xml::Writer writer_;
};

/// One spring and damper a joint is what MuJoCo has.
void MjcfWriter::read_springs() {
  for (const JointSpringDescription& spring : mechanism_.description().joint_springs) {
    const Joint& joint = mechanism_.joint(*mechanism_.find_joint(spring.joint));
    if (joint.cut || joint.nu != 1 || !springs_.emplace(spring.joint, spring).second) {
      left_out_.push_back(spring.name);
    }
  }
}

void MjcfWriter::read_closings() {
  std::string refused;
  for (const Body& body : mechanism_.bodies()) {
    if (const std::string why = mjcf_refusal(body); !why.empty()) {
      refused += (refused.empty() ? "" : "; ") + why;
    }
  }
  if (!refused.empty()) {
    throw ModelError({}, fmt::format("{}: {}; write TOML or URDF, or change the body", mechanism_.name(), refused));
  }
  if (!mechanism_.held_by_velocity().empty()) {
    throw ModelError({}, fmt::format("{}: '{}' holds velocities alone, which MJCF cannot say; write TOML",
                                     mechanism_.name(), mechanism_.held_by_velocity()));
  }
  for (const Joint& joint : mechanism_.tree_joints()) {
    if (joint.type == JointType::screw) {
      throw ModelError({}, fmt::format("{}: joint '{}' is a screw, which MuJoCo has not; write TOML", mechanism_.name(),
                                       joint.name));
    }
    if (!joint.motions.empty()) {
      throw ModelError({}, fmt::format("{}: the motion of joint '{}' is prescribed, which MJCF cannot say; write TOML",
                                       mechanism_.name(), joint.name));
    }
  }
  for (const Joint& joint : mechanism_.cut_joints()) {
    const bool weld = joint.type == JointType::fixed;
    if (!weld && joint.type != JointType::revolute && joint.type != JointType::spherical) {
      throw ModelError({},
                       fmt::format("{}: joint '{}' closes a loop and is {}; MJCF closes loops with revolute, spherical "
                                   "and fixed joints; write TOML, or cut another joint",
                                   mechanism_.name(), joint.name, to_string(joint.type)));
    }
    for (int point = 0; point < (joint.type == JointType::revolute ? 2 : 1); ++point) {
      const std::string name = fmt::format("{}_{}", joint.name, point + 1);
      const Vec3 shift = point * joint.axis;
      sites_[joint.a].push_back({name + "_a", joint.position_a + joint.rotation_a * shift, joint.rotation_a});
      sites_[joint.b].push_back({name + "_b", joint.position_b + joint.rotation_b * shift, joint.rotation_b});
      closings_.push_back({weld ? "weld" : "connect", name + "_a", name + "_b"});
    }
  }
}

void MjcfWriter::write_joint(const Joint& joint) {
  const std::vector<Part> parts = parts_of(joint);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    writer_.open("joint", {{"name", parts.size() == 1 ? joint.name : fmt::format("{}_{}", joint.name, i + 1)},
                           {"type", parts[i].type},
                           {"pos", spaced(joint.position_b)}});
    if (std::string_view(parts[i].type) != "ball") {
      writer_.attribute("axis", spaced(joint.rotation_b * parts[i].axis));
    }
    if (const auto spring = springs_.find(joint.name); spring != springs_.end()) {
      writer_.attribute("stiffness", spaced(spring->second.stiffness));
      writer_.attribute("springref", spaced(spring->second.rest));
      writer_.attribute("damping", spaced(spring->second.damping));
    }
    writer_.close();
  }
  // MuJoCo's balls have their quaternion and velocity in the body's axes, ours in the joint's.
  const auto q = mechanism_.q0().segment(joint.q_offset, joint.nq);
  const auto v = mechanism_.u0().segment(joint.u_offset, joint.nu);
  const bool turns = joint.type == JointType::spherical || joint.type == JointType::free;
  const Eigen::Index rest = turns ? 4 : 0;
  q_.insert(q_.end(), q.begin() + rest, q.end());
  v_.insert(v_.end(), v.begin() + (turns ? 3 : 0), v.end());
  if (turns) {
    const Vec3 axis = joint.rotation_b * q.segment<3>(1);
    const Vec3 spin = joint.rotation_b * v.head<3>();
    q_.push_back(q[0]);
    q_.insert(q_.end(), axis.begin(), axis.end());
    v_.insert(v_.end(), spin.begin(), spin.end());
  }
}

void MjcfWriter::open_body(int number) {
  const Body& body = mechanism_.bodies()[static_cast<std::size_t>(number)];
  const Joint& joint = mechanism_.tree_joints()[static_cast<std::size_t>(number)];
  const Mat3 rotation = joint.rotation_a * joint.rotation_b.transpose();
  const Mat3 inertia = mjcf_inertia(body);
  Eigen::Matrix<double, 6, 1> full;
  full << inertia(0, 0), inertia(1, 1), inertia(2, 2), inertia(0, 1), inertia(0, 2), inertia(1, 2);
  writer_.open("body", {{"name", body.name},
                        {"pos", spaced(joint.position_a - rotation * joint.position_b)},
                        {"quat", quaternion(rotation)}});
  writer_.element("inertial", {{"pos", spaced(body.com)}, {"mass", spaced(body.mass)}, {"fullinertia", spaced(full)}});
  write_joint(joint);
  write_sites(number);
}

void MjcfWriter::write_sites(int number) {
  for (const Site& site : sites_[number]) {
    writer_.element("site", {{"name", site.name}, {"pos", spaced(site.position)}, {"quat", quaternion(site.rotation)}});
  }
}

/// Two joints by a polynomial of degree one, more of them by a fixed tendon, whose length is their sum. MuJoCo counts
/// both from its reference position, where all q are zero.
void MjcfWriter::write_couplings() {
  for (const CouplingDescription& coupling : mechanism_.description().couplings) {
    if (coupling.terms.size() > 2) {
      writer_.element("tendon", {{"tendon1", coupling.name}, {"polycoef", spaced(*coupling.value) + " 0 0 0 0"}});
      continue;
    }
    const CouplingTerm& own = coupling.terms[0];
    const CouplingTerm& other = coupling.terms[1];
    writer_.element(
        "joint", {{"name", coupling.name},
                  {"joint1", part_name(own)},
                  {"joint2", part_name(other)},
                  {"polycoef", fmt::format("{} {} 0 0 0", *coupling.value / own.factor, -other.factor / own.factor)}});
  }
}

void MjcfWriter::write_tendons() {
  const auto& couplings = mechanism_.description().couplings;
  const auto needs = [](const CouplingDescription& coupling) { return coupling.terms.size() > 2; };
  if (std::none_of(couplings.begin(), couplings.end(), needs)) {
    return;
  }
  writer_.open("tendon");
  for (const CouplingDescription& coupling : couplings) {
    if (needs(coupling)) {
      writer_.open("fixed", {{"name", coupling.name}});
      for (const CouplingTerm& term : coupling.terms) {
        writer_.element("joint", {{"joint", part_name(term)}, {"coef", spaced(term.factor)}});
      }
      writer_.close();
    }
  }
  writer_.close();
}

std::string MjcfWriter::part_name(const CouplingTerm& term) const {
  const Joint& joint = mechanism_.joint(*mechanism_.find_joint(term.joint));
  return joint.nu == 1 ? joint.name : fmt::format("{}_{}", joint.name, term.component + 1);
}

/// Not by recursion: chains may be longer than the stack is deep.
void MjcfWriter::write_tree() {
  constexpr int kClose = -1;
  std::vector<int> open(outboard_[0].rbegin(), outboard_[0].rend());
  while (!open.empty()) {
    const int number = open.back();
    open.pop_back();
    if (number == kClose) {
      writer_.close();
      continue;
    }
    open_body(number);
    open.push_back(kClose);
    const std::vector<int>& next = outboard_[static_cast<std::size_t>(number + 1)];
    open.insert(open.end(), next.rbegin(), next.rend());
  }
}

void MjcfWriter::write_start() {
  const auto list = [](const std::vector<double>& values) {
    return spaced(Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  writer_.open("keyframe");
  writer_.element("key", {{"name", "start"}, {"qpos", list(q_)}, {"qvel", list(v_)}});
  writer_.close();
}

std::string MjcfWriter::text() {
  writer_.open("mujoco", {{"model", mechanism_.name()}});
  xml::note_left_out(writer_, mechanism_, left_out_);
  writer_.element("compiler", {{"angle", "radian"}, {"boundmass", "0"}, {"boundinertia", "0"}});
  writer_.element("option", {{"gravity", spaced(mechanism_.gravity())}});
  writer_.open("worldbody");
  write_sites(-1);
  write_tree();
  writer_.close();
  write_tendons();
  const bool couples = !mechanism_.description().couplings.empty();
  if (!closings_.empty() || couples) {
    if (couples) {
      writer_.comment(" Couplings between joints are soft in MuJoCo. ");
    }
    writer_.open("equality");
    for (const auto& [element, one, two] : closings_) {
      writer_.element(element.c_str(), {{"site1", one}, {"site2", two}});
    }
    write_couplings();
    writer_.close();
  }
  write_start();
  writer_.close();
  return writer_.text();
}

}  // namespace

int mjcf_levels(const Mechanism& mechanism) {
  constexpr int kAround = 3;  // <mujoco>, <worldbody> and what the last body holds
  std::vector<int> depth(mechanism.bodies().size());
  int deepest = 0;
  for (std::size_t k = 0; k < depth.size(); ++k) {
    const int parent = mechanism.parent(static_cast<int>(k));
    depth[k] = 1 + (parent < 0 ? 0 : depth[static_cast<std::size_t>(parent)]);
    deepest = std::max(deepest, depth[k]);
  }
  return kAround + deepest;
}

std::string write_mjcf(const Mechanism& mechanism) {
  if (const int levels = mjcf_levels(mechanism); levels > kMostLevels) {
    throw ModelError({}, fmt::format("{}: {} bodies in a row make {} levels of elements, and MuJoCo's reader takes {}; "
                                     "write TOML or URDF",
                                     mechanism.name(), levels - 3, levels, kMostLevels));
  }
  return MjcfWriter(mechanism).text();
}

}  // namespace mbdbench
