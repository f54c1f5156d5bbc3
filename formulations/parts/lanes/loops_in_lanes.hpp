#pragma once
/// \file
/// Right-hand sides of many states of one mechanism with loops, side by side: a lane of the processor's registers a
/// state. The recursion is that of ClosedAccelerations with packs of numbers instead of numbers.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/batches/states_in_lanes.hpp"
#include "formulations/parts/lanes/loop_data.hpp"
#include "formulations/parts/part_recursion.hpp"
#include "formulations/recursion/cut_end.hpp"

namespace mbdbench {

/// \returns what a mechanism has that lanes of loops do not know, in words for a user; empty if they know all of it.
std::string loops_without_lanes(const Mechanism& mechanism);

/// Workspace of one mechanism. Allocates nothing after construction.
class LoopsInLanes {
 public:
  /// \param mechanism one of which lanes know everything \param one the recursion over one state, whose ranks are taken
  /// \param projects whether velocities are projected on the constraints before anything else
  /// \param near as of LoadEvaluator
  LoopsInLanes(const Mechanism& mechanism, const PartRecursion& one, BaumgarteConstants baumgarte, bool projects,
               const CutReferences* near);

  /// \returns how many states go side by side with the instruction set in use.
  static int lanes_in_use();

  /// x' of so many states. What a lane returns does not depend on its place or on its neighbours.
  /// \param states, rates a row a state \param alone asked about a state whose lane may have failed, or whose rank is
  /// doubtful
  void evaluate(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses,
                const StatesInLanes::OneState& alone);

 private:
  /// \param zero by closing row whether it is left out
  void place_cuts(const Mechanism& mechanism, const std::vector<bool>& zero);
  void place_couplings(const Mechanism& mechanism);
  void place_loads(const Mechanism& mechanism);
  /// Of a row with an end of a cut joint or a load.
  void keep_pose(int row);
  [[nodiscard]] LanePoint loaded_point(int body, const Vec3& point);
  void set_closings(const Mechanism& mechanism, const PartRecursion& one);
  void mark_first_arrivals();
  void mark_kept_motions();
  void point_at_plan();
  void reserve();
  /// \returns zeros for so many packs.
  double* packs(std::size_t count);
  void reserve_side(PartRightSide<double>& side);

  LoopSweeps sweeps_;
  BatchTree tree_;
  PartPlan plan_;
  LoopData data_;
  std::unique_ptr<bool[]> loaded_;
  std::unique_ptr<bool[]> posed_;
  std::unique_ptr<bool[]> kept_;
  std::vector<kernels::RunStart<double>> starts_;
  std::vector<kernels::LinkVector<double>> gravity_;
  std::vector<LaneGround> grounds_;
  std::vector<int> cleared_rows_;
  std::vector<int> loaded_rows_;
  std::vector<int> cleared_places_;
  std::vector<int> end_rows_;
  std::vector<LaneCut> cuts_;
  std::vector<int> columns_a_;
  std::vector<int> columns_b_;
  std::vector<LaneForce> forces_;
  std::vector<int> load_rows_;
  std::vector<LanePointSpring> springs_;
  std::vector<LaneBodyLoad> body_loads_;
  std::vector<LaneTerm> terms_;
  std::vector<int> term_starts_;
  std::vector<int> ways_;
  std::vector<int> way_starts_;
  std::vector<LaneClosing> closings_;
  std::vector<int> closing_blocks_;
  std::vector<int> units_;
  std::vector<AlignedMemory> memory_;
};

}  // namespace mbdbench
