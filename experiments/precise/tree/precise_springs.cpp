#include "experiments/precise/tree/precise_springs.hpp"

#include <Eigen/Geometry>

namespace mbdbench::precise {
namespace {

/// Nearer to where it bends a spring tells on which side it is: farther than a step of differences, and rounding.
constexpr double kNearBend = 1e-9;
constexpr double kOnBend = 1e-20;

Matrix rotation_of(const JointFrame& frame) {
  const Eigen::Vector4d& e = frame.rotation;
  return Eigen::Quaternion<Real>(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix();
}

/// \returns the octant of what is short.
int side_of(const Vector& apart) {
  int side = 0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    side = 3 * side + (apart[i] > Real(kOnBend) ? 1 : apart[i] < Real(-kOnBend) ? 2 : 0);
  }
  return side;
}

/// \returns the rotation vector, up to half a turn.
Vector rotation_vector(const Matrix& rotation, Pieces& pieces) {
  Eigen::Quaternion<Real> e(rotation);
  if (abs(e.w()) < Real(kNearBend)) {
    pieces.push_back(e.w() < 0 ? 1 : 0);
  }
  if (e.w() < 0) {
    e.coeffs() = -e.coeffs();
  }
  const Vector half = e.vec();
  const Real sine = half.norm();
  // Both are one near zero.
  return sine > 0 ? Vector(half * (Real(2.0) * atan2(sine, e.w()) / sine)) : Vector(Vector::Zero());
}

/// With theta' = J^-1 omega, all in the axes turned from: \returns J^-T y of a rotation vector theta [Bullo1995].
Vector turned_torque(const Vector& theta, const Vector& y) {
  const Real angle = theta.norm();
  const Real half = angle / 2;
  // Rounding of the difference, 1e-34 over the angle's square, is multiplied by that square.
  const Real share = angle > 0 ? Real((1 - half * cos(half) / sin(half)) / (angle * angle)) : Real(0.0);
  const Vector once = theta.cross(y);
  return y + once * Real(0.5) + theta.cross(once) * share;
}

}  // namespace

Spatial wrench_at(const Vector& point, const Vector& force, const Vector& torque) {
  Spatial wrench;
  wrench.head<3>() = force;
  wrench.tail<3>() = torque + point.cross(force);
  return wrench;
}

Vector velocity_at(const TreeBody& body, const Vector& point) {
  return Vector(body.velocity.head<3>()) + Vector(body.velocity.tail<3>()).cross(point);
}

Vector point_on(const TreeBody& body, const Vec3& place) {
  return body.origin + body.rotation * precise(place);
}

Spatial point_spring_wrench(const PointSpringDescription& spring, const Real& stiffness, const Real& damping,
                            const SpringBodies& on, Pieces& pieces) {
  const Vector first = point_on(on.first, spring.point1);
  const Vector second = point_on(on.second, spring.point2);
  const Vector apart = second - first;
  const Real length = apart.norm();
  if (length < Real(kNearBend)) {
    pieces.push_back(side_of(apart));
  }
  if (length == 0) {
    return Spatial::Zero();
  }
  const Vector along = apart / length;
  const Real rate = along.dot(velocity_at(on.second, second) - velocity_at(on.first, first));
  const Vector pull = along * (stiffness * (length - Real(spring.rest)) + damping * rate);
  return wrench_at(second, -pull, Vector::Zero());
}

Spatial bushing_wrench(const BushingDescription& bushing, const SpringBodies& on, Pieces& pieces) {
  const Matrix axes = on.first.rotation * rotation_of(bushing.frame1);
  const Matrix turned = axes.transpose() * on.second.rotation * rotation_of(bushing.frame2);
  const Vector point = point_on(on.second, bushing.frame2.position);
  const Vector apart = axes.transpose() * (point - point_on(on.first, bushing.frame1.position));
  const Vector velocity = axes.transpose() * (velocity_at(on.second, point) - velocity_at(on.first, point));
  const Vector omega = axes.transpose() * (Vector(on.second.velocity.tail<3>()) - Vector(on.first.velocity.tail<3>()));
  const Vector theta = rotation_vector(turned, pieces);
  const Vector force =
      -precise(bushing.stiffness).cwiseProduct(apart) - precise(bushing.damping).cwiseProduct(velocity);
  const Vector torque = -turned_torque(theta, precise(bushing.rotational_stiffness).cwiseProduct(theta)) -
                        precise(bushing.rotational_damping).cwiseProduct(omega);
  return wrench_at(point, axes * force, axes * torque);
}

}  // namespace mbdbench::precise
