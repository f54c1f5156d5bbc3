#include "formulations/naudet/constraint_matrices.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// S_Oc D: the directions D, given at a point, about O.
void move_columns(const Vec3& lever, const SpatialColumns& at_point, SpatialColumns& at_origin) {
  for (Eigen::Index i = 0; i < at_point.cols(); ++i) {
    at_origin.col(i) = shift_wrench(lever, at_point.col(i));
  }
}

/// Rate of S_Oc D. \param lever_rate velocity of the point less that of O
void move_column_rates(const Vec3& lever, const Vec3& lever_rate, const SpatialColumns& d, const SpatialColumns& d_rate,
                       SpatialColumns& rate) {
  for (Eigen::Index i = 0; i < d.cols(); ++i) {
    rate.col(i) = shift_wrench(lever, d_rate.col(i)) + shift_rate_wrench(lever_rate, d.col(i));
  }
}

}  // namespace

ConstraintMatrices::ConstraintMatrices(const Mechanism& mechanism, DependentLoop loop)
    : mechanism_(&mechanism), loop_(std::move(loop)), joints_(loop_.joints.size()) {
  const Eigen::Index rows = mechanism_->cut_joints()[index_of(loop_.cut)].nc;
  directions_.setZero(6, rows);
  directions_rate_.setZero(6, rows);
  reference_wrenches_.setZero(6, rows);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto count = static_cast<Eigen::Index>(loop_.joints[i].components.size());
    Column& joint = joints_[i];
    for (SpatialColumns* const columns :
         {&joint.matrix.axes, &joint.matrix.axes_rate, &joint.matrix.gain, &joint.matrix.gain_rate,
          &joint.matrix.reference_gain, &joint.matrix.reference_gain_rate}) {
      columns->setZero(6, count);
    }
    joint.wrenches.setZero(6, rows);
    joint.along.setZero(rows, count);
    joint.rows.setZero(count, rows);
    joint.complement.setZero(rows, rows);
  }
}

RhsStatus ConstraintMatrices::set_positions(const Kinematics& kinematics) {
  const JointKinematics& state = kinematics.cut_joint(loop_.cut);
  directions_ = state.d;
  if (loop_.other >= 0) {
    move_columns(state.point - kinematics.tree_joint(loop_.other).point, directions_, reference_wrenches_);
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Column& joint = joints_[i];
    const JointKinematics& own = kinematics.tree_joint(loop_.joints[i].body);
    move_columns(state.point - own.point, directions_, joint.wrenches);
    for (std::size_t column = 0; column < loop_.joints[i].components.size(); ++column) {
      joint.matrix.axes.col(static_cast<Eigen::Index>(column)) = own.h.col(loop_.joints[i].components[column]);
    }
    joint.along = joint.wrenches.transpose().lazyProduct(joint.matrix.axes);
    largest = std::max(largest, joint.along.colwise().norm().maxCoeff());
  }
  const Eigen::Index count = directions_.cols();
  JointMatrix outboard_complement = JointMatrix::Identity(count, count);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Column& joint = joints_[i];
    const double smallest = orthogonalise(outboard_complement, joint);
    if (!(smallest > kMatricesSingular * largest)) {  // also for what is not a number
      return {
          false, mechanism_->tree_joints()[index_of(loop_.joints[i].body)].name,
          "the dependent joints from here to the cut joint cannot close the loop (singular position), smallest over "
          "largest column of G is",
          largest > 0.0 ? smallest / largest : 0.0};
    }
    outboard_complement = joint.complement;
    joint.matrix.gain = joint.wrenches.lazyProduct(joint.rows.transpose());
    joint.matrix.reference_gain = reference_wrenches_.lazyProduct(joint.rows.transpose());
  }
  return {};
}

double ConstraintMatrices::orthogonalise(const JointMatrix& outboard_complement, Column& joint) const {
  const Eigen::Index count = joint.along.cols();
  joint.complement = outboard_complement;
  // W = Q R column by column; the projection twice, so that Q is orthogonal to rounding.
  JointMatrix q = joint.along;
  JointMatrix r = JointMatrix::Zero(count, count);
  double smallest = 0.0;
  for (Eigen::Index j = 0; j < count; ++j) {
    JointVector column = joint.complement.lazyProduct(joint.along.col(j));
    column = joint.complement.lazyProduct(column).eval();
    for (Eigen::Index i = 0; i < j; ++i) {
      r(i, j) = q.col(i).dot(joint.along.col(j));
    }
    r(j, j) = column.norm();
    smallest = j == 0 ? r(j, j) : std::min(smallest, r(j, j));
    if (!(r(j, j) > 0.0)) {
      return r(j, j);
    }
    q.col(j) = column / r(j, j);
    joint.complement -= q.col(j).lazyProduct(q.col(j).transpose());
  }
  // g = R^-1 Q^T
  for (Eigen::Index i = count - 1; i >= 0; --i) {
    joint.rows.row(i) = q.col(i).transpose();
    for (Eigen::Index j = i + 1; j < count; ++j) {
      joint.rows.row(i) -= r(i, j) * joint.rows.row(j);
    }
    joint.rows.row(i) /= r(i, i);
  }
  return smallest;
}

void ConstraintMatrices::set_velocities(const Kinematics& kinematics) {
  const JointKinematics& state = kinematics.cut_joint(loop_.cut);
  directions_rate_ = state.d_rate;
  const Eigen::Index count = directions_.cols();
  SpatialColumns wrench_rates = SpatialColumns::Zero(6, count);
  SpatialColumns reference_rates = SpatialColumns::Zero(6, count);
  if (loop_.other >= 0) {
    const JointKinematics& origin = kinematics.tree_joint(loop_.other);
    move_column_rates(state.point - origin.point, state.velocity - origin.velocity, directions_, directions_rate_,
                      reference_rates);
  }
  JointMatrix n = JointMatrix::Zero(count, count);  // G' G^+
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Column& joint = joints_[i];
    ConstraintMatrix& matrix = joint.matrix;
    const JointKinematics& own = kinematics.tree_joint(loop_.joints[i].body);
    for (std::size_t column = 0; column < loop_.joints[i].components.size(); ++column) {
      matrix.axes_rate.col(static_cast<Eigen::Index>(column)) = own.h_rate.col(loop_.joints[i].components[column]);
    }
    move_column_rates(state.point - own.point, state.velocity - own.velocity, directions_, directions_rate_,
                      wrench_rates);
    JointMatrix along_rate = wrench_rates.transpose().lazyProduct(matrix.axes);
    along_rate += joint.wrenches.transpose().lazyProduct(matrix.axes_rate);
    along_rate -= n.lazyProduct(joint.along);
    n += along_rate.lazyProduct(joint.rows);
    const JointMatrix turned = joint.rows.lazyProduct(n.transpose());
    JointMatrix rows_rate = turned.lazyProduct(joint.complement);
    rows_rate -= joint.rows.lazyProduct(n);
    matrix.gain_rate = wrench_rates.lazyProduct(joint.rows.transpose());
    matrix.gain_rate += joint.wrenches.lazyProduct(rows_rate.transpose());
    matrix.reference_gain_rate = reference_rates.lazyProduct(joint.rows.transpose());
    matrix.reference_gain_rate += reference_wrenches_.lazyProduct(rows_rate.transpose());
  }
}

}  // namespace mbdbench
