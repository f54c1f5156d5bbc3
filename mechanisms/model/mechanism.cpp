#include "mechanisms/model/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/kinematics/velocity_rows.hpp"
#include "mechanisms/model/start/initial_state.hpp"
#include "mechanisms/model/validation/spanning_tree.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

/// Applies the tree's numbering to the description itself, so that what is exported is what is used.
void reorder(MechanismDescription& description, const SpanningTree& tree) {
  MechanismDescription ordered = description;
  for (std::size_t k = 0; k < tree.bodies.size(); ++k) {
    ordered.bodies[k] = description.bodies[tree.bodies[k]];
    ordered.joints[k] = description.joints[tree.tree_joints[k]];
  }
  for (std::size_t c = 0; c < tree.cut_joints.size(); ++c) {
    ordered.joints[tree.bodies.size() + c] = description.joints[tree.cut_joints[c]];
    ordered.joints[tree.bodies.size() + c].cut = true;
  }
  description = std::move(ordered);
}

/// \returns the error with its element counted as in the author's description, before `reorder`.
ModelError in_given_order(const ModelError& error, const SpanningTree& tree) {
  ElementReference where = error.where();
  if (where.section == "bodies") {
    where.index = tree.bodies.at(where.index);
  } else if (where.section == "joints") {
    const std::size_t tree_count = tree.tree_joints.size();
    where.index =
        where.index < tree_count ? tree.tree_joints[where.index] : tree.cut_joints.at(where.index - tree_count);
  }
  return {std::move(where), error.what()};
}

Vec3 any_normal(const Vec3& axis) {
  // The world axis least aligned with `axis`, made orthogonal; exact for axes along x, y or z.
  int least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 normal = Vec3::Unit(least) - axis[least] * axis;
  return normal.normalized();
}

void set_constrained_directions(Joint& joint) {
  const Vec3 x = Vec3::UnitX();
  const Vec3 y = Vec3::UnitY();
  const Vec3 z = Vec3::UnitZ();
  const std::vector<AngularConstraint> parallel_axes = {{joint.normal1, joint.axis}, {joint.normal2, joint.axis}};
  const std::vector<AngularConstraint> no_rotation = {{x, y}, {y, z}, {z, x}};
  switch (joint.type) {
    case JointType::revolute:
      joint.world_linear = true;
      joint.angular = parallel_axes;
      break;
    case JointType::prismatic:
      joint.linear_directions = {joint.normal1, joint.normal2};
      joint.angular = no_rotation;
      break;
    case JointType::universal: {
      joint.world_linear = true;
      const double cosine = joint.axis.dot(joint.axis2);
      joint.angular = {{joint.axis, joint.axis2, cosine, 1.0 / std::sqrt(1.0 - cosine * cosine)}};
      break;
    }
    case JointType::cylindrical:
      joint.linear_directions = {joint.normal1, joint.normal2};
      joint.angular = parallel_axes;
      break;
    case JointType::spherical:
      joint.world_linear = true;
      break;
    case JointType::planar:
      joint.linear_directions = {joint.axis};
      joint.angular = parallel_axes;
      break;
    case JointType::free:
      break;
    case JointType::fixed:
      joint.world_linear = true;
      joint.angular = no_rotation;
      break;
    case JointType::screw:
      joint.linear_directions = {joint.normal1, joint.normal2};
      joint.angular = parallel_axes;
      break;
    case JointType::distance:
      break;
    case JointType::revolute_spherical:
    case JointType::point_on_plane:
      joint.linear_directions = {joint.axis};
      break;
    case JointType::point_on_line:
      joint.linear_directions = {joint.normal1, joint.normal2};
      break;
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      joint.linear_directions = {joint.axis, joint.normal1, joint.normal2};
      break;
  }
}

Joint make_joint(const JointDescription& from) {
  Joint joint;
  joint.name = from.name;
  joint.type = from.type;
  joint.cut = from.cut;
  joint.position_a = from.frame_a.position;
  joint.position_b = from.frame_b.position;
  const auto rotation = [](const Eigen::Vector4d& e) { return rotation_of_quaternion(e[0], e[1], e[2], e[3]); };
  joint.rotation_a = rotation(from.frame_a.rotation);
  joint.rotation_b = rotation(from.frame_b.rotation);
  joint.axis = from.axis;
  joint.axis2 = from.axis2;
  joint.pitch = from.pitch;
  joint.length = from.length;
  joint.radius = from.radius;
  joint.normal1 = any_normal(joint.axis);
  joint.normal2 = joint.axis.cross(joint.normal1);
  joint.nq = position_count(from.type);
  joint.nu = velocity_count(from.type);
  joint.nc = constraint_count(from.type);
  joint.q0 = from.q0;
  set_constrained_directions(joint);
  return joint;
}

/// The rows of a cut joint's prescribed components: a distance along a direction fixed in a, or the turn about the
/// axis, which comes last.
void drive_cut_joint(const JointDescription& from, Joint& joint) {
  for (const PrescribedMotion& motion : from.motions) {
    const bool turns = joint.type == JointType::revolute ||
                       (joint.type == JointType::cylindrical && motion.component == 0) ||
                       (joint.type == JointType::planar && motion.component == 2);
    if (!turns) {
      const bool planar = joint.type == JointType::planar;
      joint.linear_directions.push_back(!planar ? joint.axis : motion.component == 0 ? joint.normal1 : joint.normal2);
    }
    joint.turn_row = joint.turn_row || turns;
    const int row = turns ? -1 : static_cast<int>(joint.linear_directions.size()) - 1;
    joint.driven.push_back({row, 0, turns, {motion.component, motion.position, motion.velocity, motion.acceleration}});
    ++joint.nc;
  }
  for (DrivenRow& driven : joint.driven) {
    driven.row = driven.turns ? joint.nc - 1 : driven.row;
  }
}

/// Divides factors and value as Coupling says.
void normalise(Coupling& coupling, std::span<const Joint> joints, double length) {
  double largest = 0.0;
  for (const Coupling::Term& term : coupling.terms) {
    const auto joint = std::find_if(joints.begin(), joints.end(), [&](const Joint& candidate) {
      return term.u >= candidate.u_offset && term.u < candidate.u_offset + candidate.nu;
    });
    const bool turns = !is_displacement(*joint, term.u - joint->u_offset);
    largest = std::max(largest, std::abs(term.factor) / (turns && coupling.ties_displacements ? length : 1.0));
  }
  coupling.scale = next_power_of_two(largest);
  for (Coupling::Term& term : coupling.terms) {
    term.factor /= coupling.scale;
  }
  coupling.value /= coupling.scale;
}

}  // namespace

struct Mechanism::SettledRank {
  std::once_flag settled;
  GenericRank value;
};

Mechanism::Mechanism(MechanismDescription description)
    : description_(std::move(description)), generic_rank_(std::make_shared<SettledRank>()) {
  validate_elements(description_);
  const SpanningTree tree = span_tree(description_);
  reorder(description_, tree);
  const TypedStart typed(description_);
  try {
    adopt_bodies();
    adopt_joints();
    adopt_motions();
    adopt_couplings();
    adopt_velocity_constraints();
    adopt_markers();
    check_loads();
    scales_ = find_scales(*this);
    set_initial_state(typed);
    check_masses();
  } catch (const ModelError& error) {
    throw in_given_order(error, tree);
  }
}

void Mechanism::adopt_bodies() {
  for (const BodyDescription& from : description_.bodies) {
    body_index_.add(from.name, static_cast<int>(bodies_.size()));
    const bool regular = from.mass > 0.0 && inertia_is_definite(from.inertia);
    bodies_.push_back({from.name, from.mass, from.com, from.inertia,
                       regular ? Mat3(from.inertia.inverse()) : Mat3(Mat3::Zero()), regular});
  }
}

void Mechanism::adopt_joints() {
  for (JointDescription& from : description_.joints) {
    if (from.q0.empty()) {
      from.q0.assign(static_cast<std::size_t>(position_count(from.type)), 0.0);
      if (has_quaternion(from.type)) {
        from.q0[0] = 1.0;
      }
    }
    Joint joint = make_joint(from);
    joint_index_.add(joint.name, static_cast<int>(tree_joints_.size() + cut_joints_.size()));
    joint.a = *find_body(from.a);
    joint.b = *find_body(from.b);
    if (from.cut) {
      validate_cut_joint(from, tree_joints_.size() + cut_joints_.size());
      drive_cut_joint(from, joint);
      driven_row_count_ += static_cast<int>(joint.driven.size());
      joint.row_offset = cut_row_count_;
      cut_row_count_ += joint.nc;
      cut_joints_.push_back(std::move(joint));
      continue;
    }
    if (from.v0.empty()) {
      from.v0.assign(static_cast<std::size_t>(joint.nu), 0.0);
    }
    joint.q_offset = q_size_;
    joint.u_offset = u_size_;
    q_size_ += joint.nq;
    u_size_ += joint.nu;
    tree_joints_.push_back(std::move(joint));
  }
}

void Mechanism::adopt_motions() {
  constraint_size_ = cut_row_count_;
  for (std::size_t k = 0; k < tree_joints_.size(); ++k) {
    Joint& joint = tree_joints_[k];
    joint.motion_offset = constraint_size_;
    for (const PrescribedMotion& motion : description_.joints[k].motions) {
      joint.motions.push_back({motion.component, motion.position, motion.velocity, motion.acceleration});
      ++constraint_size_;
    }
  }
  int place = motion_row_count();
  for (Joint& joint : cut_joints_) {
    for (DrivenRow& driven : joint.driven) {
      driven.place = place++;
    }
  }
}

double Coupling::residual(std::span<const double> q) const {
  double sum = -value;
  for (const Term& term : terms) {
    sum += term.factor * q[static_cast<std::size_t>(term.q)];
  }
  return sum;
}

double Coupling::rate(std::span<const double> u) const {
  double sum = 0.0;
  for (const Term& term : terms) {
    sum += term.factor * u[static_cast<std::size_t>(term.u)];
  }
  return sum;
}

void Mechanism::adopt_couplings() {
  const double length = characteristic_length(*this);
  for (std::size_t i = 0; i < description_.couplings.size(); ++i) {
    validate_coupling(*this, i);
    CouplingDescription& from = description_.couplings[i];
    Coupling coupling;
    coupling.name = from.name;
    coupling.row = constraint_size_;
    double value = 0.0;
    for (const CouplingTerm& term : from.terms) {
      const int place = find_joint(term.joint)->index;
      const Joint& joint = tree_joints_[static_cast<std::size_t>(place)];
      coupling.terms.push_back({joint.q_offset + term.component, joint.u_offset + term.component, term.factor});
      value += term.factor * joint.q0[static_cast<std::size_t>(term.component)];
      coupling.ties_displacements = coupling.ties_displacements || is_displacement(joint, term.component);
    }
    if (!from.value) {
      from.value = value;
    }
    coupling.value = *from.value;
    normalise(coupling, tree_joints_, length);
    couplings_.push_back(std::move(coupling));
    ++constraint_size_;
  }
}

void Mechanism::adopt_velocity_constraints() {
  if (description_.velocity_constraints.empty()) {
    return;
  }
  for (std::size_t i = 0; i < description_.velocity_constraints.size(); ++i) {
    validate_velocity_constraint(*this, i);
    const VelocityConstraintDescription& from = description_.velocity_constraints[i];
    VelocityConstraint constraint;
    constraint.name = from.name;
    constraint.row = constraint_size_++;
    for (const VelocityTerm& term : from.terms) {
      const Joint& joint = tree_joints_[static_cast<std::size_t>(find_joint(term.joint)->index)];
      constraint.terms.push_back({joint.u_offset + term.component, term.factor});
      constraint.ties_displacements = constraint.ties_displacements || is_displacement(joint, term.component);
    }
    velocity_constraints_.push_back(std::move(constraint));
  }
  scale_velocity_constraints(*this, velocity_constraints_);
}

std::string_view Mechanism::held_by_velocity() const {
  const auto rolling =
      std::find_if(cut_joints_.begin(), cut_joints_.end(), [](const Joint& joint) { return rolls(joint.type); });
  if (rolling != cut_joints_.end()) {
    return rolling->name;
  }
  return velocity_constraints_.empty() ? std::string_view() : velocity_constraints_.front().name;
}

void Mechanism::adopt_markers() {
  for (std::size_t i = 0; i < description_.markers.size(); ++i) {
    const MarkerDescription& from = description_.markers[i];
    const auto body = find_body(from.body);
    if (!body) {
      std::vector<std::string> known = {kGround};
      for (const Body& candidate : bodies_) {
        known.push_back(candidate.name);
      }
      throw ModelError({"markers", i, "body"}, fmt::format("marker '{}': '{}' is not a body; {}", from.name, from.body,
                                                           suggest_name(from.body, known, "bodies")));
    }
    marker_index_.add(from.name, static_cast<int>(markers_.size()));
    const Eigen::Vector4d& e = from.rotation;
    markers_.push_back({from.name, *body, from.point, rotation_of_quaternion(e[0], e[1], e[2], e[3])});
  }
}

void Mechanism::check_loads() const {
  validate_loads(*this);
}

void Mechanism::check_masses() const {
  validate_composites(*this);
}

void Mechanism::set_initial_state(const TypedStart& typed) {
  const InitialState given = given_initial_state(*this);
  const InitialState state = consistent_initial_state(*this, given);
  q0_ = state.q;
  u0_ = state.u;
  moved_start_ = moved_values(*this, typed, given.q, given.u);
  for (std::size_t k = 0; k < tree_joints_.size(); ++k) {
    Joint& joint = tree_joints_[k];
    JointDescription& from = description_.joints[k];
    from.q0.assign(q0_.data() + joint.q_offset, q0_.data() + joint.q_offset + joint.nq);
    from.v0.assign(u0_.data() + joint.u_offset, u0_.data() + joint.u_offset + joint.nu);
    joint.q0 = from.q0;
  }
  for (std::size_t c = 0; c < cut_joints_.size(); ++c) {
    cut_joints_[c].q0 = state.cut_q[c];
    description_.joints[tree_joints_.size() + c].q0 = state.cut_q[c];
  }
}

const GenericRank& Mechanism::generic_rank() const {
  std::call_once(generic_rank_->settled, [this] { generic_rank_->value = find_generic_rank(*this); });
  return generic_rank_->value;
}

bool Mechanism::exchanges_energy() const {
  const auto damped = [](const auto& spring) { return spring.damping != 0.0; };
  const auto damps = [](const BushingDescription& bushing) {
    return !bushing.damping.isZero(0.0) || !bushing.rotational_damping.isZero(0.0);
  };
  return rheonomic() || !description_.joint_loads.empty() || !description_.body_loads.empty() ||
         !description_.joint_frictions.empty() ||
         std::any_of(description_.joint_stops.begin(), description_.joint_stops.end(), damped) ||
         std::any_of(description_.bushings.begin(), description_.bushings.end(), damps) ||
         std::any_of(description_.joint_springs.begin(), description_.joint_springs.end(), damped) ||
         std::any_of(description_.point_springs.begin(), description_.point_springs.end(), damped);
}

std::optional<JointReference> Mechanism::find_joint(std::string_view joint_name) const {
  const std::optional<int> place = joint_index_.find(joint_name);
  if (!place) {
    return std::nullopt;
  }
  const int tree_count = static_cast<int>(tree_joints_.size());
  return *place < tree_count ? JointReference{false, *place} : JointReference{true, *place - tree_count};
}

std::optional<int> Mechanism::find_body(std::string_view body_name) const {
  return body_name == kGround ? -1 : body_index_.find(body_name);
}

}  // namespace mbdbench
