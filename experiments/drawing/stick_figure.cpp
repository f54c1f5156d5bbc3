#include "experiments/drawing/stick_figure.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/model/loads/bushing.hpp"

namespace mbdbench {
namespace {

/// A point of a body that something is fixed to, in the body's frame.
using BodyPoints = std::vector<std::vector<Vec3>>;

bool apart(const Vec3& first, const Vec3& second) {
  // Points of one place that were written with rounded digits are one point.
  constexpr double kRounding = 1e-9;
  return (first - second).norm() > kRounding * (1.0 + first.norm());
}

/// Points that links lead to from the inboard joint: further joints and markers.
BodyPoints link_ends(const Mechanism& mechanism) {
  BodyPoints ends(mechanism.bodies().size());
  const auto add = [&](int body, const Vec3& point) {
    if (body >= 0) {
      ends[static_cast<std::size_t>(body)].push_back(point);
    }
  };
  for (const Joint& joint : mechanism.tree_joints()) {
    add(joint.a, joint.position_a);
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    add(joint.a, joint.position_a);
    add(joint.b, joint.position_b);
  }
  for (const Marker& marker : mechanism.markers()) {
    add(marker.body, marker.point);
  }
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    add(mechanism.find_body(spring.body1).value_or(-1), spring.point1);
    add(mechanism.find_body(spring.body2).value_or(-1), spring.point2);
  }
  for (const BushingDescription& bushing : mechanism.description().bushings) {
    add(mechanism.find_body(bushing.body1).value_or(-1), bushing.frame1.position);
    add(mechanism.find_body(bushing.body2).value_or(-1), bushing.frame2.position);
  }
  return ends;
}

class FigureMaker {
 public:
  FigureMaker(const Kinematics& kinematics, const View& view)
      : kinematics_(kinematics), mechanism_(kinematics.mechanism()), view_(view) {}

  StickFigure make() {
    const BodyPoints ends = link_ends(mechanism_);
    for (int k = 0; k < mechanism_.body_count(); ++k) {
      add_body(k, ends[static_cast<std::size_t>(k)]);
    }
    add_springs();
    // Joints over what they join.
    for (const Joint& joint : mechanism_.cut_joints()) {
      add_joint(joint);
    }
    for (const Joint& joint : mechanism_.tree_joints()) {
      add_joint(joint);
    }
    for (const Marker& marker : mechanism_.markers()) {
      add_symbol({.kind = SymbolKind::marker, .name = marker.name}, kinematics_.world_point(marker.body, marker.point));
    }
    return std::move(figure_);
  }

 private:
  void add_line(LineKind kind, const Vec3& from, const Vec3& to) {
    figure_.lines.push_back({kind, view_.of(from), view_.of(to)});
  }

  void add_symbol(FigureSymbol symbol, const Vec3& at) {
    symbol.at = view_.of(at);
    figure_.symbols.push_back(std::move(symbol));
  }

  void add_body(int index, const std::vector<Vec3>& ends) {
    const Body& body = mechanism_.bodies()[static_cast<std::size_t>(index)];
    const Joint& joint = mechanism_.tree_joints()[static_cast<std::size_t>(index)];
    // A free body has no joint to begin at.
    const Vec3 start = joint.type == JointType::free ? body.com : joint.position_b;
    bool linked = false;
    for (const Vec3& end : ends) {
      if (apart(start, end)) {
        add_line(LineKind::link, kinematics_.world_point(index, start), kinematics_.world_point(index, end));
        linked = true;
      }
    }
    if (apart(start, body.com)) {
      add_line(LineKind::arm, kinematics_.world_point(index, start), kinematics_.body(index).com);
    } else if (!linked) {
      add_cuboid(index);
    }
    add_symbol({.kind = SymbolKind::centre_of_mass, .name = body.name}, kinematics_.body(index).com);
  }

  /// Half lengths a, b, c of a cuboid about its centre: J_1 = m (b^2 + c^2) / 3 and so on.
  void add_cuboid(int index) {
    const Body& body = mechanism_.bodies()[static_cast<std::size_t>(index)];
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(body.inertia);
    const Vec3& moments = principal.eigenvalues();
    const Mat3 axes = kinematics_.body(index).rotation * principal.eigenvectors();
    Vec3 half;
    for (int i = 0; i < 3; ++i) {
      // Nothing below zero from rounding: a rod has no width.
      half[i] = std::sqrt(std::max(0.0, 1.5 * (moments.sum() - 2.0 * moments[i]) / body.mass));
    }
    constexpr int kCorners = 8;
    const auto corner = [&](int number) {
      const Vec3 signs((number & 1) != 0 ? 1.0 : -1.0, (number & 2) != 0 ? 1.0 : -1.0, (number & 4) != 0 ? 1.0 : -1.0);
      return Vec3(kinematics_.body(index).com + axes * half.cwiseProduct(signs));
    };
    for (int from = 0; from < kCorners; ++from) {
      for (const int direction : {1, 2, 4}) {
        if ((from & direction) == 0) {
          add_line(LineKind::cuboid, corner(from), corner(from | direction));
        }
      }
    }
  }

  void add_springs() {
    for (const PointSpringDescription& spring : mechanism_.description().point_springs) {
      const Vec3 from = kinematics_.world_point(mechanism_.find_body(spring.body1).value_or(-1), spring.point1);
      const Vec3 to = kinematics_.world_point(mechanism_.find_body(spring.body2).value_or(-1), spring.point2);
      add_line(LineKind::spring, from, to);
      add_spring_symbols(spring, JointType::prismatic, 0.5 * (from + to), to - from);
    }
    for (const BushingDescription& bushing : mechanism_.description().bushings) {
      const Bushing placed(mechanism_, bushing);
      const Vec3 from = kinematics_.world_point(placed.body1(), bushing.frame1.position);
      const Vec3 to = placed.point(kinematics_);
      add_line(LineKind::spring, from, to);
      const Vec3 along = kinematics_.body(placed.body1()).rotation * Vec3::UnitX();
      add_symbol(
          {.kind = SymbolKind::spring, .type = JointType::prismatic, .name = bushing.name, .angle = angle_of(along)},
          0.5 * (from + to));
    }
    for (const JointSpringDescription& spring : mechanism_.description().joint_springs) {
      const Joint& joint = mechanism_.joint(*mechanism_.find_joint(spring.joint));
      add_spring_symbols(spring, turns(joint.type, spring.component) ? JointType::revolute : JointType::prismatic,
                         kinematics_.world_point(joint.b, joint.position_b),
                         kinematics_.body(joint.a).rotation * joint.rotation_a * joint.axis);
    }
  }

  /// \returns whether the coordinate is an angle.
  static bool turns(JointType type, int component) {
    switch (type) {
      case JointType::prismatic:
        return false;
      case JointType::cylindrical:
        return component == 0;
      case JointType::planar:
        return component == 2;
      default:
        return true;
    }
  }

  /// Both symbols where a spring has both coefficients, each on its side.
  template <class Spring>
  void add_spring_symbols(const Spring& spring, JointType motion, const Vec3& at, const Vec3& along) {
    if (spring.stiffness != 0.0) {
      add_symbol({.kind = SymbolKind::spring, .type = motion, .name = spring.name, .angle = angle_of(along)}, at);
    }
    if (spring.damping != 0.0) {
      add_symbol({.kind = SymbolKind::damper, .type = motion, .name = spring.name, .angle = angle_of(along)}, at);
    }
  }

  /// \returns the direction in the picture; what is looked at from its end has none.
  [[nodiscard]] double angle_of(const Vec3& direction) const {
    constexpr double kSeen = 1e-6;
    const Eigen::Vector2d seen = view_.of(direction);
    return seen.norm() > kSeen * direction.norm() ? std::atan2(seen.y(), seen.x()) : 0.0;
  }

  void add_joint(const Joint& joint) {
    const Vec3 on_a = kinematics_.world_point(joint.a, joint.position_a);
    const Vec3 on_b = kinematics_.world_point(joint.b, joint.position_b);
    const bool slides = joint.type == JointType::prismatic || joint.type == JointType::cylindrical ||
                        joint.type == JointType::planar || joint.type == JointType::screw ||
                        joint.type == JointType::point_on_line || joint.type == JointType::point_on_plane ||
                        rolls(joint.type);
    if (slides) {
      add_line(LineKind::guide, on_a, on_b);
    }
    if (has_length(joint.type)) {
      add_line(LineKind::link, on_a, on_b);
    }
    if (joint.type == JointType::free) {
      return;  // holds nothing
    }
    if (joint.a < 0 || joint.b < 0) {
      add_symbol({.kind = SymbolKind::ground, .name = kGround}, joint.a < 0 ? on_a : on_b);
    }
    const BodyKinematics& body = kinematics_.body(joint.a);
    add_symbol({.kind = SymbolKind::joint,
                .type = joint.type,
                .cut = joint.cut,
                .name = joint.name,
                .angle = angle_of(body.rotation * joint.rotation_a * joint.axis)},
               on_b);
  }

  const Kinematics& kinematics_;
  const Mechanism& mechanism_;
  const View& view_;
  StickFigure figure_;
};

}  // namespace

StickFigure stick_figure(const Kinematics& kinematics, const View& view) {
  return FigureMaker(kinematics, view).make();
}

}  // namespace mbdbench
