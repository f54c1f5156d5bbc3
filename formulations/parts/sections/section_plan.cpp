#include "formulations/parts/sections/section_plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "formulations/parts/lanes/lane_cut.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// Places of the whole as those of a section, in the order in which they are met.
class OwnPlaces {
 public:
  /// \param size of the place
  int of(int place, int size) {
    const auto [own, is_new] = own_.try_emplace(place, next_);
    next_ += is_new ? size : 0;
    return own->second;
  }
  [[nodiscard]] bool has(int place) const { return own_.count(place) > 0; }
  [[nodiscard]] int next() const { return next_; }
  void start_at(int next) { next_ = next; }

 private:
  std::map<int, int> own_;
  int next_ = 0;
};

std::unique_ptr<bool[]> no_rows(std::size_t count) {
  return std::make_unique<bool[]>(count);
}

/// Numbers one range anew.
class Renumbering {
 public:
  Renumbering(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan, std::size_t range,
              const std::vector<int>& most, SectionPlan& section)
      : mechanism_(&mechanism),
        tree_(&tree),
        plan_(&plan),
        range_(range),
        of_(tree.ranges()[range]),
        planned_(plan.ranges[range]),
        most_(&most),
        to_(&section),
        count_(of_.last_row - of_.first_row) {}

  /// \returns whether lanes know all that there is.
  bool run() {
    if (planned_.last_child - planned_.first_child != 1 || of_.last_root - of_.first_root != 1 || !take_rows()) {
      return false;
    }
    to_->own.first_row = of_.first_row;
    to_->own.base = static_cast<int>(tree_->size()) + of_.first_root;
    to_->own.hangs_at = of_.first_root;
    to_->own.seam = plan_->children[index_of(planned_.first_child)];
    if (!number_loops()) {
      return false;
    }
    rates_.start_at(static_cast<int>(to_->loop_rows.size()));
    take_parts();
    take_closings();
    if (!take_cuts()) {
      return false;
    }
    take_what_leaves();
    if (!take_ways()) {
      return false;
    }
    mark_arrivals_and_rows();
    set_sizes();
    return true;
  }

 private:
  [[nodiscard]] const PartPlan::Seam& seam() const { return plan_->seams[index_of(to_->own.seam)]; }
  [[nodiscard]] int own_row(int row) const {
    return row >= of_.first_row && row < of_.last_row ? row - of_.first_row : count_;
  }
  [[nodiscard]] int rows_of(int loop) const { return plan_->loop_rows[index_of(loop)]; }
  int own_block(int place, int one, int other) {
    const auto [smaller, larger] = std::minmax(one, other);
    const int own = products_.of(place, rows_of(larger));
    if (blocks_.count(own) == 0) {
      block_places_.push_back(place);
    }
    blocks_[own] = {own, rows_of(larger), rows_of(smaller), one == other};
    return own;
  }

  bool take_rows() {
    const std::vector<double> slides = tree_->positions().slides;
    int q = 0;
    int u = 0;
    for (int i = of_.first_row; i < of_.last_row; ++i) {
      LinkRow row = tree_->rows()[index_of(i)];
      if (row.motion >= 0) {
        return false;
      }
      const int velocities = direction_count(row.kind);
      const int coordinates = velocities + (is_sphere(row.kind) ? 1 : 0);
      for (int k = 0; k < coordinates; ++k) {
        to_->own.coordinates.push_back(row.q + k);
      }
      for (int k = 0; k < velocities; ++k) {
        to_->own.velocities.push_back(row.u + k);
        to_->own.places.push_back(row.place + k);
      }
      if (is_sphere(row.kind)) {
        to_->spherical.push_back(tree_->spherical()[index_of(row.ordinal)]);
        row.ordinal = static_cast<int>(to_->spherical.size()) - 1;
      } else {
        row.ordinal = 0;
      }
      row.q = q;
      row.u = row.place = u;
      q += coordinates;
      u += velocities;
      row.slot = -1;
      row.element = 0;
      row.inboard = own_row(row.inboard);
      to_->rows.push_back(row);
      to_->links.push_back(tree_->links()[index_of(i)]);
      to_->links.back().outboard_mass = 0.0;  // of set-up alone
      to_->starts.push_back({1.0, 0.0, 0.0});
      to_->angles.push_back(tree_->offsets()[index_of(i)]);
      to_->offsets.push_back(slides[index_of(i)]);
    }
    for (int r = of_.first_run; r < of_.last_run; ++r) {
      const LinkRun& run = tree_->runs()[index_of(r)];
      to_->starts[index_of(run.first - of_.first_row)] = run.start;
    }
    to_->q_count = q;
    to_->u_count = u;
    return true;
  }

  // What is closed here; then what else passes a row.
  bool number_loops() {
    std::vector<int> closed;
    for (int c = planned_.first_closing; c < planned_.last_closing; ++c) {
      const LoopClosing& closing = plan_->closings[index_of(c)];
      if (closing.row < of_.first_row || closing.row >= of_.last_row) {
        return false;
      }
      closed.insert(closed.end(), plan_->closed_loops.begin() + closing.first_loop,
                    plan_->closed_loops.begin() + closing.last_loop);
    }
    std::sort(closed.begin(), closed.end());
    std::vector<int> open;
    for (int i = of_.first_row; i < of_.last_row; ++i) {
      const PartRow& part = plan_->parts[index_of(i)];
      for (int p = part.first_pass; p < part.last_pass; ++p) {
        const LoopPass& through = plan_->passes[index_of(p)];
        if (through.factors >= 0) {
          return false;
        }
        if (!std::binary_search(closed.begin(), closed.end(), through.loop)) {
          open.push_back(through.loop);
        }
      }
    }
    std::sort(open.begin(), open.end());
    open.erase(std::unique(open.begin(), open.end()), open.end());
    const auto cuts = static_cast<int>(mechanism_->cut_joints().size());
    const auto is_cut = [&](int loop) { return loop < cuts; };
    if (open.empty() || open.back() != seam().loop || !std::all_of(open.begin(), open.end() - 1, is_cut) ||
        !std::all_of(closed.begin(), closed.end(), is_cut)) {
      return false;
    }
    to_->closed_count = static_cast<int>(closed.size());
    to_->crossing_count = static_cast<int>(open.size()) - 1;
    to_->own.loops = closed;
    to_->own.loops.insert(to_->own.loops.end(), open.begin(), open.end());
    for (const int loop : to_->own.loops) {
      own_loop_[loop] = static_cast<int>(to_->loop_rows.size());
      to_->loop_rows.push_back(rows_of(loop));
    }
    return true;
  }

  void take_parts() {
    to_->parts.resize(index_of(count_));
    for (int i = count_; i-- > 0;) {
      const PartRow& from = plan_->parts[index_of(i + of_.first_row)];
      PartRow& part = to_->parts[index_of(i)];
      part.receiver = own_row(from.receiver);
      part.source = own_row(from.source);
      part.starts = from.starts;
      part.first_pass = static_cast<int>(to_->passes.size());
      part.first_block = static_cast<int>(to_->blocks.size());
      if (from.joint >= 0) {
        part.joint = static_cast<int>(to_->joints.size());
        to_->joints.emplace_back();
        to_->joints.back().direction_count = plan_->joints[index_of(from.joint)].direction_count;
      }
      int block = from.first_block;
      for (int p = from.first_pass; p < from.last_pass; ++p) {
        LoopPass through = plan_->passes[index_of(p)];
        const int loop = through.loop;
        through.loop = own_loop_.at(loop);
        through.rates = through.rates == loop ? through.loop : rates_.of(through.rates, 1);
        through.columns = columns_.of(through.columns, 1);
        through.inward = columns_.of(through.inward, 1);
        through.along = along_.of(through.along, to_->joints.back().direction_count);
        to_->passes.push_back(through);
        for (int q = from.first_pass; q <= p; ++q) {
          to_->blocks.push_back(own_block(plan_->blocks[index_of(block++)], loop, plan_->passes[index_of(q)].loop));
        }
      }
      part.last_pass = static_cast<int>(to_->passes.size());
    }
  }

  void take_closings() {
    const std::vector<std::size_t> all_units = rows_of_one_unit(*mechanism_);
    int half = 0;
    int across = 0;
    int right = 0;
    for (int c = planned_.first_closing; c < planned_.last_closing; ++c) {
      const LoopClosing& from = plan_->closings[index_of(c)];
      LoopClosing closing;
      closing.row = closing.part = from.row - of_.first_row;
      closing.rows = from.rows;
      closing.rank = std::min(from.rows, (*most_)[index_of(c)]);
      closing.first_loop = static_cast<int>(to_->closed_loops.size());
      closing.first_cross = static_cast<int>(to_->crosses.size());
      LaneClosing limit;
      limit.most = closing.rank;
      limit.first_block = static_cast<int>(to_->closing_blocks.size());
      limit.first_row = static_cast<int>(to_->units.size());
      const PartRow& part = plan_->parts[index_of(from.part)];
      int cross = from.first_cross;
      for (int l = from.first_loop; l < from.last_loop; ++l) {
        const int loop = plan_->closed_loops[index_of(l)];
        to_->closed_loops.push_back(own_loop_.at(loop));
        to_->closed_columns.push_back(columns_.of(plan_->closed_columns[index_of(l)], 1));
        for (int p = part.first_pass; p < part.last_pass; ++p) {
          const LoopCross& from_cross = plan_->crosses[index_of(cross++)];
          to_->crosses.push_back(
              {own_block(from_cross.block, loop, plan_->passes[index_of(p)].loop), from_cross.transposed});
        }
        for (int k = from.first_loop; k <= l; ++k) {
          const int other = plan_->closed_loops[index_of(k)];
          to_->closing_blocks.push_back(own_block(plan_->block_of(loop, other).block, loop, other));
        }
      }
      for (const std::size_t unit : plan_->units_of(all_units, from)) {
        to_->units.push_back(static_cast<int>(unit));
        limit.unit_count = std::max(limit.unit_count, to_->units.back() + 1);
      }
      closing.last_loop = static_cast<int>(to_->closed_loops.size());
      closing.half = half;
      closing.across = across;
      closing.open = across + closing.rows;
      closing.right = right;
      half += closing.rows * closing.rows;
      across += closing.rows * (1 + part.last_pass - part.first_pass);
      right += closing.rows;
      to_->parts[index_of(closing.row)].closing = static_cast<int>(to_->closings.size());
      to_->last_closing = std::max(to_->last_closing, closing.row);
      to_->sizes.most = std::max(to_->sizes.most, closing.rows);
      to_->closings.push_back(closing);
      to_->limits.push_back(limit);
    }
    to_->sizes.halves = half;
    to_->sizes.across = across;
    to_->sizes.rights = right;
  }

  bool take_cuts() {
    const BodyOnRow ground;
    for (int own = 0; own < to_->closed_count + to_->crossing_count; ++own) {
      const auto c = index_of(to_->own.loops[index_of(own)]);
      const Joint& joint = mechanism_->cut_joints()[c];
      const auto place_of = [&](int body) -> const BodyOnRow& {
        return body < 0 ? ground : tree_->bodies()[index_of(body)];
      };
      LaneCut cut;
      if (own < to_->closed_count) {
        if (!lanes_place(joint) || place_of(joint.a).row < 0 || place_of(joint.b).row < 0) {
          return false;
        }
        cut = lane_cut(joint, place_of(joint.a), place_of(joint.b), true);
        cut.a.row -= of_.first_row;
        cut.b.row -= of_.first_row;
        for (; cut.row_count < rows_of(static_cast<int>(c)); ++cut.row_count) {
          cut.rows[cut.row_count] = plan_->column_of(c, cut.row_count);
        }
      }
      cut.unit = mechanism_->scales().loop_units[c];
      to_->cuts.push_back(cut);
    }
    to_->columns_a.assign(to_->cuts.size(), -1);
    to_->columns_b.assign(to_->cuts.size(), -1);
    for (int e = planned_.first_end; e < planned_.last_end; ++e) {
      const PartPlan::End& end = plan_->ends[index_of(e)];
      const int own = own_loop_.at(end.cut);
      const int columns = columns_.of(end.columns, 1);
      if (own < to_->closed_count) {
        (end.sign < 0.0 ? to_->columns_a : to_->columns_b)[index_of(own)] = columns;
      } else {
        to_->crossing_columns.push_back(columns);
        to_->crossing_loops.push_back(own);
        to_->crossing_rows.push_back(end.row - of_.first_row);
        to_->own.crossing_ends.push_back(e);
        to_->own.crossing_columns.push_back(end.columns);
      }
    }
    to_->seam_row = seam().row - of_.first_row;
    to_->seam_columns = columns_.of(seam().columns, 1);
    return true;
  }

  void take_what_leaves() {
    const PartRow& root = plan_->parts[index_of(of_.first_row)];
    for (int p = root.first_pass; p < root.last_pass; ++p) {
      const int inward = plan_->passes[index_of(p)].inward;
      to_->own.base_columns.push_back(inward);
      to_->base_columns.push_back(columns_.of(inward, 1));
      to_->base_column_rows.push_back(rows_of(plan_->passes[index_of(p)].loop));
    }
    for (const PartPlan::Handover& left : plan_->products_left) {
      if (left.range == static_cast<int>(range_) && products_.has(left.from)) {
        to_->own.left_blocks.push_back(left.from);
        to_->left_blocks.push_back(blocks_.at(products_.of(left.from, 0)));
      }
    }
    for (const int place : block_places_) {
      const bool leaves =
          std::find(to_->own.left_blocks.begin(), to_->own.left_blocks.end(), place) != to_->own.left_blocks.end();
      for (int row = 0; !leaves && row < blocks_.at(products_.of(place, 0)).rows; ++row) {
        to_->own.inner_blocks.push_back(place + row);
      }
    }
    for (const PartPlan::Handover& left : plan_->rates_left) {
      if (left.range == static_cast<int>(range_) && rates_.has(left.from)) {
        to_->own.left_rates.push_back(left.from);
        to_->left_rates.push_back(rates_.of(left.from, 0));
      }
    }
  }

  // The seam has none. Behind it stand loops that no joint of the section passes by themselves: the seam carries them.
  bool take_ways() {
    for (int own = 0; own < to_->closed_count + to_->crossing_count; ++own) {
      const int loop = to_->own.loops[index_of(own)];
      to_->way_starts.push_back(static_cast<int>(to_->ways.size()));
      int stretch = -1;
      for (int s = plan_->first_stretch[index_of(loop)]; s < plan_->first_stretch[index_of(loop) + 1]; ++s) {
        if (plan_->stretches[index_of(s)].range == static_cast<int>(range_)) {
          take_stretch(s);
          stretch = s;
        }
      }
      if (own >= to_->closed_count) {
        to_->own.stretches.push_back(stretch);
      }
    }
    to_->way_starts.push_back(static_cast<int>(to_->ways.size()));
    const auto cuts = static_cast<int>(mechanism_->cut_joints().size());
    for (int l = planned_.first_left; l < planned_.last_left; ++l) {
      const int stretch = plan_->left[index_of(l)];
      const int loop = plan_->stretches[index_of(stretch)].loop;
      if (own_loop_.count(loop) > 0) {
        continue;
      }
      if (loop >= cuts) {
        return false;
      }
      to_->way_starts.push_back(static_cast<int>(to_->ways.size()));
      to_->cuts.resize(to_->way_starts.size());  // behind the seam, which has a start and no cut
      to_->cuts.back().unit = mechanism_->scales().loop_units[index_of(loop)];
      take_stretch(stretch);
      to_->own.carried.push_back(loop);
      to_->own.stretches.push_back(stretch);
    }
    to_->way_starts.push_back(static_cast<int>(to_->ways.size()));
    to_->carried_count = static_cast<int>(to_->own.carried.size());
    return true;
  }

  void take_stretch(int stretch) {
    const PartPlan::Stretch& of = plan_->stretches[index_of(stretch)];
    for (int i = of.first; i < of.last; ++i) {
      to_->ways.push_back(plan_->ways[index_of(of.loop)][index_of(i)] - of_.first_row);
    }
  }

  void keep_pose(int row) {
    to_->kept[index_of(row)] = true;
    for (; row < count_; row = to_->rows[index_of(row)].inboard) {
      to_->posed[index_of(row)] = true;
    }
  }

  void mark_arrivals_and_rows() {
    SectionPlan& to = *to_;
    std::vector<bool> written(index_of(columns_.next()));
    for (const std::vector<int>* places : {&to.columns_a, &to.columns_b, &to.crossing_columns}) {
      for (const int place : *places) {
        if (place >= 0) {
          written[index_of(place)] = true;
        }
      }
    }
    written[index_of(to.seam_columns)] = true;
    FirstArrivals first = mark_arrivals(to.parts, to.passes, count_ + 1, std::move(written));
    to.cleared_rows = std::move(first.rows);
    to.cleared_columns = std::move(first.columns);
    const auto rows = index_of(count_);
    to.loaded = no_rows(rows);
    to.posed = no_rows(rows);
    to.kept = no_rows(rows);
    to.on_way = no_rows(rows);
    to.at_end = no_rows(rows);
    for (int c = 0; c < to.closed_count; ++c) {
      for (const int row : {to.cuts[index_of(c)].a.row, to.cuts[index_of(c)].b.row}) {
        add_end(row);
      }
    }
    for (const int row : to.crossing_rows) {
      add_end(row);
    }
    keep_pose(to.seam_row);
    for (int row = to.seam_row; row < count_; row = to.rows[index_of(row)].inboard) {
      to.on_way[index_of(row)] = true;
    }
    to.at_end[index_of(to.seam_row)] = true;
    for (std::size_t i = rows; i-- > 0;) {
      to.loaded[i] = to.loaded[i] || to.parts[i].closing >= 0;
      if (const int inboard = to.rows[i].inboard; inboard < count_) {
        to.loaded[index_of(inboard)] = to.loaded[index_of(inboard)] || to.loaded[i];
        const bool beside = inboard + 1 != static_cast<int>(i);
        to.kept[index_of(inboard)] = to.kept[index_of(inboard)] || beside;
        to.at_end[index_of(inboard)] = to.at_end[index_of(inboard)] || beside;
      }
      if (to.loaded[i]) {
        to.loaded_rows.push_back(static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      to.parts[i].keeps = to.kept[i];
    }
  }

  void add_end(int row) {
    if (std::find(to_->end_rows.begin(), to_->end_rows.end(), row) == to_->end_rows.end()) {
      to_->end_rows.push_back(row);
    }
    keep_pose(row);
  }

  void set_sizes() {
    LoopSizes& sizes = to_->sizes;
    sizes.rows = index_of(count_);
    sizes.receivers = sizes.rows + 1;
    sizes.spheres = to_->spherical.size();
    sizes.columns = columns_.next();
    sizes.along = along_.next();
    sizes.products = products_.next();
    sizes.rates = rates_.next();
    sizes.joints = static_cast<int>(to_->joints.size());
    sizes.carried = to_->carried_count;
  }

  const Mechanism* mechanism_;
  const LinkTree* tree_;
  const PartPlan* plan_;
  std::size_t range_;
  const LinkRange& of_;
  const PartPlan::Range& planned_;
  const std::vector<int>* most_;
  SectionPlan* to_;
  int count_;
  std::map<int, int> own_loop_;
  std::map<int, LeftBlock> blocks_;  // by own place
  std::vector<int> block_places_;    // of the whole
  OwnPlaces columns_;
  OwnPlaces along_;
  OwnPlaces products_;
  OwnPlaces rates_;
};

auto parts_of(const LinkRow& row) {
  return std::tie(row.kind, row.q, row.u, row.ordinal, row.massless, row.inboard, row.pitch);
}

auto parts_of(const PartRow& row) {
  return std::tie(row.joint, row.receiver, row.source, row.first_pass, row.last_pass, row.first_block, row.closing,
                  row.starts, row.adds, row.keeps);
}

auto parts_of(const LoopPass& pass) {
  return std::tie(pass.loop, pass.columns, pass.inward, pass.adds, pass.rates, pass.along);
}

auto parts_of(const LoopClosing& closing) {
  return std::tie(closing.row, closing.first_loop, closing.last_loop, closing.rows, closing.rank, closing.half,
                  closing.across, closing.open, closing.right, closing.first_cross);
}

auto parts_of(const LoopCross& cross) {
  return std::tie(cross.block, cross.transposed);
}

auto parts_of(const PassedJoint<double>& joint) {
  return std::tie(joint.direction_count);
}

auto parts_of(const kernels::LinkVector<double>& r) {
  return std::tie(r.x, r.y, r.z);
}

auto parts_of(const LeftBlock& block) {
  return std::tie(block.place, block.rows, block.columns, block.is_own);
}

auto parts_of(const LaneClosing& closing) {
  return std::tie(closing.most, closing.first_block, closing.first_row, closing.unit_count);
}

/// \returns whether structures of numbers alone are the same.
template <typename Structure>
bool same_numbers(const Structure& one, const Structure& other) {
  const auto* const a = reinterpret_cast<const double*>(&one);
  const auto* const b = reinterpret_cast<const double*>(&other);
  return std::equal(a, a + sizeof(Structure) / sizeof(double), b);
}

template <typename Structure>
auto same_parts(const Structure& one, const Structure& other) -> decltype(parts_of(one) == parts_of(other)) {
  return parts_of(one) == parts_of(other);
}

bool same_end(const LaneCutEnd& one, const LaneCutEnd& other) {
  return one.row == other.row && same_parts(one.origin, other.origin) && one.weightless == other.weightless;
}

bool same_cut(const LaneCut& one, const LaneCut& other) {
  const auto same_angle = [](const LaneAngle& a, const LaneAngle& b) { return same_numbers(a, b); };
  return same_end(one.a, other.a) && same_end(one.b, other.b) && one.share_of_b == other.share_of_b &&
         one.world_linear == other.world_linear && one.first_direction == other.first_direction &&
         one.first_angle == other.first_angle && one.row_count == other.row_count && one.unit == other.unit &&
         std::equal(std::begin(one.rows), std::end(one.rows), std::begin(other.rows)) &&
         std::equal(std::begin(one.directions), std::end(one.directions), std::begin(other.directions),
                    same_parts<kernels::LinkVector<double>>) &&
         std::equal(std::begin(one.angles), std::end(one.angles), std::begin(other.angles), same_angle);
}

template <typename T, typename Same>
bool all_same(const std::vector<T>& one, const std::vector<T>& other, const Same& same) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same);
}

template <typename T>
bool all_same(const std::vector<T>& one, const std::vector<T>& other) {
  return all_same(one, other, [](const T& a, const T& b) { return same_parts(a, b); });
}

template <typename T>
bool all_same_numbers(const std::vector<T>& one, const std::vector<T>& other) {
  return all_same(one, other, [](const T& a, const T& b) { return same_numbers(a, b); });
}

}  // namespace

std::optional<SectionPlan> SectionPlan::of(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                                           std::size_t range, const std::vector<int>& most) {
  SectionPlan section;
  if (!Renumbering(mechanism, tree, plan, range, most, section).run()) {
    return std::nullopt;
  }
  return section;
}

bool SectionPlan::is_twin_of(const SectionPlan& other) const {
  const auto whole = [](const SectionPlan& of) {
    return std::tie(of.angles, of.offsets, of.blocks, of.loop_rows, of.closed_loops, of.closed_columns,
                    of.closing_blocks, of.units, of.columns_a, of.columns_b, of.ways, of.way_starts, of.end_rows,
                    of.loaded_rows, of.cleared_rows, of.cleared_columns, of.base_columns, of.base_column_rows,
                    of.left_rates, of.crossing_columns, of.crossing_loops, of.crossing_rows, of.closed_count,
                    of.crossing_count, of.carried_count, of.seam_row, of.seam_columns);
  };
  return whole(*this) == whole(other) && all_same(rows, other.rows) && all_same(parts, other.parts) &&
         all_same(passes, other.passes) && all_same(joints, other.joints) && all_same(closings, other.closings) &&
         all_same(crosses, other.crosses) && all_same(limits, other.limits) &&
         all_same(left_blocks, other.left_blocks) && all_same_numbers(links, other.links) &&
         all_same_numbers(spherical, other.spherical) && all_same_numbers(starts, other.starts) &&
         all_same(cuts, other.cuts, same_cut);
}

void SectionPlan::point_at_constants(LoopData& data) const {
  data.tree.row_count = static_cast<int>(rows.size());
  data.tree.q_count = q_count;
  data.tree.u_count = u_count;
  data.tree.rows = rows.data();
  data.tree.links = links.data();
  data.tree.spherical = spherical.data();
  data.tree.angles = angles.data();
  data.tree.offsets = offsets.data();
  data.cut_count = closed_count;
  data.loop_count = static_cast<int>(loop_rows.size());
  data.closing_count = static_cast<int>(closings.size());
  data.last_closing = last_closing;
  data.rate_count = sizes.rates;
  data.column_count = sizes.columns;
  data.product_count = sizes.products;
  data.cleared_row_count = static_cast<int>(cleared_rows.size());
  data.loaded_row_count = static_cast<int>(loaded_rows.size());
  data.cleared_place_count = static_cast<int>(cleared_columns.size());
  data.end_row_count = static_cast<int>(end_rows.size());
  data.cleared_rows = cleared_rows.data();
  data.loaded_rows = loaded_rows.data();
  data.cleared_places = cleared_columns.data();
  data.end_rows = end_rows.data();
  data.impulses.loaded = loaded.get();
  data.posed = posed.get();
  data.kept = kept.get();
  data.cuts = cuts.data();
  data.columns_a = columns_a.data();
  data.columns_b = columns_b.data();
  data.ways = ways.data();
  data.way_starts = way_starts.data();
  data.closings = limits.data();
  data.closing_blocks = closing_blocks.data();
  data.units = units.data();
  PartData<double>& part = data.part;
  part.row_count = static_cast<int>(rows.size());
  part.last_row = part.row_count;
  part.rows = rows.data();
  part.parts = parts.data();
  part.links = links.data();
  part.spherical = spherical.data();
  part.starts = starts.data();
  part.passes = passes.data();
  part.blocks = blocks.data();
  part.loop_rows = loop_rows.data();
  part.closings = closings.data();
  part.crosses = crosses.data();
  part.closed_loops = closed_loops.data();
  part.closed_columns = closed_columns.data();
}

}  // namespace mbdbench
