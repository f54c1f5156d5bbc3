#include "experiments/studies/runner/observation/precise_accelerations.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <stdexcept>

namespace mbdbench::studies {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float_quad::backend_type,
                                           boost::multiprecision::et_off>;
using Vector = Eigen::Matrix<Real, 3, 1>;
using Matrix = Eigen::Matrix<Real, 3, 3>;
using Spatial = Eigen::Matrix<Real, 6, 1>;  // linear first: of velocities that of the point at the world's origin
using SpatialMatrix = Eigen::Matrix<Real, 6, 6>;
using Columns = Eigen::Matrix<Real, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using Rates = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

Vector precise(const Vec3& v) {
  return v.cast<Real>();
}

/// \returns the nearest columns that are orthonormal, but for the order in which they are made so.
Matrix orthonormal(const Mat3& rotation) {
  Matrix made = rotation.cast<Real>();
  made.col(0).normalize();
  made.col(1) = (made.col(1) - made.col(0) * made.col(0).dot(made.col(1))).normalized();
  made.col(2) = made.col(0).cross(made.col(1));
  return made;
}

Matrix turned_about(const Vec3& axis, const Real& angle) {
  return Eigen::AngleAxis<Real>(angle, precise(axis).normalized()).toRotationMatrix();
}

Matrix of_quaternion(std::span<const double> q) {
  return Eigen::Quaternion<Real>(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

/// d/dt of a spatial axis that a body with this velocity carries.
Spatial carried(const Spatial& velocity, const Spatial& axis) {
  const Vector omega = velocity.tail<3>();
  Spatial rate;
  rate.head<3>() = omega.cross(axis.head<3>()) + Vector(velocity.head<3>()).cross(axis.tail<3>());
  rate.tail<3>() = omega.cross(axis.tail<3>());
  return rate;
}

/// d/dt of a momentum that moves along.
Spatial carried_momentum(const Spatial& velocity, const Spatial& momentum) {
  const Vector omega = velocity.tail<3>();
  Spatial rate;
  rate.head<3>() = omega.cross(momentum.head<3>());
  rate.tail<3>() = omega.cross(momentum.tail<3>()) + Vector(velocity.head<3>()).cross(momentum.head<3>());
  return rate;
}

/// A body and its inboard joint.
struct PreciseBody {
  Matrix rotation = Matrix::Identity();
  Vector origin = Vector::Zero();
  Spatial velocity = Spatial::Zero();
  Spatial acceleration = Spatial::Zero();
  Columns axes;                                   // of the joint's quasi-velocities
  Spatial bias = Spatial::Zero();                 // rate of the axes times u
  SpatialMatrix inertia = SpatialMatrix::Zero();  // articulated
  Spatial force = Spatial::Zero();                // that the bodies outboard need at rest
  Columns gain;                                   // inertia times axes
  Eigen::LLT<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>> pivot;
  Rates remaining;
};

/// Axes of a joint in three directions through a point.
class JointAxes {
 public:
  JointAxes(int count, Vector point)
      : axes_(6, count), from_b_(static_cast<std::size_t>(count)), point_(std::move(point)) {}

  /// \param pitch advance along the direction, m/rad
  void turn(const Vector& direction, bool carried_by_b, double pitch = 0.0) {
    axes_.col(at_).head<3>() = point_.cross(direction) + direction * Real(pitch);
    axes_.col(at_).tail<3>() = direction;
    from_b_[static_cast<std::size_t>(at_++)] = carried_by_b;
  }
  void slide(const Vector& direction) {
    axes_.col(at_).head<3>() = direction;
    axes_.col(at_).tail<3>().setZero();
    from_b_[static_cast<std::size_t>(at_++)] = false;
  }
  [[nodiscard]] const Columns& columns() const { return axes_; }
  [[nodiscard]] bool carried_by_b(Eigen::Index column) const { return from_b_[static_cast<std::size_t>(column)]; }

 private:
  Columns axes_;
  std::vector<bool> from_b_;
  Vector point_;
  Eigen::Index at_ = 0;
};

class PreciseChain {
 public:
  PreciseChain(const Mechanism& mechanism, std::span<const double> q, std::span<const double> u)
      : mechanism_(mechanism), bodies_(static_cast<std::size_t>(mechanism.body_count())) {
    ground_.acceleration.head<3>() = -precise(mechanism.gravity());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const Joint& joint = mechanism.tree_joints()[k];
      place(joint, q.subspan(static_cast<std::size_t>(joint.q_offset), static_cast<std::size_t>(joint.nq)),
            u.subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)), bodies_[k]);
      set_inertia(mechanism.bodies()[k], bodies_[k]);
    }
  }

  std::vector<double> accelerations() {
    for (std::size_t k = bodies_.size(); k-- > 0;) {
      eliminate(bodies_[k], inboard(k));
    }
    std::vector<double> rates(static_cast<std::size_t>(mechanism_.u_size()));
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      PreciseBody& body = bodies_[k];
      body.acceleration = inboard(k).acceleration + body.bias;
      if (body.axes.cols() == 0) {
        continue;
      }
      const Rates own = body.pivot.solve(Rates(body.remaining - body.gain.transpose() * body.acceleration));
      body.acceleration += body.axes * own;
      for (Eigen::Index i = 0; i < own.size(); ++i) {
        rates[static_cast<std::size_t>(mechanism_.tree_joints()[k].u_offset + i)] = own[i].convert_to<double>();
      }
    }
    return rates;
  }

 private:
  PreciseBody& inboard(std::size_t body) {
    const int parent = mechanism_.tree_joints()[body].a;
    return parent < 0 ? ground_ : bodies_[static_cast<std::size_t>(parent)];
  }

  void place(const Joint& joint, std::span<const double> q, std::span<const double> u, PreciseBody& body) {
    const PreciseBody& a = joint.a < 0 ? ground_ : bodies_[static_cast<std::size_t>(joint.a)];
    const Matrix axes_a = a.rotation * orthonormal(joint.rotation_a);
    const Vector axis = axes_a * precise(joint.axis).normalized();
    Matrix turned = Matrix::Identity();
    Vector moved = Vector::Zero();
    switch (joint.type) {
      case JointType::revolute:
        turned = turned_about(joint.axis, q[0]);
        break;
      case JointType::prismatic:
        moved = axis * q[0];
        break;
      case JointType::universal:
        turned = turned_about(joint.axis, q[0]) * turned_about(joint.axis2, q[1]);
        break;
      case JointType::cylindrical:
        turned = turned_about(joint.axis, q[0]);
        moved = axis * q[1];
        break;
      case JointType::spherical:
        turned = of_quaternion(q);
        break;
      case JointType::planar:
        turned = turned_about(joint.axis, q[2]);
        moved = axes_a * (precise(joint.normal1) * q[0] + precise(joint.normal2) * q[1]);
        break;
      case JointType::free:
        turned = of_quaternion(q);
        moved = axes_a * precise(Vec3(q[4], q[5], q[6]));
        break;
      case JointType::screw:
        turned = turned_about(joint.axis, q[0]);
        moved = axis * (Real(joint.pitch) * q[0]);
        break;
      case JointType::fixed:
      case JointType::distance:
      case JointType::revolute_spherical:
      case JointType::point_on_line:
      case JointType::point_on_plane:
      case JointType::rolling_ball:
      case JointType::rolling_disc:
        break;
    }
    const Matrix axes_b = axes_a * turned;
    const Vector point = a.origin + a.rotation * precise(joint.position_a) + moved;
    body.rotation = axes_b * orthonormal(joint.rotation_b).transpose();
    body.origin = point - body.rotation * precise(joint.position_b);
    const JointAxes axes = axes_of(joint, axes_a, axes_b, point);
    body.axes = axes.columns();
    body.velocity = a.velocity;
    for (Eigen::Index i = 0; i < body.axes.cols(); ++i) {
      body.velocity += body.axes.col(i) * Real(u[static_cast<std::size_t>(i)]);
    }
    for (Eigen::Index i = 0; i < body.axes.cols(); ++i) {
      body.bias += carried(axes.carried_by_b(i) ? body.velocity : a.velocity, body.axes.col(i)) *
                   Real(u[static_cast<std::size_t>(i)]);
    }
  }

  static JointAxes axes_of(const Joint& joint, const Matrix& axes_a, const Matrix& axes_b, const Vector& point) {
    JointAxes axes(joint.nu, point);
    const Vector axis = axes_a * precise(joint.axis).normalized();
    switch (joint.type) {
      case JointType::revolute:
        axes.turn(axis, false);
        break;
      case JointType::prismatic:
        axes.slide(axis);
        break;
      case JointType::universal:
        axes.turn(axis, false);
        axes.turn(axes_b * precise(joint.axis2).normalized(), true);
        break;
      case JointType::cylindrical:
        axes.turn(axis, false);
        axes.slide(axis);
        break;
      case JointType::planar:
        axes.slide(axes_a * precise(joint.normal1));
        axes.slide(axes_a * precise(joint.normal2));
        axes.turn(axis, true);
        break;
      case JointType::spherical:
      case JointType::free:
        for (int i = 0; i < 3; ++i) {
          axes.turn(axes_b.col(i), true);
        }
        for (int i = 3; i < joint.nu; ++i) {
          axes.slide(axes_a.col(i - 3));
        }
        break;
      case JointType::screw:
        axes.turn(axis, false, joint.pitch);
        break;
      case JointType::fixed:
      case JointType::distance:
      case JointType::revolute_spherical:
      case JointType::point_on_line:
      case JointType::point_on_plane:
      case JointType::rolling_ball:
      case JointType::rolling_disc:
        break;
    }
    return axes;
  }

  static void set_inertia(const Body& given, PreciseBody& body) {
    const Vector centre = body.origin + body.rotation * precise(given.com);
    const Real mass = given.mass;
    Matrix lever;
    lever << 0, -centre.z(), centre.y(), centre.z(), 0, -centre.x(), -centre.y(), centre.x(), 0;
    body.inertia.topLeftCorner<3, 3>() = Matrix::Identity() * mass;
    body.inertia.topRightCorner<3, 3>() = -mass * lever;
    body.inertia.bottomLeftCorner<3, 3>() = mass * lever;
    body.inertia.bottomRightCorner<3, 3>() =
        body.rotation * given.inertia.cast<Real>() * body.rotation.transpose() - mass * lever * lever;
    body.force = carried_momentum(body.velocity, body.inertia * body.velocity);
  }

  static void eliminate(PreciseBody& body, PreciseBody& inboard) {
    SpatialMatrix felt = body.inertia;
    Spatial force = body.force + body.inertia * body.bias;
    if (body.axes.cols() > 0) {
      body.gain = body.inertia * body.axes;
      body.pivot.compute(body.axes.transpose() * body.gain);
      // No loads but gravity, which is in the ground's acceleration.
      body.remaining = -(body.axes.transpose() * body.force);
      felt -= body.gain * body.pivot.solve(body.gain.transpose().eval());
      const Rates free_rates = body.pivot.solve(Rates(body.remaining - body.gain.transpose() * body.bias));
      force += body.gain * free_rates;
    }
    inboard.inertia += felt;
    inboard.force += force;
  }

  const Mechanism& mechanism_;
  PreciseBody ground_;
  std::vector<PreciseBody> bodies_;
};

}  // namespace

std::string refuse_precise_accelerations(const Mechanism& mechanism) {
  const MechanismDescription& given = mechanism.description();
  if (!mechanism.cut_joints().empty() || mechanism.constraint_size() > 0) {
    return "the reference of 113 bits is of open mechanisms without prescribed motions";
  }
  if (!given.joint_loads.empty() || !given.body_loads.empty() || !given.joint_springs.empty() ||
      !given.point_springs.empty() || !given.bushings.empty() || !given.joint_frictions.empty() ||
      !given.joint_stops.empty()) {
    return "the reference of 113 bits knows no loads but gravity";
  }
  return {};
}

std::vector<double> precise_accelerations(const Mechanism& mechanism, std::span<const double> q,
                                          std::span<const double> u) {
  if (const std::string refusal = refuse_precise_accelerations(mechanism); !refusal.empty()) {
    throw std::invalid_argument(refusal);
  }
  return PreciseChain(mechanism, q, u).accelerations();
}

}  // namespace mbdbench::studies
