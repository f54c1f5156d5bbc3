#include "formulations/derivatives/loops/loop_workspace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formulations/derivatives/rate_parameters.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// With so many quasi-velocities between a body and the ground all columns go through the LoopSolver, one by one. The
// condition of M grows with the fourth power of the length of a chain, and factors of M lose it all: derivatives of
// loop:257 had errors of 6e-11, and have 3e-13 by the LoopSolver, where a change of the state by eps makes 3e-14. Of
// shorter chains factors take less time, and lose the condition of loops, not its square as the LoopSolver does.
constexpr int kLongChain = 64;

bool has_long_chains(const Mechanism& mechanism) {
  std::vector<int> inboard;  // quasi-velocities between each body and the ground
  for (const Joint& joint : mechanism.tree_joints()) {
    inboard.push_back(joint.nu + (joint.a < 0 ? 0 : inboard[index_of(joint.a)]));
  }
  return std::any_of(inboard.begin(), inboard.end(), [](int count) { return count >= kLongChain; });
}

/// \returns where the passes put sums by lengths; nullptr where they are not wanted: empty spans point somewhere, too.
double* lengths_in(const WeightsByParameter& by) {
  return by.lengths.empty() ? nullptr : by.lengths.data();
}

}  // namespace

LoopWorkspace::LoopWorkspace(const Mechanism& m, bool momenta, const CutReferences* near,
                             std::unique_ptr<LoopSolver> solver, const InstructionSet& set)
    : mechanism(&m),
      fast(std::move(solver)),
      sweeps(compiled_for(set, []<int W>() { return linear::closed_sweeps<W>(); })),
      state(m, momenta, near, sweeps.width),
      coordinates(m.tree_joints()),
      size(m.u_size()),
      rows(m.constraint_size()),
      none(Eigen::VectorXd::Zero(rows)),
      near_(near),
      long_chains_(has_long_chains(m)) {}

std::string_view LoopWorkspace::joint_of_row(Eigen::Index row) const {
  for (const Joint& joint : mechanism->cut_joints()) {
    if (row >= joint.row_offset && row < joint.row_offset + joint.nc) {
      return joint.name;
    }
  }
  for (const Joint& joint : mechanism->tree_joints()) {
    if (row >= joint.motion_offset && row < joint.motion_offset + static_cast<int>(joint.motions.size())) {
      return joint.name;
    }
  }
  for (const Coupling& coupling : mechanism->couplings()) {
    if (row == coupling.row) {
      return coupling.name;
    }
  }
  for (const VelocityConstraint& constraint : mechanism->velocity_constraints()) {
    if (row == constraint.row) {
      return constraint.name;
    }
  }
  return {};
}

RhsStatus LoopWorkspace::factorise() {
  state.set_matrices();
  if (!factors) {
    factors.emplace(size, mechanism->scales().rows);
  }
  switch (factors->factorise(state.mass(), state.constraints(), mechanism->generic_rank().rank)) {
    case SaddleSolver::Outcome::no_mass_matrix:
      return {false,
              {},
              "the mass matrix is not positive definite or not finite, its smallest diagonal entry is",
              size == 0 ? 0.0 : state.mass().diagonal().minCoeff<Eigen::PropagateNaN>()};
    case SaddleSolver::Outcome::lost_rank:
      return {false, joint_of_row(factors->lost_row()), kSingularPosition, factors->lost_pivot()};
    case SaddleSolver::Outcome::factorised:
      break;
  }
  return {};
}

RhsStatus LoopWorkspace::place(double t, std::span<const double> q, bool whole) {
  state.set_positions(t, q);
  factorised = (whole && !long_chains_) || !fast;
  if (factorised) {
    return factorise();
  }
  if (whole) {
    state.set_matrices();
  }
  return fast->set_positions(q);
}

void LoopWorkspace::accelerate(std::span<const double> q, const Eigen::VectorXd& u) {
  state.set_loads(q, u);
  state.set_velocities(q, u);
  Eigen::VectorXd accelerations = state.wanted_forces();
  solve(accelerations, state.wanted_accelerations());
  state.set_accelerations(accelerations, sigma);
}

LoopWorkspace::Parameters LoopWorkspace::parameters_of(std::span<const RateParameter> parameters,
                                                       std::span<const double> q, const Eigen::VectorXd& u) {
  const auto count = static_cast<Eigen::Index>(parameters.size());
  Parameters result{Eigen::MatrixXd::Zero(size, count), Eigen::MatrixXd::Zero(size, count), {}};
  bool placed = false;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ParameterPlace place = place_of(*mechanism, parameters[k]);
    const auto column = static_cast<Eigen::Index>(k);
    if (place.body >= 0) {
      state.add_unit_mass(place.body, result.forces.col(column), result.changes.col(column));
    } else if (place.link >= 0) {
      if (result.lengths.size() == 0) {
        result.lengths.setZero(mechanism->body_count(), count);
        state.show_links();
      }
      require_length(*mechanism, parameters[k], state.link_direction(place.link));
      result.lengths(place.link, column) = 1.0;
    } else if (place.moves_bodies()) {
      if (!springs_) {
        springs_ = std::make_unique<SpringForces>(*mechanism, near_);
      }
      if (!placed) {
        springs_->set_state(q, view(u));
        placed = true;
      }
      springs_->add(place, result.forces.col(column));
    } else {
      result.forces(place.u, column) = place.kind == ParameterKind::joint_force ? 1.0
                                       : place.kind == ParameterKind::damping   ? -u[place.u]
                                                                                : place.rest - q[index_of(place.q)];
    }
  }
  return result;
}

void LoopWorkspace::solve(Eigen::Ref<Eigen::MatrixXd> v, const Eigen::Ref<const Eigen::MatrixXd>& wanted) {
  if (factorised) {
    factors->solve(v, wanted);
    sigma = factors->multipliers();
    return;
  }
  sigma.resize(rows, v.cols());
  multipliers_.setZero(rows);
  for (Eigen::Index c = 0; c < v.cols(); ++c) {
    column_ = v.col(c);
    wanted_ = wanted.col(c);
    fast->solve(column_, wanted_, multipliers_);
    v.col(c) = column_;
    sigma.col(c) = multipliers_;
  }
}

void LoopWorkspace::sweep(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                          const Eigen::Ref<const Eigen::MatrixXd>& pushes, Wanted wanted,
                          const Eigen::Ref<const Eigen::MatrixXd>& lengths,
                          const Eigen::Ref<const Eigen::MatrixXd>& multipliers) {
  const Eigen::Index count = turns.cols();
  swept.forces = Eigen::MatrixXd::Zero(size + watched, count);
  swept.seconds = Eigen::MatrixXd::Zero(rows, count);
  swept.changes = Eigen::MatrixXd::Zero(size, count);
  swept.firsts = Eigen::MatrixXd::Zero(rows, count);
  const linear::ClosedData& data = state.data();
  for (const Coupling& coupling : mechanism->couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      swept.seconds.row(coupling.row) +=
          term.factor * (data.damping * pushes.row(term.u) + data.stiffness * turns.row(term.u));
      swept.firsts.row(coupling.row) += term.factor * data.feedback * turns.row(term.u);
    }
  }
  sweep_bodies(turns, pushes, wanted, lengths, multipliers);
  if (!state.velocity_slopes().empty()) {
    sweep_velocity_rows(turns, pushes, wanted, multipliers);
  }
}

void LoopWorkspace::sweep_velocity_rows(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                                        const Eigen::Ref<const Eigen::MatrixXd>& pushes, Wanted wanted,
                                        const Eigen::Ref<const Eigen::MatrixXd>& multipliers) {
  const VelocitySlopes& slopes = state.velocity_slopes();
  slopes.add_firsts(turns, swept.firsts);
  if (state.data().drifted) {
    slopes.add_changes(turns, swept.changes);
  }
  if (wanted == Wanted::flow) {
    return;
  }
  if (state.data().momenta) {
    slopes.add_momentum_rates(turns, pushes, multipliers, swept.forces);
  } else {
    slopes.add_forces(turns, swept.forces);
    slopes.add_seconds(turns, pushes, swept.seconds);
  }
}

void LoopWorkspace::sweep_bodies(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                                 const Eigen::Ref<const Eigen::MatrixXd>& pushes, Wanted wanted,
                                 const Eigen::Ref<const Eigen::MatrixXd>& lengths,
                                 const Eigen::Ref<const Eigen::MatrixXd>& multipliers) {
  const Eigen::Index count = turns.cols();
  const bool all = wanted == Wanted::all;
  const bool multiplied = multipliers.cols() > 0;
  const bool lengthened = lengths.cols() > 0;
  if (count == 1) {
    sweeps.direction(state.data(), {turns.data(), pushes.data(), multiplied ? multipliers.data() : nullptr,
                                    all ? swept.forces.data() : nullptr, swept.seconds.data(), swept.changes.data(),
                                    swept.firsts.data(), lengthened ? lengths.data() : nullptr});
    return;
  }
  const Eigen::Index width = sweeps.width;
  if (memory_.empty()) {
    for (const Eigen::Index entries :
         {size, size, rows, size + watched, rows, size, rows, Eigen::Index{mechanism->body_count()}}) {
      memory_.push_back(aligned_memory(index_of(std::max<Eigen::Index>(1, entries) * width)));
    }
  }
  const linear::LoopDirections packs{memory_[0].get(),
                                     memory_[1].get(),
                                     multiplied ? memory_[2].get() : nullptr,
                                     all ? memory_[3].get() : nullptr,
                                     memory_[4].get(),
                                     memory_[5].get(),
                                     memory_[6].get(),
                                     lengthened ? memory_[7].get() : nullptr};
  for (Eigen::Index first = 0; first < count; first += width) {
    const Eigen::Index lanes = std::min(width, count - first);
    const auto place_of = [&](std::size_t which, Eigen::Index entries) {
      return Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(memory_[which].get(),
                                                                                                entries, width);
    };
    place_of(0, size).leftCols(lanes) = turns.middleCols(first, lanes);
    place_of(1, size).leftCols(lanes) = pushes.middleCols(first, lanes);
    if (multiplied) {
      place_of(2, rows).leftCols(lanes) = multipliers.middleCols(first, lanes);
    }
    if (lengthened) {
      place_of(7, lengths.rows()).leftCols(lanes) = lengths.middleCols(first, lanes);
    }
    place_of(3, size + watched).bottomRows(watched).setZero();
    sweeps.directions(state.data(), packs);
    const Eigen::Index cuts = mechanism->cut_row_count();
    if (all) {
      swept.forces.middleCols(first, lanes) = place_of(3, size + watched).leftCols(lanes);
      swept.seconds.block(0, first, cuts, lanes) = place_of(4, cuts).leftCols(lanes);
    }
    swept.firsts.block(0, first, cuts, lanes) = place_of(6, cuts).leftCols(lanes);
    if (state.data().drifted) {
      swept.changes.middleCols(first, lanes) = place_of(5, size).leftCols(lanes);
    }
  }
}

void LoopWorkspace::begin_weights(const Eigen::VectorXd& of_forces, const WeightsByParameter& by) {
  std::copy_n(of_forces.begin(), by.forces.size(), by.forces.begin());
  std::fill(by.masses.begin(), by.masses.end(), 0.0);
  std::fill(by.lengths.begin(), by.lengths.end(), 0.0);
  if (!by.lengths.empty()) {
    state.show_links();
  }
}

void LoopWorkspace::add_weights(const Eigen::VectorXd& of_forces, const Eigen::VectorXd& of_seconds,
                                Eigen::VectorXd& by_turn, Eigen::VectorXd& by_push, Eigen::VectorXd* by_multiplier,
                                const WeightsByParameter& by) {
  const linear::ClosedData& data = state.data();
  sweeps.weights(data, {of_forces.data(), of_seconds.data(), by_turn.data(), by_push.data(),
                        by_multiplier != nullptr ? by_multiplier->data() : nullptr, lengths_in(by)});
  if (by_multiplier != nullptr) {
    state.velocity_slopes().add_weights_of_momenta(of_forces, by_turn, by_push, *by_multiplier);
    return;
  }
  for (const Coupling& coupling : mechanism->couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      by_turn[term.u] += of_seconds[coupling.row] * data.stiffness * term.factor;
      by_push[term.u] += of_seconds[coupling.row] * data.damping * term.factor;
    }
  }
  state.velocity_slopes().add_weights(of_forces, of_seconds, by_turn, by_push);
}

void LoopWorkspace::add_weights_of_changes(const Eigen::VectorXd& of_changes, const Eigen::VectorXd& of_firsts,
                                           Eigen::VectorXd& by_turn, const WeightsByParameter& by) {
  const linear::ClosedData& data = state.data();
  sweeps.change_weights(data, {of_changes.data(), of_firsts.data(), by_turn.data(), nullptr, nullptr, lengths_in(by)});
  for (const Coupling& coupling : mechanism->couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      by_turn[term.u] += of_firsts[coupling.row] * data.feedback * term.factor;
    }
  }
  state.velocity_slopes().add_weights_of_changes(of_changes, of_firsts, by_turn);
}

RhsStatus finite_or_why(std::span<const double> derivatives) {
  const auto bad = std::find_if_not(derivatives.begin(), derivatives.end(), [](double v) { return std::isfinite(v); });
  return bad == derivatives.end() ? RhsStatus{} : RhsStatus{false, {}, "a derivative is not finite", *bad};
}

}  // namespace mbdbench
