#pragma once
/// \file
/// What lanes of loops need of one mechanism beside memory for packs: its plan without rows that nothing can move, cut
/// joints, couplings and loads in the frames of rows, and what is read or written first.
#include <memory>
#include <span>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/parts/lanes/loop_data.hpp"
#include "formulations/parts/part_recursion.hpp"

namespace mbdbench {

/// Made once; everything points into it.
class LoopConstants {
 public:
  /// \param mechanism whose loads and cut joints lanes know, or somebody else evaluates \param tree of it
  /// \param one the recursion over one state, whose ranks are taken, and which rows count
  LoopConstants(const Mechanism& mechanism, const BatchTree& tree, const PartRecursion& one);

  /// Sets all that is no memory of packs.
  void point_at_constants(LoopData& data) const;
  [[nodiscard]] const PartPlan& plan() const { return plan_; }
  [[nodiscard]] std::span<const LaneCut> cuts() const { return cuts_; }
  /// \returns how many cut joints are placed lane by lane.
  [[nodiscard]] int apart_count() const { return apart_count_; }
  /// Keeps the poses of all rows that loops pass.
  void keep_ways();

 private:
  /// \param weighs whether links are taken less g
  void place_cuts(const Mechanism& mechanism, bool weighs);
  void place_motions();
  void place_couplings(const Mechanism& mechanism);
  void place_loads(const Mechanism& mechanism);
  /// Of a row with an end of a cut joint or a load.
  void keep_pose(int row);
  [[nodiscard]] LanePoint loaded_point(int body, const Vec3& point);
  void set_closings(const Mechanism& mechanism, const PartRecursion& one);
  void mark_kept_motions();
  /// What sweeps of momenta need beside: they read the motion of every row, and impulses of loops turn with the links.
  /// \param wrenches whether loads on all rows are there already
  void add_momenta(const Mechanism& mechanism, bool wrenches);

  const LinkTree* tree_;
  PartPlan plan_;
  std::unique_ptr<bool[]> loaded_;
  std::unique_ptr<bool[]> posed_;
  std::unique_ptr<bool[]> kept_;
  std::unique_ptr<bool[]> acted_on_;
  std::vector<kernels::RunStart<double>> starts_;
  std::vector<kernels::LinkVector<double>> gravity_;
  std::vector<LaneGround> grounds_;
  std::vector<int> loaded_rows_;
  std::vector<int> end_rows_;
  std::vector<LaneCut> cuts_;
  int apart_count_ = 0;
  std::vector<int> columns_a_;
  std::vector<int> columns_b_;
  std::vector<int> load_rows_;
  std::vector<LanePointSpring> springs_;
  std::vector<LaneBodyLoad> body_loads_;
  std::vector<double> inverse_scales_;
  std::vector<LaneTerm> terms_;
  std::vector<int> term_starts_;
  std::vector<double> coupling_values_;
  std::vector<int> motion_components_;
  std::vector<int> ways_;
  std::vector<int> way_starts_;
  std::vector<LaneClosing> closings_;
  std::vector<int> closing_blocks_;
  std::vector<int> units_;
};

}  // namespace mbdbench
