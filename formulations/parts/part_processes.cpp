/// \file
/// What processes that share the branches of a part tell one another, and what each does not know.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

template <typename Columns>
std::span<double> entries_of(Columns& columns) {
  return {columns.data(), static_cast<std::size_t>(columns.size())};
}

std::span<double> packs_at(const AlignedMemory& memory, int place, int packs) {
  return {memory.get() + doubles(place), doubles(packs)};
}

/// All bits set are no number.
template <typename T>
void forget(std::vector<T>& things, int first, int last) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  if (first < last) {
    std::memset(things.data() + first, 0xff, sizeof(T) * index_of(last - first));
  }
}

}  // namespace

void PartRecursion::write_letters() {
  write_ends();
  write_side(accelerations_);
  write_side(impulses_);
  const auto rows_and_roots = tree_.size() + plan_.roots.size();
  for (std::size_t b = 1; b < tree_.ranges().size(); ++b) {
    const LinkRange& range = tree_.ranges()[b];
    for (int root = range.first_root; root < range.last_root; ++root) {
      const std::size_t at = tree_.size() + index_of(root);
      matrices_.add(b, std::span(&inertias_[at], 1));
      for (std::size_t k = 0; k < 3; ++k) {
        momenta_left_.add(b, std::span(&carried_[k * rows_and_roots + at], 1));
      }
    }
    matrices_.add(b, std::span(&outcomes_[b], 1));
    for (int l = plan_.ranges[b].first_left; l < plan_.ranges[b].last_left; ++l) {
      matrices_.add(b, std::span(&sizes_[index_of(plan_.left[index_of(l)])], 1));
    }
  }
  add_places(tree_, joint_rates_, rates_swept_);
  add_places(tree_, own_momenta_, momenta_swept_);
  for (const PartPlan::Handover& left : plan_.columns_left) {
    matrices_.add(index_of(left.range), packs_at(columns_, left.from, left.packs));
  }
  for (const PartPlan::Handover& base : plan_.base_columns) {
    matrices_.add(index_of(base.range), packs_at(columns_, base.from, base.packs));
  }
  for (const PartPlan::Handover& left : plan_.products_left) {
    matrices_.add(index_of(left.range), packs_at(products_, left.from, left.packs));
  }
  for (BranchLetter* const letter :
       {&end_poses_, &end_velocities_, &matrices_, &momenta_left_, &rates_swept_, &momenta_swept_,
        &accelerations_.inward, &accelerations_.closed, &impulses_.inward, &impulses_.closed}) {
    mail_.post(*letter);
  }
}

void PartRecursion::write_side(Side& side) {
  for (std::size_t b = 1; b < tree_.ranges().size(); ++b) {
    const LinkRange& range = tree_.ranges()[b];
    side.inward.add(
        b, std::span(side.wrenches)
               .subspan(tree_.size() + index_of(range.first_root), index_of(range.last_root - range.first_root)));
  }
  for (const PartPlan::Handover& left : plan_.rates_left) {
    side.inward.add(index_of(left.range), packs_at(side.rates, left.from, left.packs));
  }
  for (std::size_t loop = 0; loop < plan_.loop_rows.size(); ++loop) {
    // All lanes: processes need not agree about which rows are left out to understand one another.
    side.closed.add(index_of(plan_.closed_in[loop]), std::span(side.multipliers_of(loop), doubles(1)));
  }
}

// Of loops that are closed in the trunk or at the ground: all processes evaluate their rows.
void PartRecursion::write_ends() {
  std::vector<bool> written(mechanism_->bodies().size());
  for (std::size_t c = 0; c < cuts_.size() && poses_wanted_ != PosesWanted::bodies; ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    for (const int k : {cut.a, cut.b}) {
      const int row = k < 0 ? -1 : tree_.bodies()[index_of(k)].row;
      if (plan_.loop_rows[c] == 0 || plan_.closed_in[c] > 0 || row < 0 || written[index_of(k)]) {
        continue;
      }
      written[index_of(k)] = true;
      const std::size_t branch = index_of(plan_.range_of(row));
      BodyKinematics& body = poses_.bodies().bodies()[index_of(k)];
      end_poses_.add(branch, entries_of(body.rotation));
      end_poses_.add(branch, entries_of(body.origin));
      end_poses_.add(branch, entries_of(body.com));
      end_velocities_.add(branch, entries_of(body.velocity));
      end_velocities_.add(branch, entries_of(poses_.row(index_of(row)).velocity));
    }
  }
}

// So that a number that is read and has never been sent is found.
void PartRecursion::forget_others() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool forgets_poses = poses_wanted_ != PosesWanted::bodies;
  for (std::size_t r = 1; r < tree_.ranges().size(); ++r) {
    if (knows_range(static_cast<int>(r))) {
      continue;
    }
    const LinkRange& range = tree_.ranges()[r];
    const auto forget_rows = [&](auto&... arrays) { (forget(arrays, range.first_row, range.last_row), ...); };
    const auto forget_spheres = [&](auto&... arrays) {
      (forget(arrays, range.first_spherical, range.last_spherical), ...);
    };
    forget_rows(inertias_, turns_, turn_gains_, whole_, slide_gains_, screw_gains_, inverses_, turnings_, carried_);
    forget_spheres(spheres_, sphere_gains_);
    for (Side* const side : {&accelerations_, &impulses_}) {
      forget_rows(side->rows, side->wrenches, side->linear, side->angular);
      forget_spheres(side->spheres);
    }
    const PartPlan::Range& planned = plan_.ranges[r];
    const std::span<double> columns =
        packs_at(columns_, 6 * planned.first_column, 6 * (planned.last_column - planned.first_column));
    std::fill(columns.begin(), columns.end(), kNone);
    for (int l = planned.first_left; l < planned.last_left; ++l) {
      sizes_[index_of(plan_.left[index_of(l)])] = {kNone, kNone, kNone, kNone};
    }
    for (int i = range.first_row; forgets_poses && i < range.last_row; ++i) {
      poses_.row(index_of(i)) = {Mat3::Constant(kNone), Vec3::Constant(kNone), Vec3::Constant(kNone),
                                 Vec3::Constant(kNone)};
    }
    if (forgets_poses && !tree_.in_sections()) {  // the way to a section leads through others
      forget_rows(positions_.sines, positions_.cosines, positions_.slides);
      forget_spheres(positions_.rotations, positions_.levers);
    }
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    if (!knows_cut(c)) {
      cuts_[c].point.setConstant(kNone);
      cuts_[c].d.setConstant(kNone);
    }
  }
}

}  // namespace mbdbench
