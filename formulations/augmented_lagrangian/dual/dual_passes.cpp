// The passes of the assembly over its multipliers.
#include <algorithm>
#include <cmath>

#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"

namespace mbdbench {

DualSquares DualAssembly::total_squares() const {
  DualSquares total;
  for (const DualSquares& range : range_squares_) {
    total.add(range);
  }
  return total;
}

void DualAssembly::find_residual(std::size_t range) const {
  for (const TwinGroup& group : twins_.of(range)) {
    sweeps_.twins.residual(group.trees(), group.vector(DualVector::right), group.vector(DualVector::rates),
                           group.vector(DualVector::residual));
  }
  sweeps_.residual(tree(), storage_.ranges()[range], vector(DualVector::right), vector(DualVector::rates),
                   vector(DualVector::residual));
}

template <typename Work>
void DualAssembly::one_of(const BranchShare& share, const Work& work) const {
  if (share.member.index == 0) {
    work();
  }
  share.member.barrier();
}

std::pair<DualVector, DualVector> DualAssembly::results_of(Pass pass) {
  return pass == Pass::of_residual ? std::pair(DualVector::multiplier_change, DualVector::rate_change)
                                   : std::pair(DualVector::multipliers, DualVector::rates);
}

void DualAssembly::sweep_inward(std::size_t range, Pass pass) {
  if (pass == Pass::of_residual) {
    find_residual(range);
  }
  const bool moved = pass == Pass::of_inputs;
  const DualVector given = moved ? DualVector::right : DualVector::residual;
  const DualVector bodies = results_of(pass).second;
  for (const TwinGroup& group : twins_.of(range)) {
    sweeps_.twins.eliminate(group.trees(), group.vector(given), moved ? group.vector(DualVector::input) : nullptr,
                            group.vector(bodies));
    group.give_right(storage_.nodes());
  }
  sweeps_.eliminate(tree(), storage_.ranges()[range], vector(given), moved ? vector(DualVector::input) : nullptr,
                    vector(bodies));
}

void DualAssembly::sweep_outward(std::size_t range, Pass pass) {
  const bool moved = pass == Pass::of_inputs;
  const auto [joints, bodies] = results_of(pass);
  sweeps_.recover(tree(), storage_.ranges()[range], moved, vector(joints), vector(bodies));
  if (pass == Pass::of_residual) {
    return;  // twins recover as they add
  }
  for (const TwinGroup& group : twins_.of(range)) {
    group.take_kept_multipliers(vector(joints), joints);
    sweeps_.twins.recover(group.trees(), moved, group.vectors(joints, bodies));
  }
}

void DualAssembly::square(std::size_t range, DualVector bodies) {
  DualSquares& sums = range_squares_[range];
  sums = sweeps_.squares(storage_.ranges()[range], vectors(DualVector::multipliers, bodies));
  for (const TwinGroup& group : twins_.of(range)) {
    sums.add(sweeps_.twins.squares(group.trees(), group.vectors(DualVector::multipliers, bodies)));
  }
}

template <typename RangeWork>
void DualAssembly::sweep(const BranchShare& share, Pass pass, const RangeWork& afterwards) {
  const auto outward = [&](std::size_t range) {
    sweep_outward(range, pass);
    afterwards(range);
  };
  // There and back: what was last used is still in cache.
  for (std::size_t branch = share.last; branch-- > share.first;) {
    sweep_inward(branch, pass);
  }
  share.member.barrier();
  one_of(share, [&] {
    exchange_.send_rights();
    sweep_inward(kTop, pass);
    outward(kTop);
  });
  for (std::size_t branch = share.first; branch < share.last; ++branch) {
    outward(branch);
  }
}

void DualAssembly::judge(const DualSquares& squares, const PassLimits& limits, Progress& progress) {
  const double change = std::sqrt(squares.body_change);
  const double size = std::sqrt(squares.bodies);
  progress.goes_on = change > std::max(limits.change, PassLimits::kRelativeChange * size);
  const double missing = progress.rate_series.left(squares.body_change, squares.bodies);
  progress.remainder = {progress.goes_on ? missing : 0.0,
                        progress.multiplier_series.left(squares.multiplier_change, squares.multipliers)};
}

void DualAssembly::iterate(const BranchShare& share, const PassLimits& limits, Progress& progress) {
  progress.remainder = progress.passes < limits.most ? PassRemainder{} : PassRemainder{1.0, 1.0};
  while (progress.goes_on && progress.passes < limits.most) {
    sweep(share, Pass::of_residual, [this](std::size_t range) { add_changes(range); });
    tell_edges(share);
    ++progress.passes;
    judge(total_squares(), limits, progress);
  }
}

void DualAssembly::add_changes(std::size_t range) {
  const DualVector change[2] = {DualVector::multiplier_change, DualVector::rate_change};
  const DualVector total[2] = {DualVector::multipliers, DualVector::rates};
  DualSquares& sums = range_squares_[range];
  sums = sweeps_.add(storage_.ranges()[range], vectors(change[0], change[1]), vectors(total[0], total[1]));
  for (const TwinGroup& group : twins_.of(range)) {
    group.take_kept_multipliers(vector(change[0]), change[0]);
    sums.add(sweeps_.twins.advance(group.trees(), group.vector(change[0]), group.vectors(total[0], total[1])));
    group.give_kept_rates(vector(DualVector::rates));
  }
}

// All threads then know the sums of all branches, and the rates at the joints of the top.
void DualAssembly::tell_edges(const BranchShare& share) {
  share.member.barrier();
  if (team_.is_divided()) {
    one_of(share, [this] { exchange_.send_edges(); });
  }
}

void DualAssembly::solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                         std::span<Vec6> rates, const DualScope& others) {
  team_.run([&](const BranchShare& share) {
    read_rows(share, r, vector(DualVector::right), others);
    read_rates(share, input, vector(DualVector::input), others);
    share.member.barrier();
    take(share, {DualVector::right, DualVector::input}, others);
    sweep(share, Pass::of_inputs, [this](std::size_t range) {
      square(range, DualVector::input);
      for (const TwinGroup& group : twins_.of(range)) {
        group.give_kept_rates(vector(DualVector::rates));
      }
    });
    tell_edges(share);
    const DualSquares start = total_squares();
    Progress progress;
    progress.passes = 1;
    progress.multiplier_series.set_input(start.bodies);
    progress.multiplier_series.start(start.multipliers);
    iterate(share, proximal_.limits, progress);
    give(share, others);
    finish(share, progress, sigma, rates, others);
  });
}

int DualAssembly::refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                         const PassLimits& limits, int done) {
  team_.run([&](const BranchShare& share) {
    read_rows(share, r, vector(DualVector::right));
    read_rows(share, sigma, vector(DualVector::multipliers));
    read_rates(share, rates, vector(DualVector::rates));
    share.member.barrier();
    take(share, {DualVector::right, DualVector::multipliers, DualVector::rates});
    for_ranges(share, [this](std::size_t range) { square(range, DualVector::rates); });
    tell_edges(share);
    Progress progress;
    progress.passes = done;
    progress.multiplier_series.start(total_squares().multipliers);
    iterate(share, limits, progress);
    give(share);
    tell_rates(share);
    finish(share, progress, sigma, rates);
  });
  return passes_;
}

void DualAssembly::tell_rates(const BranchShare& share) {
  if (team_.is_divided()) {
    one_of(share, [this] { exchange_.send_rates(); });
  }
}

void DualAssembly::finish(const BranchShare& share, const Progress& progress, std::span<double> sigma,
                          std::span<Vec6> rates, const DualScope& scope) {
  write_rows(share, vector(DualVector::multipliers), sigma, scope);
  write_rates(share, vector(DualVector::rates), rates, scope);
  if (share.member.index == 0) {
    passes_ = progress.passes;
    remainder_ = progress.remainder;
  }
}

void DualAssembly::correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates) {
  team_.run([&](const BranchShare& share) {
    read_rows(share, residual, vector(DualVector::residual));
    share.member.barrier();
    take(share, {DualVector::residual});
    sweep(share, Pass::of_given_residual, [](std::size_t) {});
    share.member.barrier();
    give(share);
    tell_rates(share);
    write_rows(share, vector(DualVector::multipliers), sigma);
    write_rates(share, vector(DualVector::rates), rates);
  });
}

void DualAssembly::constraint_residual(std::span<const double> r, std::span<const Vec6> rates,
                                       std::span<double> residual) const {
  team_.run([&](const BranchShare& share) {
    read_rows(share, r, vector(DualVector::right));
    read_rates(share, rates, vector(DualVector::rates));
  });
  for (std::size_t range = 0; range < storage_.ranges().size(); ++range) {  // of other processes' branches too
    for (const TwinGroup& group : twins_.of(range)) {
      group.take(DualVector::right, vector(DualVector::right));
      group.take(DualVector::rates, vector(DualVector::rates));
    }
    find_residual(range);
    for (const TwinGroup& group : twins_.of(range)) {
      group.give(DualVector::residual, vector(DualVector::residual));
    }
  }
  write_rows({}, vector(DualVector::residual), residual);
}

}  // namespace mbdbench
