// Vectors of the assembly, a pack a joint or a body, from those of others and back, and those of groups of twins.
#include <algorithm>

#include "formulations/augmented_lagrangian/dual/dual_assembly.hpp"
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

}  // namespace mbdbench
