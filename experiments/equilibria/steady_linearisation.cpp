#include "experiments/equilibria/steady_linearisation.hpp"

#include <Eigen/QR>
#include <complex>

#include "experiments/verification/derivatives/tangent_directions.hpp"

namespace mbdbench {
namespace {

// Of a matrix: files have numbers of some eight digits, of axes that shall meet and moments that shall be equal.
constexpr double kTyped = 1e-6;
// Of the largest eigenvalue: a slower mode moves what is ignorable further and further, and no finite share of it.
constexpr double kSlow = 1e-9;

/// Rows of displacements and of velocity changes, one above the other.
Eigen::MatrixXd stacked(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& velocities) {
  Eigen::MatrixXd both(displacements.rows() + velocities.rows(), displacements.cols());
  both.topRows(displacements.rows()) = displacements;
  both.bottomRows(velocities.rows()) = velocities;
  return both;
}

/// \returns an orthogonal matrix that begins with these columns.
Eigen::MatrixXd completed(const Eigen::MatrixXd& orthonormal) {
  if (orthonormal.cols() == 0) {
    return Eigen::MatrixXd::Identity(orthonormal.rows(), orthonormal.rows());
  }
  return Eigen::HouseholderQR<Eigen::MatrixXd>(orthonormal).householderQ();
}

}  // namespace

SteadyLinearisation steady_linearisation(TangentMotion& motion) {
  const Mechanism& mechanism = motion.mechanism();
  const Eigen::Index nu = mechanism.u_size();
  const Eigen::MatrixXd& free = motion.basis();
  Eigen::MatrixXd displacements = free;
  Eigen::MatrixXd following = Eigen::MatrixXd::Zero(nu, free.cols());
  if (motion.goes_on() && mechanism.constrained()) {
    // What holds velocities alone lets more be displaced, on which the others' velocities depend once something goes
    // on.
    const TangentBasis basis = tangent_directions(mechanism, motion.q(), motion.u());
    displacements = basis.displacements;
    following = basis.directions.bottomRows(nu).leftCols(displacements.cols());
  }
  const Eigen::Index d = displacements.cols();
  const Eigen::Index f = free.cols();
  Eigen::MatrixXd moves = Eigen::MatrixXd::Zero(nu, d + f);
  Eigen::MatrixXd velocities(nu, d + f);
  moves.leftCols(d) = displacements;
  velocities.leftCols(d) = following;
  velocities.rightCols(f) = free;

  SteadyLinearisation result;
  Eigen::MatrixXd changes;
  result.exact = motion.acceleration_changes(moves, velocities, changes);
  const auto units = mechanism.scales().columns.cwiseInverse().asDiagonal();
  result.directions = stacked(units * moves, units * velocities);
  const Eigen::MatrixXd moved = stacked(units * (motion.turned(moves) + velocities), units * changes);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> onto(result.directions);
  result.derivatives = onto.solve(moved);
  result.leaves_constraints = (moved - result.directions * result.derivatives).norm() > kTyped * moved.norm();

  result.ignorable = Eigen::MatrixXd::Zero(d + f, 0);
  if (!motion.goes_on()) {
    return result;
  }
  Eigen::MatrixXd by_positions;
  Eigen::MatrixXd by_velocities;
  motion.linearise(by_positions, by_velocities);
  const Eigen::MatrixXd along = free * motion.ignorable(by_positions);
  const Eigen::MatrixXd still = Eigen::MatrixXd::Zero(nu, along.cols());
  const Eigen::MatrixXd ignorable = onto.solve(stacked(units * along, still));
  result.ignorable = completed(ignorable).leftCols(ignorable.cols());
  return result;
}

bool same_equations(const SteadyLinearisation& a, const SteadyLinearisation& b) {
  if (a.directions.cols() != b.directions.cols()) {
    return false;
  }
  const Eigen::MatrixXd turned = b.directions.colPivHouseholderQr().solve(a.directions);
  return (a.directions - b.directions * turned).norm() <= kTyped * a.directions.norm() &&
         (b.derivatives * turned - turned * a.derivatives).norm() <= kTyped * a.derivatives.norm();
}

LinearMotion motion_near(TangentMotion& motion, const SteadyLinearisation& there) {
  const Mechanism& mechanism = motion.mechanism();
  const Eigen::Index k = there.ignorable.cols();
  const Eigen::Index rest = there.derivatives.cols() - k;
  const Eigen::MatrixXd axes = completed(there.ignorable);
  const Eigen::MatrixXd turned = axes.transpose() * there.derivatives * axes;
  LinearMotion near = linear_motion(turned.bottomRightCorner(rest, rest), Eigen::VectorXd::Zero(rest));
  // Rates of the ignorable share: v1 = A12 v2 / lambda.
  const double largest = rest > 0 ? near.eigenvalues.cwiseAbs().maxCoeff() : 0.0;
  const Eigen::Index nu = mechanism.u_size();
  Eigen::MatrixXcd modes(mechanism.q_size() + nu, rest);
  for (Eigen::Index j = 0; j < rest; ++j) {
    const std::complex<double> value = near.eigenvalues[j];
    Eigen::VectorXcd shares = Eigen::VectorXcd::Zero(k + rest);
    shares.tail(rest) = near.modes.col(j);
    if (std::abs(value) > kSlow * largest) {
      shares.head(k) = turned.topRightCorner(k, rest) * near.modes.col(j) / value;
    }
    const Eigen::VectorXcd moved = there.directions * (axes * shares);
    const auto units = mechanism.scales().columns.asDiagonal();
    const Eigen::VectorXcd turns = units * moved.head(nu);
    modes.col(j).head(mechanism.q_size()).real() = motion.coordinate_change(turns.real());
    modes.col(j).head(mechanism.q_size()).imag() = motion.coordinate_change(turns.imag());
    modes.col(j).tail(nu) = units * moved.tail(nu);
    modes.col(j).normalize();
  }
  near.modes = std::move(modes);
  return near;
}

}  // namespace mbdbench
