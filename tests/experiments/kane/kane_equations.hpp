#pragma once
/// \file
/// Kane's equations of a mechanism by differences of its poses (kane_by_differences.hpp), with numbers of any kind.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/experiments/kane/kane_motions.hpp"

namespace mbdbench {

template <typename Real>
class Kane : public KaneMotions<Real> {
  using Motions = KaneMotions<Real>;
  using Motions::body_count;
  using Motions::body_index_;
  using Motions::constraint_rows;
  using Motions::constraint_rows_here;
  using Motions::derivatives;
  using Motions::description_;
  using Motions::first_;
  using Motions::frame_of;
  using Motions::frames;
  using Motions::free_motions;
  using Motions::here_;
  using Motions::joint_named;
  using Motions::joints_;
  using Motions::kDifference;
  using Motions::least_squares;
  using Motions::mechanism_;
  using Motions::right_sides;
  using Motions::second_;
  using Motions::set_partial_velocities;
  using Motions::solve_cut_velocities;
  using Motions::spin;
  using Motions::u_;
  using Motions::unknowns_;
  using Motions::velocity;
  using typename Motions::Frame;
  using typename Motions::FrameRates;
  using typename Motions::Matrix;
  using typename Motions::MovingJoint;
  using typename Motions::Vector;

 public:
  using Motions::Motions;
  using typename Motions::Columns;
  using typename Motions::Coordinates;

  /// M u of the tree joints.
  [[nodiscard]] Coordinates momenta() {
    set_partial_velocities();
    const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
    Coordinates p = Coordinates::Zero(mechanism_.u_size());
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Vector turning = here[k].axes * (body.inertia.cast<Real>() * (here[k].axes.transpose() * spin(k)));
      const Vector moving = static_cast<Real>(body.mass) * velocity(k);
      for (int r = 0; r < p.size(); ++r) {
        const FrameRates& partial = first_[static_cast<std::size_t>(r)];
        p[r] += partial.linear[k].dot(moving) + partial.angular[k].dot(turning);
      }
    }
    return p;
  }

  /// u' of the tree joints; how large it would be if no constraint held.
  std::pair<Coordinates, Real> accelerations() {
    solve_cut_velocities();
    second_ = derivatives(u_).second;
    here_ = frames(Coordinates::Zero(unknowns_));
    Columns mass = Columns::Zero(unknowns_, unknowns_);
    Coordinates forces = Coordinates::Zero(unknowns_);
    add_mass(mass);
    add_forces(forces);
    add_joint_forces(forces);
    add_point_springs(forces);
    add_bushings(forces);
    const int tree = mechanism_.u_size();
    const Coordinates open = mass.topLeftCorner(tree, tree).colPivHouseholderQr().solve(forces.head(tree));
    const Columns rows = constraint_rows();
    const Coordinates right = right_sides(rows.rows());
    // u' = particular + free * y, where the rows hold; Kane's equations along the free motions.
    Coordinates rates = Coordinates::Zero(unknowns_);
    if (rows.rows() > 0) {
      rates = least_squares(rows, right);
    }
    const Columns free = free_motions(rows);
    if (free.cols() > 0) {
      const Columns reduced = free.transpose() * mass * free;
      const Coordinates reduced_forces = free.transpose() * (forces - mass * rates);
      rates += free * reduced.colPivHouseholderQr().solve(reduced_forces);
    }
    return {rates.head(tree), tree > 0 ? Real(open.cwiseAbs().maxCoeff()) : Real(0)};
  }

  /// What of generalised forces on the tree joints is M times accelerations that the constraints allow: without the
  /// part that reactions can take.
  [[nodiscard]] Coordinates allowed_forces(const Coordinates& forces) {
    const Columns free = free_motions(constraint_rows_here());
    Columns mass = Columns::Zero(unknowns_, unknowns_);
    add_mass(mass);
    Coordinates all = Coordinates::Zero(unknowns_);
    all.head(forces.size()) = forces;
    const Columns reduced = free.transpose() * mass * free;
    const Coordinates rates = free * reduced.colPivHouseholderQr().solve(Coordinates(free.transpose() * all));
    return (mass * rates).head(forces.size());
  }

 private:
  /// A force at a point of a body and a torque, into the generalised active forces.
  void act(Coordinates& forces, std::size_t body, const Vector& point, const Vector& force,
           const Vector& torque) const {
    const Vector moment = torque + (point - here_[body].origin).cross(force);
    for (int r = 0; r < unknowns_; ++r) {
      const FrameRates& partial = first_[static_cast<std::size_t>(r)];
      forces[r] += partial.linear[body].dot(force) + partial.angular[body].dot(moment);
    }
  }

  void add_mass(Columns& mass) const {
    const std::vector<Frame> here = frames(Coordinates::Zero(unknowns_));
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Matrix inertia = here[k].axes * body.inertia.cast<Real>() * here[k].axes.transpose();
      const auto m = static_cast<Real>(body.mass);
      for (int r = 0; r < unknowns_; ++r) {
        const FrameRates& partial = first_[static_cast<std::size_t>(r)];
        for (int s = 0; s < unknowns_; ++s) {
          const FrameRates& other = first_[static_cast<std::size_t>(s)];
          mass(r, s) += m * partial.linear[k].dot(other.linear[k]) + partial.angular[k].dot(inertia * other.angular[k]);
        }
      }
    }
  }

  void add_forces(Coordinates& forces) {
    for (std::size_t k = 0; k < body_count(); ++k) {
      const BodyDescription& body = description_.bodies[k];
      const Matrix inertia = here_[k].axes * body.inertia.cast<Real>() * here_[k].axes.transpose();
      const auto m = static_cast<Real>(body.mass);
      const Vector omega = spin(k);
      const Vector momentum = inertia * omega;
      act(forces, k, here_[k].origin, m * (description_.gravity.template cast<Real>() - second_.linear[k]),
          -(inertia * second_.angular[k]) - omega.cross(momentum));
    }
    for (const BodyLoadDescription& load : description_.body_loads) {
      const std::size_t k = body_index_.at(load.body);
      const Matrix axes = load.in_body_axes ? here_[k].axes : Matrix(Matrix::Identity());
      act(forces, k, point_of(load.body, load.point), axes * vector_of(load.force), axes * vector_of(load.torque));
    }
  }

  [[nodiscard]] Vector point_of(const std::string& body, const Vec3& point) const {
    if (body == kGround) {
      return point.cast<Real>();
    }
    const std::size_t k = body_index_.at(body);
    return here_[k].origin + here_[k].axes * (point - description_.bodies[k].com).template cast<Real>();
  }

  [[nodiscard]] Vector velocity_of(const std::string& body, const Vector& point) const {
    if (body == kGround) {
      return Vector::Zero();
    }
    const std::size_t k = body_index_.at(body);
    return velocity(k) + spin(k).cross(point - here_[k].origin);
  }

  Vector vector_of(const std::vector<Law>& laws) {
    return laws.empty() ? Vector(Vector::Zero()) : Vector(value(laws[0]), value(laws[1]), value(laws[2]));
  }

  /// \param q, v of the joint component that is loaded
  Real value(const Law& law, Real q = Real(0), Real v = Real(0)) {
    if (const auto* constant = std::get_if<ConstantLaw>(&law)) {
      return static_cast<Real>(constant->value);
    }
    if (const auto* table = std::get_if<TableLaw>(&law)) {
      const Real x = table->over == "q" ? q : table->over == "v" ? v : Real(0);
      std::size_t i = 0;
      while (i + 2 < table->abscissa.size() && static_cast<Real>(table->abscissa[i + 1]) < x) {
        ++i;
      }
      const auto left = static_cast<Real>(table->abscissa[i]);
      const auto right = static_cast<Real>(table->abscissa[i + 1]);
      const Real weight = std::clamp<Real>((x - left) / (right - left), Real(0), Real(1));
      return (Real(1) - weight) * static_cast<Real>(table->values[i]) +
             weight * static_cast<Real>(table->values[i + 1]);
    }
    set_variables(q, v);
    std::vector<ExpressionVariable> variables;
    variables.reserve(variables_.size());
    for (auto& [name, number] : variables_) {
      variables.push_back({name, &number});
    }
    return static_cast<Real>(Expression(std::get<ExpressionLaw>(law).text, variables)());
  }

  void set_variables(Real q, Real v) {
    variables_["t"] = 0.0;
    variables_["q"] = static_cast<double>(q);
    variables_["v"] = static_cast<double>(v);
    for (const MovingJoint& joint : joints_) {
      const std::string& name = joint.description->name;
      for (std::size_t i = 0; i < joint.u.size() && !joint.description->cut; ++i) {
        const std::string suffix = i == 0 ? name : name + "_" + std::to_string(i + 1);
        variables_["v_" + suffix] = static_cast<double>(joint.u[i]);
        variables_["q_" + suffix] = static_cast<double>(joint.q[i]);
      }
    }
    for (const MarkerDescription& marker : description_.markers) {
      const Vector point = point_of(marker.body, marker.point);
      const Vector rate = velocity_of(marker.body, point);
      for (int i = 0; i < 3; ++i) {
        const std::string suffix = std::string(1, "xyz"[i]) + "_" + marker.name;
        variables_[suffix] = static_cast<double>(point[i]);
        variables_["v" + suffix] = static_cast<double>(rate[i]);
      }
    }
  }

  void add_joint_forces(Coordinates& forces) {
    for (const JointLoadDescription& load : description_.joint_loads) {
      const MovingJoint& joint = joint_named(load.joint);
      const auto component = static_cast<std::size_t>(load.component);
      forces[joint.offset + load.component] += value(
          load.law, has_coordinate_rates(joint.description->type) ? joint.q[component] : Real(0), joint.u[component]);
    }
    for (const JointSpringDescription& spring : description_.joint_springs) {
      const MovingJoint& joint = joint_named(spring.joint);
      const auto component = static_cast<std::size_t>(spring.component);
      forces[joint.offset + spring.component] -=
          static_cast<Real>(spring.stiffness) * (joint.q[component] - static_cast<Real>(spring.rest)) +
          static_cast<Real>(spring.damping) * joint.u[component];
    }
    for (const JointFrictionDescription& friction : description_.joint_frictions) {
      const MovingJoint& joint = joint_named(friction.joint);
      using std::exp;
      using std::tanh;
      const Real v = joint.u[static_cast<std::size_t>(friction.component)];
      Real level = static_cast<Real>(friction.kinetic);
      if (friction.stribeck_velocity > 0.0) {
        level += static_cast<Real>(friction.breakaway - friction.kinetic) *
                 exp(-v * v / static_cast<Real>(friction.stribeck_velocity * friction.stribeck_velocity));
      }
      forces[joint.offset + friction.component] -=
          level * tanh(v / static_cast<Real>(friction.regularisation_velocity)) +
          static_cast<Real>(friction.viscous) * v;
    }
    for (const JointStopDescription& stop : description_.joint_stops) {
      const MovingJoint& joint = joint_named(stop.joint);
      const auto component = static_cast<std::size_t>(stop.component);
      for (const auto& [bound, sign] : {std::pair(stop.lower, -Real(1)), {stop.upper, Real(1)}}) {
        const Real depth = bound ? sign * (joint.q[component] - static_cast<Real>(*bound)) : Real(0);
        if (depth > Real(0)) {
          forces[joint.offset + stop.component] -=
              sign * static_cast<Real>(stop.stiffness) * depth *
              std::max<Real>(Real(0), Real(1) + static_cast<Real>(stop.damping) * sign * joint.u[component]);
        }
      }
    }
  }

  /// Minus the derivatives of the energy by differences, and the dampers.
  void add_bushings(Coordinates& forces) const {
    for (const BushingDescription& bushing : description_.bushings) {
      const auto energy = [&](const Coordinates& moved) { return bushing_energy(bushing, frames(moved)); };
      for (int r = 0; r < unknowns_; ++r) {
        const Coordinates along = kDifference * Coordinates::Unit(unknowns_, r);
        const Real kFirst[] = {Real(4) / Real(5), Real(-1) / Real(5), Real(4) / Real(105), Real(-1) / Real(280)};
        for (int k = 0; k < 4; ++k) {
          const Real steps = static_cast<Real>(k + 1);
          forces[r] -= kFirst[k] / kDifference * (energy(steps * along) - energy(-steps * along));
        }
      }
      const Frame first = bushing_frame(bushing.body1, bushing.frame1, here_);
      const Vector point = bushing_frame(bushing.body2, bushing.frame2, here_).origin;
      const Vector sliding = velocity_of(bushing.body2, point) - velocity_of(bushing.body1, point);
      const Vector turning = spin_of(bushing.body2) - spin_of(bushing.body1);
      const auto damped = [&](const Vec3& damping, const Vector& rate) {
        return Vector(-(first.axes * damping.cast<Real>().cwiseProduct(first.axes.transpose() * rate)));
      };
      const Vector force = damped(bushing.damping, sliding);
      const Vector torque = damped(bushing.rotational_damping, turning);
      if (bushing.body2 != kGround) {
        act(forces, body_index_.at(bushing.body2), point, force, torque);
      }
      if (bushing.body1 != kGround) {
        act(forces, body_index_.at(bushing.body1), point, -force, -torque);
      }
    }
  }

  /// \param bodies frames at the centres of mass
  [[nodiscard]] Frame bushing_frame(const std::string& body, const JointFrame& given,
                                    const std::vector<Frame>& bodies) const {
    Frame own = frame_of(given);
    if (body == kGround) {
      return own;
    }
    const std::size_t k = body_index_.at(body);
    own.origin -= description_.bodies[k].com.template cast<Real>();
    return bodies[k] * own;
  }

  [[nodiscard]] Real bushing_energy(const BushingDescription& bushing, const std::vector<Frame>& bodies) const {
    const Frame apart = bushing_frame(bushing.body1, bushing.frame1, bodies).inverse() *
                        bushing_frame(bushing.body2, bushing.frame2, bodies);
    const Eigen::AngleAxis<Real> rotation(apart.axes);
    const Vector turn = rotation.angle() * rotation.axis();
    return Real(0.5) * (apart.origin.dot(bushing.stiffness.cast<Real>().cwiseProduct(apart.origin)) +
                        turn.dot(bushing.rotational_stiffness.cast<Real>().cwiseProduct(turn)));
  }

  [[nodiscard]] Vector spin_of(const std::string& body) const {
    return body == kGround ? Vector(Vector::Zero()) : spin(body_index_.at(body));
  }

  void add_point_springs(Coordinates& forces) const {
    for (const PointSpringDescription& spring : description_.point_springs) {
      const Vector point1 = point_of(spring.body1, spring.point1);
      const Vector point2 = point_of(spring.body2, spring.point2);
      const Vector between = point2 - point1;
      const Real length = between.norm();
      if (length == Real(0)) {
        continue;
      }
      const Vector direction = between / length;
      const Real rate = direction.dot(velocity_of(spring.body2, point2) - velocity_of(spring.body1, point1));
      const Vector pull = (static_cast<Real>(spring.stiffness) * (length - static_cast<Real>(spring.rest)) +
                           static_cast<Real>(spring.damping) * rate) *
                          direction;
      if (spring.body1 != kGround) {
        act(forces, body_index_.at(spring.body1), point1, pull, Vector::Zero());
      }
      if (spring.body2 != kGround) {
        act(forces, body_index_.at(spring.body2), point2, -pull, Vector::Zero());
      }
    }
  }

  std::map<std::string, double> variables_;
};

}  // namespace mbdbench
