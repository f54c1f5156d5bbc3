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
    : Formulation(inner->mechanism(), layout_with(*inner, angles)),
      inner_(std::move(inner)),
      angles_(std::move(angles)),
      kinematics_(mechanism()),
      begins_with_coordinates_(begins_with_coordinates(*inner_)),
      q_(index_of(mechanism().q_size())),
      u_(index_of(mechanism().u_size())) {}

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

RhsStatus FollowedCuts::set_slopes(double t, std::span<const double> x) {
  if (!slopes_) {
    slopes_.emplace(mechanism());
    const auto angles = static_cast<Eigen::Index>(angles_.size());
    by_coordinate_.resize(angles, mechanism().q_size());
    by_rate_.resize(angles, mechanism().q_size());
    rates_.resize(x.size());
    weights_.resize(x.size() - angles_.size());
  }
  const RhsStatus status = evaluate(t, x, rates_);
  for (std::size_t i = 0; status.ok && i < angles_.size(); ++i) {
    slopes_->set(angles_[i], kinematics_, cut_references(), q_,
                 Eigen::Map<const Eigen::VectorXd>(u_.data(), mechanism().u_size()));
    by_coordinate_.row(static_cast<Eigen::Index>(i)) = slopes_->by_coordinate();
    by_rate_.row(static_cast<Eigen::Index>(i)) = slopes_->by_rate();
  }
  return status;
}

RhsStatus FollowedCuts::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (!without_jacobian().empty()) {
    return Formulation::jacobian(t, x, derivatives);
  }
  RhsStatus status = set_slopes(t, x);
  const auto angles = static_cast<Eigen::Index>(angles_.size());
  const auto size = static_cast<Eigen::Index>(x.size());
  const Eigen::Index count = mechanism().q_size();
  Rows own(size - angles, size - angles);
  if (status.ok) {
    status = inner_->jacobian(t, inner_of(x), {own.data(), static_cast<std::size_t>(own.size())});
  }
  if (!status.ok) {
    return status;
  }
  Eigen::Map<Rows> all(derivatives.data(), size, size);
  all.setZero();  // nothing depends on an angle but which turn is meant
  all.topLeftCorner(size - angles, size - angles) = own;
  all.bottomLeftCorner(angles, size - angles).noalias() = by_rate_ * own.topRows(count);
  all.bottomLeftCorner(angles, count) += by_coordinate_;
  return status;
}

RhsStatus FollowedCuts::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                        std::span<double> product) {
  if (!without_jacobian().empty()) {
    return Formulation::jacobian_vector(t, x, direction, product);
  }
  RhsStatus status = set_slopes(t, x);
  if (status.ok) {
    status = inner_->jacobian_vector(t, inner_of(x), inner_of(direction), inner_of(product));
  }
  if (status.ok) {
    const Eigen::Index count = mechanism().q_size();
    const std::span<double> angles = angles_of(product);
    Eigen::Map<Eigen::VectorXd>(angles.data(), static_cast<Eigen::Index>(angles.size())) =
        by_coordinate_ * Eigen::Map<const Eigen::VectorXd>(direction.data(), count) +
        by_rate_ * Eigen::Map<const Eigen::VectorXd>(product.data(), count);
  }
  return status;
}

std::span<const double> FollowedCuts::inner_weights(std::span<const double> weights) {
  const std::span<const double> own = inner_of(weights);
  const std::span<const double> angles = angles_of(weights);
  std::copy(own.begin(), own.end(), weights_.begin());
  Eigen::Map<Eigen::VectorXd>(weights_.data(), mechanism().q_size()) +=
      by_rate_.transpose() * Eigen::Map<const Eigen::VectorXd>(angles.data(), static_cast<Eigen::Index>(angles.size()));
  return weights_;
}

void FollowedCuts::add_weights(std::span<const double> weights, std::span<double> product) const {
  const std::span<const double> angles = angles_of(weights);
  Eigen::Map<Eigen::VectorXd>(product.data(), mechanism().q_size()) +=
      by_coordinate_.transpose() *
      Eigen::Map<const Eigen::VectorXd>(angles.data(), static_cast<Eigen::Index>(angles.size()));
  const std::span<double> none = angles_of(product);
  std::fill(none.begin(), none.end(), 0.0);
}

RhsStatus FollowedCuts::vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                                        std::span<double> product) {
  if (!without_jacobian().empty()) {
    return Formulation::vector_jacobian(t, x, weights, product);
  }
  return weighted_derivatives(t, x, weights, product, {});
}

RhsStatus FollowedCuts::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                             std::span<double> product, const WeightsByParameter& by) {
  if (!without_jacobian().empty()) {
    return Formulation::weighted_derivatives(t, x, weights, product, by);
  }
  RhsStatus status = set_slopes(t, x);
  if (status.ok) {
    const std::span<const double> own = inner_weights(weights);
    status = by.empty() ? inner_->vector_jacobian(t, inner_of(x), own, inner_of(product))
                        : inner_->weighted_derivatives(t, inner_of(x), own, inner_of(product), by);
  }
  if (status.ok) {
    add_weights(weights, product);
  }
  return status;
}

// A length, too, turns no body at held q and q'.
RhsStatus FollowedCuts::parameter_jacobian(double t, std::span<const double> x,
                                           std::span<const RateParameter> parameters, std::span<double> derivatives) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (!without_jacobian().empty()) {
    return Formulation::parameter_jacobian(t, x, parameters, derivatives);
  }
  RhsStatus status = set_slopes(t, x);
  const std::span<double> own = derivatives.first((x.size() - angles_.size()) * parameters.size());
  if (status.ok) {
    status = inner_->parameter_jacobian(t, inner_of(x), parameters, own);
  }
  if (status.ok) {
    const auto columns = static_cast<Eigen::Index>(parameters.size());
    Eigen::Map<Rows>(derivatives.data() + own.size(), static_cast<Eigen::Index>(angles_.size()), columns).noalias() =
        by_rate_ * Eigen::Map<const Rows>(own.data(), mechanism().q_size(), columns);
  }
  return status;
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
