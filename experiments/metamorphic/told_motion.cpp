#include "experiments/metamorphic/told_motion.hpp"

#include <Eigen/SVD>
#include <array>
#include <cmath>

namespace mbdbench::metamorphic {
namespace {

Eigen::Quaterniond turn(const Vec3& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
}

Vec3 three(std::span<const double> values, std::size_t first) {
  return {values[first], values[first + 1], values[first + 2]};
}

Eigen::Quaterniond quaternion(std::span<const double> q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

/// Velocity of body a and of the joint, carried on to body b.
BodyState carried(const BodyState& a, const ToldJoint& joint, std::span<const double> v) {
  const Frame on_a = a.frame.then(joint.frame_a);
  const JointMotion motion = joint_motion(joint, v);
  BodyState b;
  const Frame on_b = on_a.then(motion.frame);
  b.frame = on_b.then(joint.frame_b.inverse());
  b.spin = a.spin + on_a.rotation * motion.spin;
  const Vec3 at_joint = a.velocity_of(on_b.position) + on_a.rotation * motion.velocity;
  b.velocity = at_joint + b.spin.cross(b.frame.position - on_b.position);
  return b;
}

}  // namespace

std::array<Vec3, 2> planar_directions(const Vec3& normal) {
  Eigen::Index least = 0;
  normal.cwiseAbs().minCoeff(&least);
  const Vec3 first = (Vec3::Unit(least) - normal[least] * normal).normalized();
  return {first, normal.cross(first)};
}

JointMotion joint_motion(const ToldJoint& joint, std::span<const double> v) {
  const std::span<const double> q = joint.q;
  const Vec3& n = joint.axis;
  JointMotion m;
  if (joint.type == "revolute" || joint.type == "cylindrical" || joint.type == "screw") {
    m.frame.rotation = turn(n, q[0]);
    m.spin = n * v[0];
  }
  if (joint.type == "prismatic" || joint.type == "screw") {
    const double lead = joint.type == "screw" ? joint.pitch : 1.0;
    m.frame.position = n * lead * q[0];
    m.velocity = n * lead * v[0];
  } else if (joint.type == "cylindrical") {
    m.frame.position = n * q[1];
    m.velocity = n * v[1];
  } else if (joint.type == "universal") {
    m.frame.rotation = turn(n, q[0]) * turn(joint.axis2, q[1]);
    m.spin = n * v[0] + turn(n, q[0]) * joint.axis2 * v[1];
  } else if (joint.type == "planar") {
    const auto directions = planar_directions(n);
    m.frame = {directions[0] * q[0] + directions[1] * q[1], turn(n, q[2])};
    m.velocity = directions[0] * v[0] + directions[1] * v[1];
    m.spin = n * v[2];
  } else if (joint.type == "spherical" || joint.type == "free") {
    m.frame.rotation = quaternion(q);
    m.spin = m.frame.rotation * three(v, 0);
    if (joint.type == "free") {
      m.frame.position = three(q, 4);
      m.velocity = three(v, 3);
    }
  }
  return m;
}

BodyState state_of(std::span<const BodyState> bodies, int body) {
  return body == kWorld ? BodyState{} : bodies[static_cast<std::size_t>(body)];
}

std::vector<BodyState> body_states(const Told& told) {
  std::vector<BodyState> states(told.bodies.size());
  std::vector<bool> placed(told.bodies.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (const ToldJoint& joint : told.joints) {
      const bool from = joint.a == kWorld || placed[static_cast<std::size_t>(joint.a)];
      if (joint.cut || joint.b == kWorld || !from || placed[static_cast<std::size_t>(joint.b)]) {
        continue;
      }
      states[static_cast<std::size_t>(joint.b)] = carried(state_of(states, joint.a), joint, joint.v);
      placed[static_cast<std::size_t>(joint.b)] = true;
      more = true;
    }
  }
  return states;
}

JointGap joint_gap(const ToldJoint& joint, const Frame& body_a, const Frame& body_b) {
  const Frame between = body_a.then(joint.frame_a).inverse().then(body_b.then(joint.frame_b));
  const Vec3& n = joint.axis;
  const Vec3 apart = between.position;
  const Vec3 tilt = between.rotation * n - n;
  if (joint.type == "free") {
    return {};
  }
  if (joint.type == "revolute") {
    return {apart.norm(), tilt.norm()};
  }
  if (joint.type == "prismatic") {
    return {apart.cross(n).norm(), between.rotation.angularDistance(Eigen::Quaterniond::Identity())};
  }
  if (joint.type == "cylindrical") {
    return {apart.cross(n).norm(), tilt.norm()};
  }
  if (joint.type == "planar") {
    return {std::abs(apart.dot(n)), tilt.norm()};
  }
  if (joint.type == "screw") {
    const double turns = std::remainder(apart.dot(n) / joint.pitch - joint_angle(joint, body_a, body_b), 2.0 * M_PI);
    return {std::max(apart.cross(n).norm(), std::abs(turns * joint.pitch)), tilt.norm()};
  }
  if (joint.type == "universal") {
    return {apart.norm(), std::abs(n.dot(between.rotation * joint.axis2) - n.dot(joint.axis2))};
  }
  return {apart.norm(), joint.type == "fixed" ? between.rotation.angularDistance(Eigen::Quaterniond::Identity()) : 0.0};
}

double joint_angle(const ToldJoint& joint, const Frame& body_a, const Frame& body_b) {
  const Eigen::Quaterniond r =
      (body_a.rotation * joint.frame_a.rotation).conjugate() * (body_b.rotation * joint.frame_b.rotation);
  return std::remainder(2.0 * std::atan2(r.vec().dot(joint.axis), r.w()), 2.0 * M_PI);
}

Eigen::MatrixXd velocity_basis(const Told& told) {
  std::vector<std::size_t> offsets;
  std::size_t count = 0;
  for (const ToldJoint& joint : told.joints) {
    offsets.push_back(count);
    count += joint.v.size();
  }
  std::vector<std::size_t> loops;
  for (std::size_t j = 0; j < told.joints.size(); ++j) {
    if (told.joints[j].cut) {
      loops.push_back(j);
    }
  }
  const auto n = static_cast<Eigen::Index>(count);
  const auto loop_rows = static_cast<Eigen::Index>(6 * loops.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(loop_rows + static_cast<Eigen::Index>(told.couplings.size()), n);
  Told moving = told;
  for (Eigen::Index column = 0; column < n; ++column) {
    for (std::size_t j = 0; j < told.joints.size(); ++j) {
      for (std::size_t i = 0; i < moving.joints[j].v.size(); ++i) {
        moving.joints[j].v[i] = offsets[j] + i == static_cast<std::size_t>(column) ? 1.0 : 0.0;
      }
    }
    const std::vector<BodyState> states = body_states(moving);
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const ToldJoint& joint = moving.joints[loops[l]];
      const BodyState expected = carried(state_of(states, joint.a), joint, joint.v);
      const BodyState there = state_of(states, joint.b);
      rows.block<3, 1>(static_cast<Eigen::Index>(6 * l), column) = there.spin - expected.spin;
      rows.block<3, 1>(static_cast<Eigen::Index>(6 * l + 3), column) =
          there.velocity_of(expected.frame.position) - expected.velocity;
    }
  }
  for (std::size_t c = 0; c < told.couplings.size(); ++c) {
    for (const ToldCoupling::Term& term : told.couplings[c].terms) {
      rows(loop_rows + static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(offsets[term.joint]) + term.component) =
          term.factor;
    }
  }
  if (rows.rows() == 0) {
    return Eigen::MatrixXd::Identity(n, n);
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
  const Eigen::VectorXd& values = svd.singularValues();
  // Loops drawn at random are well conditioned; what is close to a singular position is drawn again.
  constexpr double kZero = 1e-10;
  constexpr double kClear = 2e-3;
  Eigen::Index rank = 0;
  for (const double value : values) {
    const double share = value / values[0];
    if (share > kZero && share < kClear) {
      return {};
    }
    rank += share >= kClear ? 1 : 0;
  }
  return svd.matrixV().rightCols(n - rank);
}

}  // namespace mbdbench::metamorphic
