/// \file
/// Loads, impulses and momenta of a part whose positions are set: inward, through the loops, and outward.
#include <algorithm>
#include <functional>

#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

void PartRecursion::set_velocities(std::span<const double> u) {
  start_turnings();
  for_ranges_and_twins(
      [&](std::size_t range) { sweeps_.set_velocities(data_[range], u.data(), turnings_.data(), accelerations_.view); },
      [](std::size_t) {});  // lanes do so with their loads
}

void PartRecursion::set_wanted(const Eigen::VectorXd& wanted, Side& side) const {
  for_shares_of(plan_.loop_offsets.size(), kManyPacks, [&](std::size_t first, std::size_t last) {
    for (std::size_t loop = first; loop < last; ++loop) {
      double* const to = side.wanted.get() + loop * kLoopLanes;
      for (int j = 0; j < plan_.loop_rows[loop]; ++j) {
        to[j] = wanted[plan_.row_number(loop, j)];
      }
    }
  });
}

void PartRecursion::close_at_ground(Side& side) {
  if (plan_.ground < 0) {
    return;
  }
  const LoopClosing& closing = plan_.closings[index_of(plan_.ground)];
  Solver& solver = solvers_[index_of(plan_.ground)];
  Eigen::VectorXd& right = solver.right;
  int row = 0;
  for (int l = closing.first_loop; l < closing.last_loop; ++l) {
    const auto loop = index_of(plan_.closed_loops[index_of(l)]);
    for (int j = 0; j < plan_.loop_rows[loop]; ++j) {
      const std::size_t at = loop * kLoopLanes + index_of(j);
      right[row++] = side.wanted.get()[at] - side.rates.get()[at];
    }
  }
  if (closing.rows <= kHalfAtGround) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> half(
        &halves_[index_of(closing.half)], closing.rank, closing.rows);
    reduced_.head(closing.rank).noalias() = half.lazyProduct(right);
    right.noalias() = half.transpose().lazyProduct(reduced_.head(closing.rank));
  } else {
    solver.factors.solve(right);
  }
  row = 0;
  for (int l = closing.first_loop; l < closing.last_loop; ++l) {
    const auto loop = index_of(plan_.closed_loops[index_of(l)]);
    for (int j = 0; j < plan_.loop_rows[loop]; ++j) {
      side.multipliers.get()[loop * kLoopLanes + index_of(j)] = right[row++];
    }
  }
}

RhsStatus PartRecursion::solve_inward(Side& side) {
  for_shares_of(index_of(plan_.rate_count), kManyPacks, [&](std::size_t first, std::size_t last) {
    std::fill(side.rates.get() + kLoopLanes * first, side.rates.get() + kLoopLanes * last, 0.0);
  });
  sweep_inward(side);
  if (pending_) {
    mail_.send({&matrices_, &side.inward});
    if (const RhsStatus status = finish_positions(); !status.ok) {
      return status;
    }
  } else {
    mail_.send({&side.inward});
  }
  for (const PartPlan::Handover& left : plan_.rates_left) {
    for (std::size_t i = 0; i < kLoopLanes; ++i) {
      side.rates.get()[index_of(left.to) * kLoopLanes + i] += side.rates.get()[index_of(left.from) * kLoopLanes + i];
    }
  }
  sweeps_.inward(data_.front(), side.view);
  join_right_sides(side);
  close_at_ground(side);
  return {};
}

void PartRecursion::sweep_inward(const Side& side) {
  for_branches_and_twins([&](std::size_t branch) { sweeps_.inward(data_[branch], side.view); },
                         [&](std::size_t leader) {
                           if (side.view.moves) {
                             twins_->accelerate_inward(leader, turnings_, side.view);
                           } else {
                             twins_->push_inward(leader, side.view);
                           }
                         });
}

void PartRecursion::solve_outward(Side& side, std::span<const PartData<double>> parts) {
  part_right_sides(side);
  for_ranges_and_twins([&](std::size_t range) { sweeps_.outward(parts[range], side.view); },
                       [&](std::size_t leader) {
                         if (side.view.moves) {
                           twins_->accelerate_outward(leader, side.view);
                         } else {
                           twins_->push_outward(leader, side.view);
                         }
                       });
}

void PartRecursion::take_multipliers(const Side& side) {
  for_shares_of(plan_.loop_offsets.size(), kManyPacks, [&](std::size_t first, std::size_t last) {
    for (std::size_t loop = first; loop < last; ++loop) {
      for (int j = 0; j < plan_.loop_rows[loop]; ++j) {
        multipliers_[plan_.row_number(loop, j)] = side.multipliers.get()[loop * kLoopLanes + index_of(j)];
      }
    }
  });
}

template <typename Velocities>
RhsStatus PartRecursion::solve(Side& side, std::span<double> rates, const Velocities& velocities, bool changes) {
  const std::span<double> swept = sweep_target(rates, joint_rates_);
  side.view.joint_rates = swept.data();
  if (const RhsStatus status = solve_inward(side); !status.ok) {
    return status;
  }
  solve_outward(side, data_);
  deliver(team_, tree_, swept, rates);
  finish_rates(side, swept, rates, velocities, changes);
  take_multipliers(side);
  return {};
}

// A process moves the poses of its own rows before it tells its rates, so that both are told at once.
template <typename Velocities>
void PartRecursion::finish_rates(const Side& side, std::span<double> swept, std::span<double> rates,
                                 const Velocities& velocities, bool changes) {
  const auto move_poses = [&] {
    const std::span<const double> u = velocities();
    if (u.empty() || !keeps_poses_) {
      return;
    }
    move_bases(side, changes);
    if (poses_wanted_ == PosesWanted::bodies) {
      for_posed_ranges(
          [&](std::size_t range) { poses_.set_velocities(tree_, u, tree_.ranges()[range], base_of(range)); });
    } else {
      for_ranges_and_twins([&](std::size_t range) { poses_.move_ends(range, side.linear, side.angular, changes); },
                           [](std::size_t) {});
      if (uses_lanes_) {
        place_crossing_ends();
      }
    }
  };
  const bool places_all = poses_wanted_ == PosesWanted::bodies;
  if (!team_.is_divided() || !places_all) {
    move_poses();
  }
  if (!team_.is_divided()) {
    return;
  }
  if (velocities().empty()) {
    mail_.send({&rates_swept_, &side.closed});
  } else {
    mail_.send({&rates_swept_, &side.closed, &end_velocities_});
  }
  deliver(team_, tree_, swept, rates);
  if (places_all) {
    move_poses();
  } else {
    velocities();
  }
}

RhsStatus PartRecursion::accelerate(const Loads& loads, const Eigen::VectorXd& wanted,
                                    std::span<double> accelerations) {
  PartRightSide<double>& view = accelerations_.view;
  view.tau = loads.tau.empty() ? nullptr : loads.tau.data();
  view.loads = loads.links.empty() ? nullptr : loads.links.data();
  view.driven = loads.driven.empty() ? nullptr : loads.driven.data();
  view.weighs = loads.links.empty();
  set_wanted(wanted, accelerations_);
  return solve(
      accelerations_, accelerations, [] { return std::span<const double>(); }, false);
}

Vec6 PartRecursion::body_rate_at(int body, const JointKinematics& cut) const {
  const int at = body < 0 ? -1 : tree_.bodies()[index_of(body)].row;
  Vec6 rate = Vec6::Zero();
  if (at < 0) {
    if (accelerations_.view.weighs) {
      rate.head<3>() = -mechanism_->gravity();
    }
    return rate;
  }
  const LinkPoses::Row& row = poses_.row(index_of(at));
  const kernels::LinkVector<double>& a = accelerations_.linear[index_of(at)];
  const kernels::LinkVector<double>& alpha = accelerations_.angular[index_of(at)];
  rate.head<3>() = row.axes * Vec3(a.x, a.y, a.z);
  rate.tail<3>() = row.axes * Vec3(alpha.x, alpha.y, alpha.z);
  rate.head<3>() += rate.tail<3>().cross(cut.point - row.origin) + row.omega.cross(cut.velocity - row.velocity);
  return rate;
}

RhsStatus PartRecursion::push(const Eigen::VectorXd& wanted, std::span<const double> driven, std::span<double> u) {
  impulses_.view.tau = nullptr;
  impulses_.view.loaded = loaded_.get();
  impulses_.view.driven = driven.empty() ? nullptr : driven.data();
  set_wanted(wanted, impulses_);
  const RhsStatus status = solve(
      impulses_, changes_,
      [&] {
        std::transform(u.begin(), u.end(), changes_.begin(), pushed_.begin(), std::plus<>());
        return std::span<const double>(pushed_);
      },
      true);
  if (status.ok) {
    std::copy(pushed_.begin(), pushed_.end(), u.begin());
  }
  return status;
}

RhsStatus PartRecursion::move(std::span<const double> p, const Eigen::VectorXd& wanted, std::span<const double> driven,
                              std::span<double> u, bool moves_poses) {
  impulses_.view.tau = p.data();
  impulses_.view.loaded = nullptr;
  impulses_.view.driven = driven.empty() ? nullptr : driven.data();
  set_wanted(wanted, impulses_);
  return solve(
      impulses_, u, [&] { return moves_poses ? std::span<const double>(u) : std::span<const double>(); }, false);
}

RhsStatus PartRecursion::find_multipliers(std::span<const double> p) {
  impulses_.view.tau = p.data();
  impulses_.view.loaded = nullptr;
  impulses_.view.driven = nullptr;
  impulses_.view.joint_rates = sweep_target(std::span<double>(changes_), joint_rates_).data();
  std::fill_n(impulses_.wanted.get(), doubles(static_cast<int>(plan_.loop_rows.size())), 0.0);
  if (const RhsStatus status = solve_inward(impulses_); !status.ok) {
    return status;
  }
  solve_outward(impulses_, reached_);
  if (team_.is_divided()) {
    mail_.send({&impulses_.closed});
  }
  take_multipliers(impulses_);
  return {};
}

void PartRecursion::momenta(std::span<double> p) {
  PartMomenta<double> side;
  side.linear = impulses_.linear.data();
  side.angular = impulses_.angular.data();
  side.carried = carried_.data();
  sweep_momenta(side, p, {});
}

void PartRecursion::sweep_momenta(PartMomenta<double>& side, std::span<double> own, std::span<double> rates) {
  const std::span<double> own_swept = own.empty() ? own : sweep_target(own, own_momenta_);
  const std::span<double> rates_swept = rates.empty() ? rates : sweep_target(rates, joint_rates_);
  side.own = own_swept.data();
  side.rates = rates_swept.data();
  if (tree_.in_sections()) {
    sweep_sections(side);
  } else {
    team_.for_branches([&](std::size_t branch) { sweeps_.momenta(data_[branch], side); });
    mail_.send({&momenta_left_});
    sweeps_.momenta(data_.front(), side);
  }
  if (own.empty()) {
    mail_.send({&rates_swept_});
  } else if (rates.empty()) {
    mail_.send({&momenta_swept_});
  } else {
    mail_.send({&momenta_swept_, &rates_swept_});
  }
  if (!own.empty()) {
    deliver(team_, tree_, own_swept, own);
  }
  if (!rates.empty()) {
    deliver(team_, tree_, rates_swept, rates);
  }
}

// D sigma on both bodies of every cut joint; of couplings nothing acts on links.
void PartRecursion::gather_impulses() {
  for (const PartPlan::End& end : plan_.ends) {
    loop_impulses_[index_of(end.row)] = {};  // those of all other rows are always zero
  }
  for_ranges([&](std::size_t range) {
    for_ends(range, [&](std::size_t c, std::size_t row, double sign) {
      const JointKinematics& cut = cuts_[c];
      Vec6 impulse = Vec6::Zero();
      for (int i = 0; i < plan_.loop_rows[c]; ++i) {
        impulse += sign * multipliers_[plan_.row_number(c, i)] * cut.d.col(plan_.column_of(c, i));
      }
      poses_.add_wrench_at(row, cut.point, impulse, loop_impulses_[row]);
    });
  });
}

void PartRecursion::add_closing_momenta(std::span<double> values) {
  if (!plan_.ends.empty()) {
    gather_impulses();
    PartMomenta<double> side;  // of links at rest p' is what acts on them
    side.carried = carried_.data();
    side.loads = loop_impulses_.data();
    sweep_momenta(side, {}, closing_momenta_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += closing_momenta_[i];
    }
  }
  for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
    const double nu = multipliers_[mechanism_->cut_row_count() + static_cast<int>(c)];
    for (const Coupling::Term& term : mechanism_->couplings()[c].terms) {
      values[index_of(term.u)] += term.factor * nu;
    }
  }
}

void PartRecursion::momentum_rates(std::span<const double> tau, std::span<const kernels::LinkWrench<double>> loads,
                                   std::span<double> own, std::span<double> rates) {
  PartMomenta<double> side;
  side.linear = impulses_.linear.data();
  side.angular = impulses_.angular.data();
  side.carried = carried_.data();
  side.loads = loads.data();
  side.tau = tau.empty() ? nullptr : tau.data();
  if (!plan_.ends.empty()) {
    gather_impulses();
    side.impulses = loop_impulses_.data();
  }
  sweep_momenta(side, own, rates);
}

}  // namespace mbdbench
