#include "experiments/drawing/open_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "experiments/drawing/mechanism_drawing.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/validation/spanning_tree.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

// What is drawn apart: a thousandth of a millimetre a metre, a tenth of a second of arc.
constexpr double kApart = 1e-6;

/// A cut joint on its two bodies.
struct Cut {
  const JointDescription* given = nullptr;
  Vec3 on_a = Vec3::Zero();
  Vec3 on_b = Vec3::Zero();
  Vec3 axis_a = Vec3::Zero();
  Vec3 axis_b = Vec3::Zero();
  double distance = 0.0;  ///< along directions in which the joint holds, m
  double angle = 0.0;     ///< between the axes, or of the turn, where the joint holds that, rad
};

/// \returns the description with cut joints that hold nothing, and nothing but joints and springs between points.
MechanismDescription without_loops(const MechanismDescription& description, const std::vector<std::size_t>& cuts) {
  MechanismDescription bare = description;
  bare.couplings.clear();
  bare.velocity_constraints.clear();
  bare.joint_loads.clear();
  bare.body_loads.clear();
  for (JointDescription& joint : bare.joints) {
    joint.motions.clear();
  }
  for (const std::size_t cut : cuts) {
    JointDescription& joint = bare.joints[cut];
    joint.type = JointType::free;
    joint.cut = true;
    joint.pitch = 0.0;
    joint.q0.clear();
    joint.v0.clear();
    joint.dependent = false;
    std::erase_if(bare.joint_springs, [&](const JointSpringDescription& spring) { return spring.joint == joint.name; });
  }
  return bare;
}

bool keeps_axes_parallel(JointType type) {
  return type != JointType::spherical && type != JointType::universal && type != JointType::free;
}

/// \param gap from a's point to b's
double held_distance(JointType type, const Vec3& gap, const Vec3& axis) {
  switch (type) {
    case JointType::free:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return 0.0;  // their ends are apart by intent
    case JointType::prismatic:
    case JointType::cylindrical:
    case JointType::screw:
    case JointType::point_on_line:
      return (gap - gap.dot(axis) * axis).norm();
    case JointType::planar:
    case JointType::point_on_plane:
      return std::abs(gap.dot(axis));
    default:
      return gap.norm();
  }
}

Cut cut_at(const Kinematics& kinematics, const Joint& joint, const JointDescription& given) {
  Cut cut;
  cut.given = &given;
  cut.on_a = kinematics.world_point(joint.a, joint.position_a);
  cut.on_b = kinematics.world_point(joint.b, joint.position_b);
  const Mat3 axes_a = kinematics.body(joint.a).rotation * joint.rotation_a;
  const Mat3 axes_b = kinematics.body(joint.b).rotation * joint.rotation_b;
  cut.axis_a = axes_a * given.axis.normalized();
  cut.axis_b = axes_b * given.axis.normalized();
  cut.distance = held_distance(given.type, cut.on_b - cut.on_a, cut.axis_a);
  if (given.type == JointType::fixed || given.type == JointType::prismatic) {
    cut.angle = std::acos(std::clamp(0.5 * ((axes_a.transpose() * axes_b).trace() - 1.0), -1.0, 1.0));
  } else if (keeps_axes_parallel(given.type)) {
    cut.angle = std::atan2(cut.axis_a.cross(cut.axis_b).norm(), cut.axis_a.dot(cut.axis_b));
  }
  return cut;
}

FigureSymbol symbol_of(const Cut& cut, const Vec3& at, const Vec3& axis, const View& view) {
  const Eigen::Vector2d seen = view.of(axis);
  return {.kind = SymbolKind::joint,
          .type = cut.given->type,
          .cut = true,
          .name = cut.given->name,
          .at = view.of(at),
          .angle = seen.norm() > kApart ? std::atan2(seen.y(), seen.x()) : 0.0};
}

std::string gap_text(const Cut& cut) {
  return cut.distance > kApart ? fmt::format("joint '{}' is open by {:.3g} m", cut.given->name, cut.distance)
                               : fmt::format("joint '{}' is turned by {:.3g} rad", cut.given->name, cut.angle);
}

OpenDrawing drawn(const Mechanism& tree, const Kinematics& kinematics, const std::vector<Cut>& cuts) {
  const View view = view_of(kinematics);
  StickFigure figure = stick_figure(kinematics, view);
  for (const Cut& cut : cuts) {
    figure.symbols.push_back(symbol_of(cut, cut.on_a, cut.axis_a, view));
    if (cut.distance > kApart || cut.angle > kApart) {
      figure.lines.push_back({LineKind::gap, view.of(cut.on_a), view.of(cut.on_b)});
      figure.symbols.push_back(symbol_of(cut, cut.on_b, cut.axis_b, view));
    }
  }
  const Cut& worst = *std::max_element(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
    return std::pair(a.distance > kApart, a.distance + a.angle) < std::pair(b.distance > kApart, b.distance + b.angle);
  });
  const std::array figures = {figure};
  const std::string gap = gap_text(worst);
  return {mechanism_drawing(tree, view, figure, drawing_scale(figures), "does not close: " + gap), gap};
}

}  // namespace

std::optional<OpenDrawing> open_drawing(const MechanismDescription& description) {
  try {
    validate_elements(description);
    const std::vector<std::size_t> cut_joints = span_tree(description).cut_joints;
    const Mechanism tree(without_loops(description, cut_joints));
    Kinematics kinematics(tree);
    kinematics.set_positions({tree.q0().data(), static_cast<std::size_t>(tree.q0().size())});
    std::vector<Cut> cuts;
    for (std::size_t c = 0; c < cut_joints.size(); ++c) {
      cuts.push_back(cut_at(kinematics, tree.cut_joints()[c], description.joints[cut_joints[c]]));
    }
    const bool open = std::any_of(cuts.begin(), cuts.end(),
                                  [](const Cut& cut) { return cut.distance > kApart || cut.angle > kApart; });
    return open ? std::optional(drawn(tree, kinematics, cuts)) : std::nullopt;
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace mbdbench
