#pragma once
/// \file
/// Right-hand sides of many states of one open tree, side by side: a lane of the processor's registers a state.
///
/// The sweeps are those of LinkAba and LinkNaudet with packs of numbers instead of numbers (lane_sweeps.hpp).
/// Springs, dampers and forces in joints, constant or tables over time, are evaluated in the lanes;
/// other loads, whose formulas have one state at a time, lane by lane.
#include <functional>
#include <span>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class StatesInLanes {
 public:
  /// Parameters as of BatchTree.
  StatesInLanes(const Mechanism& mechanism, StateKind kind, const CutReferences* near, const InstructionSet& set);

  /// \returns how many states go side by side.
  static int lanes_of(const InstructionSet& set);

  /// x' of one state, as the scalar recursion has it.
  using OneState = std::function<RhsStatus(double t, std::span<const double> x, std::span<double> rates)>;
  /// x' of so many states at t. What a lane returns does not depend on its place or on its neighbours.
  /// \param states, rates a row a state \param alone asked about a state whose lane may have failed
  void evaluate(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses,
                const OneState& alone);

 private:
  LaneSweeps sweeps_;
  BatchTree tree_;
};

}  // namespace mbdbench
