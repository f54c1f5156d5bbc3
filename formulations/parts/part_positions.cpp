/// \file
/// Positions of a part: poses, then inertias and loops, eliminated in all branches side by side and in the trunk.
#include <algorithm>

#include "formulations/parts/part_recursion.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// Adds what branches have left to what it belongs to.
void take_over(std::span<const PartPlan::Handover> left, double* memory) {
  for (const PartPlan::Handover& of : left) {
    double* const to = memory + doubles(of.to);
    const double* const from = memory + doubles(of.from);
    for (std::size_t i = 0; i < doubles(of.packs); ++i) {
      to[i] += from[i];
    }
  }
}

}  // namespace

RhsStatus PartRecursion::set_positions(std::span<const double> q, std::span<const double> u) {
  if (uses_lanes_) {
    place_line(q, u);
  } else if (tree_.in_sections()) {
    place_sections(q, u);
  } else {
    for_posed_ranges([&](std::size_t range) {
      tree_.set_positions(q, tree_.ranges()[range], positions_);
      if (keeps_poses_) {
        poses_.set_positions(tree_, positions_, tree_.ranges()[range]);
        if (!u.empty()) {
          poses_.set_velocities(tree_, u, tree_.ranges()[range]);
        }
      }
    });
  }
  if (u.empty()) {
    mail_.send({&end_poses_});
  } else {
    mail_.send({&end_poses_, &end_velocities_});
  }
  place_cuts();
  clear_products();
  for_branches_and_twins([this](std::size_t branch) { outcomes_[branch] = eliminate(branch); },
                         [this](std::size_t leader) { eliminate_twins(leader); });
  pending_ = team_.is_divided();
  return pending_ ? RhsStatus{} : finish_positions();
}

void PartRecursion::clear_products() {
  if (uses_lanes_) {
    clear_beside_lanes();
    return;
  }
  // Of rows further out they stand before those of rows further in: branches have them the other way round.
  for_shares_of(index_of(plan_.product_count), kManyPacks, [this](std::size_t first, std::size_t last) {
    const auto count = index_of(plan_.product_count);
    std::fill(products_.get() + kLoopLanes * (count - last), products_.get() + kLoopLanes * (count - first), 0.0);
  });
}

RhsStatus PartRecursion::finish_positions() {
  pending_ = false;
  for (std::size_t branch = 1; branch < outcomes_.size(); ++branch) {
    if (outcomes_[branch].failed != kSound) {
      return status_of(outcomes_[branch]);
    }
  }
  outcomes_.front() = eliminate(0);
  return status_of(outcomes_.front());
}

RhsStatus PartRecursion::status_of(const Outcome& outcome) const {
  if (outcome.failed == kSound) {
    return {};
  }
  if (outcome.failed == kLoops) {
    return {false, name_of_first_row(*mechanism_), "the matrix of the cut joints is not finite, its trace is",
            outcome.value};
  }
  return {false, mechanism_->tree_joints()[index_of(tree_.joint(index_of(outcome.failed)))].name,
          "the articulated inertia along the joint is not positive definite or not finite, its smallest entry is",
          outcome.value};
}

void PartRecursion::place_cuts() {
  const BodyMotions& bodies = poses_.bodies();
  for_cuts([&](std::size_t c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    place_joint(cut, bodies.body(cut.a), bodies.body(cut.b), cuts_[c]);
  });
}

PartRecursion::Outcome PartRecursion::eliminate(std::size_t range) {
  Outcome outcome;
  const PartData<double>& data = data_[range];
  const PartPlan::Range& planned = plan_.ranges[range];
  clear(range);
  start_columns(range);
  if (range == 0) {
    join_branches();
    outcome = join_sections();
    if (outcome.failed != kSound) {
      return outcome;
    }
  }
  int last = data.last_row;
  for (int c = planned.first_closing; c <= planned.last_closing; ++c) {
    const bool closes = c < planned.last_closing;
    const bool at_link = closes && plan_.closings[index_of(c)].row >= 0;
    const int first = at_link ? plan_.closings[index_of(c)].row + 1 : data.first_row;
    if (const int failed = sweeps_.eliminate(data, first, last); failed >= 0) {
      return {failed, 0, *data.pivot};
    }
    last = first;
    if (closes) {
      if (!close_loops(c, data)) {
        return {kLoops, 0, solvers_[index_of(c)].a.trace()};
      }
      outcome.redundant += plan_.closings[index_of(c)].rows - plan_.closings[index_of(c)].rank;
    }
  }
  for (int l = planned.first_left; l < planned.last_left; ++l) {
    const int stretch = plan_.left[index_of(l)];
    sizes_[index_of(stretch)] = size_of(plan_.stretches[index_of(stretch)]);
  }
  return outcome;
}

void PartRecursion::join_branches() {
  for (std::size_t k = 0; k < plan_.roots.size() && !tree_.in_sections(); ++k) {
    kernels::add_inertia(inertias_[tree_.size() + k],
                         inertias_[index_of(tree_.rows()[index_of(plan_.roots[k])].inboard)]);
  }
  take_over(plan_.columns_left, columns_.get());
  take_over(plan_.products_left, products_.get());
}

void PartRecursion::clear(std::size_t range) {
  if (plan_.ranges.size() == 1) {
    for (const int row : plan_.cleared_rows) {
      inertias_[index_of(row)] = {};
    }
    for (const int place : plan_.cleared_columns) {
      std::fill_n(columns_.get() + doubles(6 * place), doubles(6), 0.0);
    }
    return;
  }
  const PartData<double>& data = data_[range];
  std::fill(inertias_.begin() + data.first_row, inertias_.begin() + data.last_row,
            kernels::ArticulatedInertia<double>{});
  std::fill(inertias_.begin() + data.row_count + data.first_root, inertias_.begin() + data.row_count + data.last_root,
            kernels::ArticulatedInertia<double>{});
  const PartPlan::Range& planned = plan_.ranges[range];
  std::fill_n(columns_.get() + doubles(6 * planned.first_column),
              doubles(6 * (planned.last_column - planned.first_column)), 0.0);
}

void PartRecursion::start_columns(std::size_t which) {
  const PartPlan::Range& range = plan_.ranges[which];
  for (int e = range.first_end; e < range.last_end; ++e) {
    start_end(plan_.ends[index_of(e)]);
  }
  for (int k = range.first_child; k < range.last_child; ++k) {
    double* const to = columns_.get() + doubles(6 * plan_.seams[index_of(plan_.children[index_of(k)])].columns);
    for (int i = 0; i < 6; ++i) {
      to[i * kLoopLanes + i] = 1.0;
    }
  }
}

void PartRecursion::start_end(const PartPlan::End& end) {
  const auto c = index_of(end.cut);
  const LinkPoses::Row& row = poses_.row(index_of(end.row));
  const Vec3 lever = cuts_[c].point - row.origin;
  double* const to = columns_.get() + doubles(6 * end.columns);
  if (!end.adds) {  // lanes behind the rows, too, might not be finite since a state that was not
    Eigen::Map<Eigen::Matrix<double, 6 * kLoopLanes, 1>>(to).setZero();  // as memset it takes a fifth of all this
  }
  for (int i = 0; i < plan_.loop_rows[c]; ++i) {
    const double* const d = cuts_[c].d.data() + 6 * plan_.column_of(c, i);
    const Vec3 force(d[0], d[1], d[2]);
    const Vec3 moment = Vec3(d[3], d[4], d[5]) + lever.cross(force);
    for (int j = 0; j < 3; ++j) {
      to[j * kLoopLanes + i] += end.sign * row.axes.col(j).dot(force);  // both ends may be on one link
      to[(3 + j) * kLoopLanes + i] += end.sign * row.axes.col(j).dot(moment);
    }
  }
}

}  // namespace mbdbench
