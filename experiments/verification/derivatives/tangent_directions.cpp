#include "experiments/verification/derivatives/tangent_directions.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Scaled rows are about 1; those that depend on others are rounding.
constexpr double kRankOfRows = 1e-9;

double largest_of(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

Eigen::VectorXd drawn_numbers(Eigen::Index count, RandomSource& random) {
  Eigen::VectorXd numbers(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    numbers[i] = random.uniform(-1.0, 1.0);
  }
  return numbers;
}

/// \param scaled Phi_q \returns what rows with an equation of positions let joints do, a column each.
Eigen::MatrixXd free_displacements(const Mechanism& mechanism, Eigen::MatrixXd scaled) {
  for (const Joint& joint : mechanism.cut_joints()) {
    for (int row = 0; row < joint.nc; ++row) {
      if (joint.holds_velocity_alone(row)) {
        scaled.row(joint.row_offset + row).setZero();
      }
    }
  }
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    scaled.row(constraint.row).setZero();
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> range(scaled.transpose());
  range.setThreshold(kRankOfRows);
  const Eigen::MatrixXd q = range.householderQ();
  return mechanism.scales().columns.asDiagonal() * q.rightCols(mechanism.u_size() - range.rank());
}

}  // namespace

TangentBasis tangent_directions(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
  Kinematics kinematics(mechanism);
  Jacobians jacobians(mechanism);
  kinematics.set_positions(view(q));
  jacobians.set_positions(kinematics);
  const Eigen::MatrixXd scaled = mechanism.scales().scaled(jacobians.constraints());
  const Eigen::Index n = mechanism.u_size();
  const Eigen::Index rank = std::min<Eigen::Index>(mechanism.generic_rank().rank, n);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::MatrixXd free = mechanism.scales().columns.asDiagonal() * svd.matrixV().rightCols(n - rank);
  const Eigen::MatrixXd displaced = mechanism.held_by_velocity().empty() ? free : free_displacements(mechanism, scaled);
  const CoordinateRates rates(mechanism);
  Eigen::VectorXd change(mechanism.q_size());
  TangentBasis basis{Eigen::MatrixXd::Zero(mechanism.q_size() + n, displaced.cols() + free.cols()), displaced};
  basis.directions.bottomRightCorner(n, free.cols()) = free;
  for (Eigen::Index k = 0; k < displaced.cols(); ++k) {
    rates.set(view(q), view(Eigen::VectorXd(displaced.col(k))), view(change));
    basis.directions.col(k).head(mechanism.q_size()) = change;
    // Moved along the direction, Phi_q changes by its rate at velocities of the direction.
    kinematics.set_velocities(view(Eigen::VectorXd(displaced.col(k))));
    jacobians.set_velocities(kinematics);
    const Eigen::VectorXd defect = mechanism.scales().rows.asDiagonal() * (jacobians.constraint_rate() * u);
    const Eigen::VectorXd along = svd.matrixU().leftCols(rank).transpose() * defect;
    basis.directions.col(k).tail(n) = -(mechanism.scales().columns.asDiagonal() * svd.matrixV().leftCols(rank) *
                                        along.cwiseQuotient(svd.singularValues().head(rank)));
  }
  return basis;
}

TangentDirections::TangentDirections(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      open_(mechanism.closing_row_count() == 0 && mechanism.velocity_constraints().empty()),
      coordinate_rates_(mechanism) {}

TangentDirection TangentDirections::draw(const Reference& reference, RandomSource& random) const {
  const VerificationState& state = reference.state;
  const Eigen::Index nq = mechanism_->q_size();
  const Eigen::Index nu = mechanism_->u_size();
  if (nu == 0) {
    return {};
  }
  const double speed = std::max({1.0, largest_of(state.u), std::sqrt(largest_of(reference.accelerations))});
  TangentDirection direction{Eigen::VectorXd(nq), Eigen::VectorXd(nu)};
  if (open_) {
    const Eigen::VectorXd turns = drawn_numbers(nu, random);
    coordinate_rates_.set(view(state.q), view(turns), view(direction.q));
    direction.u = speed * drawn_numbers(nu, random);
    return direction;
  }
  const TangentBasis basis = tangent_directions(*mechanism_, state.q, state.u);
  const Eigen::Index displaced = basis.displacements.cols();
  const Eigen::Index freedoms = basis.directions.cols() - displaced;
  if (freedoms == 0) {
    return {};
  }
  const auto free = basis.directions.bottomRightCorner(nu, freedoms);
  Eigen::VectorXd turns = drawn_numbers(displaced, random);
  turns /= largest_of(basis.displacements * turns);
  Eigen::VectorXd speeds = drawn_numbers(freedoms, random);
  speeds *= speed / largest_of(free * speeds);
  direction.q = basis.directions.topLeftCorner(nq, displaced) * turns;
  direction.u = basis.directions.bottomLeftCorner(nu, displaced) * turns + free * speeds;
  return direction;
}

}  // namespace mbdbench
