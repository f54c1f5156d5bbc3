#include "formulations/augmented_lagrangian/derivatives/tree_load_slopes.hpp"

#include "formulations/derivatives/loops/joint_place.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {
namespace {

using linear::LoopCut;
using Moves = Eigen::Matrix<double, LoopCut::kSlopes, 1>;
using LoadSlopes = Eigen::Map<const Eigen::Matrix<double, 6, LoopCut::kSlopes, Eigen::RowMajor>>;

Vec6 six_of(const Screw<double>& screw) {
  return (Vec6() << screw.linear.x, screw.linear.y, screw.linear.z, screw.angular.x, screw.angular.y, screw.angular.z)
      .finished();
}

/// \returns a x b of motions.
Vec6 motions_crossed(const Vec6& a, const Vec6& b) {
  const Vec3 linear = a.head<3>().cross(b.tail<3>()) + a.tail<3>().cross(b.head<3>());
  return (Vec6() << linear, a.tail<3>().cross(b.tail<3>())).finished();
}

/// \returns motion x* wrench: y . (a x b) = -(a x* y) . b.
Vec6 wrench_crossed(const Vec6& motion, const Vec6& wrench) {
  const Vec3 torque = motion.tail<3>().cross(wrench.tail<3>()) + motion.head<3>().cross(wrench.head<3>());
  return (Vec6() << motion.tail<3>().cross(wrench.head<3>()), torque).finished();
}

void add_to(Eigen::Matrix<double, 6, Eigen::Dynamic>& motions, int body, const Vec6& more) {
  if (body >= 0) {
    motions.col(body) += more;
  }
}

}  // namespace

TreeLoadSlopes::TreeLoadSlopes(const Mechanism& mechanism, const CutReferences* near)
    : mechanism_(&mechanism),
      tree_(mechanism),
      loads_(mechanism, near),
      link_directions_(link_directions(mechanism)),
      links_(link_directions_.size(), Vec3::Zero()),
      axes_(index_of(mechanism.u_size())),
      levers_(mechanism.bodies().size(), Vec3::Zero()) {
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      axes_[index_of(joint.u_offset + i)] = {Vec6::Zero(), is_fixed_outboard(joint, i) ? joint.b : joint.a};
    }
  }
}

void TreeLoadSlopes::set(double t, std::span<const double> q, std::span<const double> u, const Vec3& center) {
  tree_.set_positions(q);
  loads_.set(t, q, u, tree_, center);
  loads_.show(data_);
  u_ = Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
  for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const JointKinematics& state = tree_.tree_joint(static_cast<int>(k));
    links_[k] = tree_.body(joint.a).rotation * link_directions_[k];
    levers_[k] = tree_.body(static_cast<int>(k)).com - center;
    for (int i = 0; i < joint.nu; ++i) {
      axes_[index_of(joint.u_offset + i)].motion = shift_velocity(center - state.point, state.h.col(i));
    }
  }
}

TreeLoadSlopes::Direction TreeLoadSlopes::direction() const {
  Direction result;
  result.turns.setZero(mechanism_->u_size());
  result.pushes.setZero(mechanism_->u_size());
  result.lengths.setZero(mechanism_->body_count());
  result.forces.setZero(mechanism_->u_size());
  result.wrenches.setZero(6, mechanism_->body_count());
  return result;
}

void TreeLoadSlopes::displace(const Direction& direction) {
  displacements_.setZero(6, mechanism_->body_count());
  velocities_.setZero(6, mechanism_->body_count());
  for (const Joint& joint : mechanism_->tree_joints()) {
    const int body = joint.b;
    Vec6 inner = of(displacements_, joint.a);
    inner.head<3>() += direction.lengths[body] * links_[index_of(body)];
    Vec6 displacement = inner;
    Vec6 velocity = of(velocities_, joint.a);
    for (int k = joint.u_offset; k < joint.u_offset + joint.nu; ++k) {
      displacement += direction.turns[k] * axes_[index_of(k)].motion;
    }
    for (int k = joint.u_offset; k < joint.u_offset + joint.nu; ++k) {
      const Axis& axis = axes_[index_of(k)];
      velocity += u_[k] * motions_crossed(axis.carrier == body ? displacement : inner, axis.motion);
      velocity += direction.pushes[k] * axis.motion;
    }
    displacements_.col(body) = displacement;
    velocities_.col(body) = velocity;
  }
}

double TreeLoadSlopes::change_of(const linear::LoopLaw& law, const Direction& direction) const {
  double sum = 0.0;
  for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
    const linear::LoopArgument& argument = data_.arguments[k];
    if (argument.axis >= 0) {
      sum += argument.by_turn * direction.turns[argument.axis] + argument.by_push * direction.pushes[argument.axis];
    }
    sum += six_of(argument.by_displacement).dot(of(displacements_, argument.body));
    sum += six_of(argument.by_velocity).dot(of(velocities_, argument.body));
  }
  return sum;
}

void TreeLoadSlopes::run(Direction& direction) {
  displace(direction);
  wrenches_.setZero(6, mechanism_->body_count());
  for (int k = 0; k < mechanism_->u_size(); ++k) {
    direction.forces[k] = -loads_.stiffness(k) * direction.turns[k] - loads_.damping(k) * direction.pushes[k];
  }
  for (int i = 0; i < data_.load_count; ++i) {
    const linear::LoopLoad& load = data_.loads[i];
    Moves moves;
    moves << of(displacements_, load.body_a), of(displacements_, load.body_b), of(velocities_, load.body_a),
        of(velocities_, load.body_b);
    const Vec6 change = LoadSlopes(&load.slopes[0][0]) * moves;
    add_to(wrenches_, load.body_b, change);
    add_to(wrenches_, load.body_a, -change);
  }
  for (int i = 0; i < data_.law_count; ++i) {
    const linear::LoopLaw& law = data_.laws[i];
    const double change = change_of(law, direction);
    if (law.axis >= 0) {
      direction.forces[law.axis] += change;
    } else {
      add_to(wrenches_, law.body, change * six_of(law.wrench));
      add_to(wrenches_, law.opposite, -change * six_of(law.wrench));
    }
  }
  // About the centre of mass, which moves too.
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const Vec3& lever = levers_[index_of(body)];
    const Vec3 force = six_of(loads_.wrench(index_of(body))).head<3>();
    const Vec3 moved = shift_velocity(lever, displacements_.col(body)).head<3>();
    direction.wrenches.col(body) = shift_wrench(-lever, wrenches_.col(body));
    direction.wrenches.col(body).tail<3>() -= moved.cross(force);
  }
}

void TreeLoadSlopes::weigh(const linear::LoopLaw& law, double weight, Direction& weights) {
  for (int k = law.first_argument; k < law.first_argument + law.argument_count; ++k) {
    const linear::LoopArgument& argument = data_.arguments[k];
    if (argument.axis >= 0) {
      weights.turns[argument.axis] += weight * argument.by_turn;
      weights.pushes[argument.axis] += weight * argument.by_push;
    }
    add_to(displacements_, argument.body, weight * six_of(argument.by_displacement));
    add_to(velocities_, argument.body, weight * six_of(argument.by_velocity));
  }
}

void TreeLoadSlopes::run_back(Direction& weights) {
  displacements_.setZero(6, mechanism_->body_count());
  velocities_.setZero(6, mechanism_->body_count());
  weights.lengths.setZero();
  for (int k = 0; k < mechanism_->u_size(); ++k) {
    weights.turns[k] = -loads_.stiffness(k) * weights.forces[k];
    weights.pushes[k] = -loads_.damping(k) * weights.forces[k];
  }
  wrenches_.resize(6, mechanism_->body_count());  // weights of those about the common point
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const Vec3& lever = levers_[index_of(body)];
    const Vec3 force = six_of(loads_.wrench(index_of(body))).head<3>();
    wrenches_.col(body) = shift_velocity(-lever, weights.wrenches.col(body));
    const Vec3 by_moved = weights.wrenches.col(body).tail<3>().cross(force);
    displacements_.col(body) = shift_wrench(lever, (Vec6() << by_moved, Vec3::Zero()).finished());
  }
  for (int i = 0; i < data_.law_count; ++i) {
    const linear::LoopLaw& law = data_.laws[i];
    weigh(law,
          law.axis >= 0 ? weights.forces[law.axis]
                        : six_of(law.wrench).dot(of(wrenches_, law.body) - of(wrenches_, law.opposite)),
          weights);
  }
  for (int i = 0; i < data_.load_count; ++i) {
    const linear::LoopLoad& load = data_.loads[i];
    const Moves slopes =
        LoadSlopes(&load.slopes[0][0]).transpose() * (of(wrenches_, load.body_b) - of(wrenches_, load.body_a));
    add_to(displacements_, load.body_a, slopes.segment<6>(0));
    add_to(displacements_, load.body_b, slopes.segment<6>(6));
    add_to(velocities_, load.body_a, slopes.segment<6>(12));
    add_to(velocities_, load.body_b, slopes.segment<6>(18));
  }
  collect(weights);
}

void TreeLoadSlopes::collect(Direction& weights) {
  for (std::size_t i = mechanism_->tree_joints().size(); i-- > 0;) {
    const Joint& joint = mechanism_->tree_joints()[i];
    const int body = joint.b;
    Vec6 by_displacement = displacements_.col(body);
    Vec6 by_inner = Vec6::Zero();
    const Vec6 by_velocity = velocities_.col(body);
    for (int k = joint.u_offset; k < joint.u_offset + joint.nu; ++k) {
      const Axis& axis = axes_[index_of(k)];
      weights.pushes[k] += axis.motion.dot(by_velocity);
      // y . (psi x S) = (S x* y) . psi
      const Vec6 turned = u_[k] * wrench_crossed(axis.motion, by_velocity);
      (axis.carrier == body ? by_displacement : by_inner) += turned;
    }
    for (int k = joint.u_offset; k < joint.u_offset + joint.nu; ++k) {
      weights.turns[k] += axes_[index_of(k)].motion.dot(by_displacement);
    }
    by_inner += by_displacement;
    weights.lengths[body] += links_[index_of(body)].dot(by_inner.head<3>());
    add_to(displacements_, joint.a, by_inner);
    add_to(velocities_, joint.a, by_velocity);
  }
}

}  // namespace mbdbench
