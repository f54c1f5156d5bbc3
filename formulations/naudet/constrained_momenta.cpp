#include "formulations/naudet/constrained_momenta.hpp"

#include <algorithm>
#include <optional>

#include "formulations/naudet/loop_order.hpp"
#include "formulations/recursion/rigid_inertia.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

ConstrainedMomenta::ConstrainedMomenta(const Mechanism& mechanism, const DependentLoops& loops,
                                       const CutReferences* near)
    : mechanism_(&mechanism),
      kinematics_(mechanism),
      loads_(mechanism, near),
      motions_(mechanism),
      order_(loops.order),
      outward_order_(loops.order.rbegin(), loops.order.rend()),
      links_(mechanism.bodies().size()),
      body_velocities_(mechanism.bodies().size()),
      u_(index_of(mechanism.u_size()), 0.0) {
  for (const DependentLoop& loop : loops.loops) {
    for (std::size_t i = 0; i < loop.joints.size(); ++i) {
      Link& link = links_[index_of(loop.joints[i].body)];
      link.loop = static_cast<int>(matrices_.size());
      link.place = i;
      link.dependent = loop.joints[i].components;
    }
    matrices_.emplace_back(mechanism, loop);
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    Link& link = links_[k];
    link.parent = joint.a;
    link.reference = loops.reference[k];
    link.meets = link.reference >= 0 && common_ancestor(mechanism, static_cast<int>(k), link.reference) == link.parent;
    link.choose(joint, link.dependent);
    const auto count = static_cast<Eigen::Index>(link.free.size());
    link.reference_gain.setZero(6, count);
    link.free_rate.setZero(count);
  }
}

RhsStatus ConstrainedMomenta::set_positions(double t, std::span<const double> q) {
  motions_.evaluate(t);
  kinematics_.set_positions(q);
  for (ConstraintMatrices& loop : matrices_) {
    const RhsStatus status = loop.set_positions(kinematics_);
    if (!status.ok) {
      return status;
    }
  }
  set_inertias();
  for (const int k : order_) {
    reduce(links_[index_of(k)]);
    const RhsStatus status = eliminate(k);
    if (!status.ok) {
      return status;
    }
  }
  return {};
}

void ConstrainedMomenta::set_inertias() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    Link& link = links_[k];
    const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(k));
    const BodyKinematics& body = kinematics_.body(static_cast<int>(k));
    link.lever = link.parent < 0 ? state.point : Vec3(state.point - kinematics_.tree_joint(link.parent).point);
    link.inertia = rigid_inertia(mechanism_->bodies()[k].mass, body.inertia, body.com - state.point);
    if (link.reference >= 0) {
      link.coupling.setZero();
    }
    link.set_axes(state.h);
  }
}

void ConstrainedMomenta::reduce(Link& link) {
  link.reduced_inertia = link.inertia;
  if (link.reference >= 0) {
    link.reduced_coupling = link.coupling;
  }
  if (link.loop < 0) {
    return;
  }
  const ConstraintMatrix& c = matrix(link);
  const SpatialColumns moved = link.inertia.lazyProduct(c.axes);
  const JointMatrix own = c.axes.transpose().lazyProduct(moved);
  // C^T A C = A - Z (A E)^T - (A E) Z^T + Z (E^T A E) Z^T
  const SpatialColumns crossed = moved - SpatialColumns(c.gain.lazyProduct(0.5 * own));
  const Mat6 half = crossed.lazyProduct(c.gain.transpose());
  link.reduced_inertia -= half + half.transpose();
  if (link.reference < 0) {
    return;
  }
  Mat6& coupling = link.reduced_coupling;
  if (refers(link)) {
    const SpatialColumns turned = link.coupling.transpose().lazyProduct(c.axes);  // B^T E
    const SpatialColumns other = turned + SpatialColumns(c.reference_gain.lazyProduct(0.5 * own));
    const Mat6 other_half = other.lazyProduct(c.reference_gain.transpose());
    links_[index_of(link.reference)].inertia += other_half + other_half.transpose();
    coupling += moved.lazyProduct(c.reference_gain.transpose());
  }
  const Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, 6, 6> along =
      c.axes.transpose().lazyProduct(coupling);
  coupling -= c.gain.lazyProduct(along);
}

RhsStatus ConstrainedMomenta::eliminate(int k) {
  Link& link = links_[index_of(k)];
  Mat6 carried = link.reduced_inertia;
  if (const std::optional<double> smallest = link.JointElimination::eliminate(carried)) {
    return {false, mechanism_->tree_joints()[index_of(k)].name,
            "the constrained inertia along the joint is not positive definite or not finite, its smallest entry is",
            *smallest};
  }
  if (link.reference >= 0) {
    Mat6 coupling = link.reduced_coupling;
    if (!link.free.empty()) {
      const SpatialColumns turned = link.reduced_coupling.transpose().lazyProduct(link.axes);  // B^T E
      link.reference_gain = turned.lazyProduct(link.pivot_inverse);
      links_[index_of(link.reference)].inertia -= link.reference_gain.lazyProduct(turned.transpose());
      coupling -= link.gain.lazyProduct(turned.transpose());
    }
    pass_coupling(link, coupling);
  }
  if (link.parent >= 0) {
    const Mat6 shift = shift_matrix(link.lever);
    links_[index_of(link.parent)].inertia += shift * carried * shift.transpose();
  } else if (!carried.allFinite()) {
    return {false, mechanism_->tree_joints()[index_of(k)].name, "the constrained inertia is not finite, its trace is",
            carried.trace()};
  }
  return {};
}

void ConstrainedMomenta::pass_coupling(Link& link, const Mat6& coupling) {
  if (link.parent < 0) {
    return;  // of the ground, which does not move
  }
  const Mat6 shifted = shift_matrix(link.lever) * coupling;
  if (link.parent == link.reference) {
    links_[index_of(link.parent)].inertia += shifted + shifted.transpose();
  } else if (link.meets) {
    links_[index_of(link.reference)].coupling += shifted.transpose();
  } else {
    links_[index_of(link.parent)].coupling += shifted;
  }
}

void ConstrainedMomenta::set_prescribed() {
  const std::span<const double> values = motions_.velocities();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[k];
    links_[k].prescribed.setZero();
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const int component = joint.motions[m].component;
      const double value = values[index_of(joint.motion_offset - mechanism_->cut_row_count()) + m];
      links_[k].prescribed += value * kinematics_.tree_joint(static_cast<int>(k)).h.col(component);
      u_[index_of(joint.u_offset + component)] = value;
    }
  }
}

void ConstrainedMomenta::solve_velocities(std::span<const double> p) {
  for (Link& link : links_) {
    link.bias.setZero();
  }
  set_prescribed();
  sweep_inward(p);
  sweep_outward();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const int body = static_cast<int>(k);
    body_velocities_[k] =
        shift_velocity(kinematics_.body(body).com - kinematics_.tree_joint(body).point, links_[k].velocity);
  }
  kinematics_.set_body_velocities(body_velocities_);
}

void ConstrainedMomenta::sweep_inward(std::span<const double> p) {
  for (const int k : order_) {
    Link& link = links_[index_of(k)];
    const int offset = mechanism_->tree_joints()[index_of(k)].u_offset;
    Vec6 bias = link.bias;
    if (link.loop >= 0) {
      const ConstraintMatrix& c = matrix(link);
      const JointVector along = c.axes.transpose().lazyProduct(bias);
      bias -= c.gain.lazyProduct(along);
      if (refers(link)) {
        links_[index_of(link.reference)].bias += c.reference_gain.lazyProduct(along);
      }
    }
    JointVector missing(static_cast<Eigen::Index>(link.free.size()));
    for (std::size_t i = 0; i < link.free.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      missing[row] = p[index_of(offset + link.free[i])] - link.axes.col(row).dot(bias);
    }
    link.free_rate = link.pivot_inverse.lazyProduct(missing);
    link.free_rate -= link.gain.transpose().lazyProduct(link.prescribed);
    link.relative_velocity = link.prescribed + link.axes.lazyProduct(link.free_rate);
    if (link.reference >= 0) {
      links_[index_of(link.reference)].bias += link.reduced_coupling.transpose() * link.relative_velocity;
    }
    if (link.parent >= 0) {
      const Vec6 carried = bias + link.reduced_inertia * link.relative_velocity;
      links_[index_of(link.parent)].bias += shift_wrench(link.lever, carried);
    }
  }
}

void ConstrainedMomenta::sweep_outward() {
  for (const int k : outward_order_) {
    Link& link = links_[index_of(k)];
    const int offset = mechanism_->tree_joints()[index_of(k)].u_offset;
    const Vec6 inherited = shift_velocity(link.lever, velocity_of(link.parent));
    JointVector reaction = link.gain.transpose().lazyProduct(inherited);
    if (link.reference >= 0) {
      reaction += link.reference_gain.transpose().lazyProduct(velocity_of(link.reference));
    }
    link.velocity = inherited + link.relative_velocity - link.axes.lazyProduct(reaction);
    for (std::size_t i = 0; i < link.free.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      u_[index_of(offset + link.free[i])] = link.free_rate[row] - reaction[row];
    }
    if (link.loop >= 0) {
      const ConstraintMatrix& c = matrix(link);
      JointVector own = JointVector::Zero(c.axes.cols());
      own -= c.gain.transpose().lazyProduct(link.velocity);
      if (refers(link)) {
        own += c.reference_gain.transpose().lazyProduct(velocity_of(link.reference));
      }
      link.velocity += c.axes.lazyProduct(own);  // [Naudet2005, Eq. (22), (23)]
      for (std::size_t i = 0; i < link.dependent.size(); ++i) {
        u_[index_of(offset + link.dependent[i])] = own[static_cast<Eigen::Index>(i)];
      }
    }
    // P^c = A V + B V_r + b of everything outboard of joint K: no third sweep collects it.
    link.momentum = link.bias + link.inertia * link.velocity;
    if (link.reference >= 0) {
      link.momentum += link.coupling * velocity_of(link.reference);
    }
  }
}

void ConstrainedMomenta::momentum_rates(double t, std::span<const double> q, std::span<double> pdot) {
  loads_.evaluate(t, q, u_, kinematics_);
  for (ConstraintMatrices& loop : matrices_) {
    loop.set_velocities(kinematics_);
  }
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const int body = static_cast<int>(k);
    links_[k].force =
        shift_wrench(kinematics_.body(body).com - kinematics_.tree_joint(body).point, loads_.body_wrench(body));
  }
  std::fill(pdot.begin(), pdot.end(), 0.0);
  for (const int k : order_) {
    project_force(k, pdot);
  }
}

void ConstrainedMomenta::project_force(int k, std::span<double> pdot) {
  Link& link = links_[index_of(k)];
  const int offset = mechanism_->tree_joints()[index_of(k)].u_offset;
  const JointKinematics& state = kinematics_.tree_joint(k);
  const Eigen::VectorXd& tau = loads_.joint_forces();
  Vec6 momentum = link.momentum;
  Vec6 force = link.force;
  if (link.loop >= 0) {
    // DEVIATES [Naudet2005, Eq. (24)]: printed C_K^T S; it is S C_{K+1}^T (naudet_printed_formulas_test).
    // DEVIATES [Naudet2005, Eq. (27)]: printed with T_{K+1} and P_{K+1}; it carries those with the superscript c
    // (naudet_printed_formulas_test).
    const ConstraintMatrix& c = matrix(link);
    const Vec6 load = force - shift_rate_wrench(state.velocity, momentum);
    const JointVector along = c.axes.transpose().lazyProduct(momentum);
    JointVector rate = c.axes.transpose().lazyProduct(load);
    rate += c.axes_rate.transpose().lazyProduct(momentum);
    for (std::size_t i = 0; i < link.dependent.size(); ++i) {
      rate[static_cast<Eigen::Index>(i)] += tau[offset + link.dependent[i]];
    }
    const Vec6 removed = c.gain.lazyProduct(along);
    momentum -= removed;
    force -= c.gain_rate.lazyProduct(along) + c.gain.lazyProduct(rate) + shift_rate_wrench(state.velocity, removed);
    if (refers(link)) {
      const Vec6 added = c.reference_gain.lazyProduct(along);
      links_[index_of(link.reference)].force +=
          c.reference_gain_rate.lazyProduct(along) + c.reference_gain.lazyProduct(rate) +
          shift_rate_wrench(kinematics_.tree_joint(link.reference).velocity, added);
    }
  }
  const Vec6 load = force - shift_rate_wrench(state.velocity, momentum);  // d/dt P^c, [Naudet2005, Eq. (26)]
  for (const int component : link.free) {
    const int row = offset + component;
    pdot[index_of(row)] = state.h.col(component).dot(load) + state.h_rate.col(component).dot(momentum) + tau[row];
  }
  if (link.parent >= 0) {
    links_[index_of(link.parent)].force += shift_wrench(link.lever, force);
  }
}

}  // namespace mbdbench
