#include "formulations/naudet/closed_naudet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

// All rows and dependent components are factorised as one full matrix: with 27 of them (ladder:9) a batch is still 3.5
// times as fast as one state at a time, and with 6 (ladder:2) it is 5.8 times.
constexpr std::size_t kMostDependentInLanes = 32;

}  // namespace

ClosedNaudet::Start ClosedNaudet::start(const Mechanism& mechanism, ClosedStateForm form, NaudetLoops closing) {
  Start start;
  start.allowed = dependent_candidates(mechanism, form.reduced);
  if (closing == NaudetLoops::matrices) {
    start.loops = plan_dependent_loops(mechanism, start.allowed);
    start.choice = start.loops->choice;
  } else {
    start.choice = initial_choice(mechanism, start.allowed);
  }
  return start;
}

ClosedNaudet::ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at, NaudetLoops closing,
                           const Execution& execution)
    : ClosedNaudet(mechanism, form, switch_at, execution, start(mechanism, form, closing)) {}

ClosedNaudet::ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at,
                           const Execution& execution, const Start& start)
    : DifferentiatedFormulation(mechanism, ClosedState(mechanism, form, start.choice.dependent).layout()),
      switch_at_(switch_at),
      execution_(execution),
      allowed_(start.allowed),
      dynamics_(mechanism, {form.rate_kind, start.allowed, start.choice, execution, near()}),
      matrices_(start.loops ? std::make_unique<ConstrainedMomenta>(mechanism, *start.loops, near()) : nullptr),
      first_choice_(start.choice.dependent),
      state_(mechanism, form, first_choice_),
      read_(first_choice_.size()),
      q_(mechanism.q0().data(), mechanism.q0().data() + mechanism.q_size()),
      reference_(q_),
      u_(index_of(mechanism.u_size())),
      rates_(index_of(mechanism.u_size())),
      coordinate_rates_(index_of(mechanism.q_size())),
      has_lanes_(!form.reduced && !matrices_ && (!momentum() || first_choice_.size() <= kMostDependentInLanes)),
      multipliers_(index_of(mechanism.closing_row_count())),
      correction_(first_choice_.size()),
      derivatives_(
          mechanism,
          form.rate_kind == StateKind::momentum ? LoopStates(LoopReducedMomenta{this})
                                                : LoopTwinVelocities{form.reduced ? this : nullptr},
          {}, near(), [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, execution.instruction_set) {
  use_derivatives(derivatives_);
}

RhsStatus ClosedNaudet::read(std::span<const double> x) {
  if (!passed_.ok) {
    return passed_;
  }
  const RhsStatus status = set_coordinates(x);
  return status.ok ? dynamics_.set_positions(q_) : status;
}

void ClosedNaudet::add_correction(std::span<const double> residual, std::span<double> y) {
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  std::copy(residual.begin(), residual.end(), multipliers_.begin());
  dynamics_.dependents().correct(multipliers_, correction_);
  for (std::size_t k = 0; k < correction_.size(); ++k) {
    y[index_of(dependent()[k])] += correction_[k];
  }
}

void ClosedNaudet::multipliers(std::span<const double> g, std::span<double> mu) {
  dynamics_.dependents().multipliers(g, multipliers_);
  std::copy_n(multipliers_.begin(), index_of(mechanism().cut_row_count()), mu.begin());
}

std::unique_ptr<Formulation> ClosedNaudet::clone() const {
  auto copy = std::make_unique<ClosedNaudet>(mechanism(), state_.form(), switch_at_,
                                             matrices_ ? NaudetLoops::matrices : NaudetLoops::impulses, execution_);
  copy->use_dependent(dependent());
  copy->reference_ = reference_;
  copy->passed_ = passed_;
  if (state_.form().reduced && copy->dynamics_.set_positions(reference_).ok) {
    copy->dynamics_.keep_prediction();
  }
  return copy;
}

void ClosedNaudet::use_dependent(std::span<const int> dependent) {
  dynamics_.dependents().use_dependent(dependent);
  state_.set_dependent(dependent);
}

bool ClosedNaudet::use_named(std::span<const double> x) {
  if (!state_.form().switching) {
    return true;
  }
  if (!state_.read_choice(x, read_)) {
    return false;
  }
  if (!std::equal(read_.begin(), read_.end(), dependent().begin())) {
    use_dependent(read_);
  }
  return true;
}

RhsStatus ClosedNaudet::set_coordinates(std::span<const double> x) {
  if (!use_named(x)) {
    return {false, name_of_first_row(mechanism()),
            "the state does not name as many dependent components as there are constraints, it says",
            x[state_.choice_at()]};
  }
  if (state_.form().reduced) {
    std::copy(reference_.begin(), reference_.end(), q_.begin());
  }
  for (std::size_t i = 0; i < state_.coordinates().size(); ++i) {
    q_[index_of(state_.coordinates()[i])] = x[i];
  }
  return state_.form().reduced ? dynamics_.close_positions(q_, reference_) : RhsStatus{};
}

void ClosedNaudet::read_rates(std::span<const double> x) {
  std::fill(rates_.begin(), rates_.end(), 0.0);
  for (std::size_t i = 0; i < state_.rates().size(); ++i) {
    rates_[index_of(state_.rates()[i])] = x[state_.rates_at() + i];
  }
}

RhsStatus ClosedNaudet::solve(double t, std::span<const double> x) {
  if (!passed_.ok) {
    return passed_;
  }
  RhsStatus status = set_coordinates(x);
  if (status.ok && needs_dependents()) {
    status = matrices_ ? matrices_->set_positions(t, q_) : dynamics_.set_positions(q_);
  }
  if (!status.ok) {
    return status;
  }
  read_rates(x);
  if (matrices_) {
    matrices_->solve_velocities(rates_);
  } else if (momentum()) {
    status = dynamics_.solve_velocities(t, q_, rates_);
  } else {
    dynamics_.set_velocities(rates_, state_.form().reduced);
  }
  return status;
}

void ClosedNaudet::set_coordinate_rates(std::span<const double> x, std::span<double> xdot) {
  const std::span<const double> q = q_;
  for (const Joint& joint : mechanism().tree_joints()) {
    coordinate_rates(joint, q.subspan(index_of(joint.q_offset), index_of(joint.nq)),
                     velocities().subspan(index_of(joint.u_offset), index_of(joint.nu)),
                     std::span(coordinate_rates_).subspan(index_of(joint.q_offset), index_of(joint.nq)));
  }
  for (std::size_t i = 0; i < state_.coordinates().size(); ++i) {
    xdot[i] = coordinate_rates_[index_of(state_.coordinates()[i])];
  }
  set_cut_rates(x, xdot);
}

void ClosedNaudet::set_cut_velocities(int c, std::span<double> u_c) const {
  if (matrices_) {
    cut_velocities(matrices_->kinematics(), matrices_->kinematics().cut_joint(c), mechanism().cut_joints()[index_of(c)],
                   u_c);
  } else {
    dynamics_.cut_velocities(c, u_c);
  }
}

void ClosedNaudet::set_cut_rates(std::span<const double> x, std::span<double> xdot) {
  if (state_.form().reduced) {
    return;
  }
  std::size_t coordinate = state_.cut_coordinates_at();
  std::size_t rate = state_.cut_rates_at();
  for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
    const Joint& joint = mechanism().cut_joints()[c];
    std::array<double, 6> velocity{};
    const std::span<double> own = std::span(velocity).first(index_of(joint.nu));
    if (momentum()) {
      set_cut_velocities(static_cast<int>(c), own);
    } else {
      std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(rate), own.size(), own.begin());
    }
    coordinate_rates(joint, x.subspan(coordinate, index_of(joint.nq)), own,
                     xdot.subspan(coordinate, index_of(joint.nq)));
    coordinate += index_of(joint.nq);
    rate += index_of(joint.nu);
  }
}

RhsStatus ClosedNaudet::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  RhsStatus status = solve(t, x);
  if (!status.ok) {
    return status;
  }
  set_coordinate_rates(x, xdot);
  if (matrices_) {
    matrices_->momentum_rates(t, q_, rates_);
  } else if (momentum()) {
    status = dynamics_.reduced_momentum_rates(t, q_, rates_);
  } else {
    status = dynamics_.accelerations(t, q_, rates_);
  }
  if (!status.ok) {
    return status;
  }
  for (std::size_t i = 0; i < state_.rates().size(); ++i) {
    xdot[state_.rates_at() + i] = rates_[index_of(state_.rates()[i])];
  }
  if (!momentum() && !state_.form().reduced) {
    std::size_t rate = state_.cut_rates_at();
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      const auto count = index_of(mechanism().cut_joints()[c].nu);
      std::array<double, 6> velocity{};
      dynamics_.cut_velocities(static_cast<int>(c), velocity);
      dynamics_.cut_accelerations(static_cast<int>(c), velocity, xdot.subspan(rate, count));
      rate += count;
    }
  }
  std::fill(xdot.begin() + static_cast<std::ptrdiff_t>(state_.choice_at()), xdot.end(), 0.0);
  return cut_rates_are_finite(xdot);
}

// What is no number in the state of a cut joint acts there alone.
RhsStatus ClosedNaudet::cut_rates_are_finite(std::span<const double> xdot) const {
  if (state_.form().reduced) {
    return {};
  }
  std::size_t coordinate = state_.cut_coordinates_at();
  std::size_t rate = state_.cut_rates_at();
  for (const Joint& joint : mechanism().cut_joints()) {
    for (const auto& [place, count] : {std::pair(coordinate, joint.nq), {rate, momentum() ? 0 : joint.nu}}) {
      for (std::size_t i = place; i < place + index_of(count); ++i) {
        if (!std::isfinite(xdot[i])) {
          return {false, joint.name, "a rate of the cut joint is not finite, it is", xdot[i]};
        }
      }
    }
    coordinate += index_of(joint.nq);
    rate += index_of(joint.nu);
  }
  return {};
}

int ClosedNaudet::batch_lanes() const {
  return has_lanes_ ? LoopsInLanes::lanes_of(execution_.instruction_set) : 1;
}

void ClosedNaudet::make_lanes() {
  const int size = static_cast<int>(state_size());
  const int cut_coordinates_at = static_cast<int>(state_.cut_coordinates_at());
  const int rates_at = static_cast<int>(state_.rates_at());
  const LaneReducedMomenta momenta{size, cut_coordinates_at, rates_at, first_choice_.size()};
  const LaneAllJoints velocities{size, cut_coordinates_at, rates_at, static_cast<int>(state_.cut_rates_at())};
  if (momentum()) {
    lanes_ = std::make_unique<LoopsInLanes>(mechanism(), dynamics_.part(), momenta, near(), execution_.instruction_set);
  } else {
    lanes_ =
        std::make_unique<LoopsInLanes>(mechanism(), dynamics_.part(), velocities, near(), execution_.instruction_set);
  }
}

// States of one choice of dependent components go side by side, so that a state's bits do not depend on others.
void ClosedNaudet::evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                                  std::span<RhsStatus> statuses) {
  if (!has_lanes_) {
    Formulation::evaluate_batch(t, states, rates, statuses);
    return;
  }
  if (!lanes_) {
    make_lanes();
  }
  if (!momentum()) {
    lanes_->evaluate(t, states, rates, statuses,
                     [this](double at, auto x, auto xdot) { return evaluate_alone(at, x, xdot); });
    return;
  }
  const std::size_t size = state_size();
  const auto state = [&](std::size_t k) { return states.subspan(k * size, size); };
  waiting_.resize(statuses.size());
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  while (!waiting_.empty()) {
    const std::size_t first = waiting_.front();
    const std::span<const double> chosen = state(first).subspan(state_.choice_at());
    together_.clear();
    auto left = waiting_.begin();
    for (const std::size_t k : waiting_) {
      const std::span<const double> own = state(k).subspan(state_.choice_at());
      if (k == first || std::equal(own.begin(), own.end(), chosen.begin())) {
        together_.push_back(k);
      } else {
        *left++ = k;
      }
    }
    waiting_.erase(left, waiting_.end());
    if (use_named(state(first))) {
      lanes_->use_dependent(dynamics_.dependents().elimination_order(), state_.rates());
      lanes_->evaluate(
          t, states, rates, statuses, [this](double at, auto x, auto xdot) { return evaluate_alone(at, x, xdot); },
          together_);
      continue;
    }
    for (const std::size_t k : together_) {
      statuses[k] = evaluate_alone(t, state(k), rates.subspan(k * size, size));
    }
  }
}

RhsStatus ClosedNaudet::write(double t, std::span<double> x) {
  if (momentum()) {
    if (const RhsStatus status = dynamics_.reduced_momenta(t, q_, rates_); !status.ok) {
      return status;
    }
  } else {
    std::copy(dynamics_.u().begin(), dynamics_.u().end(), rates_.begin());
  }
  for (std::size_t i = 0; i < state_.coordinates().size(); ++i) {
    x[i] = q_[index_of(state_.coordinates()[i])];
  }
  for (std::size_t i = 0; i < state_.rates().size(); ++i) {
    x[state_.rates_at() + i] = rates_[index_of(state_.rates()[i])];
  }
  state_.write_choice(x);
  return {};
}

RhsStatus ClosedNaudet::pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) {
  use_dependent(first_choice_);
  passed_ = {};
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(q.begin(), q.end(), reference_.begin());
  RhsStatus status = needs_dependents() ? dynamics_.set_positions(q_) : RhsStatus{};
  if (state_.form().switching && (!status.ok || dynamics_.largest_ratio() > switch_at_) && improve_choice()) {
    status = {};
  }
  if (status.ok) {
    dynamics_.set_velocities(u, false);
    status = write(t, x);
  }
  if (!status.ok) {
    return status;
  }
  if (state_.form().reduced) {
    dynamics_.keep_prediction();
  } else {
    write_cuts(q, u, x);
  }
  return status;
}

void ClosedNaudet::write_cuts(std::span<const double> q, std::span<const double> u, std::span<double> x) const {
  Kinematics kinematics(mechanism());
  kinematics.set_positions(q);
  kinematics.set_velocities(u);
  std::size_t coordinate = state_.cut_coordinates_at();
  std::size_t rate = state_.cut_rates_at();
  for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
    const Joint& joint = mechanism().cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    cut_coordinates(joint, state, near()->of(static_cast<int>(c)), x.subspan(coordinate, index_of(joint.nq)));
    coordinate += index_of(joint.nq);
    if (!momentum()) {
      cut_velocities(kinematics, state, joint, x.subspan(rate, index_of(joint.nu)));
      rate += index_of(joint.nu);
    }
  }
}

RhsStatus ClosedNaudet::unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) {
  const RhsStatus status = solve(t, x);
  if (status.ok) {
    std::copy(q_.begin(), q_.end(), q.begin());
    std::copy(velocities().begin(), velocities().end(), u.begin());
  }
  return status;
}

RhsStatus ClosedNaudet::reactions(double t, std::span<const double> x, Reactions& reactions) {
  const RhsStatus status = solve(t, x);
  if (!status.ok) {
    return status;
  }
  if (matrices_) {  // the paper's recursion stops at the momenta
    dynamics_.set_velocities(matrices_->u(), false);
  }
  return dynamics_.reactions(t, q_, reactions);
}

bool ClosedNaudet::improve_choice() {
  const std::vector<int> better = dynamics_.better_choice();
  if (std::equal(better.begin(), better.end(), dependent().begin())) {
    return false;
  }
  use_dependent(better);
  return dynamics_.set_positions(q_).ok;
}

RhsStatus ClosedNaudet::check_way() {
  if (!dynamics_.passes_singular_position(reference_, q_)) {
    return {};
  }
  RhsStatus status{false,
                   {},
                   "this dependent joint jumped across a singular position within a step, reduce the step: it moved by",
                   0.0};
  for (const Joint& joint : mechanism().tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      const std::size_t coordinate = index_of(joint.q_offset + i);
      const bool depends = std::binary_search(dependent().begin(), dependent().end(), joint.u_offset + i);
      const double moved = depends ? q_[coordinate] - reference_[coordinate] : 0.0;
      if (depends && (status.joint.empty() || std::abs(moved) > std::abs(status.value))) {
        status.joint = joint.name;
        status.value = moved;
      }
    }
  }
  return status;
}

bool ClosedNaudet::after_step(double t, std::span<double> x) {
  bool changed = Formulation::after_step(t, x);
  before_.clear();
  if (!state_.form().reduced && !state_.form().switching) {
    return changed;
  }
  if (!solve(t, x).ok) {
    return changed;  // the next evaluation reports it
  }
  if (state_.form().reduced) {
    passed_ = check_way();
    if (!passed_.ok) {
      return changed;
    }
  }
  before_.assign(dependent().begin(), dependent().end());
  reference_ = q_;
  if (state_.form().switching && dynamics_.largest_ratio() > switch_at_) {
    std::copy(dynamics_.u().begin(), dynamics_.u().end(), u_.begin());
    if (improve_choice()) {
      dynamics_.set_velocities(u_, false);
      changed = write(t, x).ok || changed;
    }
  }
  if (state_.form().reduced) {
    dynamics_.keep_prediction();
  }
  return changed;
}

std::string ClosedNaudet::last_change() const {
  // A projection packs the state anew, which may change the choice as well.
  if (before_.empty() || std::equal(before_.begin(), before_.end(), dependent().begin())) {
    return {};
  }
  return "dependent joints: " + component_names(mechanism(), dependent()) + " instead of " +
         component_names(mechanism(), before_);
}

}  // namespace mbdbench
