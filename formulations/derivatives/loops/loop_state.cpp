#include "formulations/derivatives/loops/loop_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/derivatives/loops/cut_shapes.hpp"
#include "formulations/derivatives/loops/joint_place.hpp"
#include "formulations/derivatives/loops/link_vectors.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/handle_share.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

using linear::LoopAxis;
using linear::LoopBody;
using linear::LoopCut;

/// \returns whether all loads are springs, dampers and forces in tree joints.
bool acts_in_tree_joints_alone(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  const auto in_tree = [&](const auto& load) { return !mechanism.find_joint(load.joint)->cut; };
  return loads_without_lanes(description).empty() &&
         std::all_of(description.joint_springs.begin(), description.joint_springs.end(), in_tree) &&
         std::all_of(description.joint_loads.begin(), description.joint_loads.end(), in_tree);
}

}  // namespace

std::string LoopState::obstacle(const Mechanism& mechanism) {
  std::string why = VelocitySlopes::obstacle(mechanism);
  return why.empty() ? LoopLoads::obstacle(mechanism) : why;
}

LoopState::LoopState(const Mechanism& mechanism, bool momenta, const CutReferences* near, int width)
    : mechanism_(&mechanism),
      kinematics_(mechanism),
      motions_(mechanism),
      velocity_slopes_(mechanism),
      bodies_(mechanism.bodies().size()),
      axes_(index_of(mechanism.u_size())),
      cuts_(mechanism.cut_joints().size()),
      composites_(bodies_.size()),
      velocities_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      accelerations_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      forces_(Eigen::VectorXd::Zero(mechanism.u_size())) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    bodies_[k].inboard = joint.a;
    bodies_[k].first_axis = joint.u_offset;
    bodies_[k].axis_count = joint.nu;
    for (int i = 0; i < joint.nu; ++i) {
      axes_[index_of(joint.u_offset + i)].carrier = is_fixed_outboard(joint, i) ? static_cast<int>(k) : joint.a;
    }
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    cuts_[c].first_row = mechanism.cut_joints()[c].row_offset;
  }
  if (acts_in_tree_joints_alone(mechanism)) {
    add_loads();
  } else {
    loads_.emplace(mechanism, near);
    loads_->show(data_);
  }
  data_.momenta = momenta;
  data_.body_count = mechanism.body_count();
  data_.axis_count = mechanism.u_size();
  data_.cut_count = static_cast<int>(cuts_.size());
  data_.row_count = mechanism.constraint_size();
  data_.bodies = bodies_.data();
  data_.axes = axes_.data();
  data_.cuts = cuts_.data();
  data_.ground.linear = link_vector_of(-mechanism.gravity());
  memory_.push_back(
      aligned_memory(linear::LoopLanes::kSize * std::max<std::size_t>(1, bodies_.size()) * index_of(width)));
  data_.lanes = memory_.back().get();
  memory_.push_back(aligned_memory(6 * std::max<std::size_t>(1, axes_.size()) * index_of(width)));
  data_.axis_lanes = memory_.back().get();
}

void LoopState::add_loads() {
  const auto along = [this](const std::string& name, int component) {
    const Joint& joint = mechanism_->joint(*mechanism_->find_joint(name));
    Spring spring;
    spring.u = joint.u_offset + component;
    spring.q = has_quaternion(joint.type) ? joint.q_offset + component + 1 : joint.q_offset + component;
    return spring;
  };
  for (const JointLoadDescription& load : mechanism_->description().joint_loads) {
    springs_.push_back(along(load.joint, load.component));
    springs_.back().table = std::get_if<TableLaw>(&load.law);
    if (const auto* constant = std::get_if<ConstantLaw>(&load.law)) {
      springs_.back().constant = constant->value;
    }
  }
  for (const JointSpringDescription& spring : mechanism_->description().joint_springs) {
    springs_.push_back(along(spring.joint, spring.component));
    springs_.back().constant = spring.stiffness * spring.rest;
    springs_.back().stiffness = spring.stiffness;
    springs_.back().damping = spring.damping;
    LoopAxis& axis = axes_[index_of(springs_.back().u)];
    axis.stiffness += spring.stiffness;
    axis.damping += spring.damping;
  }
}

void LoopState::set_positions(double t, std::span<const double> q) {
  t_ = t;
  kinematics_.set_positions(q);
  velocity_slopes_.set_positions(q);
  motions_.evaluate(t);
  for (Spring& spring : springs_) {
    spring.constant = spring.table != nullptr ? value_at(*spring.table, t) : spring.constant;
  }
  center_.setZero();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    center_ += kinematics_.body(static_cast<int>(k)).com / static_cast<double>(bodies_.size());
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    place_axes(k);
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    place_cut(c);
  }
  velocities_.setZero();
  for (std::size_t m = 0; m < motions_.rows().size(); ++m) {
    velocities_[motions_.rows()[m]] = motions_.velocities()[m];
  }
  if (feedback_ != 0.0) {
    velocities_ -= feedback_ * openings(q);
  }
}

void LoopState::set_matrices() {
  if (mass_.size() == 0) {
    mass_.setZero(mechanism_->u_size(), mechanism_->u_size());
    constraints_.setZero(mechanism_->constraint_size(), mechanism_->u_size());
  }
  set_mass();
  for (LoopBody& body : bodies_) {
    body.velocity = {};
    body.acceleration = {};
  }
  set_cut_motions();
  set_constraints();
}

void LoopState::set_flows(const Eigen::VectorXd& u, Screw<double> LoopAxis::*along) {
  flows_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const LoopBody& body = bodies_[i];
    flows_[i] = body.inboard < 0 ? Screw<double>{} : flows_[index_of(body.inboard)];
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      linear::add(axes_[index_of(k)].*along, u[k], flows_[i]);
    }
  }
}

Eigen::VectorXd LoopState::momenta_of(const Eigen::VectorXd& u) {
  set_flows(u);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    flows_[i] = linear::inertia_times(bodies_[i].inertia, flows_[i]);
  }
  return along_axes();
}

Eigen::VectorXd LoopState::along_axes() {
  Eigen::VectorXd sums(mechanism_->u_size());
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    const LoopBody& body = bodies_[i];
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      sums[k] = linear::dot(axes_[index_of(k)].motion, flows_[i]);
    }
    if (body.inboard >= 0) {
      Screw<double>& inner = flows_[index_of(body.inboard)];
      inner = linear::plus(inner, flows_[i]);
    }
  }
  return sums;
}

void LoopState::place_axes(std::size_t joint) {
  const JointKinematics& state = kinematics_.tree_joint(static_cast<int>(joint));
  const BodyKinematics& body = kinematics_.body(static_cast<int>(joint));
  LoopBody& own = bodies_[joint];
  const Vec3 lever = state.point - center_;
  for (int i = 0; i < own.axis_count; ++i) {
    const Vec3 omega = state.h.col(i).tail<3>();
    const Vec3 linear = state.h.col(i).head<3>() + lever.cross(omega);
    axes_[index_of(own.first_axis + i)].motion = {link_vector_of(linear), link_vector_of(omega)};
  }
  const double mass = mechanism_->bodies()[joint].mass;
  const Vec3 com = body.com - center_;
  const Mat3 inertia = body.inertia + mass * (com.squaredNorm() * Mat3::Identity() - com * com.transpose());
  own.inertia.mass = mass;
  own.inertia.moment = link_vector_of(mass * com);
  own.inertia.inertia = {inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2), inertia(2, 2)};
}

void LoopState::place_cut(std::size_t cut) {
  const Joint& joint = mechanism_->cut_joints()[cut];
  const auto origin = [&](int body, const Vec3& own) { return Vec3(kinematics_.world_point(body, own) - center_); };
  place_shape(joint, kinematics_.cut_joint(static_cast<int>(cut)), origin(joint.a, joint.position_a),
              origin(joint.b, joint.position_b), share_of_b(joint), cuts_[cut].shape);
}

void LoopState::set_mass() {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    composites_[k] = bodies_[k].inertia;
  }
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    const LoopBody& body = bodies_[i];
    for (int k = body.first_axis; k < body.first_axis + body.axis_count; ++k) {
      const Screw<double> force = linear::inertia_times(composites_[i], axes_[index_of(k)].motion);
      for (int at = static_cast<int>(i); at >= 0; at = bodies_[index_of(at)].inboard) {
        const LoopBody& there = bodies_[index_of(at)];
        for (int l = there.first_axis; l < there.first_axis + there.axis_count; ++l) {
          mass_(k, l) = linear::dot(axes_[index_of(l)].motion, force);
          mass_(l, k) = mass_(k, l);
        }
      }
    }
    if (body.inboard >= 0) {
      linear::add_body({0.0, 0.0, 0.0}, composites_[i], composites_[index_of(body.inboard)]);
    }
  }
}

void LoopState::set_cut_motions() {
  for (LoopCut& cut : cuts_) {
    const auto end = [this](int body) {
      linear::EndMotion<double> motion{};
      motion.velocity = body < 0 ? Screw<double>{} : bodies_[index_of(body)].velocity;
      motion.acceleration = body < 0 ? data_.ground : bodies_[index_of(body)].acceleration;
      return motion;
    };
    linear::set_cut_motion(cut.shape, end(cut.shape.body_a), end(cut.shape.body_b), cut.motion);
  }
}

void LoopState::set_constraints() {
  constraints_.topRows(mechanism_->cut_row_count()).setZero();
  for (const LoopCut& cut : cuts_) {
    int a = cut.shape.body_a;
    int b = cut.shape.body_b;
    while (a != b) {  // what moves both moves nothing between them
      const bool second = b > a;
      int& body = second ? b : a;
      const LoopBody& own = bodies_[index_of(body)];
      for (int k = own.first_axis; k < own.first_axis + own.axis_count; ++k) {
        for (int j = 0; j < cut.shape.rows; ++j) {
          const double rate = linear::dot(cut.motion.rows[j], axes_[index_of(k)].motion);
          constraints_(cut.first_row + j, k) = second ? rate : -rate;
        }
      }
      body = own.inboard;
    }
  }
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      constraints_(joint.motion_offset + static_cast<int>(m), joint.u_offset + joint.motions[m].component) = 1.0;
    }
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      constraints_(coupling.row, term.u) = term.factor;
    }
  }
  velocity_slopes_.add_rows(constraints_);
}

}  // namespace mbdbench
