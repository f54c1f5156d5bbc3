#include "experiments/metamorphic/body_balance.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "experiments/metamorphic/told_motion.hpp"

namespace mbdbench::metamorphic {
namespace {

/// Force on a body and torque about its centre of mass, and the size of what was added up.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  double force_size = 0.0;
  double torque_size = 0.0;
};

class BodyBalance {
 public:
  BodyBalance(const Told& told, double t, const std::vector<Vec3>& accelerations, double uncertainty)
      : told_(told),
        t_(t),
        states_(body_states(told)),
        accelerations_(accelerations),
        uncertainty_(uncertainty),
        wrenches_(told.bodies.size()) {}

  double worst(const Mechanism& mechanism, const Reactions& reactions) {
    add_reactions(mechanism.tree_joints(), reactions.tree_joints);
    add_reactions(mechanism.cut_joints(), reactions.cut_joints);
    for (const ToldLaw& law : told_.laws) {
      add_law(law);
    }
    for (const ToldBodyLoad& load : told_.body_loads) {
      const BodyState& body = states_[static_cast<std::size_t>(load.body)];
      const Eigen::Quaterniond axes = load.in_body_axes ? body.frame.rotation : Eigen::Quaterniond::Identity();
      const double size = load.size.at(t_);
      act(load.body, body.frame.point(load.point), size * (axes * load.force), size * (axes * load.torque));
    }
    for (const ToldPointSpring& spring : told_.point_springs) {
      add_point_spring(spring);
    }
    for (const ToldBushing& bushing : told_.bushings) {
      add_bushing(bushing);
    }
    double worst = 0.0;
    for (std::size_t k = 0; k < told_.bodies.size(); ++k) {
      const double one = imbalance(k);
      worst = one <= worst ? worst : one;
    }
    return worst;
  }

 private:
  void act(int body, const Vec3& point, const Vec3& force, const Vec3& torque) {
    if (body == kWorld) {
      return;
    }
    const auto k = static_cast<std::size_t>(body);
    const Vec3 moment = torque + (point - states_[k].frame.point(told_.bodies[k].com)).cross(force);
    Wrench& sum = wrenches_[k];
    sum.force += force;
    sum.torque += moment;
    sum.force_size += force.norm();
    sum.torque_size += moment.norm();
  }

  /// On b at the joint's point, and back on a.
  void act_between(const ToldJoint& joint, const Vec3& force, const Vec3& torque) {
    const Vec3 point = state_of(states_, joint.b).frame.then(joint.frame_b).position;
    act(joint.b, point, force, torque);
    act(joint.a, point, -force, -torque);
  }

  template <typename Joints>
  void add_reactions(const Joints& joints, const std::vector<Vec6>& wrenches) {
    for (std::size_t k = 0; k < wrenches.size(); ++k) {
      const auto joint = std::find_if(told_.joints.begin(), told_.joints.end(),
                                      [&](const ToldJoint& one) { return one.name == joints[k].name; });
      act_between(*joint, wrenches[k].template head<3>(), wrenches[k].template tail<3>());
    }
  }

  void add_law(const ToldLaw& law) {
    const ToldJoint& joint = told_.joints[law.joint];
    const auto component = static_cast<std::size_t>(law.component);
    const double load = law.wave.at(t_) + law.formula_value - law.stiffness * (joint.q[component] - law.rest) -
                        law.damping * joint.v[component];
    std::vector<double> unit(joint.v.size(), 0.0);
    unit[component] = 1.0;
    const JointMotion direction = joint_motion(joint, unit);
    const Eigen::Quaterniond axes = state_of(states_, joint.a).frame.rotation * joint.frame_a.rotation;
    act_between(joint, axes * direction.velocity * load, axes * direction.spin * load);
  }

  void add_point_spring(const ToldPointSpring& spring) {
    const BodyState one = state_of(states_, spring.body1);
    const BodyState two = state_of(states_, spring.body2);
    const Vec3 from = one.frame.point(spring.point1);
    const Vec3 to = two.frame.point(spring.point2);
    const Vec3 direction = (to - from).normalized();
    const double rate = direction.dot(two.velocity_of(to) - one.velocity_of(from));
    const double pull = spring.stiffness * ((to - from).norm() - spring.rest) + spring.damping * rate;
    act(spring.body1, from, pull * direction, Vec3::Zero());
    act(spring.body2, to, -pull * direction, Vec3::Zero());
  }

  /// The torque is what a turn of body 2 about each axis takes of the energy, by differences.
  void add_bushing(const ToldBushing& bushing) {
    const BodyState one = state_of(states_, bushing.body1);
    const BodyState two = state_of(states_, bushing.body2);
    const Frame first = one.frame.then(bushing.frame1);
    const Frame second = two.frame.then(bushing.frame2);
    const Eigen::Quaterniond back = first.rotation.conjugate();
    const auto energy = [&](const Vec3& turn) {
      const Eigen::AngleAxisd more(turn.norm(), turn.normalized());
      const Eigen::AngleAxisd apart(back * more * second.rotation);
      const Vec3 theta = apart.angle() * apart.axis();
      return 0.5 * theta.dot(bushing.rotational_stiffness.cwiseProduct(theta));
    };
    constexpr double kStep = 1e-3;
    Vec3 torque;
    for (int i = 0; i < 3; ++i) {
      const Vec3 step = kStep * Vec3::Unit(i);
      torque[i] = -(8.0 * (energy(step) - energy(-step)) - (energy(2.0 * step) - energy(-2.0 * step))) / (12.0 * kStep);
    }
    const Vec3 velocity = back * (two.velocity_of(second.position) - one.velocity_of(second.position));
    torque -= first.rotation * bushing.rotational_damping.cwiseProduct(back * (two.spin - one.spin));
    const Vec3 stretch = back * (second.position - first.position);
    const Vec3 force =
        -(first.rotation * (bushing.stiffness.cwiseProduct(stretch) + bushing.damping.cwiseProduct(velocity)));
    act(bushing.body2, second.position, force, torque);
    act(bushing.body1, second.position, -force, -torque);
  }

  double imbalance(std::size_t k) const {
    const auto [first, linear, angular] = accelerations_of(k);
    if (!first) {
      return 0.0;
    }
    const ToldBody& body = told_.bodies[k];
    const BodyState& state = states_[k];
    const Mat3 axes = state.frame.rotation.toRotationMatrix();
    const Mat3 inertia = axes * body.inertia * axes.transpose();
    const Vec3 rate = inertia * angular + state.spin.cross(inertia * state.spin);
    const Vec3 weight = body.mass * told_.gravity;
    const Wrench& sum = wrenches_[k];
    const double force_size = sum.force_size + weight.norm() + body.mass * linear.norm();
    const double length = std::sqrt(body.inertia.trace() / body.mass);
    // Both parts of an acceleration come from three markers with this error in every component.
    const double granted = 10.0 * uncertainty_;
    const double step = (told_.markers[1].point - told_.markers[0].point).norm();
    const double force = (sum.force + weight - body.mass * linear).norm() - body.mass * granted;
    const double torque = (sum.torque - rate).norm() - body.inertia.trace() * granted / step;
    const auto beyond = [](double left) { return left <= 0.0 ? 0.0 : left; };  // what is not a number stays so
    return beyond(force) / force_size + beyond(torque) / (sum.torque_size + rate.norm() + length * force_size);
  }

  /// Of the centre of mass and of the body, where its three markers are on it.
  [[nodiscard]] std::tuple<bool, Vec3, Vec3> accelerations_of(std::size_t k) const {
    for (std::size_t m = 0; m + 2 < told_.markers.size(); m += 3) {
      const bool here = told_.markers[m].body == static_cast<int>(k) &&
                        told_.markers[m + 1].body == static_cast<int>(k) &&
                        told_.markers[m + 2].body == static_cast<int>(k);
      if (!here || told_.markers[m].point != told_.bodies[k].com) {
        continue;
      }
      const Vec3 spin = states_[k].spin;
      const auto axis = [&](std::size_t i) -> Vec3 {
        return states_[k].frame.rotation * (told_.markers[m + i].point - told_.markers[m].point);
      };
      const double length = axis(1).norm();
      const Vec3 x = axis(1) / length;
      const Vec3 y = axis(2) / length;
      const Vec3 x2 = (accelerations_[m + 1] - accelerations_[m]) / length;
      const Vec3 y2 = (accelerations_[m + 2] - accelerations_[m]) / length;
      // z'' of z = x cross y; the sum of e cross e'' over three axes is twice the angular acceleration.
      const Vec3 z2 = x2.cross(y) + 2.0 * spin.cross(x).cross(spin.cross(y)) + x.cross(y2);
      const Vec3 angular = 0.5 * (x.cross(x2) + y.cross(y2) + x.cross(y).cross(z2));
      return {true, accelerations_[m], angular};
    }
    return {false, Vec3::Zero(), Vec3::Zero()};
  }

  const Told& told_;
  double t_;
  std::vector<BodyState> states_;
  const std::vector<Vec3>& accelerations_;
  double uncertainty_;
  std::vector<Wrench> wrenches_;
};

}  // namespace

double worst_imbalance(const Told& told, double t, const std::vector<Vec3>& accelerations, double uncertainty,
                       const Mechanism& mechanism, const Reactions& reactions) {
  return BodyBalance(told, t, accelerations, uncertainty).worst(mechanism, reactions);
}

}  // namespace mbdbench::metamorphic
