#include "formulations/drive_forces.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

std::string component_name(const Joint& joint, int component) {
  return joint.nu == 1 ? joint.name : joint.name + "." + std::to_string(component + 1);
}

bool is_driven(const Joint& joint, int component) {
  return std::any_of(joint.motions.begin(), joint.motions.end(),
                     [&](const JointMotion& motion) { return motion.component == component; });
}

}  // namespace

DriveForces drive_forces(const Kinematics& kinematics, const Reactions& reactions) {
  const Mechanism& mechanism = kinematics.mechanism();
  const auto couplings = static_cast<Eigen::Index>(mechanism.couplings().size());
  const auto ties = couplings + static_cast<Eigen::Index>(mechanism.velocity_constraints().size());
  // D^T H = 0: what is left of a tree joint's wrench along H are drives, couplings and
  // constraints of velocities.
  Eigen::VectorXd along = Eigen::VectorXd::Zero(mechanism.u_size());
  std::vector<bool> driven(index_of(mechanism.u_size()), false);
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    along.segment(joint.u_offset, joint.nu) =
        kinematics.tree_joint(static_cast<int>(k)).h.transpose() * reactions.tree_joints[k];
    for (int i = 0; i < joint.nu; ++i) {
      driven[index_of(joint.u_offset + i)] = is_driven(joint, i);
    }
  }
  Eigen::MatrixXd factors = Eigen::MatrixXd::Zero(mechanism.u_size(), ties);
  for (Eigen::Index c = 0; c < couplings; ++c) {
    for (const Coupling::Term& term : mechanism.couplings()[index_of(static_cast<int>(c))].terms) {
      factors(term.u, c) += term.factor;
    }
  }
  for (const VelocityEntry& entry : kinematics.velocity_entries()) {
    const int first = mechanism.velocity_constraints().front().row;
    factors(entry.u, couplings + entry.row - first) += entry.factor;
  }
  DriveForces forces;
  if (ties > 0) {
    Eigen::MatrixXd undriven = factors;
    Eigen::VectorXd told = along;
    for (Eigen::Index i = 0; i < told.size(); ++i) {
      if (driven[static_cast<std::size_t>(i)]) {
        undriven.row(i).setZero();
        told[i] = 0.0;
      }
    }
    const Eigen::VectorXd multipliers = undriven.completeOrthogonalDecomposition().solve(told);
    for (Eigen::Index c = 0; c < couplings; ++c) {
      forces.couplings.push_back(multipliers[c] / mechanism.couplings()[index_of(static_cast<int>(c))].scale);
    }
    along -= factors * multipliers;
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      forces.drives.push_back(along[joint.u_offset + motion.component]);
    }
  }
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const SpatialColumns& d = kinematics.cut_joint(static_cast<int>(c)).d;
    for (const DrivenRow& row : mechanism.cut_joints()[c].driven) {  // a unit column across all others
      forces.drives.push_back(d.col(row.row).dot(reactions.cut_joints[c]));
    }
  }
  return forces;
}

std::vector<std::string> drive_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      names.push_back(component_name(joint, motion.component));
    }
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    for (const DrivenRow& row : joint.driven) {
      names.push_back(component_name(joint, row.motion.component));
    }
  }
  return names;
}

}  // namespace mbdbench
