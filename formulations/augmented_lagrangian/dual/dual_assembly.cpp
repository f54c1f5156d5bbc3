#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kNumbers = kDualPack;

// Of one joint: so few that a call of memmove takes longer.
void copy_rows(const double* from, int count, double* to) {
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
}

}  // namespace

bool DualAssembly::suits(const AssemblyTree& tree, const ProximalOptions& proximal) {
  return !proximal.ranked && !proximal.limits.conjugate &&
         std::all_of(tree.nodes().begin(), tree.nodes().end(),
                     [](const AssemblyNode& node) { return node.arms.empty(); });
}

DualAssembly::DualAssembly(const AssemblyTree& tree, std::span<const double> masses, const ProximalOptions& proximal,
                           const Execution& execution)
    : DualAssembly(plan_twins(tree), tree, masses, proximal, execution) {}

DualAssembly::DualAssembly(const TwinPlan& plan, const AssemblyTree& tree, std::span<const double> masses,
                           const ProximalOptions& proximal, const Execution& execution)
    : sweeps_(compiled_for(execution.instruction_set, []<int W>() { return dual_sweeps::sweeps<W>(); })),
      proximal_(proximal),
      twins_(tree, plan, masses),
      storage_(tree, plan.division, masses, twins_),
      failures_(plan.division.ranges.size()),
      range_squares_(plan.division.ranges.size()),
      team_(plan.division.costs(), execution),
      mail_(team_) {
  for (std::size_t which = 0; which < kDualVectors; ++which) {
    vectors_[which] = lane_memory(which < kJointVectors ? joint_count() : masses.size());
  }
  for (TwinGroup& group : twins_.all()) {
    group.connect(storage_.nodes());
  }
  if (team_.is_divided()) {
    connect_processes();
  }
}

BranchLetter DualAssembly::letter_of_bodies(std::span<double> numbers, std::size_t a_body) {
  BranchLetter letter;
  for (std::size_t branch = 1; branch < storage_.ranges().size(); ++branch) {
    for (const int body : storage_.ranges()[branch].bodies) {
      letter.add(branch, numbers.subspan(a_body * index_of(body), a_body));
    }
  }
  mail_.post(letter);
  return letter;
}

void DualAssembly::connect_processes() {
  connect_branches_to_top();
  connect_edges();
  all_rates_ = letter_of_bodies({vector(DualVector::rates), kNumbers * storage_.bodies().size()}, kNumbers);
}

// Xi^C and xi_0^C of the sub-trees that the top joins.
void DualAssembly::connect_branches_to_top() {
  const std::span<const DualRange> ranges = storage_.ranges();
  for (std::size_t branch = 1; branch < ranges.size(); ++branch) {
    matrices_.add(branch, std::span(&failures_[branch], 1));
  }
  for (std::size_t n = ranges[kTop].first; n < ranges[kTop].last; ++n) {
    for (const DualChild& link : storage_.nodes()[n].children) {
      const auto below = static_cast<std::size_t>(link.node);
      if (link.node < 0 || below >= ranges[kTop].first) {
        continue;
      }
      std::size_t branch = 1;
      while (below >= ranges[branch].last) {
        ++branch;
      }
      const DualNode& child = storage_.nodes()[below];
      const auto outside = index_of(child.joint_count - child.closed_joints);
      const auto rows = index_of(child.row_count - child.closed_rows);
      matrices_.add(branch, std::span(child.schur, rows * outside * kNumbers));
      rights_.add(branch, std::span(child.right + index_of(child.closed_joints) * kNumbers, outside * kNumbers));
    }
  }
  mail_.post(matrices_);
  mail_.post(rights_);
}

// Bodies of branches at joints of the top, and what this process has to know.
void DualAssembly::connect_edges() {
  const std::span<const DualRange> ranges = storage_.ranges();
  const auto [first, last] = team_.own_branches();
  scope_.everything = false;
  std::vector<std::size_t> range_of(storage_.bodies().size(), kTop);
  std::vector<bool> known(storage_.bodies().size(), false);
  for (std::size_t range = 0; range < ranges.size(); ++range) {
    const bool own = range == kTop || (range >= first && range < last);
    for (const int body : ranges[range].bodies) {
      range_of[index_of(body)] = range;
      known[index_of(body)] = own;
    }
    if (own) {
      scope_.joints.insert(scope_.joints.end(), ranges[range].joints.begin(), ranges[range].joints.end());
    }
  }
  for (std::size_t branch = 1; branch < ranges.size(); ++branch) {
    edges_.add(branch, std::span(&range_squares_[branch], 1));
  }
  std::vector<bool> told(known.size(), false);
  for (const int joint : ranges[kTop].joints) {
    for (const int body : storage_.ends()[index_of(joint)].bodies) {
      if (body < 0 || told[index_of(body)] || range_of[index_of(body)] == kTop) {
        continue;
      }
      told[index_of(body)] = true;
      edges_.add(range_of[index_of(body)], std::span(vector(DualVector::rates) + kNumbers * index_of(body), kNumbers));
      if (!known[index_of(body)]) {
        foreign_bodies_.push_back(body);
      }
    }
  }
  for (const int body : foreign_bodies_) {
    known[index_of(body)] = true;
  }
  for (std::size_t body = 0; body < known.size(); ++body) {
    if (known[body]) {
      scope_.bodies.push_back(static_cast<int>(body));
    }
  }
  std::sort(scope_.joints.begin(), scope_.joints.end());
  mail_.post(edges_);
}

std::span<const int> DualAssembly::joints(int body) const {
  const DualBody& own = storage_.bodies()[index_of(body)];
  return {own.joints, index_of(own.handles)};
}

void DualAssembly::set_handle(int body, int handle, const SpatialColumns& directions, double sign, const Vec3& lever) {
  const DualBody& own = storage_.bodies()[index_of(body)];
  const TwinGroups::Leaf& leaf = twins_.leaf(body);
  if (leaf.group >= 0) {
    twins_.set_handle(leaf, handle, directions.data(), own.row_counts[handle], sign, lever.data());
  }
  if (leaf.group < 0 || leaf.stays[index_of(handle)]) {
    sweeps_.set_handle(own, handle, directions.data(), sign, lever.data());
  }
}

void DualAssembly::set_inertia(int body, const Mat3& inertia_inverse) {
  if (const TwinGroups::Leaf& leaf = twins_.leaf(body); leaf.group >= 0) {
    twins_.set_inertia(leaf, inertia_inverse.data());
    return;
  }
  double* const own = storage_.bodies()[index_of(body)].inverse_inertia;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      own[(1 + j) * kDualPack + 3 + i] = inertia_inverse(i, j);
    }
  }
}

void DualAssembly::factorise_nodes(std::size_t range) {
  Failure& failure = failures_[range];
  failure.node = -1.0;
  const bool stopped = range == kTop && std::any_of(failures_.begin() + 1, failures_.end(),
                                                    [](const Failure& branch) { return branch.node >= 0.0; });
  if (stopped) {
    return;
  }
  int row = 0;
  for (const TwinGroup& group : twins_.of(range)) {
    const int failed = sweeps_.twins.factorise(group.trees(), proximal_.regularisation, row);
    if (failed >= 0) {
      const TwinGroup::Failure of_lane = group.failure_at(failed, row, storage_.nodes());
      failure = {static_cast<double>(of_lane.node), static_cast<double>(of_lane.row), of_lane.pivot};
      return;
    }
    group.give_schur(storage_.nodes());
  }
  const int failed = sweeps_.factorise(tree(), storage_.ranges()[range], row);
  if (failed >= 0) {
    const DualNode& node = storage_.nodes()[index_of(failed)];
    failure = {static_cast<double>(failed), static_cast<double>(row),
               storage_.ranges()[range].scratch.factor[row * (node.closed_rows + 1)]};
  }
}

AssemblyPivot DualAssembly::first_failure() const {
  for (const Failure& failure : failures_) {
    if (failure.node >= 0.0) {
      const DualNode& node = storage_.nodes()[static_cast<std::size_t>(failure.node)];
      return {node.joints[node.slots[static_cast<std::size_t>(failure.row)] / kDualPack], failure.pivot};
    }
  }
  return {};
}

void DualAssembly::read_rows(const BranchShare& share, std::span<const double> rows, double* to,
                             const DualScope& scope) const {
  scope.for_joints(share, joint_count(), [&](std::size_t j) {
    copy_rows(rows.data() + storage_.row_offset(j), storage_.rows(j), to + j * kNumbers);
  });
}

void DualAssembly::write_rows(const BranchShare& share, const double* from, std::span<double> rows,
                              const DualScope& scope) const {
  scope.for_joints(share, joint_count(), [&](std::size_t j) {
    copy_rows(from + j * kNumbers, storage_.rows(j), rows.data() + storage_.row_offset(j));
  });
}

void DualAssembly::read_rates(const BranchShare& share, std::span<const Vec6> rates, double* to,
                              const DualScope& scope) {
  scope.for_bodies(share, rates.size(), [&](std::size_t i) { std::copy_n(rates[i].data(), 6, to + i * kNumbers); });
}

void DualAssembly::write_rates(const BranchShare& share, const double* from, std::span<Vec6> rates,
                               const DualScope& scope) {
  scope.for_bodies(share, rates.size(), [&](std::size_t i) { std::copy_n(from + i * kNumbers, 6, rates[i].data()); });
}

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

void DualAssembly::take(const BranchShare& share, std::initializer_list<DualVector> vectors,
                        const DualScope& scope) const {
  for_ranges(share, [&](std::size_t range) {
    for (const TwinGroup& group : twins_.of(range)) {
      if (!scope.everything && group.is_filled_from_outside()) {
        continue;
      }
      for (const DualVector which : vectors) {
        group.take(which, vector(which));
      }
    }
  });
}

void DualAssembly::give(const BranchShare& share, const DualScope& scope) const {
  for_ranges(share, [&](std::size_t range) {
    for (const TwinGroup& group : twins_.of(range)) {
      if (!scope.everything && group.is_filled_from_outside()) {
        continue;
      }
      for (const DualVector which : {DualVector::multipliers, DualVector::rates}) {
        group.give(which, vector(which));
      }
    }
  });
  share.member.barrier();
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
    mail_.send({&rights_});
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
    one_of(share, [&] { mail_.send({&edges_}); });
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
    one_of(share, [&] { mail_.send({&all_rates_}); });
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
