#include "mechanisms/model/validation/model_check.hpp"

#include <algorithm>

#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

/// \returns the singular values that are not zero next to `scale`, largest first.
Eigen::VectorXd nonzero_singular_values(const Eigen::MatrixXd& matrix, double scale) {
  const Eigen::VectorXd values = singular_values(matrix);
  return values.head((values.array() > kRankWhereClosed * scale).count());
}

/// \returns the bodies from a over the nearest common inboard body (or the ground) to b.
std::vector<std::string> bodies_along_tree(const Mechanism& mechanism, int a, int b) {
  const auto name = [&](int body) {
    return body < 0 ? std::string(kGround) : mechanism.bodies()[static_cast<std::size_t>(body)].name;
  };
  std::vector<std::string> from_a;
  std::vector<std::string> from_b;
  // Inboard bodies have smaller indices, so the larger of the two is never the common one.
  while (a != b) {
    int& outer = a > b ? a : b;
    (a > b ? from_a : from_b).push_back(name(outer));
    outer = mechanism.parent(outer);
  }
  from_a.push_back(name(a));
  from_a.insert(from_a.end(), from_b.rbegin(), from_b.rend());
  return from_a;
}

}  // namespace

int ModelCheck::jointly_redundant() const {
  int together = redundant();
  for (const LoopCheck& loop : loops) {
    together -= loop.redundant();
  }
  return together;
}

ModelCheck check_model(const Mechanism& mechanism) {
  ModelCheck check;
  check.bodies = mechanism.body_count();
  check.tree_joints = static_cast<int>(mechanism.tree_joints().size());
  check.cut_joints = static_cast<int>(mechanism.cut_joints().size());
  check.q_size = mechanism.q_size();
  check.u_size = mechanism.u_size();
  check.constraint_rows = mechanism.constraint_size();
  check.motion_rows = mechanism.motion_row_count();
  for (const Joint& joint : mechanism.cut_joints()) {
    check.motion_rows += static_cast<int>(joint.driven.size());
  }
  check.coupling_rows = static_cast<int>(mechanism.couplings().size());
  // A free cut joint closes a loop without a row.
  if (mechanism.cut_joints().empty() && !mechanism.constrained()) {
    return check;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions({mechanism.q0().data(), static_cast<std::size_t>(mechanism.q_size())});
  const Eigen::MatrixXd phi_q = mechanism.scales().scaled(constraint_jacobian(kinematics));
  // Entries are levers and directions in units of the mechanism: where all are zero but for rounding, 1 is the scale.
  const double scale = std::max(1.0, phi_q.norm());
  const Eigen::VectorXd values = nonzero_singular_values(phi_q, scale);
  check.rank = static_cast<int>(values.size());
  check.conditioning = check.rank > 0 ? values[check.rank - 1] / values[0] : 1.0;
  for (const Joint& joint : mechanism.cut_joints()) {
    LoopCheck loop;
    loop.cut_joint = joint.name;
    loop.bodies = bodies_along_tree(mechanism, joint.a, joint.b);
    loop.rows = joint.nc;
    loop.rank = static_cast<int>(nonzero_singular_values(phi_q.middleRows(joint.row_offset, joint.nc), scale).size());
    check.loops.push_back(std::move(loop));
  }
  return check;
}

}  // namespace mbdbench
