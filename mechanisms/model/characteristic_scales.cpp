#include "mechanisms/model/characteristic_scales.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {
namespace {

// Loops that are less than so many times smaller than the longest link share its unit: limits hold for both.
constexpr double kSmallLoop = 256.0;

/// \returns the tree joints that a cut joint closes a loop through.
std::vector<int> joints_of_loop(const Mechanism& mechanism, const Joint& cut) {
  std::vector<int> joints;
  // Bodies count outward: the one with the larger number has not met the other's path yet.
  for (int a = cut.a, b = cut.b; a != b;) {
    int& outer = a > b ? a : b;
    joints.push_back(outer);
    outer = mechanism.parent(outer);
  }
  return joints;
}

/// \returns the place of the joint on a body that it connects.
const Vec3& place_on(const Joint& joint, int body) {
  return joint.a == body ? joint.position_a : joint.position_b;
}

/// \returns the longest link of a loop: twice the largest distance of its joints from the centres of mass of its
/// bodies, or twice a radius of gyration; between its two joints on the body that the rest of the loop hangs on, their
/// distance.
double loop_length(const Mechanism& mechanism, const Joint& cut, const std::vector<int>& joints) {
  double length = std::max(cut.length, cut.radius);
  std::vector<Vec3> on_carrier;  // the one body of the loop that is the outer end of none of its tree joints
  const auto add = [&](const Joint& joint, int body) {
    const bool carried = std::find(joints.begin(), joints.end(), body) != joints.end();
    if (carried) {
      const Body& link = mechanism.bodies()[static_cast<std::size_t>(body)];
      length = std::max({length, 2.0 * (place_on(joint, body) - link.com).norm(),
                         2.0 * std::sqrt(link.inertia.trace() / (3.0 * link.mass))});
    } else {
      on_carrier.push_back(place_on(joint, body));
    }
  };
  add(cut, cut.a);
  add(cut, cut.b);
  for (const int index : joints) {
    const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(index)];
    length = std::max(length, joint.length);
    add(joint, joint.a);
    add(joint, joint.b);
  }
  for (const Vec3& place : on_carrier) {
    length = std::max(length, (place - on_carrier.front()).norm());
  }
  return length;
}

double loop_unit(const Mechanism& mechanism, const Joint& cut, const CharacteristicScales& scales) {
  const double length = loop_length(mechanism, cut, joints_of_loop(mechanism, cut));
  const bool is_small = length > 0.0 && length * kSmallLoop < scales.length;
  return is_small ? next_power_of_two(length) : scales.unit;
}

/// Distances along joints of small loops count in the unit of the smallest.
void scale_columns_of_small_loops(const Mechanism& mechanism, CharacteristicScales& scales) {
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    for (const int index : joints_of_loop(mechanism, mechanism.cut_joints()[c])) {
      const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(index)];
      for (int i = 0; i < joint.nu; ++i) {
        double& column = scales.columns[joint.u_offset + i];
        column = is_displacement(joint, i) ? std::min(column, scales.loop_units[c]) : column;
      }
    }
  }
}

/// \returns which tree joints a cut joint closes a loop through.
std::vector<bool> joints_in_loops(const Mechanism& mechanism) {
  std::vector<bool> in_loop(mechanism.tree_joints().size(), false);
  for (const Joint& cut : mechanism.cut_joints()) {
    for (const int joint : joints_of_loop(mechanism, cut)) {
      in_loop[static_cast<std::size_t>(joint)] = true;
    }
  }
  return in_loop;
}

/// Columns that have entries in rows of couplings only: the largest becomes about 1. A driven component has a row of
/// its own, of which it is the only one: both keep the unit of the mechanism, and the row stays a unit row.
void scale_coupled_columns(const Mechanism& mechanism, CharacteristicScales& scales) {
  if (mechanism.couplings().empty()) {
    return;
  }
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(mechanism.u_size());
  for (const Coupling& coupling : mechanism.couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      largest[term.u] = std::max(largest[term.u], scales.rows[coupling.row] * std::abs(term.factor));
    }
  }
  const std::vector<bool> in_loop = joints_in_loops(mechanism);
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      largest[joint.u_offset + motion.component] = 0.0;
    }
    for (int u = joint.u_offset; u < joint.u_offset + joint.nu; ++u) {
      if (largest[u] > 0.0 && !in_loop[static_cast<std::size_t>(joint.b)]) {
        scales.columns[u] = next_power_of_two(1.0 / largest[u]);
      }
    }
  }
}

}  // namespace

double CharacteristicScales::largest(const Eigen::Ref<const Eigen::VectorXd>& residual) const {
  return residual.size() > 0 ? residual.cwiseProduct(rows).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
}

double CharacteristicScales::largest_rate(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  // Without a vector in between: right-hand sides allocate nothing.
  return u.size() > 0 ? u.cwiseQuotient(columns).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
}

Eigen::MatrixXd CharacteristicScales::scaled(const Eigen::MatrixXd& phi_q) const {
  return rows.asDiagonal() * phi_q * columns.asDiagonal();
}

double next_power_of_two(double value) {
  return std::exp2(std::round(std::log2(value)));
}

double characteristic_length(const Mechanism& mechanism) {
  double length = 0.0;
  const auto reach = [&](int body, const Vec3& point) {
    if (body >= 0) {
      length = std::max(length, 2.0 * (point - mechanism.bodies()[static_cast<std::size_t>(body)].com).norm());
    }
  };
  for (const std::span<const Joint> joints : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : joints) {
      reach(joint.a, joint.position_a);
      reach(joint.b, joint.position_b);
      length = std::max({length, joint.length, joint.radius});
    }
  }
  if (!(length > 0.0)) {
    for (const Body& body : mechanism.bodies()) {
      length = std::max(length, 2.0 * std::sqrt(body.inertia.trace() / (3.0 * body.mass)));
    }
  }
  return length > 0.0 && std::isfinite(length) ? length : 1.0;
}

bool is_displacement(const Joint& joint, int component) {
  switch (joint.type) {
    case JointType::prismatic:
      return true;
    case JointType::cylindrical:
      return component == 1;
    case JointType::planar:
      return component < 2;
    case JointType::free:
      return component >= 3;
    case JointType::revolute:
    case JointType::universal:
    case JointType::spherical:
    case JointType::fixed:
    case JointType::screw:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      return false;
  }
  return false;
}

double row_scale(const Joint& joint, int row, double unit) {
  if (joint.type == JointType::screw && row == 2) {
    // (axis . displacement - pitch angle) / sqrt(1 m^2 + pitch^2)
    return next_power_of_two(std::hypot(1.0, joint.pitch) / std::hypot(unit, joint.pitch));
  }
  return row < joint.linear_rows() ? 1.0 / unit : 1.0;
}

CharacteristicScales find_scales(const Mechanism& mechanism) {
  CharacteristicScales scales;
  scales.length = characteristic_length(mechanism);
  scales.unit = next_power_of_two(scales.length);
  scales.rate = std::sqrt(mechanism.gravity().norm() / scales.length) / std::numbers::pi;
  scales.rows.setOnes(mechanism.constraint_size());
  scales.columns.setOnes(mechanism.u_size());
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      scales.columns[joint.u_offset + i] = is_displacement(joint, i) ? scales.unit : 1.0;
    }
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const bool moves = is_displacement(joint, joint.motions[m].component);
      scales.rows[joint.motion_offset + static_cast<int>(m)] = moves ? 1.0 / scales.unit : 1.0;
    }
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    const double unit = loop_unit(mechanism, joint, scales);
    scales.loop_units.push_back(unit);
    for (int row = 0; row < joint.nc; ++row) {
      scales.rows[joint.row_offset + row] = row_scale(joint, row, unit);
    }
  }
  scale_columns_of_small_loops(mechanism, scales);
  for (const Coupling& coupling : mechanism.couplings()) {
    scales.rows[coupling.row] = coupling.ties_displacements ? 1.0 / scales.unit : 1.0;
  }
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    scales.rows[constraint.row] = constraint.ties_displacements ? 1.0 / scales.unit : 1.0;
  }
  scale_coupled_columns(mechanism, scales);
  return scales;
}

}  // namespace mbdbench
