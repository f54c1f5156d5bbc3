#include "formulations/naudet/closed_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/start/singular_start.hpp"

namespace mbdbench {
namespace {

constexpr int kMostIterations = 30;
// A loop that turns with its base by up to four turns in a step turns by less than a quarter in each of these parts.
constexpr int kPartsOfStep = 17;
// As for the warning of singular_start.hpp: singular values take a tenth of a second at this size.
constexpr int kMostVelocitiesOfCheck = 300;
// Newton's method stops where a correction is rounding,
constexpr double kRounding = 1e-14;
// or where it no longer shrinks and the loops are closed to this part of the distances and angles that they close:
// what a correction then is depends on the mechanism's size and on how well the dependent joints close the loop (1e-10
// at pivots of 1e-5).
constexpr double kClosed = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<bool> marked_dependent(const Mechanism& mechanism) {
  std::vector<bool> marked(index_of(mechanism.u_size()), false);
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    for (int i = 0; i < joint.nu; ++i) {
      marked[index_of(joint.u_offset + i)] = mechanism.description().joints[k].dependent;
    }
  }
  return marked;
}

}  // namespace

void cut_velocities(const BodyMotions& bodies, const JointKinematics& state, const Joint& joint, std::span<double> u) {
  const BodyKinematics& a = bodies.body(joint.a);
  const BodyKinematics& b = bodies.body(joint.b);
  const Vec3 omega_a = a.velocity.tail<3>();
  const Vec3 omega_b = b.velocity.tail<3>();
  const Vec3 velocity_a = a.velocity.head<3>() + omega_a.cross(state.point - a.com);
  const Vec3 velocity_b = b.velocity.head<3>() + omega_b.cross(state.point - b.com);
  const Vec3 velocity = velocity_b - velocity_a;
  const Vec3 omega = omega_b - omega_a;
  JointVector along(joint.nu);
  for (int i = 0; i < joint.nu; ++i) {
    along[i] = state.h.col(i).head<3>().dot(velocity) + state.h.col(i).tail<3>().dot(omega);
  }
  Eigen::Map<Eigen::VectorXd>(u.data(), joint.nu).noalias() = motion_gram_inverse(joint).lazyProduct(along);
}

std::vector<bool> dependent_candidates(const Mechanism& mechanism, bool scalar_only) {
  std::vector<bool> allowed(index_of(mechanism.u_size()), false);
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const bool prescribed = std::any_of(joint.motions.begin(), joint.motions.end(),
                                          [i](const JointMotion& motion) { return motion.component == i; });
      allowed[index_of(joint.u_offset + i)] = !prescribed && (!scalar_only || has_coordinate_rates(joint.type));
    }
  }
  return allowed;
}

DependentChoice initial_choice(const Mechanism& mechanism, const std::vector<bool>& allowed) {
  LoopGeometry geometry(mechanism);
  geometry.set_positions({mechanism.q0().data(), index_of(mechanism.q_size())});
  DependentJoints dependents(mechanism);
  dependents.set_positions(geometry);
  return choose_dependents(dependents.phi_q(), dependents.size(geometry), allowed, marked_dependent(mechanism),
                           dependents.reach());
}

std::string refuse_singular_start(const Mechanism& mechanism) {
  if (mechanism.closing_row_count() == 0 || mechanism.u_size() > kMostVelocitiesOfCheck) {
    return {};
  }
  const std::optional<NearbyRanks> nearby = ranks_nearby(mechanism);
  const int motions = mechanism.motion_row_count();
  const auto here =
      static_cast<int>(initial_choice(mechanism, dependent_candidates(mechanism, false)).dependent.size());
  if (!nearby || nearby->rank - motions <= here) {
    return {};
  }
  return fmt::format(
      "its initial position is singular, its loops impose {} independent constraints there and {} nearby, and the "
      "formulation settles at the start how many joints depend",
      here, nearby->rank - motions);
}

std::string refuse_reduced_coordinates(const Mechanism& mechanism) {
  if (mechanism.closing_row_count() == 0) {
    return {};
  }
  if (mechanism.drives_cut_joints()) {
    return "a cut joint has a prescribed motion, and dependent coordinates are found from loops that do not move with "
           "time; cut another joint of the loop";
  }
  std::string singular = refuse_singular_start(mechanism);
  if (!singular.empty()) {
    return singular;
  }
  const std::size_t scalar = initial_choice(mechanism, dependent_candidates(mechanism, true)).rows.size();
  const std::size_t all = initial_choice(mechanism, dependent_candidates(mechanism, false)).rows.size();
  if (scalar == all) {
    return {};
  }
  return fmt::format(
      "its loops impose {} independent constraints, but only {} coordinates can be solved for by themselves (those of "
      "a spherical or free joint cannot)",
      all, scalar);
}

ClosedDynamics::ClosedDynamics(const Mechanism& mechanism, const ClosedSettings& settings)
    : mechanism_(&mechanism),
      near_(settings.near),
      dependents_(mechanism),
      allowed_(settings.allowed),
      unprescribed_(dependent_candidates(mechanism, false)),
      closing_(mechanism),
      way_(index_of(mechanism.q_size())),
      residual_(index_of(mechanism.closing_row_count())),
      reduced_(index_of(mechanism.u_size())),
      velocities_(index_of(mechanism.u_size())),
      used_(index_of(mechanism.u_size())) {
  if (settings.rate_kind == StateKind::momentum) {
    momenta_.emplace(mechanism, GaugeControl::none, 0.0, 0.0, settings.execution, settings.near, 0);
    positions_.emplace(mechanism, momenta_->part());
  } else {
    positions_.emplace(mechanism);
    accelerations_.emplace(mechanism, BaumgarteConstants{}, false, settings.execution, settings.near, 0);
  }
  dependents_.use_choice(settings.choice);
  correction_.resize(settings.choice.dependent.size());
}

WorldRecursion& ClosedDynamics::world() {
  if (!world_) {
    world_ = std::make_unique<WorldRecursion>(*mechanism_, BaumgarteConstants{}, near_);
  }
  return *world_;
}

RhsStatus ClosedDynamics::set_positions(std::span<const double> q) {
  if (accelerations_) {
    positions_->set_positions(q);
  } else if (RhsStatus status = momenta_->set_positions(q); !status.ok) {
    return status;
  }
  dependents_.set_positions(*positions_);
  const double pivots = dependents_.factorise();
  if (!(pivots > kDependentSingular)) {
    return {false, name_of_first_row(*mechanism_),
            "the dependent joints cannot close the loop here (singular position), smallest over largest pivot is",
            pivots};
  }
  return {};
}

double ClosedDynamics::set_residual(std::span<const double> q) {
  closing_.set_positions(q);
  double distance = closing_.largest_distance();
  double largest_distance = 0.0;
  double largest_angle = 0.0;
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = closing_.cut_joint(c);
    distance = std::max(distance, state.point.lpNorm<Eigen::Infinity>());
    const auto rows = std::span(residual_).subspan(index_of(joint.row_offset), index_of(joint.nc));
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, rows);
    const std::size_t linear = index_of(joint.linear_rows());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      double& largest = row < linear ? largest_distance : largest_angle;
      largest = std::max(largest, std::abs(rows[row]));
    }
  }
  for (std::size_t i = 0; i < mechanism_->couplings().size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    double& row = residual_[index_of(mechanism_->cut_row_count()) + i];
    row = coupling.residual(q);
    largest_angle = std::max(largest_angle, std::abs(row) * mechanism_->scales().rows[coupling.row]);
  }
  return std::max(largest_distance > 0.0 ? largest_distance / distance : 0.0, largest_angle);
}

double ClosedDynamics::largest_angle(std::span<const double> q) const {
  double angle = 1.0;
  for (const Joint& joint : mechanism_->tree_joints()) {
    if (joint.type == JointType::revolute || joint.type == JointType::screw) {
      angle = std::max(angle, std::abs(q[index_of(joint.q_offset)]));
    }
  }
  return angle;
}

double ClosedDynamics::add_to_dependent(std::span<const double> change, double sign, std::span<double> q) const {
  double largest = 0.0;
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const auto& dependent = dependents_.dependent();
      const auto found = std::lower_bound(dependent.begin(), dependent.end(), joint.u_offset + i);
      if (found != dependent.end() && *found == joint.u_offset + i) {
        double& coordinate = q[index_of(joint.q_offset + i)];
        const double moved = sign * change[static_cast<std::size_t>(found - dependent.begin())];
        coordinate += moved;
        const double unit = mechanism_->scales().columns[joint.u_offset + i];
        largest = std::max(largest, std::abs(moved) / (unit + std::abs(coordinate)));
      }
    }
  }
  return largest;
}

void ClosedDynamics::predict(std::span<double> q, std::span<const double> from) {
  if (!dependents_.predicts()) {
    return;
  }
  // Quaternions are left to Newton's method.
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const std::size_t coordinate = index_of(joint.q_offset + i);
      velocities_[index_of(joint.u_offset + i)] =
          has_coordinate_rates(joint.type) ? q[coordinate] - from[coordinate] : 0.0;
    }
  }
  dependents_.predict(velocities_, correction_);
  const double open = set_residual(q);
  add_to_dependent(correction_, 1.0, q);
  if (!(set_residual(q) < open)) {
    add_to_dependent(correction_, -1.0, q);
  }
}

RhsStatus ClosedDynamics::close_positions(std::span<double> q, std::span<const double> from) {
  double last = 0.0;
  predict(q, from);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    set_residual(q);
    dependents_.set_positions(closing_);
    if (!(dependents_.factorise() > 0.0)) {
      break;
    }
    dependents_.correct(residual_, correction_);
    const double largest = add_to_dependent(correction_, 1.0, q);
    if (!std::isfinite(largest)) {
      break;
    }
    if (largest <= kRounding ||
        (iteration > 3 && largest >= 0.5 * last && set_residual(q) <= kClosed * largest_angle(q))) {
      return {};
    }
    last = largest;
  }
  return {false, name_of_first_row(*mechanism_),
          "the loops could not be closed from the last accepted coordinates, the last correction was", last, true};
}

RhsStatus ClosedDynamics::solve_velocities(double t, std::span<const double> q, std::span<const double> p) {
  std::copy(p.begin(), p.end(), reduced_.begin());
  for (const int component : dependents_.dependent()) {
    reduced_[index_of(component)] = 0.0;
  }
  return momenta_->move(t, q, reduced_, velocities_);
}

void ClosedDynamics::set_velocities(std::span<const double> u, bool complete) {
  std::copy(u.begin(), u.end(), velocities_.begin());
  if (complete) {
    dependents_.complete(velocities_);
  }
}

RhsStatus ClosedDynamics::reduced_momenta(double t, std::span<const double> q, std::span<double> p) {
  if (!tree_) {
    tree_ = std::make_unique<BodyRecursion>(*mechanism_, near_);
  }
  const RhsStatus status = tree_->set_positions(t, q);
  if (status.ok) {
    tree_->set_velocities(velocities_);
    tree_->momenta(p);
    dependents_.reduce(p);
  }
  return status;
}

RhsStatus ClosedDynamics::reduced_momentum_rates(double t, std::span<const double> q, std::span<double> pdot) {
  const RhsStatus status = momenta_->momentum_rates(t, q, reduced_, velocities_, pdot);
  if (status.ok) {
    dependents_.reduce(pdot);
  }
  return status;
}

RhsStatus ClosedDynamics::accelerations(double t, std::span<const double> q, std::span<double> rates) {
  return accelerations_->evaluate(t, q, velocities_, used_, rates);
}

RhsStatus ClosedDynamics::reactions(double t, std::span<const double> q, Reactions& result) {
  const RhsStatus status = world().solve(t, q, velocities_, false);
  if (status.ok) {
    world().reactions(*mechanism_, result);
  }
  return status;
}

void ClosedDynamics::cut_velocities(int c, std::span<double> u_c) const {
  mbdbench::cut_velocities(part().poses().bodies(), part().cuts()[index_of(c)], mechanism_->cut_joints()[index_of(c)],
                           u_c);
}

void ClosedDynamics::cut_accelerations(int c, std::span<const double> u_c, std::span<double> rates) const {
  const Joint& joint = mechanism_->cut_joints()[index_of(c)];
  const JointKinematics& state = part().cuts()[index_of(c)];
  Vec6 relative = part().body_rate_at(joint.b, state) - part().body_rate_at(joint.a, state);
  for (int i = 0; i < joint.nu; ++i) {
    relative -= u_c[index_of(i)] * state.h_rate.col(i);
  }
  const JointVector along = state.h.transpose().lazyProduct(relative);
  Eigen::Map<Eigen::VectorXd>(rates.data(), joint.nu).noalias() = motion_gram_inverse(joint).lazyProduct(along);
}

std::vector<int> ClosedDynamics::better_choice() {
  const double present = dependents_.factorise() > kDependentSingular ? largest_ratio() : kInfinity;
  const std::vector<bool> none_preferred(allowed_.size(), false);
  std::vector<int> before = dependents_.dependent();
  // As many as there are: where loops have drifted open, redundant rows differ by the drift.
  const DependentChoice other = choose_dependents(dependents_.phi_q(), dependents_.size(*positions_), allowed_,
                                                  none_preferred, dependents_.reach(), before.size());
  if (other.dependent.size() != before.size()) {
    return before;
  }
  dependents_.use_dependent(other.dependent);
  const bool better = dependents_.factorise() > kDependentSingular && largest_ratio() < 0.5 * present;
  dependents_.use_dependent(before);
  dependents_.factorise();
  return better ? other.dependent : before;
}

bool ClosedDynamics::passes_singular_position(std::span<const double> from, std::span<const double> to) {
  // Parts are needed only where redundant rows may have turned far.
  return !correction_.empty() && turns_over(from, to, 1) && turns_over(from, to, kPartsOfStep);
}

bool ClosedDynamics::turns_over(std::span<const double> from, std::span<const double> to, int parts) {
  bool turned = false;
  for (int part = 0; part <= parts; ++part) {
    for (std::size_t i = 0; i < way_.size(); ++i) {
      way_[i] = std::lerp(from[i], to[i], static_cast<double>(part) / parts);
    }
    closing_.set_positions(way_);
    dependents_.set_positions(closing_);
    turned = (part > 0 && dependents_.is_turned_over()) != turned;
    dependents_.keep_orientation();
  }
  return turned;
}

}  // namespace mbdbench
