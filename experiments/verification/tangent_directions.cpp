#include "experiments/verification/tangent_directions.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

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
  const CoordinateRates rates(mechanism);
  Eigen::VectorXd change(mechanism.q_size());
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(mechanism.q_size() + n, 2 * free.cols());
  for (Eigen::Index k = 0; k < free.cols(); ++k) {
    rates.set(view(q), view(Eigen::VectorXd(free.col(k))), view(change));
    directions.col(k).head(mechanism.q_size()) = change;
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
  const Eigen::MatrixXd basis = tangent_directions(*mechanism_, state.q, state.u);
  const Eigen::Index freedoms = basis.cols() / 2;
  if (freedoms == 0) {
    return {};
  }
  const auto free = basis.bottomRightCorner(nu, freedoms);
  Eigen::VectorXd turns = drawn_numbers(freedoms, random);
  turns /= largest_of(free * turns);
  Eigen::VectorXd speeds = drawn_numbers(freedoms, random);
  speeds *= speed / largest_of(free * speeds);
  direction.q = basis.topLeftCorner(nq, freedoms) * turns;
  direction.u = basis.bottomLeftCorner(nu, freedoms) * turns + free * speeds;
  return direction;
}

}  // namespace mbdbench
