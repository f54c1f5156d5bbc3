#include "formulations/assembly/point_masses.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <numbers>
#include <span>

#include "mechanisms/model/description/joint.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// xi of one handle in joint axes. \param axes of the body in them \param lever handle minus centre of mass, body axes
JointMatrix compliance(const Body& body, const Mat3& axes, const Vec3& lever, const SpatialColumns& directions) {
  SpatialColumns wrenches = directions;
  for (Eigen::Index i = 0; i < wrenches.cols(); ++i) {
    wrenches.col(i) = shift_wrench(axes * lever, wrenches.col(i));
  }
  const Mat3 inertia_inverse = axes * body.inertia_inverse * axes.transpose();
  const auto forces = wrenches.topRows<3>();
  const auto torques = wrenches.bottomRows<3>();
  return forces.transpose().lazyProduct(forces) / body.mass +
         torques.transpose().lazyProduct(
             Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 6>(inertia_inverse.lazyProduct(torques)));
}

double compliance_ratio(const JointMatrix& a, const JointMatrix& b) {
  const auto trace = [](const JointMatrix& numerator, const JointMatrix& denominator) {
    return JointMatrix(denominator.llt().solve(numerator)).trace();
  };
  return a.rows() == 0 ? 1.0 : std::max(trace(a, b), trace(b, a));
}

/// Turns a joint on: its angles, or its quaternion about one axis of b.
void turn(const Joint& joint, int eighths, std::span<double> q) {
  const double angle = 0.25 * std::numbers::pi * eighths;
  switch (joint.type) {
    case JointType::revolute:
    case JointType::cylindrical:
    case JointType::screw:
      q[0] += angle;
      return;
    case JointType::universal:
      q[0] += angle;
      q[1] += angle;
      return;
    case JointType::planar:
      q[2] += angle;
      return;
    case JointType::spherical:
    case JointType::free: {
      const Eigen::Quaterniond on(Eigen::AngleAxisd(angle, Vec3::Unit((eighths + 2) % 3)));
      const Eigen::Quaterniond turned = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * on;
      q[0] = turned.w();
      q[1] = turned.x();
      q[2] = turned.y();
      q[3] = turned.z();
      return;
    }
    case JointType::prismatic:
    case JointType::fixed:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return;
  }
}

/// \returns whether two joints and the bodies that they connect are the same but for coordinates.
bool alike(const Mechanism& mechanism, const Joint& one, const Joint& other) {
  const auto same_body = [&](int a, int b) {
    const Body& first = mechanism.bodies()[static_cast<std::size_t>(a)];
    const Body& second = mechanism.bodies()[static_cast<std::size_t>(b)];
    return first.mass == second.mass && first.com == second.com && first.inertia == second.inertia;
  };
  return one.type == other.type && one.axis == other.axis && one.axis2 == other.axis2 &&
         one.position_a == other.position_a && one.position_b == other.position_b &&
         one.rotation_a == other.rotation_a && one.rotation_b == other.rotation_b && same_body(one.a, other.a) &&
         same_body(one.b, other.b);
}

/// The largest of a joint between two bodies.
double largest_of(const Mechanism& mechanism, const Joint& joint, std::span<const double> start) {
  const Body& inboard = mechanism.bodies()[static_cast<std::size_t>(joint.a)];
  const Body& outboard = mechanism.bodies()[static_cast<std::size_t>(joint.b)];
  double largest = 1.0;
  for (int eighths = 0; eighths < 4; ++eighths) {
    std::array<double, 7> q{};
    std::copy(start.begin(), start.end(), q.begin());
    turn(joint, eighths, q);
    const RelativePose pose = relative_pose(joint, std::span(q).first(start.size()));
    SpatialColumns directions;
    constrained_directions(joint, Mat3::Identity(), pose.rotation, pose.translation, directions);
    const Mat3 axes_a = joint.rotation_a.transpose();
    const JointMatrix a =
        compliance(inboard, axes_a, joint.position_a + joint.rotation_a * pose.translation - inboard.com, directions);
    const JointMatrix b =
        compliance(outboard, pose.rotation * joint.rotation_b.transpose(), joint.position_b - outboard.com, directions);
    largest = std::max(largest, compliance_ratio(a, b));
  }
  return largest;
}

}  // namespace

double largest_compliance_ratio(const Mechanism& mechanism) {
  double largest = 1.0;
  const Joint* last = nullptr;
  const auto compare = [&](const Joint& joint, std::span<const double> start) {
    // A joint without coordinates does not say where its ends are; other joints lead to both of its bodies.
    if (joint.a >= 0 && joint.b >= 0 && !is_cut_only(joint.type)) {
      if (last == nullptr || !alike(mechanism, *last, joint)) {
        largest = std::max(largest, largest_of(mechanism, joint, start));
      }
      last = &joint;
    }
  };
  for (const Joint& joint : mechanism.tree_joints()) {
    compare(joint,
            view(mechanism.q0()).subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq)));
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    compare(joint, joint.q0);
  }
  return largest;
}

}  // namespace mbdbench
