#include "mechanisms/model/kinematics/constraint_jacobian.hpp"

#include <fmt/format.h>

#include "mechanisms/model/available_memory.hpp"

namespace mbdbench {
namespace {

/// Adds sign D^T X H_k of all tree joints k between the ground and one end of a cut joint: u_k moves the end like a
/// point of body k.
void add_end(const Kinematics& kinematics, const Joint& cut, const SpatialColumns& d, int body, const Vec3& end,
             double sign, Eigen::MatrixXd& phi_q) {
  const Mechanism& mechanism = kinematics.mechanism();
  for (int k = body; k >= 0; k = mechanism.parent(k)) {
    const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(k)];
    const JointKinematics& state = kinematics.tree_joint(k);
    for (int i = 0; i < joint.nu; ++i) {
      const Vec6 velocity = shift_velocity(end - state.point, Vec6(state.h.col(i)));
      phi_q.col(joint.u_offset + i).segment(cut.row_offset, cut.nc) += sign * d.transpose() * velocity;
    }
  }
}

/// A small matrix costs less than asking the system how much memory there is.
void require_room(const Mechanism& mechanism) {
  constexpr double kSmall = 1e6;
  const double entries = static_cast<double>(mechanism.constraint_size()) * static_cast<double>(mechanism.u_size());
  if (entries > kSmall) {
    require_available(kConstraintJacobianCopies * sizeof(double) * entries,
                      fmt::format("the constraint Jacobian of mechanism '{}', {} x {}, with its decomposition,",
                                  mechanism.name(), mechanism.constraint_size(), mechanism.u_size()));
  }
}

}  // namespace

Eigen::MatrixXd constraint_jacobian(const Kinematics& kinematics) {
  const Mechanism& mechanism = kinematics.mechanism();
  require_room(mechanism);
  Eigen::MatrixXd phi_q = Eigen::MatrixXd::Zero(mechanism.constraint_size(), mechanism.u_size());
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& cut = mechanism.cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    add_end(kinematics, cut, state.d, cut.b, state.point, 1.0, phi_q);
    add_end(kinematics, cut, state.d, cut.a, state.point, -1.0, phi_q);
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      phi_q(joint.motion_offset + static_cast<int>(m), joint.u_offset + joint.motions[m].component) = 1.0;
    }
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      phi_q(coupling.row, term.u) = term.factor;
    }
  }
  for (const VelocityEntry& entry : kinematics.velocity_entries()) {
    phi_q(entry.row, entry.u) = entry.factor;
  }
  return phi_q;
}

}  // namespace mbdbench
