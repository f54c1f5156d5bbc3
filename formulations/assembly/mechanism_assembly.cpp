#include "formulations/assembly/mechanism_assembly.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/assembly/point_masses.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Pivots of a node are rounding divided by those of the nodes below it: 1e-11 and more where these are 1e-5.
constexpr double kClearlyIndependent = 1e-6;

double smallest_pivot(const AssemblyEngine& engine) {
  double smallest = 1.0;
  for (const double pivot : engine.smallest_loop_pivots()) {
    smallest = std::min(smallest, pivot);
  }
  return smallest;
}

/// Joint axes of a cut that turn with b, or with a where b is the ground.
const Mat3& body_axes(const Joint& cut, const JointKinematics& state) {
  return cut.b >= 0 ? state.axes_b : state.axes_a;
}

}  // namespace

MechanismAssembly::MechanismAssembly(const Mechanism& mechanism, const AssemblyOptions& options,
                                     const CutReferences* near)
    : mechanism_(&mechanism),
      options_(options),
      kinematics_(mechanism),
      loads_(mechanism, near),
      motions_(mechanism),
      engine_(AssemblyTree(mechanism.body_count(), assembly_joints(mechanism), options.ground), body_masses(mechanism),
              options.proximal, options.instruction_set),
      handle_input_(mechanism.bodies().size()),
      body_rate_(mechanism.bodies().size()),
      outboard_(mechanism.bodies().size()),
      right_(index_of(engine_.row_count()), 0.0),
      multipliers_(index_of(engine_.row_count()), 0.0),
      residual_(6, 0.0),
      u_(index_of(mechanism.u_size()), 0.0),
      accelerations_(index_of(mechanism.u_size()), 0.0),
      coupled_(mechanism, right_.size()),
      joint_rates_(mechanism.couplings().empty() ? 0 : index_of(mechanism.u_size())) {
  for (int k = 0; k < joint_count(); ++k) {
    directions_.emplace_back(SpatialColumns::Zero(6, joint(k).nc + static_cast<int>(joint(k).motions.size())));
  }
  for (const Joint& cut : mechanism.cut_joints()) {
    cut_rates_.emplace_back(SpatialColumns::Zero(6, cut.nc));
  }
  coupled_right_.resize(mechanism.couplings().size());
  open_.resize(mechanism.couplings().size());
  find_point_masses();
  settle_ranks();
}

void MechanismAssembly::find_point_masses() {
  kinematics_.set_positions(view(mechanism_->q0()));
  double length = 0.0;
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    for (const int k : engine_.leaves().joints(body)) {
      length = std::max(length, (joint_state(k).point - kinematics_.body(body).com).norm());
    }
  }
  mass_ratio_ = largest_mass_ratio(*mechanism_);
  compliance_ratio_ = largest_compliance_ratio(*mechanism_);
  if (std::max(largest_lever_ratio(), mass_ratio_) > LeverRatio::kPassed || compliance_ratio_ > LeverRatio::kThin) {
    engine_.balance_bodies(length);
  }
}

double MechanismAssembly::lever_ratio_of(int body) const {
  const BodyKinematics& state = kinematics_.body(body);
  double largest = 0.0;
  for (const int k : engine_.leaves().joints(body)) {
    const Vec3 lever = joint_state(k).point - state.com;
    largest = std::max(largest, lever_ratio(mechanism_->bodies()[index_of(body)].mass, state.inertia_inverse, lever));
  }
  return largest;
}

double MechanismAssembly::largest_lever_ratio() const {
  double largest = 0.0;
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    largest = std::max(largest, lever_ratio_of(body));
  }
  return largest;
}

void MechanismAssembly::settle_ranks() {
  const Eigen::VectorXd& start = mechanism_->q0();
  // Where all rows are clearly independent at the start there is nothing to limit, and the generic rank need not be
  // settled.
  if (!mechanism_->constrained() || !set_positions(0.0, view(start)).ok ||
      (engine_.redundant_rows() == 0 && smallest_pivot(engine_) > kClearlyIndependent)) {
    return;
  }
  const GenericRank& generic = mechanism_->generic_rank();
  if (generic.positions.size() < 2) {
    return;
  }
  const std::vector<int> all_rows = engine_.loop_rank_limits();
  std::vector<int> most(all_rows.size(), 0);
  for (const Eigen::VectorXd& q : generic.positions) {
    engine_.limit_loop_ranks(all_rows);
    if (set_positions(0.0, view(q)).ok) {
      lower_ranks(q, mechanism_->constraint_size() - generic.rank);
      const std::vector<int> here = engine_.loop_ranks();
      std::transform(most.begin(), most.end(), here.begin(), most.begin(), [](int a, int b) { return std::max(a, b); });
    }
  }
  engine_.limit_loop_ranks(most);
}

void MechanismAssembly::lower_ranks(const Eigen::VectorXd& q, int redundant) {
  while (engine_.redundant_rows() < redundant) {
    const std::vector<double> pivots = engine_.smallest_loop_pivots();
    const auto smallest = std::min_element(pivots.begin(), pivots.end());
    if (!(*smallest < kClearlyIndependent)) {
      return;
    }
    std::vector<int> limits = engine_.loop_ranks();
    --limits[index_of(static_cast<int>(smallest - pivots.begin()))];
    engine_.limit_loop_ranks(limits);
    if (!set_positions(0.0, view(q)).ok) {
      return;
    }
  }
}

RhsStatus MechanismAssembly::balance_status() const {
  // Where masses or compliances alone differ, passes that end early have met the condition of the motion.
  if (engine_.remainder().rates == 0.0 || !engine_.balances() || !(largest_lever_ratio() > LeverRatio::kPassed)) {
    return {};
  }
  int worst = 0;
  for (int body = 1; body < mechanism_->body_count(); ++body) {
    worst = lever_ratio_of(body) > lever_ratio_of(worst) ? body : worst;
  }
  return {false, mechanism_->bodies()[index_of(worst)].name,
          "its inertia J is too small beside m l^2 for divide and conquer (aba, naudet, bae-haug and dense take it), "
          "m l^2 / J is",
          lever_ratio_of(worst)};
}

void MechanismAssembly::diagnostics(const DiagnosticSink& sink) const {
  sink("redundant_rows", static_cast<double>(engine_.redundant_rows()));
  if (engine_.balances()) {
    sink("lever_ratio", largest_lever_ratio());
    sink("mass_ratio", mass_ratio_);
    sink("compliance_ratio", compliance_ratio_);
  }
}

const Joint& MechanismAssembly::joint(int k) const {
  return k < first_cut() ? mechanism_->tree_joints()[index_of(k)] : mechanism_->cut_joints()[index_of(k - first_cut())];
}

const JointKinematics& MechanismAssembly::joint_state(int k) const {
  return k < first_cut() ? kinematics_.tree_joint(k) : kinematics_.cut_joint(k - first_cut());
}

RhsStatus MechanismAssembly::set_positions(double t, std::span<const double> q) {
  motions_.evaluate(t);
  kinematics_.set_positions(q);
  set_directions();
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    set_leaf(body);
  }
  const AssemblyPivot failed = engine_.factorise();
  if (failed.joint >= 0) {
    return {false, joint(failed.joint).name, "the assembled matrix is not positive definite here, its pivot is",
            failed.value};
  }
  if (!coupled_.empty()) {
    answer_couplings(q);
  }
  return {};
}

void MechanismAssembly::answer_couplings(std::span<const double> q) {
  std::fill(right_.begin(), right_.end(), 0.0);
  for (std::size_t c = 0; c < open_.size(); ++c) {
    open_[c] = mechanism_->couplings()[c].residual(q);
    CoupledJoints::Answer& answer = coupled_.answers()[c];
    set_momentum_input(answer.forces);
    engine_.solve(right_, handle_input_, answer.multipliers, answer.bodies);
    set_joint_rates(answer.bodies, answer.u);
    answer.mobility = 0.0;
    for (int k = 0; k < mechanism_->body_count(); ++k) {
      const BodyKinematics& body = kinematics_.body(k);
      const Vec6& input = handle_input_[index_of(k)];
      answer.mobility += input.head<3>().squaredNorm() / mechanism_->bodies()[index_of(k)].mass +
                         input.tail<3>().dot(body.inertia_inverse * input.tail<3>());
    }
  }
  coupled_.decompose();
}

void MechanismAssembly::set_joint_rates(std::span<const Vec6> bodies, std::span<double> u) const {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    Vec6 relative = shift_velocity(state.point - kinematics_.body(k).com, bodies[index_of(k)]);
    if (tree_joint.a >= 0) {
      relative -= shift_velocity(state.point - kinematics_.body(tree_joint.a).com, bodies[index_of(tree_joint.a)]);
    }
    Eigen::Map<Eigen::VectorXd>(u.data() + tree_joint.u_offset, tree_joint.nu).noalias() =
        kinematics_.gram_inverse(k).lazyProduct(state.h.transpose().lazyProduct(relative));
  }
}

void MechanismAssembly::solve_with_couplings() {
  engine_.solve(right_, handle_input_, multipliers_, body_rate_);
  if (!coupled_.empty()) {
    set_joint_rates(body_rate_, joint_rates_);
    coupled_.solve(joint_rates_, coupled_right_);
    coupled_.add_to({}, multipliers_, body_rate_);
  }
}

std::span<const double> MechanismAssembly::with_coupling_impulses(std::span<const double> values) {
  if (coupled_.empty()) {
    return values;
  }
  std::copy(values.begin(), values.end(), joint_rates_.begin());
  coupled_.add_forces(joint_rates_);
  return joint_rates_;
}

void MechanismAssembly::set_directions() {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    SpatialColumns& directions = directions_[index_of(k)];
    directions.leftCols(tree_joint.nc) = state.d;
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      directions.col(tree_joint.nc + static_cast<int>(m)).noalias() =
          state.h * kinematics_.gram_inverse(k).col(tree_joint.motions[m].component);
    }
  }
  for (int k = first_cut(); k < joint_count(); ++k) {
    directions_[index_of(k)] = joint_state(k).d;
    if (resolved_in_body(joint(k))) {
      directions_[index_of(k)].topLeftCorner<3, 3>() = body_axes(joint(k), joint_state(k));
    }
  }
}

void MechanismAssembly::set_cut_direction_rates() {
  for (int k = first_cut(); k < joint_count(); ++k) {
    const Joint& cut = joint(k);
    SpatialColumns& rates = cut_rates_[index_of(k - first_cut())];
    rates = joint_state(k).d_rate;
    if (resolved_in_body(cut)) {
      const Vec3 omega = kinematics_.body(cut.b >= 0 ? cut.b : cut.a).velocity.tail<3>();
      rates.topLeftCorner<3, 3>().noalias() = skew(omega) * body_axes(cut, joint_state(k));
    }
  }
}

void MechanismAssembly::set_leaf(int body) {
  const BodyKinematics& state = kinematics_.body(body);
  BodyLeaves& leaves = engine_.leaves();
  std::size_t handle = 0;
  for (const int k : leaves.joints(body)) {
    const bool outboard = joint(k).b == body;
    const JointKinematics& place = joint_state(k);
    const double sign = outboard ? 1.0 : -1.0;
    const Vec3 lever = place.point - state.com;
    leaves.place_handle(body, handle++, directions_[index_of(k)], sign, lever);
  }
  leaves.set_inertia(body, state.inertia, state.inertia_inverse);
  if (engine_.balances()) {
    raise_inertia(body);
  }
}

void MechanismAssembly::raise_inertia(int body) {
  const BodyKinematics& state = kinematics_.body(body);
  engine_.balanced_inertias()[index_of(body)] = state.inertia;
  if (lever_ratio_of(body) <= LeverRatio::kRaised) {
    return;
  }
  Mat3 inertia = state.inertia;
  for (const int k : engine_.leaves().joints(body)) {
    inertia += raised_inertia(mechanism_->bodies()[index_of(body)].mass, joint_state(k).point - state.com);
  }
  engine_.leaves().set_inertia(body, inertia, inertia.inverse());
}

void MechanismAssembly::add_pair(int k, const Vec6& wrench) {
  const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
  const Vec3& point = kinematics_.tree_joint(k).point;
  handle_input_[index_of(tree_joint.b)] += shift_wrench(point - kinematics_.body(tree_joint.b).com, wrench);
  if (tree_joint.a >= 0) {
    handle_input_[index_of(tree_joint.a)] -= shift_wrench(point - kinematics_.body(tree_joint.a).com, wrench);
  }
}

Vec6 MechanismAssembly::relative_velocity(int k) const {
  const JointKinematics& state = joint_state(k);
  return kinematics_.velocity_at(joint(k).b, state.point) - kinematics_.velocity_at(joint(k).a, state.point);
}

void MechanismAssembly::closure(int cut, std::span<double> residual) const {
  const Joint& joint = mechanism_->cut_joints()[index_of(cut)];
  const JointKinematics& state = kinematics_.cut_joint(cut);
  closure_residual(joint, state.axes_a, state.axes_b, state.displacement, residual);
  drive_residual(joint, motions_.positions(), residual);
  if (resolved_in_body(joint)) {
    Eigen::Map<Vec3> linear(residual.data());
    linear = (body_axes(joint, state).transpose() * linear).eval();
  }
}

void MechanismAssembly::set_velocity_right_sides(double feedback) {
  std::fill(right_.begin(), right_.end(), 0.0);
  for (std::size_t c = 0; c < open_.size(); ++c) {
    coupled_right_[c] = -feedback * open_[c];
  }
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      const std::size_t motion = index_of(tree_joint.motion_offset - mechanism_->cut_row_count()) + m;
      right_[index_of(engine_.row_offset(k) + tree_joint.nc) + m] = motions_.velocities()[motion];
    }
  }
  if (feedback != 0.0) {
    set_cut_feedback(feedback);
  }
  for (int k = first_cut(); k < joint_count(); ++k) {
    for (const DrivenRow& driven : joint(k).driven) {
      right_[index_of(engine_.row_offset(k) + driven.row)] += motions_.velocities()[index_of(driven.place)];
    }
  }
}

void MechanismAssembly::set_cut_feedback(double beta) {
  for (int k = first_cut(); k < joint_count(); ++k) {
    const std::span<double> rows(right_.data() + engine_.row_offset(k), index_of(joint(k).nc));
    closure(k - first_cut(), rows);
    for (double& row : rows) {
      row *= -beta;
    }
  }
}

void MechanismAssembly::set_momentum_input(std::span<const double> p) {
  std::fill(handle_input_.begin(), handle_input_.end(), Vec6::Zero());
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    add_pair(k, active_impulse(k, p));
  }
}

void MechanismAssembly::remove_constraint_part(std::span<double> p) {
  set_momentum_input(p);
  std::fill(right_.begin(), right_.end(), 0.0);
  std::fill(coupled_right_.begin(), coupled_right_.end(), 0.0);
  solve_with_couplings();
  add_constraint_momenta(p);
}

void MechanismAssembly::add_constraint_momenta(std::span<double> p) {
  coupled_.add_forces(p);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      p[index_of(tree_joint.u_offset + tree_joint.motions[m].component)] += multipliers(k)[index_of(tree_joint.nc) + m];
    }
  }
  if (joint_count() == first_cut()) {
    return;
  }
  std::fill(outboard_.begin(), outboard_.end(), Vec6::Zero());
  for (int k = first_cut(); k < joint_count(); ++k) {
    const Vec6 impulse = constraint_impulse(k);
    for (const auto& [body, sign] : {std::pair(joint(k).b, 1.0), std::pair(joint(k).a, -1.0)}) {
      if (body >= 0) {
        const Vec3 lever = joint_state(k).point - kinematics_.tree_joint(body).point;
        outboard_[index_of(body)] += shift_wrench(lever, sign * impulse);
      }
    }
  }
  sum_inward(outboard_);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    for (int i = 0; i < tree_joint.nu; ++i) {
      p[index_of(tree_joint.u_offset + i)] += kinematics_.tree_joint(k).h.col(i).dot(outboard_[index_of(k)]);
    }
  }
}

void MechanismAssembly::solve_velocities(std::span<const double> p, double feedback) {
  set_momentum_input(p);
  set_velocity_right_sides(feedback);
  solve_momenta();
}

void MechanismAssembly::solve_position_correction(std::span<const double> q) {
  std::fill(handle_input_.begin(), handle_input_.end(), Vec6::Zero());
  std::fill(right_.begin(), right_.end(), 0.0);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      right_[index_of(engine_.row_offset(k) + tree_joint.nc) + m] = -motion_residual(tree_joint, m, q);
    }
  }
  set_cut_feedback(1.0);
  for (std::size_t c = 0; c < open_.size(); ++c) {
    coupled_right_[c] = -open_[c];
  }
  solve_momenta();
}

double MechanismAssembly::motion_residual(const Joint& tree_joint, std::size_t m, std::span<const double> q) const {
  const std::size_t motion = index_of(tree_joint.motion_offset - mechanism_->cut_row_count()) + m;
  return q[index_of(tree_joint.q_offset + tree_joint.motions[m].component)] - motions_.positions()[motion];
}

double MechanismAssembly::position_residual(std::span<const double> q) {
  const Eigen::VectorXd& scale = mechanism_->scales().rows;
  double largest = 0.0;
  for (const Joint& tree_joint : mechanism_->tree_joints()) {
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      const double row = scale[tree_joint.motion_offset + static_cast<int>(m)];
      largest = std::max(largest, row * std::abs(motion_residual(tree_joint, m, q)));
    }
  }
  for (int cut = 0; cut < joint_count() - first_cut(); ++cut) {
    const Joint& cut_joint = joint(first_cut() + cut);
    const std::span<double> rows(residual_.data(), index_of(cut_joint.nc));
    closure(cut, rows);
    for (int row = 0; row < cut_joint.nc; ++row) {
      largest = std::max(largest, scale[cut_joint.row_offset + row] * std::abs(rows[index_of(row)]));
    }
  }
  for (const Coupling& coupling : mechanism_->couplings()) {
    largest = std::max(largest, scale[coupling.row] * std::abs(coupling.residual(q)));
  }
  return largest;
}

double MechanismAssembly::velocity_residual() const {
  const Eigen::VectorXd& scale = mechanism_->scales().rows;
  double largest = 0.0;
  for (const Coupling& coupling : mechanism_->couplings()) {
    largest = std::max(largest, scale[coupling.row] * std::abs(coupling.rate(u_)));
  }
  for (const Joint& tree_joint : mechanism_->tree_joints()) {
    for (std::size_t m = 0; m < tree_joint.motions.size(); ++m) {
      const std::size_t motion = index_of(tree_joint.motion_offset - mechanism_->cut_row_count()) + m;
      const double u = u_[index_of(tree_joint.u_offset + tree_joint.motions[m].component)];
      const double row = scale[tree_joint.motion_offset + static_cast<int>(m)];
      largest = std::max(largest, row * std::abs(u - motions_.velocities()[motion]));
    }
  }
  for (int k = first_cut(); k < joint_count(); ++k) {
    const SpatialColumns& directions = directions_[index_of(k)];
    const Vec6 relative = relative_velocity(k);
    std::array<double, 6> given{};
    for (const DrivenRow& driven : joint(k).driven) {
      given[index_of(driven.row)] = motions_.velocities()[index_of(driven.place)];
    }
    for (int row = 0; row < joint(k).nc; ++row) {
      largest = std::max(largest, scale[joint(k).row_offset + row] *
                                      std::abs(directions.col(row).dot(relative) - given[index_of(row)]));
    }
  }
  return largest;
}

void MechanismAssembly::solve_momenta() {
  solve_with_couplings();
  kinematics_.set_body_velocities(body_rate_);
  set_cut_direction_rates();
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    // DEVIATES [Chadaj2015, Eq. (30)]: printed for H^T H = I; with (H^T H)^-1 it holds for oblique universal joints too
    // (right_hand_side_test: random trees have them).
    Eigen::Map<Eigen::VectorXd>(u_.data() + tree_joint.u_offset, tree_joint.nu).noalias() =
        kinematics_.gram_inverse(k).lazyProduct(
            kinematics_.tree_joint(k).h.transpose().lazyProduct(relative_velocity(k)));
  }
}

void MechanismAssembly::project_velocities(std::span<const double> u) {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    const BodyKinematics& body = kinematics_.body(k);
    Vec6 velocity = Vec6::Zero();  // at the joint
    if (tree_joint.a >= 0) {
      velocity = shift_velocity(state.point - kinematics_.body(tree_joint.a).com, body_rate_[index_of(tree_joint.a)]);
    }
    for (int i = 0; i < tree_joint.nu; ++i) {
      velocity += u[index_of(tree_joint.u_offset + i)] * state.h.col(i);
    }
    velocity = shift_velocity(body.com - state.point, velocity);
    body_rate_[index_of(k)] = velocity;
    handle_input_[index_of(k)].head<3>() = mechanism_->bodies()[index_of(k)].mass * velocity.head<3>();
    handle_input_[index_of(k)].tail<3>() = body.inertia * velocity.tail<3>();
  }
  set_velocity_right_sides(0.0);
  solve_momenta();
}

void MechanismAssembly::set_velocities(std::span<const double> u) {
  std::copy(u.begin(), u.end(), u_.begin());
  kinematics_.set_velocities(u);
  set_cut_direction_rates();
}

void MechanismAssembly::evaluate_loads(double t, std::span<const double> q) {
  loads_.evaluate(t, q, u_, kinematics_);
}

void MechanismAssembly::sum_inward(std::vector<Vec6>& values) const {
  for (int k = mechanism_->body_count() - 1; k >= 0; --k) {
    const int inboard = mechanism_->parent(k);
    if (inboard >= 0) {
      const Vec3 lever = kinematics_.tree_joint(k).point - kinematics_.tree_joint(inboard).point;
      values[index_of(inboard)] += shift_wrench(lever, values[index_of(k)]);
    }
  }
}

void MechanismAssembly::outboard_momenta(std::span<double> p) {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const BodyKinematics& body = kinematics_.body(k);
    Vec6 momentum;
    momentum.head<3>() = mechanism_->bodies()[index_of(k)].mass * body.velocity.head<3>();
    momentum.tail<3>() = body.inertia * body.velocity.tail<3>();
    outboard_[index_of(k)] = shift_wrench(body.com - kinematics_.tree_joint(k).point, momentum);
  }
  sum_inward(outboard_);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    for (int i = 0; i < tree_joint.nu; ++i) {
      p[index_of(tree_joint.u_offset + i)] = kinematics_.tree_joint(k).h.col(i).dot(outboard_[index_of(k)]);
    }
  }
}

std::span<const double> MechanismAssembly::multipliers(int k) const {
  return {multipliers_.data() + engine_.row_offset(k), index_of(static_cast<int>(directions_[index_of(k)].cols()))};
}

double MechanismAssembly::largest_cut_multiplier() const {
  double largest = 0.0;
  for (int k = first_cut(); k < joint_count(); ++k) {
    for (const double sigma : multipliers(k)) {
      largest = std::max(largest, std::abs(sigma));
    }
  }
  return largest;
}

std::vector<WorkStage> MechanismAssembly::stages(double sweeps) const {
  // Poses, frames and velocities are found one body after another, and so are sums over what is outboard: their
  // recursions could be divided as well (a scan), here they are not.
  // In proportion to the nodes' operations as processor time was sampled (hdca on pendulum_xyz:256): 42 % nodes, 40 %
  // bodies for themselves, 11 % positions and 3 % sums along the tree.
  constexpr double kKinematics = 470.0;
  constexpr double kSweep = 70.0;
  constexpr double kLeaf = 1790.0;  // handles, directions, inertia, right side and results of a body
  const double bodies = mechanism_->body_count();
  std::vector<WorkStage> stages = {{1.0, kKinematics * bodies}, {bodies, kLeaf}};
  const std::vector<WorkStage> nodes = engine_.tree().stages();
  stages.insert(stages.end(), nodes.begin(), nodes.end());
  stages.push_back({1.0, kSweep * sweeps * bodies});
  return stages;
}

Vec6 MechanismAssembly::constraint_impulse(int k) const {
  const SpatialColumns& directions = directions_[index_of(k)];
  const std::span<const double> sigma = multipliers(k);
  Vec6 impulse = Vec6::Zero();
  for (Eigen::Index r = 0; r < directions.cols(); ++r) {
    impulse += sigma[static_cast<std::size_t>(r)] * directions.col(r);
  }
  return impulse;
}

Vec6 MechanismAssembly::cut_impulse_rate(int cut) const {
  const SpatialColumns& rates = cut_rates_[index_of(cut)];
  const std::span<const double> sigma = multipliers(first_cut() + cut);
  Vec6 impulse = Vec6::Zero();
  for (Eigen::Index r = 0; r < rates.cols(); ++r) {
    impulse += sigma[static_cast<std::size_t>(r)] * rates.col(r);
  }
  return impulse;
}

Vec6 MechanismAssembly::active_impulse(int k, std::span<const double> values) const {
  const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
  const JointKinematics& state = kinematics_.tree_joint(k);
  const JointMatrix& gram = kinematics_.gram_inverse(k);
  Vec6 impulse = Vec6::Zero();
  for (int i = 0; i < tree_joint.nu; ++i) {
    double dual = 0.0;
    for (int j = 0; j < tree_joint.nu; ++j) {
      dual += gram(i, j) * values[index_of(tree_joint.u_offset + j)];
    }
    impulse += dual * state.h.col(i);
  }
  return impulse;
}

}  // namespace mbdbench
