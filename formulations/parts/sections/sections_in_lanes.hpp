#pragma once
/// \file
/// Sections of equal form of a line, side by side in lanes: what PartRecursion does with one section after another.
/// What crosses their ends (seams, cut joints with an end in either section, the link that a section hangs on) stays
/// where PartRecursion has it; sections take it from there and leave there what they make.
///
/// kTwinsTogether neighbours are a *group*, whatever the lanes of the machine: one thread's work. The first of them
/// stands for all.
#include <memory>
#include <span>
#include <vector>

#include "formulations/batches/lane_memory.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/parts/sections/section_data.hpp"
#include "formulations/parts/sections/section_plan.hpp"
#include "formulations/recursion/links/link_poses.hpp"

namespace mbdbench {

/// \returns whether a mechanism has sections of equal form that accelerations take in lanes (kSectionsInLanes). Cost at
/// set-up: that of its plan in sections.
bool has_twin_sections(const Mechanism& mechanism);

/// What sections leave at their bases, in the memory of the whole (PartRecursion).
struct LineMemory {
  kernels::ArticulatedInertia<double>* inertias = nullptr;
  double* columns = nullptr;
  double* products = nullptr;
  StretchSize* sizes = nullptr;
};

/// Workspace of all twins of one line. Allocates nothing after construction.
class SectionsInLanes {
 public:
  /// \returns nothing where the sections that are to be alike are not. \param most by closing: limits of the rank
  /// \param zero_row share of what terms would give without cancelling, below which a row is zero
  static std::unique_ptr<SectionsInLanes> of(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                                             const std::vector<int>& most, double zero_row, const InstructionSet& set);

  SectionsInLanes(const SectionsInLanes&) = delete;
  SectionsInLanes& operator=(const SectionsInLanes&) = delete;
  SectionsInLanes(SectionsInLanes&&) = delete;
  SectionsInLanes& operator=(SectionsInLanes&&) = delete;
  ~SectionsInLanes() = default;

  /// \returns whether a range is one of them.
  [[nodiscard]] bool has(std::size_t range) const { return range >= kFirst && range < kFirst + places_.size(); }
  /// \returns whether a range stands for its group.
  [[nodiscard]] bool leads(std::size_t range) const { return has(range) && (range - kFirst) % kTwinsTogether == 0; }
  /// \returns whether a cut joint is closed within one of them.
  [[nodiscard]] bool closes(std::size_t cut) const { return closes_[cut]; }
  /// \returns rows that depend on others, of all closings of a section.
  [[nodiscard]] int redundant_rows() const;

  /// Baumgarte's constants of the cut joints that are closed within sections, 1/s.
  void use_baumgarte(double alpha, double beta);

  // Each for the group of a range that leads.
  /// Joints, and the way through every section.
  void set_ways(std::size_t leader, std::span<const double> q, std::span<const double> u);
  /// \param bases by seam
  void set_poses(std::size_t leader, std::span<const LinkPoses::Row> bases);
  /// Inertias and loops. Unit wrenches at crossing_columns of `memory`. \param cuts all
  void eliminate(std::size_t leader, std::span<const JointKinematics> cuts, const LineMemory& memory);
  void push_inward(std::size_t leader, const PartRightSide<double>& side);
  void push_outward(std::size_t leader, const PartRightSide<double>& side);
  void accelerate_inward(std::size_t leader, std::span<const kernels::Turning<double>> turnings,
                         const PartRightSide<double>& side);
  void accelerate_outward(std::size_t leader, const PartRightSide<double>& side);

  // Of one section.
  /// \returns pose and velocity of the link that the next section hangs on, as if the own base rested at the origin.
  [[nodiscard]] LinkPoses::Row way_of(std::size_t range) const;
  /// \returns pose and velocity of a row of the whole.
  [[nodiscard]] LinkPoses::Row row_of(std::size_t range, int row) const;
  [[nodiscard]] const SectionPlaces& places_of(std::size_t range) const { return places_[range - kFirst]; }
  /// \returns whether all lanes of all sections are right for sure, after `accelerate_outward`.
  [[nodiscard]] bool are_sure() const;

 private:
  static constexpr std::size_t kFirst = 2;  ///< range of the first twin: behind the trunk and the section at the ground

  /// As many sections as there are lanes.
  struct Batch {
    std::size_t first = 0;  ///< among places_
    SectionData data;
    LaneMemory tree_memory;
    std::unique_ptr<LoopMemory> memory;
  };

  SectionsInLanes(SectionPlan plan, std::vector<SectionPlaces> places, std::size_t cuts, double zero_row,
                  const InstructionSet& set);
  void reserve(Batch& batch, double zero_row);
  [[nodiscard]] std::size_t lanes() const { return static_cast<std::size_t>(sweeps_.loops.lanes); }
  /// Calls work(batch) for all batches of a group.
  template <typename Work>
  void for_batches(std::size_t leader, const Work& work);
  /// Calls work(lane, places) for all sections of a batch.
  template <typename Work>
  void for_lanes(const Batch& batch, const Work& work) const;
  [[nodiscard]] const Batch& batch_of(std::size_t range) const { return batches_[(range - kFirst) / lanes()]; }
  [[nodiscard]] std::size_t lane_of(std::size_t range) const { return (range - kFirst) % lanes(); }
  [[nodiscard]] LinkPoses::Row pose(const Batch& batch, std::size_t lane, int row) const;
  void leave_wrenches(const Batch& batch, const PartRightSide<double>& own, const PartRightSide<double>& side) const;
  void take_motions(const Batch& batch, const PartRightSide<double>& own, const PartRightSide<double>& side) const;
  void leave_rates(const Batch& batch, const PartRightSide<double>& own, const double* rates,
                   const PartRightSide<double>& side) const;

  SectionPlan plan_;
  std::vector<SectionPlaces> places_;
  std::vector<bool> closes_;
  SectionSweeps sweeps_;
  std::vector<Batch> batches_;
};

}  // namespace mbdbench
