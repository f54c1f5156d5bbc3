#include "formulations/followed_cuts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "formulations/joint_state.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/load_variables.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

std::vector<StateComponent> layout_with(const Formulation& inner, const std::vector<FollowedAngle>& angles) {
  std::vector<StateComponent> layout(inner.layout().begin(), inner.layout().end());
  for (const FollowedAngle& angle : angles) {
    const Joint& joint = inner.mechanism().cut_joints()[index_of(angle.cut)];
    const std::string suffix = joint.nq == 1 ? "" : "." + std::to_string(angle.component + 1);
    layout.push_back({"turn." + joint.name + suffix, StateKind::position, joint.name});
  }
  return layout;
}

/// \returns whether a state begins with the coordinates of all tree joints.
bool begins_with_coordinates(const Formulation& formulation) {
  const std::vector<StateComponent> joints = joint_layout(formulation.mechanism(), StateKind::velocity);
  const auto count = static_cast<std::ptrdiff_t>(formulation.mechanism().q_size());
  const std::span<const StateComponent> own = formulation.layout();
  return static_cast<std::ptrdiff_t>(own.size()) >= count &&
         std::equal(own.begin(), own.begin() + count, joints.begin(),
                    [](const StateComponent& a, const StateComponent& b) { return a.name == b.name; });
}

/// u of q' = N(q) u of one joint.
void set_velocities(const Joint& joint, std::span<const double> q, std::span<const double> rates, std::span<double> u) {
  if (!has_quaternion(joint.type)) {
    std::copy_n(rates.begin(), u.size(), u.begin());
    return;
  }
  const double factor = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  u[0] = factor * (-q[1] * rates[0] + q[0] * rates[1] + q[3] * rates[2] - q[2] * rates[3]);
  u[1] = factor * (-q[2] * rates[0] - q[3] * rates[1] + q[0] * rates[2] + q[1] * rates[3]);
  u[2] = factor * (-q[3] * rates[0] + q[2] * rates[1] - q[1] * rates[2] + q[0] * rates[3]);
  std::copy_n(rates.begin() + 4, u.size() - 3, u.begin() + 3);
}

}  // namespace

FollowedCuts::FollowedCuts(std::unique_ptr<Formulation> inner, std::vector<FollowedAngle> angles)
    : DifferentiatedFormulation(inner->mechanism(), layout_with(*inner, angles)),
      inner_(std::move(inner)),
      angles_(std::move(angles)),
      kinematics_(mechanism()),
      begins_with_coordinates_(begins_with_coordinates(*inner_)),
      q_(index_of(mechanism().q_size())),
      u_(index_of(mechanism().u_size())),
      derivatives_(*inner_, angles_, begins_with_coordinates_, {kinematics_, q_, u_},
                   [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }) {
  use_derivatives(derivatives_);
}

std::unique_ptr<Formulation> FollowedCuts::clone() const {
  return std::make_unique<FollowedCuts>(inner_->clone(), angles_);
}

void FollowedCuts::look_near(std::span<const double> x) {
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    cut_references().set(angles_[i], angles_of(x)[i]);
  }
}

void FollowedCuts::read_angles(std::span<double> angles) {
  std::array<double, 7> coordinates{};
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const int cut = angles_[i].cut;
    cut_coordinates(mechanism().cut_joints()[index_of(cut)], kinematics_.cut_joint(cut), cut_references().of(cut),
                    coordinates);
    angles[i] = coordinates[index_of(angles_[i].component)];
  }
}

RhsStatus FollowedCuts::pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) {
  cut_references().reset();
  kinematics_.set_positions(q);
  read_angles(angles_of(x));
  return inner_->pack(t, q, u, inner_of(x));
}

RhsStatus FollowedCuts::unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) {
  return inner_->unpack(t, inner_of(x), q, u);
}

RhsStatus FollowedCuts::observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation) {
  look_near(x);
  return inner_->observe_absolute(t, inner_of(x), observation);
}

RhsStatus FollowedCuts::reactions(double t, std::span<const double> x, Reactions& reactions) {
  look_near(x);
  return inner_->reactions(t, inner_of(x), reactions);
}

RhsStatus FollowedCuts::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  look_near(x);
  RhsStatus status = inner_->rhs(t, inner_of(x), inner_of(xdot));
  if (status.ok) {
    status = read_motion(t, x, inner_of(xdot));
  }
  if (!status.ok) {
    return status;
  }
  kinematics_.set_positions(q_);
  kinematics_.set_velocities(u_);
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const Joint& joint = mechanism().cut_joints()[index_of(angles_[i].cut)];
    const JointKinematics& state = kinematics_.cut_joint(angles_[i].cut);
    const Vec6 relative = kinematics_.velocity_at(joint.b, state.point) - kinematics_.velocity_at(joint.a, state.point);
    angles_of(xdot)[i] = cut_dual_direction(joint, state, angles_[i].component).dot(relative);
  }
  return status;
}

RhsStatus FollowedCuts::read_motion(double t, std::span<const double> x, std::span<const double> rates) {
  if (!begins_with_coordinates_) {
    return inner_->unpack(t, inner_of(x), q_, u_);
  }
  std::copy_n(x.begin(), q_.size(), q_.begin());
  const std::span<const double> q = q_;
  for (const Joint& joint : mechanism().tree_joints()) {
    const std::size_t at = index_of(joint.q_offset);
    const std::size_t count = index_of(joint.nq);
    set_velocities(joint, q.subspan(at, count), rates.subspan(at, count),
                   std::span(u_).subspan(index_of(joint.u_offset), index_of(joint.nu)));
  }
  return {};
}

bool FollowedCuts::after_step(double t, std::span<double> x) {
  const bool changed = inner_->after_step(t, inner_of(x));
  // Nothing but the choice of the turn depends on these components: no rate changes with them.
  if (inner_->unpack(t, inner_of(x), q_, u_).ok) {
    look_near(x);
    kinematics_.set_positions(q_);
    read_angles(angles_of(x));
  }
  return changed;
}

std::unique_ptr<Formulation> follow_cuts(std::unique_ptr<Formulation> formulation) {
  std::vector<FollowedAngle> angles = followed_angles(formulation->mechanism());
  if (angles.empty()) {
    return formulation;
  }
  return std::make_unique<FollowedCuts>(std::move(formulation), std::move(angles));
}

void take_turns(const Formulation& from, std::span<const double> x_from, const Formulation& to,
                std::span<double> x_to) {
  const auto* const giver = dynamic_cast<const FollowedCuts*>(&from);
  const auto* const taker = dynamic_cast<const FollowedCuts*>(&to);
  if (giver != nullptr && taker != nullptr) {
    const auto turns = x_from.last(giver->angle_count());
    std::copy(turns.begin(), turns.end(), x_to.last(taker->angle_count()).begin());
  }
}

std::unique_ptr<Formulation> without_following(std::unique_ptr<Formulation> formulation) {
  auto* const followed = dynamic_cast<FollowedCuts*>(formulation.get());
  return followed == nullptr ? std::move(formulation) : followed->release();
}

}  // namespace mbdbench
