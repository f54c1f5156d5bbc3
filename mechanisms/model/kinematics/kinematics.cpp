#include "mechanisms/model/kinematics/kinematics.hpp"

#include "mechanisms/model/kinematics/body_velocities.hpp"
#include "mechanisms/model/kinematics/velocity_rows.hpp"

namespace mbdbench {
namespace {

std::span<const double> joint_slice(std::span<const double> values, int offset, int count) {
  return values.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
}

}  // namespace

Kinematics::Kinematics(const Mechanism& mechanism)
    : BodyMotions(mechanism), joints_(mechanism.tree_joints().size()), cuts_(mechanism.cut_joints().size()) {
  for (const Joint& joint : mechanism.tree_joints()) {
    gram_inverse_.push_back(motion_gram_inverse(joint));
  }
  if (!mechanism.velocity_constraints().empty()) {
    velocity_rows_ = std::make_unique<VelocityRows>(mechanism);
  }
}

Kinematics::Kinematics(Kinematics&& other) noexcept = default;
Kinematics& Kinematics::operator=(Kinematics&& other) noexcept = default;
Kinematics::~Kinematics() = default;

std::span<const VelocityEntry> Kinematics::velocity_entries() const {
  return velocity_rows_ ? velocity_rows_->entries() : std::span<const VelocityEntry>();
}

void Kinematics::set_positions(std::span<const double> q) {
  const auto joints = mechanism().tree_joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = joints[k];
    const Body& properties = mechanism().bodies()[k];
    const BodyKinematics& inboard = body(joint.a);
    BodyKinematics& outboard = bodies()[k];
    JointKinematics& state = joints_[k];

    const RelativePose pose = relative_pose(joint, joint_slice(q, joint.q_offset, joint.nq));
    state.axes_a.noalias() = inboard.rotation * joint.rotation_a;
    state.axes_b.noalias() = state.axes_a * pose.rotation;
    const Vec3 origin_a = inboard.origin + inboard.rotation * joint.position_a;
    state.displacement.noalias() = state.axes_a * pose.translation;
    state.point = origin_a + state.displacement;

    outboard.rotation.noalias() = state.axes_b * joint.rotation_b.transpose();
    outboard.origin = state.point - outboard.rotation * joint.position_b;
    outboard.com = outboard.origin + outboard.rotation * properties.com;
    outboard.inertia.noalias() = outboard.rotation * properties.inertia * outboard.rotation.transpose();
    outboard.inertia_inverse.noalias() = outboard.rotation * properties.inertia_inverse * outboard.rotation.transpose();

    motion_subspace(joint, state.axes_a, state.axes_b, state.h);
    constrained_directions(joint, state.axes_a, state.axes_b, state.displacement, state.d);
  }
  const auto cut_joints = mechanism().cut_joints();
  for (std::size_t c = 0; c < cut_joints.size(); ++c) {
    place_joint(cut_joints[c], body(cut_joints[c].a), body(cut_joints[c].b), cuts_[c]);
  }
  if (velocity_rows_) {
    velocity_rows_->set_positions(q);
  }
}

void set_velocities_of_bodies(Kinematics& kinematics, std::span<const double> u) {
  const auto joints = kinematics.mechanism().tree_joints();
  const std::span<BodyKinematics> bodies = kinematics.bodies();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = joints[k];
    const JointKinematics& state = kinematics.tree_joint(static_cast<int>(k));
    Vec6 velocity = kinematics.velocity_at(joint.a, state.point);
    for (int i = 0; i < joint.nu; ++i) {
      velocity += state.h.col(i) * u[static_cast<std::size_t>(joint.u_offset + i)];
    }
    bodies[k].velocity = shift_velocity(bodies[k].com - state.point, velocity);
  }
}

void Kinematics::set_velocities(std::span<const double> u) {
  set_velocities_of_bodies(*this, u);
  set_rates();
  if (velocity_rows_) {
    velocity_rows_->set_velocities(u);
  }
}

void Kinematics::set_body_velocities(std::span<const Vec6> velocities) {
  for (std::size_t k = 0; k < velocities.size(); ++k) {
    bodies()[k].velocity = velocities[k];
  }
  set_rates();
}

void Kinematics::set_rates() {
  const auto update = [this](const Joint& joint, JointKinematics& state) {
    set_joint_rates(joint, body(joint.a), body(joint.b), state);
  };
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    update(mechanism().tree_joints()[k], joints_[k]);
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    update(mechanism().cut_joints()[c], cuts_[c]);
  }
}

}  // namespace mbdbench
