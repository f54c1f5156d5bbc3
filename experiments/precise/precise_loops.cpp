#include "experiments/precise/precise_loops.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Relative to the largest pivot: rows that repeat others have pivots of the square of the rounding of positions in
/// double precision, 1e-32; others have some 1e-12 where mechanisms are not singular.
constexpr double kRepeated = 1e-20;
/// Of the row's wrench and the axes: what is left of a row that the tree keeps by itself.
constexpr double kNothing = 1e-28;

HeldRows rows_of(const Joint& joint) {
  const Vector axis = precise(joint.axis).normalized();
  const Vector given = precise(joint.normal1);
  const Vector normal1 = (given - axis * axis.dot(given)).normalized();
  const Vector normal2 = axis.cross(normal1);
  const std::vector<HeldCosine> no_tilt = {{normal1, axis}, {normal2, axis}};
  const std::vector<HeldCosine> no_turn = {
      {Vector::UnitX(), Vector::UnitY()}, {Vector::UnitY(), Vector::UnitZ()}, {Vector::UnitZ(), Vector::UnitX()}};
  switch (joint.type) {
    case JointType::revolute:
      return {true, {}, no_tilt, false};
    case JointType::universal: {
      const Vector axis2 = precise(joint.axis2).normalized();
      const Real cosine = axis.dot(axis2);
      return {true, {}, {{axis, axis2, cosine, Real(1.0) / sqrt(Real(1.0) - cosine * cosine)}}, false};
    }
    case JointType::spherical:
      return {true, {}, {}, false};
    case JointType::fixed:
      return {true, {}, no_turn, false};
    case JointType::prismatic:
      return {false, {normal1, normal2}, no_turn, false};
    case JointType::cylindrical:
      return {false, {normal1, normal2}, no_tilt, false};
    case JointType::screw:
      return {false, {normal1, normal2}, no_tilt, true};
    case JointType::planar:
      return {false, {axis}, no_tilt, false};
    default:
      return {};  // a free joint holds nothing; others are refused
  }
}

/// A force along a line through a point, as a wrench about the world's origin.
Spatial force_at(const Vector& point, const Vector& direction) {
  Spatial wrench;
  wrench.head<3>() = direction;
  wrench.tail<3>() = point.cross(direction);
  return wrench;
}

/// Its rate, with that of the point and of the direction.
Spatial force_rate(const Vector& point, const Vector& direction, const Vector& velocity, const Vector& turned) {
  Spatial rate = force_at(point, turned);
  rate.tail<3>() += velocity.cross(direction);
  return rate;
}

Spatial torque(const Vector& direction) {
  Spatial wrench = Spatial::Zero();
  wrench.tail<3>() = direction;
  return wrench;
}

Vector velocity_at(const TreeBody& body, const Vector& point) {
  return Vector(body.velocity.head<3>()) + Vector(body.velocity.tail<3>()).cross(point);
}

Vector origin_on(const TreeBody& body, const Vec3& place) {
  return body.origin + body.rotation * precise(place);
}

}  // namespace

PreciseLoops::PreciseLoops(const PreciseTree& tree) : tree_(&tree) {
  const Mechanism& mechanism = tree.mechanism();
  if (mechanism.generic_rank().rank > 0) {  // otherwise there is no pivot to compare others with
    for (const Joint& joint : mechanism.cut_joints()) {
      Cut& cut = cuts_.emplace_back();
      cut.joint = &joint;
      cut.held = rows_of(joint);
      cut.axes_on_a = orthonormal(joint.rotation_a);
      cut.axes_on_b = orthonormal(joint.rotation_b);
      cut.first = rows_;
      if (cut.held.along_world && joint.a >= 0) {
        cut.share = joint.b < 0 ? Real(0.0) : Real(0.5);
      }
      rows_ += 6 - joint.nu;
    }
  }
}

void PreciseLoops::place(Cut& cut) const {
  const Joint& joint = *cut.joint;
  const TreeBody& a = tree_->body(joint.a);
  const TreeBody& b = tree_->body(joint.b);
  const Matrix axes_a = a.rotation * cut.axes_on_a;
  const Matrix axes_b = b.rotation * cut.axes_on_b;
  const Vector origin_a = origin_on(a, joint.position_a);
  cut.apart = origin_on(b, joint.position_b) - origin_a;
  const Vector point = origin_a + cut.apart * cut.share;
  cut.wrenches.resize(6, 6 - joint.nu);
  Eigen::Index row = 0;
  const HeldRows& held = cut.held;
  for (int axis = 0; held.along_world && axis < 3; ++axis) {
    cut.wrenches.col(row++) = force_at(point, Vector::Unit(axis));
  }
  for (const Vector& direction : held.linear) {
    cut.wrenches.col(row++) = force_at(point, axes_a * direction);
  }
  if (held.screw) {
    const Vector axis = axes_a * precise(joint.axis).normalized();
    const Real pitch = joint.pitch;
    cut.wrenches.col(row++) = (force_at(point, axis) - torque(axis * pitch)) / sqrt(Real(1.0) + pitch * pitch);
  }
  for (const HeldCosine& one : held.cosines) {
    cut.wrenches.col(row++) = torque((axes_b * one.on_b).cross(axes_a * one.on_a) * one.scale);
  }
}

void PreciseLoops::move(Cut& cut) const {
  const Joint& joint = *cut.joint;
  const TreeBody& a = tree_->body(joint.a);
  const TreeBody& b = tree_->body(joint.b);
  const Vector omega_a = a.velocity.tail<3>();
  const Vector omega_b = b.velocity.tail<3>();
  const Vector origin_a = origin_on(a, joint.position_a);
  const Vector point = origin_a + cut.apart * cut.share;
  const Vector velocity =
      velocity_at(a, origin_a) * (Real(1.0) - cut.share) + velocity_at(b, origin_a + cut.apart) * cut.share;
  cut.turn = cut.share == Real(0.5) ? Vector((omega_a + omega_b) * Real(0.5)) : Vector(Vector::Zero());
  cut.rates.resize(6, cut.wrenches.cols());
  Eigen::Index row = 0;
  const HeldRows& held = cut.held;
  for (int axis = 0; held.along_world && axis < 3; ++axis) {
    cut.rates.col(row++) = force_rate(point, Vector::Unit(axis), velocity, Vector::Zero());
  }
  for (std::size_t i = 0; i < held.linear.size(); ++i) {
    const Vector direction = cut.wrenches.col(row).head<3>();
    cut.rates.col(row++) = force_rate(point, direction, velocity, omega_a.cross(direction));
  }
  if (held.screw) {
    const Vector force = cut.wrenches.col(row).head<3>();
    const Vector turned = omega_a.cross(force);
    cut.rates.col(row++) = force_rate(point, force, velocity, turned) - torque(turned * Real(joint.pitch));
  }
  const Matrix axes_a = a.rotation * cut.axes_on_a;
  const Matrix axes_b = b.rotation * cut.axes_on_b;
  for (const HeldCosine& one : held.cosines) {
    const Vector on_a = axes_a * one.on_a;
    const Vector on_b = axes_b * one.on_b;
    cut.rates.col(row++) = torque((omega_b.cross(on_b).cross(on_a) + on_b.cross(omega_a.cross(on_a))) * one.scale);
  }
}

void PreciseLoops::add_end(const Cut& cut, int body, double sign) {
  for (int k = body; k >= 0; k = tree_->mechanism().tree_joints()[index_of(k)].a) {
    const Joint& joint = tree_->mechanism().tree_joints()[index_of(k)];
    jacobian_.block(cut.first, joint.u_offset, cut.wrenches.cols(), joint.nu) +=
        Real(sign) * RealMatrix(cut.wrenches.transpose() * tree_->body(k).axes.columns());
  }
}

void PreciseLoops::place() {
  jacobian_ = RealMatrix::Zero(rows_, tree_->mechanism().u_size());
  for (Cut& cut : cuts_) {
    place(cut);
    add_end(cut, cut.joint->b, 1.0);
    add_end(cut, cut.joint->a, -1.0);
  }
}

void PreciseLoops::move() {
  for (Cut& cut : cuts_) {
    move(cut);
  }
}

RealVector PreciseLoops::openings() const {
  RealVector openings = RealVector::Zero(rows_);
  for (const Cut& cut : cuts_) {
    const Joint& joint = *cut.joint;
    const HeldRows& held = cut.held;
    const Matrix axes_a = tree_->body(joint.a).rotation * cut.axes_on_a;
    const Matrix axes_b = tree_->body(joint.b).rotation * cut.axes_on_b;
    Eigen::Index row = cut.first;
    if (held.along_world) {
      openings.segment(row, 3) = cut.apart;
      row += 3;
    }
    for (const Vector& direction : held.linear) {
      openings[row++] = (axes_a * direction).dot(cut.apart);
    }
    if (held.screw) {
      openings[row] = Vector(cut.wrenches.col(row - cut.first).head<3>()).dot(cut.apart);
      ++row;
    }
    for (const HeldCosine& one : held.cosines) {
      openings[row++] = ((axes_a * one.on_a).dot(axes_b * one.on_b) - one.cosine) * one.scale;
    }
  }
  return openings;
}

/// \param twist of a body's index
template <typename Twist>
RealVector PreciseLoops::along_rows(const Twist& twist) const {
  RealVector along(rows_);
  for (const Cut& cut : cuts_) {
    const Spatial relative = twist(cut.joint->b) - twist(cut.joint->a);
    along.segment(cut.first, cut.wrenches.cols()) = cut.wrenches.transpose() * relative;
  }
  return along;
}

RealVector PreciseLoops::rates() const {
  return along_rows([this](int body) { return tree_->body(body).velocity; });
}

RealVector PreciseLoops::accelerations() const {
  RealVector all = along_rows([this](int body) { return tree_->body(body).acceleration; });
  for (const Cut& cut : cuts_) {
    const Spatial relative = tree_->body(cut.joint->b).velocity - tree_->body(cut.joint->a).velocity;
    all.segment(cut.first, cut.rates.cols()) += cut.rates.transpose() * relative;
    if (cut.held.along_world) {
      const Vector own = cut.wrenches.leftCols<3>().transpose() * relative;
      all.segment(cut.first, 3) -= cut.turn.cross(own);
    }
  }
  return all;
}

std::vector<Spatial> PreciseLoops::sums(const RealVector& multipliers, Columns Cut::*wrenches) const {
  std::vector<Spatial> sums(tree_->mechanism().bodies().size(), Spatial(Spatial::Zero()));
  for (const Cut& cut : cuts_) {
    const Columns& own = cut.*wrenches;
    const Spatial wrench = own * multipliers.segment(cut.first, own.cols());
    if (cut.joint->b >= 0) {
      sums[index_of(cut.joint->b)] += wrench;
    }
    if (cut.joint->a >= 0) {
      sums[index_of(cut.joint->a)] -= wrench;
    }
  }
  return sums;
}

std::vector<Spatial> PreciseLoops::wrenches(const RealVector& multipliers) const {
  return sums(multipliers, &Cut::wrenches);
}

std::vector<Spatial> PreciseLoops::wrench_rates(const RealVector& multipliers) const {
  return sums(multipliers, &Cut::rates);
}

void LoopSolver::factorise(PreciseTree& tree, const PreciseLoops& loops) {
  const RealMatrix& jacobian = loops.jacobian();
  rows_ = jacobian.rows();
  kept_.clear();
  for (Eigen::Index row = 0; jacobian.cols() > 0 && row < rows_; ++row) {
    if (jacobian.row(row).cwiseAbs().maxCoeff() > Real(kNothing)) {
      kept_.push_back(row);
    }
  }
  const auto count = static_cast<Eigen::Index>(kept_.size());
  mobile_.resize(jacobian.cols(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const RealVector row = jacobian.row(kept_[index_of(k)]).transpose();
    const Reals moved = tree.accelerations({{row.data(), index_of(row.size())}, false});
    mobile_.col(k) = Eigen::Map<const RealVector>(moved.data(), row.size());
  }
  RealMatrix mobility(count, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    mobility.row(k) = jacobian.row(kept_[index_of(k)]) * mobile_;
  }
  if (count > 0) {
    mobility_.setThreshold(Real(kRepeated));
    mobility_.compute(mobility);
  }
}

LoopSolver::Correction LoopSolver::remove(const RealVector& excess) const {
  RealVector own(static_cast<Eigen::Index>(kept_.size()));
  for (Eigen::Index k = 0; k < own.size(); ++k) {
    own[k] = -excess[kept_[index_of(k)]];
  }
  Correction found{Reals(index_of(mobile_.rows()), Real(0.0)), RealVector::Zero(rows_)};
  if (own.size() == 0) {
    return found;
  }
  const RealVector multipliers = mobility_.solve(own);
  const RealVector change = mobile_ * multipliers;
  std::copy(change.begin(), change.end(), found.x.begin());
  for (Eigen::Index k = 0; k < own.size(); ++k) {
    found.y[kept_[index_of(k)]] = multipliers[k];
  }
  return found;
}

}  // namespace mbdbench::precise
