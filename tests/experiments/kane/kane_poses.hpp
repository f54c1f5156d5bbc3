#pragma once
/// \file
/// Poses by the definitions of docs/using/mechanisms/mechanisms.md, with numbers of any kind: for Kane's equations by
/// differences (kane_equations.hpp), which share nothing with the model's own kinematics.
#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

template <typename Real>
struct KanePoses {
  using Vector = Eigen::Matrix<Real, 3, 1>;
  using Matrix = Eigen::Matrix<Real, 3, 3>;
  using Quaternion = Eigen::Quaternion<Real>;

  /// A frame: axes and origin in world axes.
  struct Frame {
    Matrix axes = Matrix::Identity();
    Vector origin = Vector::Zero();

    Frame operator*(const Frame& inner) const { return {axes * inner.axes, origin + axes * inner.origin}; }
    [[nodiscard]] Frame inverse() const { return {axes.transpose(), -(axes.transpose() * origin)}; }
  };

  static Matrix turn(const Vector& axis, Real angle) { return Eigen::AngleAxis<Real>(angle, axis).toRotationMatrix(); }

  static Frame frame_of(const JointFrame& given) {
    const Eigen::Matrix<Real, 4, 1> e = given.rotation.cast<Real>();
    return {Quaternion(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix(), given.position.cast<Real>()};
  }

  /// A direction normal to the axis that the format leaves open, as the model chose it.
  static const Joint& model_joint(const Mechanism& mechanism, const std::string& name) {
    return mechanism.joint(*mechanism.find_joint(name));
  }

  /// A joint, its coordinates, and where its quasi-velocities stand among all.
  struct MovingJoint {
    const JointDescription* description = nullptr;
    Vector normal1;
    Vector normal2;
    std::vector<Real> q;
    std::vector<Real> u;
    int offset = 0;
    Frame frame_a;
    Frame frame_b;

    /// From now on the coordinates are those after a motion. \param moved as of `across`
    void move(const Real* moved) {
      const bool turns = description->type == JointType::spherical || description->type == JointType::free;
      if (turns) {
        const Vector angle(moved[0], moved[1], moved[2]);
        const Real size = angle.norm();
        const Quaternion start = Quaternion(q[0], q[1], q[2], q[3]).normalized();
        const Quaternion after =
            size > 0 ? start * Quaternion(Eigen::AngleAxis<Real>(size, Vector(angle / size))) : start;
        q[0] = after.w();
        q[1] = after.x();
        q[2] = after.y();
        q[3] = after.z();
      }
      for (std::size_t i = turns ? 4 : 0; i < q.size(); ++i) {
        q[i] += moved[turns ? i - 1 : i];
      }
    }

    /// \param moved s times the quasi-velocities of a motion that keeps them constant
    [[nodiscard]] Frame across(const Real* moved) const {
      const Vector axis = description->axis.cast<Real>();
      const Vector axis2 = description->axis2.cast<Real>();
      const auto turned = [&] {
        const Vector angle(moved[0], moved[1], moved[2]);
        const Real size = angle.norm();
        const Quaternion start = Quaternion(q[0], q[1], q[2], q[3]).normalized();
        return Matrix(start.toRotationMatrix() * (size > 0 ? turn(angle / size, size) : Matrix(Matrix::Identity())));
      };
      switch (description->type) {
        case JointType::revolute:
          return {turn(axis, q[0] + moved[0]), Vector::Zero()};
        case JointType::prismatic:
          return {Matrix::Identity(), axis * (q[0] + moved[0])};
        case JointType::universal:
          return {turn(axis, q[0] + moved[0]) * turn(axis2, q[1] + moved[1]), Vector::Zero()};
        case JointType::cylindrical:
          return {turn(axis, q[0] + moved[0]), axis * (q[1] + moved[1])};
        case JointType::spherical:
          return {turned(), Vector::Zero()};
        case JointType::planar:
          return {turn(axis, q[2] + moved[2]), normal1 * (q[0] + moved[0]) + normal2 * (q[1] + moved[1])};
        case JointType::free:
          return {turned(), Vector(q[4] + moved[3], q[5] + moved[4], q[6] + moved[5])};
        case JointType::fixed:
          break;
        case JointType::distance:
        case JointType::revolute_spherical:
        case JointType::point_on_line:
        case JointType::point_on_plane:
        case JointType::rolling_ball:
        case JointType::rolling_disc:
          throw std::invalid_argument("joints without coordinates are compared with chains of links without mass");
        case JointType::screw:
          return {turn(axis, q[0] + moved[0]), axis * (static_cast<Real>(description->pitch) * (q[0] + moved[0]))};
      }
      return {};
    }
  };

  /// Derivatives of frames along a motion: origin and angular.
  struct FrameRates {
    std::vector<Vector> linear;
    std::vector<Vector> angular;
  };

  static Vector skew_part(const Matrix& m) {
    return Real(0.5) * Vector(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
  }
};

}  // namespace mbdbench
