// Derivatives of TangentMotion.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "experiments/equilibria/tangent_motion.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench {
namespace {

// Fourth order leaves 1e-13 of smooth accelerations, rounding 1e-13 of stiff ones.
constexpr double kDifferenceOfFreedoms = 1e-3;
// Of stiffness: differences are right to some 1e-10.
constexpr double kNoEffect = 1e-8;

}  // namespace

Eigen::MatrixXd TangentMotion::differences(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& velocities) {
  constexpr std::array<std::pair<double, double>, 4> kWeights = {
      {{1.0, 8.0 / 12.0}, {-1.0, -8.0 / 12.0}, {2.0, -1.0 / 12.0}, {-2.0, 1.0 / 12.0}}};
  // Inertial forces are squares of velocities: of fast ones a step that is in proportion has less rounding.
  const double fast = std::max(1.0, mechanism_->scales().largest_rate(u_));
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(basis_.rows(), displacements.cols());
  for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
    const Eigen::VectorXd change = coordinate_change(displacements.col(j));
    const double step = kDifferenceOfFreedoms * (displacements.col(j).isZero(0.0) ? fast : 1.0);
    for (const auto& [steps, weight] : kWeights) {
      const double s = steps * step;
      result.col(j) += weight / step * accelerations_at(q_ + s * change, u_ + s * velocities.col(j));
    }
  }
  return result;
}

bool TangentMotion::acceleration_changes(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& velocities,
                                         Eigen::MatrixXd& changes) {
  const Eigen::Index nq = q_.size();
  const Eigen::Index nu = basis_.rows();
  Eigen::VectorXd x(nq + nu);
  x << q_, u_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(nq + nu, nq + nu);
  if (!exact_ || !formulation_->jacobian(t_, view(x), {rows.data(), static_cast<std::size_t>(rows.size())}).ok) {
    changes = differences(displacements, velocities);
    return false;
  }
  Eigen::MatrixXd moves(nq, displacements.cols());
  for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
    moves.col(j) = coordinate_change(displacements.col(j));
  }
  changes = rows.bottomLeftCorner(nu, nq) * moves + rows.bottomRightCorner(nu, nu) * velocities;
  return true;
}

bool TangentMotion::linearise(Eigen::MatrixXd& by_positions, Eigen::MatrixXd& by_velocities) {
  const Eigen::Index nu = basis_.rows();
  const Eigen::Index f = basis_.cols();
  Eigen::MatrixXd displacements = Eigen::MatrixXd::Zero(nu, 2 * f);
  Eigen::MatrixXd velocities(nu, 2 * f);
  displacements.leftCols(f) = basis_;
  velocities.leftCols(f) = following_;
  velocities.rightCols(f) = basis_;
  Eigen::MatrixXd changes;
  const bool exact = acceleration_changes(displacements, velocities, changes);
  by_positions = left_inverse_ * changes.leftCols(f);
  by_velocities = left_inverse_ * changes.rightCols(f);
  return exact;
}

Eigen::MatrixXd TangentMotion::turned(const Eigen::MatrixXd& displacements) const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(displacements.rows(), displacements.cols());
  for (const Joint& joint : mechanism_->tree_joints()) {
    if (has_quaternion(joint.type)) {
      const Vec3 omega = u_.segment<3>(joint.u_offset);
      for (Eigen::Index j = 0; j < displacements.cols(); ++j) {
        result.col(j).segment<3>(joint.u_offset) = Vec3(displacements.col(j).segment<3>(joint.u_offset)).cross(omega);
      }
    }
  }
  return result;
}

Eigen::MatrixXd TangentMotion::ignorable(const Eigen::MatrixXd& by_positions) const {
  const CharacteristicScales& scales = mechanism_->scales();
  const Eigen::Index nu = basis_.rows();
  const Eigen::Index f = basis_.cols();
  if (!goes_on() || f == 0) {
    return Eigen::MatrixXd::Zero(f, 0);
  }
  std::vector<Eigen::Index> still;
  for (Eigen::Index i = 0; i < nu; ++i) {
    if (!goes_on(i)) {
      still.push_back(i);
    }
  }
  const Eigen::VectorXd units = scales.columns.cwiseInverse();
  const double stiffness = std::max(1.0, by_positions.cwiseAbs().rowwise().sum().maxCoeff());
  // In units of 1: what still joints move, what accelerations change, and what rates change.
  const auto standing = static_cast<Eigen::Index>(still.size());
  const double frequency = std::sqrt(stiffness);
  Eigen::MatrixXd effects(standing + f + 2 * nu, f);
  effects.topRows(standing) = (units.asDiagonal() * basis_)(still, Eigen::all);
  effects.middleRows(standing, f) = by_positions / stiffness;
  effects.middleRows(standing + f, nu) = units.asDiagonal() * following_ / frequency;
  effects.bottomRows(nu) = units.asDiagonal() * turned(basis_) / frequency;
  const SingularDecomposition svd = singular_decomposition(effects);
  return svd.v.rightCols((svd.values.array() <= kNoEffect).count());
}

}  // namespace mbdbench
