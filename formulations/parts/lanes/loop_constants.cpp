#include "formulations/parts/lanes/loop_constants.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include "formulations/parts/lanes/lane_cut.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

kernels::LinkVector<double> link_vector(const Vec3& r) {
  return {r.x(), r.y(), r.z()};
}

}  // namespace

LoopConstants::LoopConstants(const Mechanism& mechanism, const BatchTree& tree, const PartRecursion& one)
    : tree_(&tree.tree()),
      plan_(mechanism, *tree_),
      loaded_(rows_loaded_by_loops(*tree_, plan_)),
      posed_(std::make_unique<bool[]>(tree_->size())),
      kept_(std::make_unique<bool[]>(tree_->size())),
      acted_on_(std::make_unique<bool[]>(tree_->size())),
      starts_(tree_->size(), kernels::RunStart<double>{1.0, 0.0, 0.0}),
      gravity_(tree_->size()),
      grounds_(tree_->size()) {
  plan_.keep_rows(one.rows_are_kept());
  for (const LinkRun& run : tree_->runs()) {
    const std::size_t first = index_of(run.first);
    starts_[first] = run.start;
    gravity_[first] = run.gravity;
    grounds_[first] = {run.axes, run.origin};
  }
  const bool wrenches = tree.data().wrenches != nullptr;
  place_cuts(mechanism, !wrenches);
  place_motions();
  place_couplings(mechanism);
  if (!tree.has_other_loads()) {
    place_loads(mechanism);
  }
  set_closings(mechanism, one);
  mark_kept_motions();
  if (tree.has_momenta()) {
    add_momenta(mechanism, wrenches);
  }
}

void LoopConstants::place_motions() {
  for (const LinkRow& row : tree_->rows()) {
    if (row.motion >= 0) {
      motion_components_.resize(std::max(motion_components_.size(), index_of(row.motion) + 1));
      motion_components_[index_of(row.motion)] = row.u;
    }
  }
}

void LoopConstants::place_cuts(const Mechanism& mechanism, bool weighs) {
  const LinkTree& tree = *tree_;
  const BodyOnRow ground;
  const auto body_of = [&](int body) -> const BodyOnRow& { return body < 0 ? ground : tree.bodies()[index_of(body)]; };
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    const BodyOnRow& a = body_of(joint.a);
    const BodyOnRow& b = body_of(joint.b);
    LaneCut cut = lane_cut(joint, a, b, weighs);
    if (!lanes_place(joint)) {
      cut.apart = apart_count_++;
    }
    for (; cut.row_count < plan_.loop_rows[c]; ++cut.row_count) {
      cut.rows[cut.row_count] = plan_.column_of(c, cut.row_count);
    }
    cut.unit = mechanism.scales().loop_units[c];
    keep_pose(a.row);
    keep_pose(b.row);
    cuts_.push_back(cut);
  }
  columns_a_.assign(cuts_.size(), -1);
  columns_b_.assign(cuts_.size(), -1);
  for (const PartPlan::End& end : plan_.ends) {
    (end.sign < 0.0 ? columns_a_ : columns_b_)[index_of(end.cut)] = end.columns;
  }
}

void LoopConstants::keep_pose(int row) {
  if (row < 0 || kept_[index_of(row)]) {
    return;
  }
  end_rows_.push_back(row);
  kept_[index_of(row)] = true;
  for (; row >= 0; row = tree_->rows()[index_of(row)].inboard) {
    posed_[index_of(row)] = true;
  }
}

LanePoint LoopConstants::loaded_point(int body, const Vec3& point) {
  const BodyOnRow place = body < 0 ? BodyOnRow() : tree_->bodies()[index_of(body)];
  keep_pose(place.row);
  if (place.row >= 0 && std::find(load_rows_.begin(), load_rows_.end(), place.row) == load_rows_.end()) {
    load_rows_.push_back(place.row);
  }
  return {place.row, link_vector(place.origin + place.rotation * point)};
}

void LoopConstants::place_loads(const Mechanism& mechanism) {
  const auto body_of = [&](const std::string& name) { return name == kGround ? -1 : *mechanism.find_body(name); };
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    springs_.push_back({loaded_point(body_of(spring.body1), spring.point1),
                        loaded_point(body_of(spring.body2), spring.point2), spring.stiffness, spring.damping,
                        spring.rest});
  }
  const auto vector = [](const std::vector<Law>& laws) {
    Vec3 values = Vec3::Zero();
    for (std::size_t i = 0; i < laws.size(); ++i) {
      values[static_cast<int>(i)] = std::get<ConstantLaw>(laws[i]).value;
    }
    return values;
  };
  for (const BodyLoadDescription& load : mechanism.description().body_loads) {
    const int body = body_of(load.body);
    const Mat3 axes = load.in_body_axes && body >= 0 ? tree_->bodies()[index_of(body)].rotation : Mat3::Identity();
    body_loads_.push_back({loaded_point(body, load.point), link_vector(axes * vector(load.force)),
                           link_vector(axes * vector(load.torque)), load.in_body_axes});
  }
}

void LoopConstants::place_couplings(const Mechanism& mechanism) {
  for (const Coupling& coupling : mechanism.couplings()) {
    term_starts_.push_back(static_cast<int>(terms_.size()));
    for (const Coupling::Term& term : coupling.terms) {
      const auto motion = std::find(motion_components_.begin(), motion_components_.end(), term.u);
      const bool prescribed = motion != motion_components_.end();
      terms_.push_back(
          {term.q, term.u, prescribed ? static_cast<int>(motion - motion_components_.begin()) : -1, term.factor});
    }
    coupling_values_.push_back(coupling.value);
  }
  term_starts_.push_back(static_cast<int>(terms_.size()));
}

void LoopConstants::set_closings(const Mechanism& mechanism, const PartRecursion& one) {
  const std::vector<std::size_t> units = rows_of_one_unit(mechanism);
  for (LoopClosing& closing : plan_.closings) {
    LaneClosing own;
    const int first_loop = plan_.closed_loops[index_of(closing.first_loop)];
    own.first_block = static_cast<int>(closing_blocks_.size());
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      for (int k = closing.first_loop; k <= l; ++k) {
        closing_blocks_.push_back(
            plan_.block_of(plan_.closed_loops[index_of(l)], plan_.closed_loops[index_of(k)]).block);
      }
    }
    own.first_row = static_cast<int>(units_.size());
    for (const std::size_t unit : plan_.units_of(units, closing)) {
      units_.push_back(static_cast<int>(unit));
      own.unit_count = std::max(own.unit_count, units_.back() + 1);
    }
    own.most = std::min(closing.rows, static_cast<int>(one.rank_limit(first_loop)));
    closing.rank = own.most;
    closings_.push_back(own);
  }
  for (const std::vector<int>& way : plan_.ways) {
    way_starts_.push_back(static_cast<int>(ways_.size()));
    ways_.insert(ways_.end(), way.begin(), way.end());
  }
  way_starts_.push_back(static_cast<int>(ways_.size()));
}

// After the poses that are kept are known.
void LoopConstants::mark_kept_motions() {
  for (std::size_t i = tree_->size(); i-- > 0;) {
    if (const int inboard = tree_->rows()[i].inboard; inboard >= 0) {
      kept_[index_of(inboard)] = kept_[index_of(inboard)] || inboard + 1 != static_cast<int>(i);
    }
    if (loaded_[i]) {
      loaded_rows_.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    plan_.parts[i].keeps = kept_[i];
  }
}

void LoopConstants::add_momenta(const Mechanism& mechanism, bool wrenches) {
  for (PartRow& part : plan_.parts) {
    part.keeps = true;
  }
  if (!wrenches) {
    load_rows_ = end_rows_;
  }
  for (const int row : end_rows_) {
    acted_on_[index_of(row)] = true;
  }
  const Eigen::VectorXd& scales = mechanism.scales().columns;
  std::transform(scales.begin(), scales.end(), std::back_inserter(inverse_scales_),
                 [](double scale) { return 1.0 / scale; });
}

void LoopConstants::keep_ways() {
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    for (const int row : plan_.ways[c]) {
      kept_[index_of(row)] = true;
      if (const int inboard = tree_->rows()[index_of(row)].inboard; inboard >= 0) {
        kept_[index_of(inboard)] = true;
      }
    }
  }
}

void LoopConstants::point_at_constants(LoopData& data) const {
  const LinkTree& tree = *tree_;
  data.cut_count = static_cast<int>(cuts_.size());
  data.loop_count = static_cast<int>(plan_.loop_rows.size());
  data.closing_count = static_cast<int>(plan_.closings.size());
  for (const LoopClosing& closing : plan_.closings) {
    data.last_closing = std::max(data.last_closing, closing.row);
  }
  data.rate_count = plan_.rate_count;
  data.column_count = plan_.column_count;
  data.product_count = plan_.product_count;
  data.cleared_row_count = static_cast<int>(plan_.cleared_rows.size());
  data.loaded_row_count = static_cast<int>(loaded_rows_.size());
  data.cleared_place_count = static_cast<int>(plan_.cleared_columns.size());
  data.end_row_count = static_cast<int>(end_rows_.size());
  data.cleared_rows = plan_.cleared_rows.data();
  data.loaded_rows = loaded_rows_.data();
  data.cleared_places = plan_.cleared_columns.data();
  data.end_rows = end_rows_.data();
  data.impulses.loaded = loaded_.get();
  data.momenta.acted_on = data.tree.wrenches == nullptr ? acted_on_.get() : nullptr;
  data.inverse_scales = inverse_scales_.data();
  data.motion_count = static_cast<int>(motion_components_.size());
  data.motion_components = motion_components_.data();
  data.load_row_count = static_cast<int>(load_rows_.size());
  data.load_rows = load_rows_.data();
  data.spring_count = static_cast<int>(springs_.size());
  data.springs = springs_.data();
  data.body_load_count = static_cast<int>(body_loads_.size());
  data.body_loads = body_loads_.data();
  data.posed = posed_.get();
  data.kept = kept_.get();
  data.grounds = grounds_.data();
  data.cuts = cuts_.data();
  data.columns_a = columns_a_.data();
  data.columns_b = columns_b_.data();
  data.terms = terms_.data();
  data.term_starts = term_starts_.data();
  data.coupling_values = coupling_values_.data();
  data.ways = ways_.data();
  data.way_starts = way_starts_.data();
  data.closings = closings_.data();
  data.closing_blocks = closing_blocks_.data();
  data.units = units_.data();
  PartData<double>& part = data.part;
  part.row_count = static_cast<int>(tree.size());
  part.last_row = part.row_count;
  part.rows = tree.rows().data();
  part.parts = plan_.parts.data();
  part.links = tree.links().data();
  part.spherical = tree.spherical().data();
  part.starts = starts_.data();
  part.gravity = gravity_.data();
  part.passes = plan_.passes.data();
  part.blocks = plan_.blocks.data();
  part.loop_rows = plan_.loop_rows.data();
  part.factors = plan_.factors.data();
  part.closings = plan_.closings.data();
  part.crosses = plan_.crosses.data();
  part.closed_loops = plan_.closed_loops.data();
  part.closed_columns = plan_.closed_columns.data();
}

}  // namespace mbdbench
