#include "experiments/verification/tangent_directions.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <span>

#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// \returns q' = N(q) u.
Eigen::VectorXd coordinate_change(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Eigen::VectorXd change(mechanism.q_size());
  std::array<double, 7> rates{};
  for (const Joint& joint : mechanism.tree_joints()) {
    const auto nq = static_cast<std::size_t>(joint.nq);
    coordinate_rates(joint, view(q).subspan(static_cast<std::size_t>(joint.q_offset), nq),
                     view(u).subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     std::span(rates).first(nq));
    std::copy_n(rates.begin(), nq, change.data() + joint.q_offset);
  }
  return change;
}

}  // namespace

Eigen::MatrixXd tangent_directions(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Kinematics kinematics(mechanism);
  Jacobians jacobians(mechanism);
  kinematics.set_positions(view(q));
  jacobians.set_positions(kinematics);
  const Eigen::MatrixXd scaled = mechanism.scales().scaled(jacobians.constraints());
  const Eigen::Index n = mechanism.u_size();
  const Eigen::Index rank = std::min<Eigen::Index>(mechanism.generic_rank().rank, n);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::MatrixXd free = mechanism.scales().columns.asDiagonal() * svd.matrixV().rightCols(n - rank);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(mechanism.q_size() + n, 2 * free.cols());
  for (Eigen::Index k = 0; k < free.cols(); ++k) {
    directions.col(k).head(mechanism.q_size()) = coordinate_change(mechanism, q, free.col(k));
    directions.col(free.cols() + k).tail(n) = free.col(k);
    // Moved along the direction, Phi_q changes by its rate at velocities of the direction.
    kinematics.set_velocities(view(Eigen::VectorXd(free.col(k))));
    jacobians.set_velocities(kinematics);
    const Eigen::VectorXd defect = mechanism.scales().rows.asDiagonal() * (jacobians.constraint_rate() * u);
    const Eigen::VectorXd along = svd.matrixU().leftCols(rank).transpose() * defect;
    directions.col(k).tail(n) = -(mechanism.scales().columns.asDiagonal() * svd.matrixV().leftCols(rank) *
                                  along.cwiseQuotient(svd.singularValues().head(rank)));
  }
  return directions;
}

}  // namespace mbdbench
