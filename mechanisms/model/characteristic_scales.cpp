#include "mechanisms/model/characteristic_scales.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {
namespace {

/// \returns which tree joints a cut joint closes a loop through.
std::vector<bool> joints_in_loops(const Mechanism& mechanism) {
  std::vector<bool> in_loop(mechanism.tree_joints().size(), false);
  for (const Joint& cut : mechanism.cut_joints()) {
    // Bodies count outward: the one with the larger number has not met the other's path yet.
    for (int a = cut.a, b = cut.b; a != b;) {
      int& outer = a > b ? a : b;
      in_loop[static_cast<std::size_t>(outer)] = true;
      outer = mechanism.parent(outer);
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
      length = std::max(length, joint.length);
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
    for (int row = 0; row < joint.nc; ++row) {
      scales.rows[joint.row_offset + row] = row_scale(joint, row, scales.unit);
    }
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    scales.rows[coupling.row] = coupling.ties_displacements ? 1.0 / scales.unit : 1.0;
  }
  scale_coupled_columns(mechanism, scales);
  return scales;
}

}  // namespace mbdbench
