#include "experiments/precise/loops/precise_cut_coordinates.hpp"

#include "experiments/precise/tree/precise_springs.hpp"

namespace mbdbench::precise {
namespace {

/// \returns an angle's turn that is nearest to another angle.
Real near_turn(const Real& angle, const Real& near) {
  const Real& turn = whole_turn();
  return angle + turn * floor((near - angle) / turn + Real(0.5));
}

/// \returns the signed angle between two vectors seen along a unit vector.
Real angle_about(const Vector& axis, const Vector& from, const Vector& to) {
  return atan2(axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
}

}  // namespace

JointPose cut_pose(const Joint& joint, const CutBodies& of) {
  const Matrix axes_a = of.a.rotation * orthonormal(joint.rotation_a);
  const Matrix axes_b = of.b.rotation * orthonormal(joint.rotation_b);
  const Vector apart = point_on(of.b, joint.position_b) - point_on(of.a, joint.position_a);
  return {axes_a.transpose() * axes_b, axes_a.transpose() * apart};
}

Spatial cut_dual(const Joint& joint, int component, const CutBodies& of) {
  // What does work on that component alone: H (H^T H)^-1 about the joint's own point.
  const JointAxes own_axes(joint, of.a.rotation * orthonormal(joint.rotation_a),
                           of.b.rotation * orthonormal(joint.rotation_b), Vector::Zero());
  const RealMatrix axes = own_axes.columns();
  const RealMatrix gram = axes.transpose() * axes;
  const RealVector unit = RealVector::Unit(joint.nu, component);
  const RealVector dual = axes * gram.ldlt().solve(unit);
  return wrench_at(point_on(of.b, joint.position_b), dual.head<3>(), dual.tail<3>());
}

Real cut_velocity(const Joint& joint, int component, const CutBodies& of) {
  return cut_dual(joint, component, of).dot(Spatial(of.b.velocity - of.a.velocity));
}

Real cut_acceleration(const Joint& joint, int component, const CutBodies& of) {
  // V_b - V_a = H u, and what is left of its rate without H' u is H u'.
  const JointAxes axes(joint, of.a.rotation * orthonormal(joint.rotation_a),
                       of.b.rotation * orthonormal(joint.rotation_b), point_on(of.b, joint.position_b));
  Spatial relative = of.b.acceleration - of.a.acceleration;
  for (int i = 0; i < joint.nu; ++i) {
    relative -= axes.rate(i, of.a.velocity, of.b.velocity) * cut_velocity(joint, i, of);
  }
  return cut_dual(joint, component, of).dot(relative);
}

Real cut_coordinate(const Joint& joint, int component, const CutBodies& of, double near) {
  const JointPose pose = cut_pose(joint, of);
  const Vector axis = unit(precise(joint.axis));
  const Vector normal = precise(joint.normal1);
  const auto turn = [&](const Real& expected) {
    return near_turn(angle_about(axis, normal, pose.rotation * normal), expected);
  };
  switch (joint.type) {
    case JointType::revolute:
      return turn(near);
    case JointType::prismatic:
      return axis.dot(pose.translation);
    case JointType::universal: {
      const Vector axis2 = unit(precise(joint.axis2));
      // R axis2 = Rot(axis, q1) axis2 and R^T axis = Rot(axis2, -q2) axis.
      return near_turn(component == 0 ? angle_about(axis, axis2, pose.rotation * axis2)
                                      : angle_about(axis2, pose.rotation.transpose() * axis, axis),
                       near);
    }
    case JointType::cylindrical:
      return component == 0 ? turn(near) : axis.dot(pose.translation);
    case JointType::planar:
      return component == 0   ? normal.dot(pose.translation)
             : component == 1 ? precise(joint.normal2).dot(pose.translation)
                              : turn(near);
    case JointType::screw:
      return turn(axis.dot(pose.translation) / Real(joint.pitch));
    default:
      return 0.0;
  }
}

}  // namespace mbdbench::precise
