#include "formulations/recursion/links/link_recursion.hpp"

namespace mbdbench {

LinkRecursion::LinkRecursion(const Mechanism& mechanism, const Execution& execution)
    : tree_(mechanism, execution.shares() ? TreeLayout::shared_branches : TreeLayout::branches),
      team_(branch_costs(tree_), execution),
      mail_(team_),
      positions_(tree_.positions()),
      failures_(tree_.ranges().size()) {}

void LinkRecursion::point_at_rows(RowData<double>& data) const {
  data.rows = tree_.rows().data();
  data.links = tree_.links().data();
  data.spherical = tree_.spherical().data();
  data.segments = tree_.segments().data();
  data.cosines = positions_.cosines.data();
  data.sines = positions_.sines.data();
  data.slides = positions_.slides.data();
  data.rotations = positions_.rotations.data();
  data.levers = positions_.levers.data();
}

void LinkRecursion::set_other_positions(std::span<const double> q) {
  if (team_.is_divided()) {
    tree_.set_positions(q, positions_);
  }
}

bool LinkRecursion::settle() {
  for (const LinkFailure& failure : failures_) {
    if (failure.row >= 0) {
      failure_ = failure;
      return false;
    }
  }
  return true;
}

}  // namespace mbdbench
