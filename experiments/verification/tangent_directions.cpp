#include "experiments/verification/tangent_directions.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

double largest_of(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

}  // namespace

TangentDirections::TangentDirections(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      open_(mechanism.cut_joints().empty() && mechanism.couplings().empty() &&
            mechanism.velocity_constraints().empty()),
      coordinate_rates_(mechanism),
      kinematics_(mechanism),
      jacobians_(mechanism) {}

/// \returns velocities that the constraints allow, the largest of 1; empty where there are none.
Eigen::VectorXd TangentDirections::drawn(const Reference& reference, RandomSource& random) const {
  const Eigen::Index freedoms = open_ ? mechanism_->u_size() : reference.null_space.cols();
  Eigen::VectorXd numbers(freedoms);
  for (Eigen::Index i = 0; i < freedoms; ++i) {
    numbers[i] = random.uniform(-1.0, 1.0);
  }
  Eigen::VectorXd velocities = open_ ? numbers : Eigen::VectorXd(reference.null_space * numbers);
  const double size = largest_of(velocities);
  return size > 0.0 ? Eigen::VectorXd(velocities / size) : Eigen::VectorXd();
}

TangentDirection TangentDirections::draw(const Reference& reference, RandomSource& random) {
  const VerificationState& state = reference.state;
  const Eigen::VectorXd turns = drawn(reference, random);
  const Eigen::VectorXd speeds = drawn(reference, random);
  if (turns.size() == 0) {
    return {};
  }
  TangentDirection direction;
  direction.q.resize(mechanism_->q_size());
  coordinate_rates_.set(view(state.q), view(turns), view(direction.q));
  direction.u = std::max({1.0, largest_of(state.u), std::sqrt(largest_of(reference.accelerations))}) * speeds;
  if (!open_ && reference.phi_q.rows() > 0) {
    kinematics_.set_positions(view(state.q));
    kinematics_.set_velocities(view(turns));
    jacobians_.set_positions(kinematics_);
    jacobians_.set_velocities(kinematics_);
    const Eigen::VectorXd change = jacobians_.constraint_rate() * state.u;
    direction.u -= reference.phi_q.completeOrthogonalDecomposition().solve(change);
  }
  return direction;
}

}  // namespace mbdbench
