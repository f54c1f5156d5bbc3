#include "experiments/precise/loops/precise_cut.hpp"

#include "experiments/precise/tree/precise_springs.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

HeldRows rows_of(const Joint& joint) {
  const Vector axis = unit(precise(joint.axis));
  const Vector given = precise(joint.normal1);
  const Vector normal1 = (given - axis * axis.dot(given)).normalized();
  const Vector normal2 = axis.cross(normal1);
  HeldRows held;
  const std::vector<HeldCosine> no_tilt = {{normal1, axis}, {normal2, axis}};
  const std::vector<HeldCosine> no_turn = {
      {Vector::UnitX(), Vector::UnitY()}, {Vector::UnitY(), Vector::UnitZ()}, {Vector::UnitZ(), Vector::UnitX()}};
  switch (joint.type) {
    case JointType::revolute:
      held.along_world = true;
      held.cosines = no_tilt;
      break;
    case JointType::universal: {
      const Vector axis2 = unit(precise(joint.axis2));
      const Real cosine = axis.dot(axis2);
      held.along_world = true;
      held.cosines = {{axis, axis2, cosine, Real(1.0) / sqrt(Real(1.0) - cosine * cosine)}};
      break;
    }
    case JointType::spherical:
      held.along_world = true;
      break;
    case JointType::fixed:
      held.along_world = true;
      held.cosines = no_turn;
      break;
    case JointType::prismatic:
      held.linear = {normal1, normal2};
      held.cosines = no_turn;
      break;
    case JointType::cylindrical:
      held.linear = {normal1, normal2};
      held.cosines = no_tilt;
      break;
    case JointType::screw:
      held.linear = {normal1, normal2};
      held.screw = true;
      held.cosines = no_tilt;
      break;
    case JointType::planar:
      held.linear = {axis};
      held.cosines = no_tilt;
      break;
    case JointType::distance:
      held.length = true;
      break;
    case JointType::revolute_spherical:
      held.linear = {axis};
      held.length = true;
      break;
    case JointType::point_on_line:
      held.linear = {normal1, normal2};
      break;
    case JointType::point_on_plane:
      held.linear = {axis};
      break;
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      held.linear = {axis, normal1, normal2};
      break;
    case JointType::free:
      break;
  }
  return held;
}

/// A force along a line through a point, as a wrench about the world's origin.
Spatial force_at(const Vector& point, const Vector& direction) {
  return wrench_at(point, direction, Vector::Zero());
}

/// Its rate, with that of the point and of the direction.
Spatial force_rate(const Vector& point, const Vector& direction, const Vector& velocity, const Vector& turned) {
  return wrench_at(point, turned, velocity.cross(direction));
}

Spatial torque(const Vector& direction) {
  return wrench_at(Vector::Zero(), Vector::Zero(), direction);
}

/// \returns the joint's turn about its axis.
Real turn_of(const Joint& joint, const Matrix& axes_a, const Matrix& axes_b) {
  const Vector pointer = axes_b * precise(joint.normal1);
  return atan2((axes_a * precise(joint.normal2)).dot(pointer), (axes_a * precise(joint.normal1)).dot(pointer));
}

}  // namespace

PreciseCut::PreciseCut(const Joint& joint)
    : joint_(&joint),
      held_(rows_of(joint)),
      axes_on_a_(orthonormal(joint.rotation_a)),
      axes_on_b_(orthonormal(joint.rotation_b)) {
  const Vector axis = unit(precise(joint.axis));
  for (const DrivenRow& driven : joint.driven) {
    if (driven.turns) {
      held_.turn = true;
    } else {
      const bool planar = joint.type == JointType::planar;
      following_.push_back({static_cast<Eigen::Index>(held_.linear.size()), index_of(driven.place), false});
      held_.linear.push_back(!planar                        ? axis
                             : driven.motion.component == 0 ? precise(joint.normal1)
                                                            : precise(joint.normal2));
    }
  }
  count_ = static_cast<Eigen::Index>(held_.linear.size() + held_.cosines.size()) + (held_.along_world ? 3 : 0) +
           (held_.length ? 1 : 0) + (held_.screw ? 1 : 0) + (held_.turn ? 1 : 0);
  for (const DrivenRow& driven : joint.driven) {
    if (driven.turns) {
      following_.push_back({count_ - 1, index_of(driven.place), true});
    }
  }
  if (held_.along_world && joint.a >= 0) {
    share_ = joint.b < 0 ? Real(0.0) : Real(0.5);
  }
  wrenches_ = RealMatrix::Zero(6, count_);
  rates_ = wrenches_;
}

PreciseCut::Contact PreciseCut::contact(const TreeBody& a, const TreeBody& b) const {
  Contact found;
  if (!rolls(joint_->type)) {
    return found;
  }
  const Vector omega_a = a.velocity.tail<3>();
  const Vector omega_b = b.velocity.tail<3>();
  const Real radius = joint_->radius;
  const Vector normal = axes_on_a(a) * unit(precise(joint_->axis));
  const Vector normal_rate = omega_a.cross(normal);
  if (joint_->type == JointType::rolling_ball) {
    found.offset = -normal * radius;
    found.rate = -normal_rate * radius;
    return found;
  }
  // Down the disc's plane.
  const Vector axis = axes_on_b(b) * unit(precise(joint_->axis2));
  const Vector axis_rate = omega_b.cross(axis);
  const Real along = normal.dot(axis);
  const Vector up = normal - axis * along;
  const Vector up_rate = normal_rate - axis_rate * along - axis * (normal_rate.dot(axis) + normal.dot(axis_rate));
  found.upright = up.norm();
  const Vector direction = up / found.upright;
  found.offset = -direction * radius;
  found.rate = -(up_rate - direction * direction.dot(up_rate)) * (radius / found.upright);
  return found;
}

void PreciseCut::place(const TreeBody& a, const TreeBody& b) {
  const Joint& joint = *joint_;
  const Matrix axes_a = axes_on_a(a);
  const Matrix axes_b = axes_on_b(b);
  const Vector origin_a = point_on(a, joint.position_a);
  apart_ = point_on(b, joint.position_b) - origin_a;
  const Vector point = origin_a + apart_ * share_ + contact(a, b).offset;
  Eigen::Index row = 0;
  for (int axis = 0; held_.along_world && axis < 3; ++axis) {
    wrenches_.col(row++) = force_at(point, Vector::Unit(axis));
  }
  for (const Vector& direction : held_.linear) {
    wrenches_.col(row++) = force_at(point, axes_a * direction);
  }
  if (held_.length) {
    wrenches_.col(row++) = force_at(point, apart_.normalized());
  }
  if (held_.screw) {
    const Vector axis = axes_a * unit(precise(joint.axis));
    const Real pitch = joint.pitch;
    wrenches_.col(row++) = (force_at(point, axis) - torque(axis * pitch)) / sqrt(Real(1.0) + pitch * pitch);
  }
  for (const HeldCosine& one : held_.cosines) {
    wrenches_.col(row++) = torque((axes_b * one.on_b).cross(axes_a * one.on_a) * one.scale);
  }
  if (held_.turn) {
    wrenches_.col(row) = torque(axes_a * unit(precise(joint.axis)));
  }
}

void PreciseCut::move(const TreeBody& a, const TreeBody& b) {
  const Joint& joint = *joint_;
  const Vector omega_a = a.velocity.tail<3>();
  const Vector omega_b = b.velocity.tail<3>();
  const Vector origin_a = point_on(a, joint.position_a);
  const Vector velocity_a = velocity_at(a, origin_a);
  const Vector velocity_b = velocity_at(b, origin_a + apart_);
  const Contact at = contact(a, b);
  const Vector point = origin_a + apart_ * share_ + at.offset;
  const Vector velocity = velocity_a * (Real(1.0) - share_) + velocity_b * share_ + at.rate;
  Eigen::Index row = 0;
  for (int axis = 0; held_.along_world && axis < 3; ++axis) {
    rates_.col(row++) = force_rate(point, Vector::Unit(axis), velocity, Vector::Zero());
  }
  for (std::size_t i = 0; i < held_.linear.size(); ++i) {
    const Vector direction = wrenches_.col(row).head<3>();
    rates_.col(row++) = force_rate(point, direction, velocity, omega_a.cross(direction));
  }
  if (held_.length) {
    const Vector direction = wrenches_.col(row).head<3>();
    const Vector rate = velocity_b - velocity_a;
    const Vector turned = (rate - direction * direction.dot(rate)) / apart_.norm();
    rates_.col(row++) = force_rate(point, direction, velocity, turned);
  }
  if (held_.screw) {
    const Vector force = wrenches_.col(row).head<3>();
    const Vector turned = omega_a.cross(force);
    rates_.col(row++) = force_rate(point, force, velocity, turned) - torque(turned * Real(joint.pitch));
  }
  const Matrix axes_a = axes_on_a(a);
  const Matrix axes_b = axes_on_b(b);
  for (const HeldCosine& one : held_.cosines) {
    const Vector on_a = axes_a * one.on_a;
    const Vector on_b = axes_b * one.on_b;
    rates_.col(row++) = torque((omega_b.cross(on_b).cross(on_a) + on_b.cross(omega_a.cross(on_a))) * one.scale);
  }
  if (held_.turn) {
    rates_.col(row) = torque(omega_a.cross(axes_a * unit(precise(joint.axis))));
  }
}

RealVector PreciseCut::bias(const TreeBody& a, const TreeBody& b) const {
  const Spatial relative = b.velocity - a.velocity;
  RealVector bias = rates_.transpose() * relative;
  if (share_ == Real(0.5)) {
    const Vector turn = Vector(a.velocity.tail<3>() + b.velocity.tail<3>()) * Real(0.5);
    const Vector own = wrenches_.leftCols(3).transpose() * relative;
    bias.head(3) -= turn.cross(own);
  }
  return bias;
}

RealVector PreciseCut::openings(const TreeBody& a, const TreeBody& b) const {
  RealVector openings = RealVector::Zero(count_);
  const Joint& joint = *joint_;
  const Matrix axes_a = axes_on_a(a);
  const Matrix axes_b = axes_on_b(b);
  Eigen::Index row = 0;
  if (held_.along_world) {
    openings.head(3) = apart_;
    row = 3;
  }
  for (const Vector& direction : held_.linear) {
    openings[row++] = (axes_a * direction).dot(apart_);
  }
  if (rolls(joint.type)) {
    openings[0] -= Real(joint.radius) * contact(a, b).upright;
    openings[1] = 0.0;
    openings[2] = 0.0;
  }
  if (held_.length) {
    openings[row++] = apart_.norm() - Real(joint.length);
  }
  if (held_.screw) {
    openings[row] = Vector(wrenches_.col(row).head<3>()).dot(apart_);
    ++row;
  }
  for (const HeldCosine& one : held_.cosines) {
    openings[row++] = ((axes_a * one.on_a).dot(axes_b * one.on_b) - one.cosine) * one.scale;
  }
  if (held_.turn) {
    openings[row] = turn_of(joint, axes_a, axes_b);
  }
  return openings;
}

}  // namespace mbdbench::precise
