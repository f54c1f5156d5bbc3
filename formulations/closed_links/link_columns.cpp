#include "formulations/closed_links/link_columns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "formulations/recursion/semidefinite_solver.hpp"
#include "formulations/subchains/execution.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

ColumnSweep sweep_in_use() {
  const std::string_view name = instruction_set_name();
  return name == "avx512" ? avx512_column_sweep : name == "avx2" ? avx2_column_sweep : baseline_column_sweep;
}

/// \returns rows of the tree from `row` to the ground.
std::vector<int> way_inward(const LinkTree& tree, int row) {
  std::vector<int> way;
  for (; row >= 0; row = tree.rows()[index_of(row)].inboard) {
    way.push_back(row);
  }
  return way;
}

std::size_t doubles(int packs) {
  return index_of(packs) * kColumns;
}

}  // namespace

LinkColumns::LinkColumns(const Mechanism& mechanism, const LinkElimination& links)
    : cuts_(mechanism.cut_joints()), sweep_(sweep_in_use()) {
  for (const Joint& cut : cuts_) {
    counts_.push_back(cut.nc);
  }
  lead_inward(links);
  wrenches_ = lane_memory(index_of(6 * wrench_count_));
  along_ = lane_memory(index_of(along_count_));
}

void LinkColumns::lead_inward(const LinkElimination& links) {
  const LinkTree& tree = links.tree();
  const auto row_of = [&](int body) { return body < 0 ? -1 : tree.bodies()[index_of(body)].row; };
  std::map<std::pair<int, int>, int> wrenches;  // (row, cut) -> place
  std::vector<std::vector<int>> cuts_at(tree.size());
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const int cut = static_cast<int>(c);
    for (const auto& [body, sign] : {std::pair(cuts_[c].b, 1.0), std::pair(cuts_[c].a, -1.0)}) {
      const std::vector<int> way = way_inward(tree, row_of(body));
      for (const int row : way) {
        if (wrenches.try_emplace({row, cut}, wrench_count_).second) {
          cuts_at[index_of(row)].push_back(cut);
          ++wrench_count_;
        }
      }
      if (!way.empty()) {
        ends_.push_back({cut, way.front(), wrenches[{way.front(), cut}], sign});
      }
    }
  }
  std::map<std::pair<int, int>, int> places;  // (cut, cut) -> block
  int packs = 0;
  for (int row = static_cast<int>(tree.size()) - 1; row >= 0; --row) {
    const std::vector<int>& cuts = cuts_at[index_of(row)];
    if (cuts.empty()) {
      continue;
    }
    ColumnLink link;
    link.step_count = links.step_count(index_of(row));
    link.first_pass = static_cast<int>(passes_.size());
    link.last_pass = link.first_pass + static_cast<int>(cuts.size());
    link.first_block = static_cast<int>(block_places_.size());
    for (std::size_t p = 0; p < cuts.size(); ++p) {
      const auto inward = wrenches.find({tree.rows()[index_of(row)].inboard, cuts[p]});
      passes_.push_back(
          {cuts[p], wrenches[{row, cuts[p]}], inward == wrenches.end() ? -1 : inward->second, along_count_});
      along_count_ += link.step_count;
      for (std::size_t q = 0; q <= p; ++q) {
        const auto [place, is_new] = places.try_emplace({cuts[p], cuts[q]}, packs);
        if (is_new) {
          blocks_.push_back({cuts[p], cuts[q]});
          packs += counts_[index_of(cuts[p])];
        }
        block_places_.push_back(place->second);
      }
    }
    links_.push_back(link);
    rows_.push_back(index_of(row));
  }
  a_ = lane_memory(index_of(packs));
}

void LinkColumns::start(const LinkPoses& poses, std::span<const JointKinematics> cuts) {
  std::fill_n(wrenches_.get(), doubles(6 * wrench_count_), 0.0);
  for (const End& end : ends_) {
    const JointKinematics& cut = cuts[index_of(end.cut)];
    const LinkPoses::Row& row = poses.row(index_of(end.row));
    const Mat3 axes = end.sign * row.axes.transpose();
    const Vec3 lever = cut.point - row.origin;
    double* const to = wrenches_.get() + doubles(6 * end.wrench);
    for (int i = 0; i < counts_[index_of(end.cut)]; ++i) {
      const Vec3 force = cut.d.col(i).head<3>();
      const Vec3 f = axes * force;
      const Vec3 n = axes * (cut.d.col(i).tail<3>() + lever.cross(force));
      for (int j = 0; j < 3; ++j) {
        to[j * kColumns + i] += f[j];  // both ends may be on one link
        to[(3 + j) * kColumns + i] += n[j];
      }
    }
  }
}

void LinkColumns::set_positions(const LinkElimination& links, const LinkPoses& poses,
                                std::span<const JointKinematics> cuts, Eigen::MatrixXd& a, Eigen::VectorXd& smallest) {
  start(poses, cuts);
  smallest.setZero();
  for (std::size_t l = 0; l < links_.size(); ++l) {
    ColumnLink& link = links_[l];
    links.describe(rows_[l], link);
    double slides = 0.0;
    double turns = 0.0;
    for (int s = 0; s < link.step_count; ++s) {
      (link.steps[s].component < 3 ? slides : turns) += link.steps[s].inverse;
    }
    const Vec3& origin = poses.row(rows_[l]).origin;
    for (int p = link.first_pass; p < link.last_pass; ++p) {
      // What y y^T / D would be if no joint were in between and its terms did not cancel, at most.
      const int cut = passes_[index_of(p)].cut;
      const JointKinematics& state = cuts[index_of(cut)];
      const double lever = (state.point - origin).squaredNorm();
      for (int i = 0; i < counts_[index_of(cut)]; ++i) {
        const double force = state.d.col(i).head<3>().squaredNorm();
        const double torque = 2.0 * (force * lever + state.d.col(i).tail<3>().squaredNorm());
        smallest[cuts_[index_of(cut)].row_offset + i] += kZeroRow * (force * slides + torque * turns);
      }
    }
  }
  std::size_t packs = 0;
  for (const Block& block : blocks_) {
    packs += index_of(counts_[index_of(block.row_cut)]);
  }
  std::fill_n(a_.get(), packs * kColumns, 0.0);
  sweep_({links_.data(), static_cast<int>(links_.size()), passes_.data(), block_places_.data(), counts_.data()},
         wrenches_.get(), along_.get(), a_.get());
  gather(a);
}

void LinkColumns::gather(Eigen::MatrixXd& a) const {
  a.setZero();
  const double* from = a_.get();
  for (const Block& block : blocks_) {
    const Joint& one = cuts_[index_of(block.row_cut)];
    const Joint& other = cuts_[index_of(block.column_cut)];
    for (int i = 0; i < one.nc; ++i, from += kColumns) {
      for (int j = 0; j < other.nc; ++j) {
        a(one.row_offset + i, other.row_offset + j) = from[j];
      }
    }
  }
}

void LinkColumns::set_impulses(const Eigen::VectorXd& multipliers, LinkElimination& links) const {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const ColumnLink& link = links_[l];
    std::array<double, 6> sums{};
    for (int p = link.first_pass; p < link.last_pass; ++p) {
      const ColumnPass& pass = passes_[index_of(p)];
      const Joint& cut = cuts_[index_of(pass.cut)];
      const double* along = along_.get() + doubles(pass.along);
      for (int s = 0; s < link.step_count; ++s, along += kColumns) {
        for (int i = 0; i < cut.nc; ++i) {
          sums[index_of(s)] += along[i] * multipliers[cut.row_offset + i];
        }
      }
    }
    links.set_impulse(rows_[l], sums.data());
  }
}

}  // namespace mbdbench
