// What moves and acts at a LoopState: velocities, accelerations and momenta, and what they need of forces.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "formulations/derivatives/loops/loop_state.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/link_length.hpp"

namespace mbdbench {
namespace {

using linear::LoopAxis;
using linear::LoopBody;
using linear::LoopCut;

}  // namespace

void LoopState::move_bodies(const Eigen::VectorXd& u) {
  velocity_slopes_.set_velocities(u);
  for (LoopBody& body : bodies_) {
    body.velocity = body.inboard < 0 ? Screw<double>{} : bodies_[index_of(body.inboard)].velocity;
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      axes_[index_of(k)].speed = u[k];
      linear::add(axes_[index_of(k)].motion, u[k], body.velocity);
    }
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      LoopAxis& axis = axes_[index_of(k)];
      axis.rate = axis.carrier < 0 ? Screw<double>{}
                                   : linear::motions_crossed(bodies_[index_of(axis.carrier)].velocity, axis.motion);
    }
    body.momentum = linear::inertia_times(body.inertia, body.velocity);
  }
}

void LoopState::set_loads(std::span<const double> q, const Eigen::VectorXd& u) {
  if (!loads_) {
    return;
  }
  loads_->set(t_, q, view(u), kinematics_, center_);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    axes_[k].stiffness = loads_->stiffness(static_cast<int>(k));
    axes_[k].damping = loads_->damping(static_cast<int>(k));
  }
}

void LoopState::begin_carried() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    bodies_[k].carried = loads_ ? linear::minus(bodies_[k].force, loads_->wrench(k)) : bodies_[k].force;
  }
}

void LoopState::set_velocities(std::span<const double> q, const Eigen::VectorXd& u) {
  data_.drifted = false;
  move_bodies(u);
  for (LoopBody& body : bodies_) {
    body.acceleration = body.inboard < 0 ? data_.ground : bodies_[index_of(body.inboard)].acceleration;
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      axes_[index_of(k)].acceleration = 0.0;
      linear::add(axes_[index_of(k)].rate, u[k], body.acceleration);
    }
    body.force = linear::plus(linear::inertia_times(body.inertia, body.acceleration),
                              linear::wrench_crossed(body.velocity, body.momentum));
  }
  begin_carried();
  carry_inward(&LoopBody::carried);
  set_cut_motions();
  for (const LoopBody& body : bodies_) {
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      forces_[k] = -linear::dot(axes_[index_of(k)].motion, body.carried);
    }
  }
  add_joint_forces(q);
  accelerations_.setZero();
  for (const LoopCut& cut : cuts_) {
    for (int j = 0; j < cut.shape.rows; ++j) {
      accelerations_[cut.first_row + j] = -cut.motion.second[j];
    }
  }
  for (std::size_t m = 0; m < motions_.rows().size(); ++m) {
    accelerations_[motions_.rows()[m]] += motions_.accelerations()[m];
  }
  velocity_slopes_.take_second_rates(accelerations_);
  if (data_.damping != 0.0 || data_.stiffness != 0.0) {
    add_stabilisation(q, u);
  }
}

void LoopState::stabilise(double alpha, double beta) {
  data_.damping = 2.0 * alpha;
  data_.stiffness = beta * beta;
}

void LoopState::feed_back(double beta) {
  feedback_ = beta;
  data_.feedback = beta;
}

Eigen::VectorXd LoopState::openings(std::span<const double> q) const {
  Eigen::VectorXd open = Eigen::VectorXd::Zero(mechanism_->constraint_size());
  std::array<double, 6> own{};
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics_.cut_joint(static_cast<int>(c));
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, own);
    drive_residual(joint, motions_.positions(), own);
    for (int j = 0; j < joint.nc; ++j) {
      open[joint.row_offset + j] = own[index_of(j)];
    }
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    open[coupling.row] = coupling.residual(q);
  }
  return open;
}

void LoopState::add_stabilisation(std::span<const double> q, const Eigen::VectorXd& u) {
  accelerations_ -= data_.stiffness * openings(q);
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const LoopCut& cut = cuts_[c];
    for (int j = 0; j < cut.shape.rows; ++j) {
      accelerations_[cut.first_row + j] -= data_.damping * cut.motion.first[j];
    }
    for (const DrivenRow& driven : mechanism_->cut_joints()[c].driven) {
      accelerations_[cut.first_row + driven.row] += data_.damping * motions_.velocities()[index_of(driven.place)];
    }
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    accelerations_[coupling.row] -= data_.damping * coupling.rate(view(u));
  }
}

void LoopState::add_joint_forces(std::span<const double> q) {
  if (loads_) {
    forces_ += loads_->joint_forces();
  }
  for (const Spring& spring : springs_) {
    forces_[spring.u] +=
        spring.constant - spring.stiffness * q[index_of(spring.q)] - spring.damping * axes_[index_of(spring.u)].speed;
  }
}

Screw<double> LoopState::wrench_of(const LoopCut& cut, const Screw<double>* rows, const double* factors) {
  Screw<double> sum{};
  for (int j = 0; j < cut.shape.rows; ++j) {
    linear::add(rows[j], factors[j], sum);
  }
  return sum;
}

void LoopState::take_wrench(const LoopCut& cut, const Screw<double>& wrench, Screw<double> LoopBody::*from) {
  if (cut.shape.body_a >= 0) {
    Screw<double>& there = bodies_[index_of(cut.shape.body_a)].*from;
    there = linear::plus(there, wrench);
  }
  if (cut.shape.body_b >= 0) {
    Screw<double>& there = bodies_[index_of(cut.shape.body_b)].*from;
    there = linear::minus(there, wrench);
  }
}

void LoopState::carry_inward(Screw<double> LoopBody::*member) {
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    if (bodies_[i].inboard >= 0) {
      Screw<double>& inner = bodies_[index_of(bodies_[i].inboard)].*member;
      inner = linear::plus(inner, bodies_[i].*member);
    }
  }
}

void LoopState::set_accelerations(const Eigen::VectorXd& accelerations, const Eigen::MatrixXd& lambda) {
  velocity_slopes_.set_accelerations(accelerations, lambda);
  for (LoopBody& body : bodies_) {
    body.acceleration = body.inboard < 0 ? data_.ground : bodies_[index_of(body.inboard)].acceleration;
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      LoopAxis& axis = axes_[index_of(k)];
      axis.acceleration = accelerations[k];
      linear::add(axis.motion, accelerations[k], body.acceleration);
      linear::add(axis.rate, axis.speed, body.acceleration);
    }
    body.force = linear::plus(linear::inertia_times(body.inertia, body.acceleration),
                              linear::wrench_crossed(body.velocity, body.momentum));
  }
  begin_carried();
  for (LoopCut& cut : cuts_) {
    for (int j = 0; j < cut.shape.rows; ++j) {
      cut.lambda[j] = lambda(cut.first_row + j, 0);
    }
    cut.wrench = wrench_of(cut, cut.motion.rows, cut.lambda);
    take_wrench(cut, cut.wrench, &LoopBody::carried);
  }
  carry_inward(&LoopBody::carried);
}

void LoopState::set_change(const Eigen::VectorXd& change, const Eigen::MatrixXd& sigma) {
  data_.drifted = true;
  velocity_slopes_.set_impulses(sigma);
  for (LoopBody& body : bodies_) {
    body.change = body.inboard < 0 ? Screw<double>{} : bodies_[index_of(body.inboard)].change;
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      axes_[index_of(k)].change = change[k];
      linear::add(axes_[index_of(k)].motion, change[k], body.change);
    }
    body.change_force = linear::inertia_times(body.inertia, body.change);
    body.change_carried = body.change_force;
  }
  for (LoopCut& cut : cuts_) {
    for (int j = 0; j < cut.shape.rows; ++j) {
      cut.sigma[j] = sigma(cut.first_row + j, 0);
    }
    cut.change_wrench = wrench_of(cut, cut.motion.rows, cut.sigma);
    take_wrench(cut, cut.change_wrench, &LoopBody::change_carried);
  }
  carry_inward(&LoopBody::change_carried);
}

void LoopState::set_flow(const Eigen::VectorXd& u, const Eigen::MatrixXd& sigma) {
  move_bodies(u);
  for (LoopBody& body : bodies_) {
    body.acceleration = data_.ground;
  }
  set_cut_motions();
  set_change(u, sigma);
}

void LoopState::set_momentum_rates(std::span<const double> q, const Eigen::VectorXd& mu) {
  for (LoopBody& body : bodies_) {
    body.force = linear::inertia_times(body.inertia, body.acceleration);
  }
  begin_carried();
  for (LoopCut& cut : cuts_) {
    for (int j = 0; j < cut.shape.rows; ++j) {
      cut.lambda[j] = mu[cut.first_row + j];
    }
    cut.wrench =
        linear::minus(wrench_of(cut, cut.motion.rows, cut.lambda), wrench_of(cut, cut.motion.rates, cut.sigma));
    take_wrench(cut, cut.wrench, &LoopBody::carried);
  }
  carry_inward(&LoopBody::carried);
  for (const LoopBody& body : bodies_) {
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      const LoopAxis& axis = axes_[index_of(k)];
      forces_[k] = linear::dot(axis.rate, body.change_carried) - linear::dot(axis.motion, body.carried);
    }
  }
  velocity_slopes_.set_gauge(mu);
  velocity_slopes_.add_momentum_rates(forces_);
  add_joint_forces(q);
}

void LoopState::show_links() {
  if (link_directions_.empty()) {
    link_directions_ = link_directions(*mechanism_);
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int inboard = bodies_[k].inboard;
    const Vec3 way = kinematics_.body(inboard).rotation * link_directions_[k];
    bodies_[k].link = {way.x(), way.y(), way.z()};
  }
}

Eigen::MatrixXd LoopState::openings_by_lengths(const Eigen::MatrixXd& lengths) const {
  Eigen::MatrixXd open = Eigen::MatrixXd::Zero(mechanism_->cut_row_count(), lengths.cols());
  std::vector<Screw<double>> moved(bodies_.size());
  for (Eigen::Index column = 0; column < lengths.cols(); ++column) {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      moved[k] = bodies_[k].inboard < 0 ? Screw<double>{} : moved[index_of(bodies_[k].inboard)];
      linear::add(bodies_[k].link, lengths(static_cast<Eigen::Index>(k), column), moved[k].linear);
    }
    const auto of = [&](int body) { return body < 0 ? Screw<double>{} : moved[index_of(body)]; };
    for (const LoopCut& cut : cuts_) {
      const Screw<double> apart = linear::minus(of(cut.shape.body_b), of(cut.shape.body_a));
      for (int j = 0; j < cut.shape.rows; ++j) {
        open(cut.first_row + j, column) = linear::dot(cut.motion.rows[j], apart);
      }
    }
  }
  return open;
}

void LoopState::add_weights_of_openings(std::span<const double> weights, std::span<double> by_lengths) const {
  std::vector<Screw<double>> by_displacement(bodies_.size());
  for (const LoopCut& cut : cuts_) {
    const Screw<double> wrench = wrench_of(cut, cut.motion.rows, weights.data() + cut.first_row);
    if (cut.shape.body_a >= 0) {
      Screw<double>& there = by_displacement[index_of(cut.shape.body_a)];
      there = linear::minus(there, wrench);
    }
    if (cut.shape.body_b >= 0) {
      Screw<double>& there = by_displacement[index_of(cut.shape.body_b)];
      there = linear::plus(there, wrench);
    }
  }
  for (std::size_t k = bodies_.size(); k-- > 0;) {
    by_lengths[k] += linear::dot(bodies_[k].link, by_displacement[k].linear);
    if (bodies_[k].inboard >= 0) {
      Screw<double>& inner = by_displacement[index_of(bodies_[k].inboard)];
      inner = linear::plus(inner, by_displacement[k]);
    }
  }
}

LoopState::UnitMass LoopState::unit_mass(std::size_t body) const {
  const Vec3 r = kinematics_.body(static_cast<int>(body)).com - center_;
  const Mat3 inertia = r.squaredNorm() * Mat3::Identity() - r * r.transpose();
  const RigidBody one{1.0,
                      {r.x(), r.y(), r.z()},
                      {inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2), inertia(2, 2)}};
  const LoopBody& own = bodies_[body];
  UnitMass result;
  result.force = linear::inertia_times(one, own.acceleration);
  if (!data_.momenta) {
    result.force =
        linear::plus(result.force, linear::wrench_crossed(own.velocity, linear::inertia_times(one, own.velocity)));
  }
  if (data_.drifted) {
    result.change = linear::inertia_times(one, own.change);
  }
  return result;
}

void LoopState::add_unit_mass(int body, Eigen::Ref<Eigen::VectorXd> forces, Eigen::Ref<Eigen::VectorXd> changes) const {
  const UnitMass one = unit_mass(index_of(body));
  for (int at = body; at >= 0; at = bodies_[index_of(at)].inboard) {
    const LoopBody& there = bodies_[index_of(at)];
    for (int k = there.first_axis; k < there.first_axis + there.axis_count; ++k) {
      forces[k] -= linear::dot(axes_[index_of(k)].motion, one.force);
      forces[k] += data_.momenta ? linear::dot(axes_[index_of(k)].rate, one.change) : 0.0;
      changes[k] -= linear::dot(axes_[index_of(k)].motion, one.change);
    }
  }
}

void LoopState::add_weights_of_masses(const Eigen::VectorXd& weights, Screw<double> UnitMass::*of,
                                      std::span<double> by_masses) {
  if (by_masses.empty()) {
    return;
  }
  set_flows(weights);
  for (std::size_t body = 0; body < by_masses.size(); ++body) {
    by_masses[body] -= linear::dot(flows_[body], unit_mass(body).*of);
  }
  if (data_.momenta && of == &UnitMass::force) {
    set_flows(weights, &LoopAxis::rate);
    for (std::size_t body = 0; body < by_masses.size(); ++body) {
      by_masses[body] += linear::dot(flows_[body], unit_mass(body).change);
    }
  }
}

}  // namespace mbdbench
