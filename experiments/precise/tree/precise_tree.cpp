#include "experiments/precise/tree/precise_tree.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench::precise {
namespace {

Rates part_of(std::span<const Real> numbers, const Joint& joint) {
  Rates part(joint.nu);
  for (int i = 0; i < joint.nu; ++i) {
    part[i] = numbers[index_of(joint.u_offset + i)];
  }
  return part;
}

/// \returns d/dt of a momentum that moves along.
Spatial carried_momentum(const Spatial& velocity, const Spatial& momentum) {
  const Vector omega = velocity.tail<3>();
  Spatial rate;
  rate.head<3>() = omega.cross(momentum.head<3>());
  rate.tail<3>() = omega.cross(momentum.tail<3>()) + Vector(velocity.head<3>()).cross(momentum.head<3>());
  return rate;
}

Reals reals(std::size_t count, double value) {
  return Reals(count, Real(value));
}

}  // namespace

TreeNumbers::TreeNumbers(const Mechanism& mechanism)
    : forces(reals(index_of(mechanism.u_size()), 0.0)), elongation(reals(mechanism.tree_joints().size(), 0.0)) {
  std::transform(mechanism.bodies().begin(), mechanism.bodies().end(), std::back_inserter(masses),
                 [](const Body& body) { return Real(body.mass); });
  const auto add_springs = [this](const auto& springs) {
    for (const auto& spring : springs) {
      stiffness.emplace_back(spring.stiffness);
      damping.emplace_back(spring.damping);
    }
  };
  add_springs(mechanism.description().joint_springs);
  add_springs(mechanism.description().point_springs);
}

PreciseTree::PreciseTree(const Mechanism& mechanism, const TreeNumbers& numbers)
    : mechanism_(&mechanism),
      numbers_(&numbers),
      link_directions_(link_directions(mechanism)),
      bodies_(mechanism.bodies().size()) {}

TreeBody& PreciseTree::inboard(std::size_t body) {
  const int parent = mechanism_->tree_joints()[body].a;
  return parent < 0 ? ground_ : bodies_[index_of(parent)];
}

void PreciseTree::place(std::span<const Real> q) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const TreeBody& a = inboard(k);
    TreeBody& body = bodies_[k];
    const JointPose pose = joint_pose(joint, q.subspan(index_of(joint.q_offset), index_of(joint.nq)));
    const Matrix axes_a = a.rotation * orthonormal(joint.rotation_a);
    const Matrix axes_b = axes_a * pose.rotation;
    const Vector on_a = precise(joint.position_a) + precise(link_directions_[k]) * numbers_->elongation[k];
    const Vector point = a.origin + a.rotation * on_a + axes_a * pose.translation;
    body.rotation = axes_b * orthonormal(joint.rotation_b).transpose();
    body.origin = point - body.rotation * precise(joint.position_b);
    body.axes = JointAxes(joint, axes_a, axes_b, point);
    set_inertia(k);
  }
  articulated_ = false;
}

void PreciseTree::articulate() {
  if (articulated_) {
    return;
  }
  for (TreeBody& body : bodies_) {
    body.articulated = body.inertia;
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    TreeBody& body = bodies_[k];
    SpatialMatrix felt = body.articulated;
    if (const Columns& axes = body.axes.columns(); axes.cols() > 0) {
      body.gain = body.articulated * axes;
      body.pivot.compute(axes.transpose() * body.gain);
      if (body.pivot.info() != Eigen::Success) {
        throw std::runtime_error("precise motion: the articulated inertia of '" + mechanism_->bodies()[k].name +
                                 "' is not positive");
      }
      felt -= body.gain * body.pivot.solve(body.gain.transpose().eval());
    }
    if (mechanism_->tree_joints()[k].a >= 0) {
      inboard(k).articulated += felt;
    }
  }
  articulated_ = true;
}

void PreciseTree::set_inertia(std::size_t index) {
  TreeBody& body = bodies_[index];
  const Body& given = mechanism_->bodies()[index];
  const Vector centre = body.origin + body.rotation * precise(given.com);
  const Real mass = numbers_->masses[index];
  Matrix lever;
  lever << 0, -centre.z(), centre.y(), centre.z(), 0, -centre.x(), -centre.y(), centre.x(), 0;
  body.inertia.topLeftCorner<3, 3>() = Matrix::Identity() * mass;
  body.inertia.topRightCorner<3, 3>() = -mass * lever;
  body.inertia.bottomLeftCorner<3, 3>() = mass * lever;
  body.inertia.bottomRightCorner<3, 3>() =
      body.rotation * given.inertia.cast<Real>() * body.rotation.transpose() - mass * lever * lever;
}

void PreciseTree::move(std::span<const Real> u) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const TreeBody& a = inboard(k);
    TreeBody& body = bodies_[k];
    body.velocity = a.velocity + body.axes.columns() * part_of(u, joint);
    body.bias.setZero();
    for (Eigen::Index i = 0; i < joint.nu; ++i) {
      body.bias += body.axes.rate(i, a.velocity, body.velocity) * u[index_of(joint.u_offset + i)];
    }
  }
}

void PreciseTree::accelerate(std::span<const Real> udot) {
  ground_.acceleration.setZero();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    TreeBody& body = bodies_[k];
    body.acceleration =
        inboard(k).acceleration + body.bias + body.axes.columns() * part_of(udot, mechanism_->tree_joints()[k]);
  }
}

Reals PreciseTree::accelerations(const Loads& loads) {
  articulate();
  const bool moves = loads.gravity_and_velocities;
  ground_.acceleration.setZero();
  if (moves) {
    ground_.acceleration.head<3>() = -precise(mechanism_->gravity());
  }
  for (TreeBody& body : bodies_) {
    body.force.setZero();
    if (moves) {
      body.force = carried_momentum(body.velocity, body.inertia * body.velocity);
    }
  }
  for (std::size_t k = 0; k < loads.wrenches.size(); ++k) {
    bodies_[k].force -= loads.wrenches[k];
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    TreeBody& body = bodies_[k];
    const Joint& joint = mechanism_->tree_joints()[k];
    Spatial force = body.force;
    if (moves) {
      force += body.articulated * body.bias;
    }
    if (const Columns& axes = body.axes.columns(); axes.cols() > 0) {
      body.remaining = part_of(loads.joint_forces, joint) - axes.transpose() * body.force;
      Rates driving = body.remaining;
      if (moves) {
        driving -= body.gain.transpose() * body.bias;
      }
      force += body.gain * body.pivot.solve(driving);
    }
    if (joint.a >= 0) {
      inboard(k).force += force;
    }
  }
  Reals rates(index_of(mechanism_->u_size()));
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    TreeBody& body = bodies_[k];
    body.acceleration = inboard(k).acceleration;
    if (moves) {
      body.acceleration += body.bias;
    }
    const Columns& axes = body.axes.columns();
    if (axes.cols() == 0) {
      continue;
    }
    const Rates own = body.pivot.solve(Rates(body.remaining - body.gain.transpose() * body.acceleration));
    body.acceleration += axes * own;
    for (Eigen::Index i = 0; i < own.size(); ++i) {
      rates[index_of(mechanism_->tree_joints()[k].u_offset + i)] = own[i];
    }
  }
  return rates;
}

Reals PreciseTree::momenta() const {
  std::vector<Spatial> outboard(bodies_.size(), Spatial(Spatial::Zero()));
  Reals momenta(index_of(mechanism_->u_size()));
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const Joint& joint = mechanism_->tree_joints()[k];
    outboard[k] += bodies_[k].inertia * bodies_[k].velocity;
    const Rates own = bodies_[k].axes.columns().transpose() * outboard[k];
    for (int i = 0; i < joint.nu; ++i) {
      momenta[index_of(joint.u_offset + i)] = own[i];
    }
    if (joint.a >= 0) {
      outboard[index_of(joint.a)] += outboard[k];
    }
  }
  return momenta;
}

Reals PreciseTree::momentum_rates(const Loads& loads, const Impulses& impulses) const {
  // p_i = S_i^T P_i with P_i the momentum of all that hangs on joint i, less its impulses: only gravity, loads on
  // bodies, the joint's constraints, which S_i does not see, its force and what impulses are the sum of change P_i.
  std::vector<Spatial> momentum(bodies_.size(), Spatial(Spatial::Zero()));
  std::vector<Spatial> weight(bodies_.size(), Spatial(Spatial::Zero()));
  Spatial fall = Spatial::Zero();
  fall.head<3>() = precise(mechanism_->gravity());
  Reals rates(loads.joint_forces.begin(), loads.joint_forces.end());
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const TreeBody& body = bodies_[k];
    const TreeBody& a = joint.a < 0 ? ground_ : bodies_[index_of(joint.a)];
    momentum[k] += body.inertia * body.velocity;
    weight[k] += body.inertia * fall;
    if (!loads.wrenches.empty()) {
      weight[k] += loads.wrenches[k];
    }
    if (!impulses.sums.empty()) {
      momentum[k] -= impulses.sums[k];
      weight[k] -= impulses.rates[k];
    }
    for (int i = 0; i < joint.nu; ++i) {
      rates[index_of(joint.u_offset + i)] +=
          body.axes.rate(i, a.velocity, body.velocity).dot(momentum[k]) + body.axes.columns().col(i).dot(weight[k]);
    }
    if (joint.a >= 0) {
      momentum[index_of(joint.a)] += momentum[k];
      weight[index_of(joint.a)] += weight[k];
    }
  }
  return rates;
}

Reals PreciseTree::coordinate_rates(std::span<const Real> q, std::span<const Real> u) const {
  Reals rates(q.size());
  for (const Joint& joint : mechanism_->tree_joints()) {
    const Real* const own = q.data() + joint.q_offset;
    const Real* const velocity = u.data() + joint.u_offset;
    Real* const rate = rates.data() + joint.q_offset;
    int angles = 0;
    if (has_quaternion(joint.type)) {
      angles = 3;
      const Vector turn(velocity[0], velocity[1], velocity[2]);
      const Vector vector(own[1], own[2], own[3]);
      const Vector changed = (turn * own[0] + vector.cross(turn)) * Real(0.5);
      rate[0] = -vector.dot(turn) * Real(0.5);
      for (int i = 0; i < 3; ++i) {
        rate[1 + i] = changed[i];
      }
    }
    const int ahead = joint.nq - joint.nu;  // one where there is a quaternion
    for (int i = angles; i < joint.nu; ++i) {
      rate[i + ahead] = velocity[i];
    }
  }
  return rates;
}

}  // namespace mbdbench::precise
