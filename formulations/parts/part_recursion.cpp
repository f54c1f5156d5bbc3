#include "formulations/parts/part_recursion.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

PartRecursion::PartRecursion(const Mechanism& mechanism, PosesWanted poses, const Execution& execution,
                             int section_bodies)
    : mechanism_(&mechanism),
      tree_(mechanism, execution.shares() ? TreeLayout::shared_branches : TreeLayout::branches, section_bodies),
      // A section turns with what it hangs on.
      poses_wanted_(tree_.in_sections() && poses == PosesWanted::cuts ? PosesWanted::rows : poses),
      keeps_poses_(poses_wanted_ != PosesWanted::cuts || !mechanism.cut_joints().empty()),
      team_(branch_costs(tree_), execution),
      positions_(tree_.positions()),
      poses_(mechanism, tree_, poses_wanted_),
      plan_(mechanism, tree_),
      bases_(plan_.seams.size()),
      sweeps_(compiled_for(execution.instruction_set, []<int W>() { return part_sweeps::sweeps<W>(); })),
      data_(tree_.ranges().size()),
      outcomes_(tree_.ranges().size()),
      sizes_(plan_.stretches.size()),
      cuts_(mechanism.cut_joints().size()),
      starts_(tree_.size(), kernels::RunStart<double>{1.0, 0.0, 0.0}),
      gravity_(tree_.size()),
      inertias_(tree_.size() + plan_.roots.size() + 1),
      turns_(tree_.size()),
      turn_gains_(tree_.size()),
      whole_(tree_.size()),
      slide_gains_(tree_.size()),
      screw_gains_(tree_.size()),
      inverses_(tree_.size()),
      spheres_(tree_.spherical().size()),
      sphere_gains_(spheres_.size()),
      turnings_(tree_.size() + plan_.roots.size()),
      columns_(lane_memory(index_of(6 * plan_.column_count))),
      along_(lane_memory(index_of(plan_.along_count))),
      products_(lane_memory(index_of(plan_.product_count))),
      across_(lane_memory(index_of(plan_.across_count))),
      halves_(index_of(plan_.half_count)),
      seam_products_(lane_memory(6 * plan_.loop_rows.size())),
      pivots_(tree_.ranges().size()),
      joint_rates_(tree_.places().size()),
      own_momenta_(tree_.places().size()),
      loaded_(rows_loaded_by_loops(tree_, plan_)),
      loop_impulses_(tree_.size()),
      carried_(3 * (tree_.size() + plan_.roots.size())),
      closing_momenta_(index_of(mechanism.u_size())),
      changes_(index_of(mechanism.u_size())),
      pushed_(index_of(mechanism.u_size())),
      multipliers_(Eigen::VectorXd::Zero(mechanism.closing_row_count())),
      mail_(team_) {
  for (const LinkRun& run : tree_.runs()) {
    starts_[index_of(run.first)] = run.start;
    gravity_[index_of(run.first)] = run.gravity;
  }
  make_solvers();
  if (plan_.ground >= 0) {
    reduced_.resize(solvers_[index_of(plan_.ground)].right.size());
  }
  size_side(accelerations_);
  size_side(impulses_);
  point_at_memory();
  if (!team_.is_divided()) {
    leave_out_rows();
    settle_ranks();
    make_twins(execution.instruction_set);
    return;
  }
  // Ranks are those of all closings: a process settles them alone, and knows then what it found.
  const PartRecursion alone(mechanism, poses, execution.on_this_process(), section_bodies);
  outcomes_ = alone.outcomes_;
  keep_rows(alone.rows_are_kept_);
  for (std::size_t c = 0; c < solvers_.size(); ++c) {
    solvers_[c].most = alone.solvers_[c].most;
  }
  write_letters();
  forget_others();
}

void PartRecursion::make_solvers() {
  const std::vector<std::size_t> units = rows_of_one_unit(*mechanism_);
  solvers_.clear();
  for (const LoopClosing& closing : std::span(plan_.closings).first(plan_.solver_count)) {
    solvers_.push_back({SemidefiniteSolver(plan_.units_of(units, closing)),
                        Eigen::MatrixXd::Zero(closing.rows, closing.rows), Eigen::VectorXd::Zero(closing.rows),
                        Eigen::VectorXd::Zero(closing.rows), closing.rows});
  }
}

void PartRecursion::size_side(Side& side) const {
  side.rows.assign(tree_.size(), {});
  side.spheres.assign(spheres_.size(), {});
  const std::size_t links_and_bases = tree_.size() + plan_.roots.size() + 1;
  side.wrenches.resize(links_and_bases);
  side.linear.resize(links_and_bases);
  side.angular.resize(links_and_bases);
  side.rates = lane_memory(index_of(plan_.rate_count));
  for (AlignedMemory* memory : {&side.wanted, &side.multipliers}) {
    *memory = lane_memory(plan_.loop_rows.size());
  }
  side.right.resize(index_of(plan_.right_count));
}

void PartRecursion::point_at_memory() {
  PartData<double> data;
  data.row_count = static_cast<int>(tree_.size());
  data.root_count = static_cast<int>(plan_.roots.size());
  data.roots = plan_.roots.data();
  data.children = plan_.children.data();
  data.rows = tree_.rows().data();
  data.parts = plan_.parts.data();
  data.links = tree_.links().data();
  data.spherical = tree_.spherical().data();
  data.starts = starts_.data();
  data.gravity = gravity_.data();
  data.cosines = positions_.cosines.data();
  data.sines = positions_.sines.data();
  data.slides = positions_.slides.data();
  data.rotations = positions_.rotations.data();
  data.levers = positions_.levers.data();
  data.inertias = inertias_.data();
  data.turns = turns_.data();
  data.turn_gains = turn_gains_.data();
  data.whole = whole_.data();
  data.slide_gains = slide_gains_.data();
  data.screw_gains = screw_gains_.data();
  data.inverses = inverses_.data();
  data.spheres = spheres_.data();
  data.sphere_gains = sphere_gains_.data();
  data.joints = plan_.joints.data();
  data.passes = plan_.passes.data();
  data.blocks = plan_.blocks.data();
  data.loop_rows = plan_.loop_rows.data();
  data.factors = plan_.factors.data();
  data.closings = plan_.closings.data();
  data.crosses = plan_.crosses.data();
  data.closed_loops = plan_.closed_loops.data();
  data.closed_columns = plan_.closed_columns.data();
  data.columns = columns_.get();
  data.along = along_.get();
  data.products = products_.get();
  data.halves = halves_.data();
  data.across = across_.get();
  for (std::size_t r = 0; r < data_.size(); ++r) {
    const LinkRange& range = tree_.ranges()[r];
    data.first_row = range.first_row;
    data.last_row = range.last_row;
    data.first_root = range.first_root;
    data.last_root = range.last_root;
    data.joined_roots = r == 0 && !tree_.in_sections() ? data.root_count : 0;
    data.first_child = plan_.ranges[r].first_child;
    data.last_child = plan_.ranges[r].last_child;
    data.pivot = &pivots_[r].value;
    data_[r] = data;
    // Closings stand outboard ones first. Branches move with links of the trunk.
    const PartPlan::Range& planned = plan_.ranges[r];
    const int outermost =
        planned.first_closing < planned.last_closing ? plan_.closings[index_of(planned.first_closing)].row : -1;
    if (r > 0 || data_.size() == 1) {
      data.last_row = std::max(outermost + 1, data.first_row);
    }
    reached_.push_back(data);
  }
  for (Side* side : {&accelerations_, &impulses_}) {
    PartRightSide<double>& view = side->view;
    view.rows = side->rows.data();
    view.spheres = side->spheres.data();
    view.wrenches = side->wrenches.data();
    view.linear = side->linear.data();
    view.angular = side->angular.data();
    view.rates = side->rates.get();
    view.wanted = side->wanted.get();
    view.multipliers = side->multipliers.get();
    view.right = side->right.data();
  }
  accelerations_.view.moves = true;
}

// What the sums of y y^T / D would be if no joint were in between and their terms did not cancel, at most: below a
// share of it a row is zero, also where other loops have been closed before and left rounding of it.
void PartRecursion::set_negligible(int loop, int first_row, Solver& solver) {
  StretchSize size;
  for (int s = plan_.first_stretch[index_of(loop)]; s < plan_.first_stretch[index_of(loop) + 1]; ++s) {
    const PartPlan::Stretch& stretch = plan_.stretches[index_of(s)];
    StretchSize& own = sizes_[index_of(s)];
    if (stretch.range == plan_.closed_in[index_of(loop)]) {  // others know theirs since they ended (eliminate)
      own = size_of(stretch);
    }
    size.slides += own.slides;
    size.turns += own.turns;
    size.levers += own.levers;
    size.factors += own.factors;
  }
  if (index_of(loop) >= cuts_.size()) {
    solver.smallest[first_row] = kZeroRow * size.factors;
    return;
  }
  const JointKinematics& cut = cuts_[index_of(loop)];
  for (int row = 0; row < plan_.loop_rows[index_of(loop)]; ++row) {
    const int column = plan_.column_of(index_of(loop), row);
    const double force = cut.d.col(column).head<3>().squaredNorm();
    const double moment = cut.d.col(column).tail<3>().squaredNorm();
    solver.smallest[first_row + row] =
        kZeroRow * (force * (size.slides + 2.0 * size.levers) + 2.0 * moment * size.turns);
  }
}

StretchSize PartRecursion::size_of(const PartPlan::Stretch& stretch) const {
  StretchSize size;
  if (index_of(stretch.loop) >= cuts_.size()) {
    size.factors = factor_size(stretch);
    return size;
  }
  const Vec3& point = cuts_[index_of(stretch.loop)].point;
  const double unit = mechanism_->scales().loop_units[index_of(stretch.loop)];
  for (int i = stretch.first; i < stretch.last; ++i) {
    const int at = plan_.ways[index_of(stretch.loop)][index_of(i)];
    const PassedJoint<double>& joint = plan_.joints[index_of(plan_.parts[index_of(at)].joint)];
    double turning = 0.0;
    for (int d = 0; d < joint.direction_count; ++d) {
      (joint.directions[d].component < 3 ? size.slides : turning) += joint.directions[d].inverse;
    }
    size.turns += turning;
    // A cut in the axis of a joint has no lever: what is left of it is rounding of the loop's size.
    const double square = (point - poses_.row(index_of(at)).origin).squaredNorm();
    size.levers += turning * std::max(square, unit * unit);
  }
  return size;
}

// Of a coupling: what its joints would do if nothing else bound them.
double PartRecursion::factor_size(const PartPlan::Stretch& stretch) const {
  double sum = 0.0;
  for (int i = stretch.first; i < stretch.last; ++i) {
    const PartRow& part = plan_.parts[index_of(plan_.ways[index_of(stretch.loop)][index_of(i)])];
    const PassedJoint<double>& joint = plan_.joints[index_of(part.joint)];
    for (int p = part.first_pass; p < part.last_pass; ++p) {
      const LoopPass& through = plan_.passes[index_of(p)];
      for (int d = 0; through.loop == stretch.loop && through.factors >= 0 && d < joint.direction_count; ++d) {
        const double factor = plan_.factors[index_of(through.factors + d)];
        sum += factor * factor * joint.directions[d].inverse;
      }
    }
  }
  return sum;
}

void PartRecursion::gather(const LoopClosing& closing, Solver& solver) {
  int row = 0;
  for (int l = closing.first_loop; l < closing.last_loop; ++l) {
    const int loop = plan_.closed_loops[index_of(l)];
    const int rows = plan_.loop_rows[index_of(loop)];
    int column = 0;
    for (int k = closing.first_loop; k <= l; ++k) {
      const int other = plan_.closed_loops[index_of(k)];
      const double* const block = products_.get() + doubles(plan_.block_of(loop, other).block);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < plan_.loop_rows[index_of(other)]; ++j) {
          solver.a(row + i, column + j) = block[i * kLoopLanes + j];
        }
      }
      column += plan_.loop_rows[index_of(other)];
    }
    set_negligible(loop, row, solver);
    row += rows;
  }
}

bool PartRecursion::close_loops(int which, const PartData<double>& data) {
  LoopClosing& closing = plan_.closings[index_of(which)];
  Solver& solver = solvers_[index_of(which)];
  gather(closing, solver);
  if (!solver.factors.decompose(solver.a, solver.smallest, solver.most)) {
    return false;
  }
  closing.rank = static_cast<int>(solver.factors.rank());
  if (closing.row >= 0) {
    solver.factors.write_half(&halves_[index_of(closing.half)]);
    sweeps_.close(data, which);
  } else if (closing.rows <= kHalfAtGround) {
    solver.factors.write_half(&halves_[index_of(closing.half)]);
  }
  return true;
}

Eigen::Index PartRecursion::rank_limit(int loop) const {
  return solvers_[plan_.closing_of(loop)].most;
}

int PartRecursion::redundant_rows() const {
  const auto left_out = static_cast<int>(std::count(rows_are_kept_.begin(), rows_are_kept_.end(), false));
  return std::accumulate(outcomes_.begin(), outcomes_.end(), left_out,
                         [](int sum, const Outcome& outcome) { return sum + outcome.redundant; });
}

}  // namespace mbdbench
