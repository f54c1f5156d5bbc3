#include "formulations/recursion/body_recursion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formulations/recursion/rigid_inertia.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

BodyRecursion::BodyRecursion(const Mechanism& mechanism, const CutReferences* near)
    : mechanism_(&mechanism),
      kinematics_(mechanism),
      loads_(mechanism, near),
      motions_(mechanism),
      links_(mechanism.bodies().size()),
      sums_(mechanism.bodies().size()),
      velocities_(mechanism.bodies().size()),
      u_(index_of(mechanism.u_size()), 0.0),
      accelerations_(index_of(mechanism.u_size()), 0.0) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    Link& link = links_[k];
    link.parent = joint.a;
    link.choose(joint);
    link.free_rate.setZero(static_cast<Eigen::Index>(link.free.size()));
  }
}

RhsStatus BodyRecursion::set_positions(double t, std::span<const double> q) {
  motions_.evaluate(t);
  kinematics_.set_positions(q);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
    const BodyKinematics& body = kinematics_.body(static_cast<int>(k));
    link.lever = link.parent < 0 ? state.point : Vec3(state.point - kinematics_.tree_joint(link.parent).point);
    link.inertia = rigid_inertia(mechanism_->bodies()[k].mass, body.inertia, body.com - state.point);
    link.set_axes(state.h);
  }
  for (int k = mechanism_->body_count() - 1; k >= 0; --k) {
    const RhsStatus status = eliminate(k);
    if (!status.ok) {
      return status;
    }
  }
  return {};
}

RhsStatus BodyRecursion::eliminate(int k) {
  Link& link = links_[index_of(k)];
  Mat6 carried = link.inertia;
  if (const std::optional<double> smallest = link.JointElimination::eliminate(carried)) {
    return {false, mechanism_->tree_joints()[index_of(k)].name,
            "the articulated inertia along the joint is not positive definite or not finite, its smallest entry is",
            *smallest};
  }
  if (link.parent >= 0) {
    // K_j += B1^T (M - M N M) B1  [Bae1987, recursion of K]
    const Mat6 shift = shift_matrix(link.lever);
    links_[index_of(link.parent)].inertia += shift * carried * shift.transpose();
  } else if (!carried.allFinite()) {
    return {false, mechanism_->tree_joints()[index_of(k)].name, "the articulated inertia is not finite, its trace is",
            carried.trace()};
  }
  return {};
}

void BodyRecursion::sweep_inward(std::span<const double> t) {
  for (int k = mechanism_->body_count() - 1; k >= 0; --k) {
    Link& link = links_[index_of(k)];
    const int offset = mechanism_->tree_joints()[index_of(k)].u_offset;
    JointVector missing(static_cast<Eigen::Index>(link.free.size()));
    for (std::size_t i = 0; i < link.free.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      missing[row] = t[index_of(offset + link.free[i])] - link.axes.col(row).dot(link.wrench);
    }
    link.free_rate.noalias() = link.pivot_inverse.lazyProduct(missing) - link.gain.transpose().lazyProduct(link.bias);
    link.relative_rate = link.bias + link.axes.lazyProduct(link.free_rate);
    if (link.parent >= 0) {
      const Vec6 carried = link.wrench + link.inertia * link.relative_rate;
      links_[index_of(link.parent)].wrench += shift_wrench(link.lever, carried);
    }
  }
}

void BodyRecursion::sweep_outward(std::span<double> rates) {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    Link& link = links_[index_of(k)];
    const int offset = mechanism_->tree_joints()[index_of(k)].u_offset;
    const Vec6 inherited = shift_velocity(link.lever, rate(link.parent));
    const JointVector reaction = link.gain.transpose().lazyProduct(inherited);
    link.rate = inherited + link.relative_rate - link.axes.lazyProduct(reaction);
    for (std::size_t i = 0; i < link.free.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      rates[index_of(offset + link.free[i])] = link.free_rate[row] - reaction[row];
    }
  }
}

void BodyRecursion::add_prescribed(std::span<const double> values, std::span<double> rates) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const int component = joint.motions[m].component;
      const double value = values[index_of(joint.motion_offset - mechanism_->cut_row_count()) + m];
      links_[k].bias += value * kinematics_.tree_joint(static_cast<int>(k)).h.col(component);
      rates[index_of(joint.u_offset + component)] = value;
    }
  }
}

void BodyRecursion::set_velocities(std::span<const double> u) {
  std::copy(u.begin(), u.end(), u_.begin());
  kinematics_.set_velocities(u);
}

void BodyRecursion::sweep_momenta(std::span<const double> p) {
  for (Link& link : links_) {
    link.bias.setZero();
    link.wrench.setZero();
  }
  add_prescribed(motions_.velocities(), u_);
  sweep_inward(p);
}

void BodyRecursion::sweep_velocities() {
  sweep_outward(u_);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    const int body = static_cast<int>(k);
    // P = A V + b of everything outboard of joint k: no third sweep collects it.
    link.momentum = link.wrench + link.inertia * link.rate;
    velocities_[k] = shift_velocity(kinematics_.body(body).com - kinematics_.tree_joint(body).point, link.rate);
  }
  kinematics_.set_body_velocities(velocities_);
}

void BodyRecursion::evaluate_loads(double t, std::span<const double> q) {
  loads_.evaluate(t, q, u_, kinematics_);
}

void BodyRecursion::set_acceleration_bias() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    const Joint& joint = mechanism_->tree_joints()[k];
    const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
    const BodyKinematics& body = kinematics_.body(static_cast<int>(k));
    // c_k = Sdot^T V_j + Hdot u: the lever arm ends at two points that move with their own velocities.
    link.bias.setZero();
    if (joint.a >= 0) {
      link.bias.head<3>() =
          kinematics_.body(joint.a).velocity.tail<3>().cross(state.velocity - kinematics_.tree_joint(joint.a).velocity);
    }
    for (int i = 0; i < joint.nu; ++i) {
      link.bias += u_[index_of(joint.u_offset + i)] * state.h_rate.col(i);
    }
    // f_k of the body alone: what its mass needs for omega, less the applied load.
    const Vec3 omega = body.velocity.tail<3>();
    const Vec3 l = body.com - state.point;
    Vec6 needed = -loads_.body_wrench(static_cast<int>(k));
    needed.head<3>() += mechanism_->bodies()[k].mass * omega.cross(omega.cross(l));
    needed.tail<3>() += omega.cross(body.inertia * omega);
    link.wrench = shift_wrench(l, needed);
  }
}

void BodyRecursion::sweep_loads(std::span<const PointForce> further) {
  set_acceleration_bias();
  for (const PointForce& load : further) {
    Link& link = links_[index_of(load.body)];
    link.wrench.head<3>() -= load.force;
    link.wrench.tail<3>() -= (load.point - kinematics_.tree_joint(load.body).point).cross(load.force);
  }
  add_prescribed(motions_.accelerations(), accelerations_);
  const Eigen::VectorXd& tau = loads_.joint_forces();
  sweep_inward({tau.data(), static_cast<std::size_t>(tau.size())});
}

void BodyRecursion::sweep_accelerations() {
  sweep_outward(accelerations_);
}

void BodyRecursion::sum_inward(std::vector<Vec6>& values) const {
  for (std::size_t k = values.size(); k-- > 0;) {
    if (links_[k].parent >= 0) {
      values[index_of(links_[k].parent)] += shift_wrench(links_[k].lever, values[k]);
    }
  }
}

void BodyRecursion::momenta(std::span<double> p) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const BodyKinematics& body = kinematics_.body(static_cast<int>(k));
    Vec6 momentum;
    momentum.head<3>() = mechanism_->bodies()[k].mass * body.velocity.head<3>();
    momentum.tail<3>() = body.inertia * body.velocity.tail<3>();
    sums_[k] = shift_wrench(body.com - kinematics_.tree_joint(static_cast<int>(k)).point, momentum);
  }
  sum_inward(sums_);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    for (int i = 0; i < joint.nu; ++i) {
      p[index_of(joint.u_offset + i)] = kinematics_.tree_joint(static_cast<int>(k)).h.col(i).dot(sums_[k]);
    }
  }
}

void BodyRecursion::momentum_rates(std::span<double> pdot) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const int body = static_cast<int>(k);
    sums_[k] = shift_wrench(kinematics_.body(body).com - kinematics_.tree_joint(body).point, loads_.body_wrench(body));
  }
  sum_inward(sums_);
  const Eigen::VectorXd& tau = loads_.joint_forces();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
    const Vec6 load = sums_[k] - shift_rate_wrench(state.velocity, links_[k].momentum);
    for (int i = 0; i < joint.nu; ++i) {
      const int row = joint.u_offset + i;
      // DEVIATES [Naudet2005, Eq. (21)]: printed with T'* and E' P*; it is E^T (T* - Sdot P*) + E'^T P*
      // (right_hand_side_test, all joint types).
      pdot[index_of(row)] = state.h.col(i).dot(load) + state.h_rate.col(i).dot(links_[k].momentum) + tau[row];
    }
  }
}

void BodyRecursion::reactions(std::span<const Vec6> cut_joints, Reactions& result) const {
  result.cut_joints.assign(mechanism_->cut_joints().size(), Vec6::Zero());
  std::copy(cut_joints.begin(), cut_joints.end(), result.cut_joints.begin());
  // What each body still needs at O_k beyond the applied loads and the cut joints.
  std::vector<Vec6> needed(links_.size());
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const BodyKinematics& body = kinematics_.body(static_cast<int>(k));
    const Vec3 l = body.com - kinematics_.tree_joint(static_cast<int>(k)).point;
    const Vec3 omega = body.velocity.tail<3>();
    const Vec3 alpha = links_[k].rate.tail<3>();
    Vec6 wrench = -loads_.body_wrench(static_cast<int>(k));
    wrench.head<3>() +=
        mechanism_->bodies()[k].mass * (links_[k].rate.head<3>() + alpha.cross(l) + omega.cross(omega.cross(l)));
    wrench.tail<3>() += body.inertia * alpha + omega.cross(body.inertia * omega);
    needed[k] = shift_wrench(l, wrench);
  }
  for (std::size_t c = 0; c < cut_joints.size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
    if (joint.b >= 0) {
      needed[index_of(joint.b)] -= shift_wrench(state.point - kinematics_.tree_joint(joint.b).point, cut_joints[c]);
    }
    if (joint.a >= 0) {
      needed[index_of(joint.a)] += shift_wrench(state.point - kinematics_.tree_joint(joint.a).point, cut_joints[c]);
    }
  }
  sum_inward(needed);
  const Eigen::VectorXd& tau = loads_.joint_forces();
  result.tree_joints.resize(links_.size());
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    const int body = static_cast<int>(k);
    const Eigen::VectorXd dual = kinematics_.gram_inverse(body) * tau.segment(joint.u_offset, joint.nu);
    result.tree_joints[k] = needed[k] - kinematics_.tree_joint(body).h * dual;
  }
}

std::string refuse_closed_loops(const Mechanism& mechanism) {
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  return fmt::format("it has closed loops ({} cut joint{}, the first is '{}') and the formulation takes trees only",
                     mechanism.cut_joints().size(), mechanism.cut_joints().size() == 1 ? "" : "s",
                     mechanism.cut_joints().front().name);
}

}  // namespace mbdbench
