#pragma once
/// \file
/// What lanes of ClosedNaudet need of one mechanism beside LoopConstants: coordinates of its cut joints; of reduced
/// momenta scales of rows, and what dependent components of u move.
#include <span>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/parts/lanes/loop_data.hpp"
#include "formulations/parts/part_plan.hpp"

namespace mbdbench {

/// Made once; everything points into it.
class ReducedConstants {
 public:
  /// \param cuts of LoopConstants \param plan with their rows \param first_place of coordinates of cut joints in a
  /// state \param first_rate of their velocities, where it holds them
  ReducedConstants(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                   std::span<const LaneCut> cuts, int first_place, int first_rate);

  void point_at_coordinates(LoopData& data) const { data.cut_coordinates = coordinates_.data(); }
  /// Takes other dependent components, and sets all that is no memory of packs.
  /// \param dependent in the order in which they are eliminated \param independent components whose momenta a state
  /// holds, in its order
  void use_dependent(std::span<const int> dependent, std::span<const int> independent, LoopData& data);
  /// \returns numbers of workspace for so many dependent components.
  [[nodiscard]] std::size_t workspace(std::size_t dependents) const {
    return row_scales_.size() * (dependents + 1) + dependents * (dependents + 2);
  }

 private:
  void add_reaches(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan, const LaneCut& cut,
                   int loop);
  void add_coordinates(const LinkTree& tree, const Joint& joint, int place, int rate_place);

  std::vector<double> columns_;  // scales of u
  std::vector<LaneReach> all_;   // of every component
  std::vector<LaneReach> reaches_;
  std::vector<LaneCutCoordinates> coordinates_;
  std::vector<int> first_rows_;
  std::vector<double> row_scales_;
  std::vector<int> dependents_;
  std::vector<int> independents_;
  std::vector<double> dependent_scales_;
};

}  // namespace mbdbench
