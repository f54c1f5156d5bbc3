#pragma once
/// \file
/// Right-hand sides of many states of one mechanism with loops, side by side: a lane of the processor's registers a
/// state. The recursions are those of ClosedAccelerations and ClosedMomenta with packs of numbers instead of numbers.
/// Loads and cut joints that the sweeps do not know are evaluated lane by lane.
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/batches/states_in_lanes.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/parts/lanes/cuts_apart.hpp"
#include "formulations/parts/lanes/loop_constants.hpp"
#include "formulations/parts/lanes/loop_memory.hpp"
#include "formulations/parts/lanes/reduced_constants.hpp"
#include "formulations/recursion/cut_end.hpp"

namespace mbdbench {

/// How ClosedAccelerations is set up.
struct LaneAccelerations {
  BaumgarteConstants baumgarte;
  bool projects = false;  ///< whether velocities are projected on the constraints before anything else
};

/// How ClosedNaudet is set up where its state has coordinates and velocities of all joints.
struct LaneAllJoints {
  int state_size = 0;
  int cut_coordinates_at = 0;
  int rates_at = 0;
  int cut_rates_at = 0;
};

/// How ClosedMomenta is set up.
struct LaneMomenta {
  GaugeControl gauge = GaugeControl::none;
  double leak = 0.0;      ///< kappa, 1/s
  double feedback = 0.0;  ///< beta, 1/s
};

/// How ClosedNaudet is set up where its state has all coordinates and reduced momenta.
struct LaneReducedMomenta {
  int state_size = 0;
  int cut_coordinates_at = 0;
  int rates_at = 0;
  std::size_t dependents = 0;  ///< how many components of u depend
};

/// Workspace of one mechanism. Allocates nothing after construction.
class LoopsInLanes {
 public:
  /// \param mechanism without constraints of velocities alone \param one the recursion over one state, whose ranks are
  /// taken \param near as of LoadEvaluator
  LoopsInLanes(const Mechanism& mechanism, const PartRecursion& one,
               const std::variant<LaneAccelerations, LaneAllJoints, LaneMomenta, LaneReducedMomenta>& form,
               const CutReferences* near, const InstructionSet& set);

  /// \returns how many states go side by side.
  static int lanes_of(const InstructionSet& set);

  /// x' of so many states. What a lane returns does not depend on its place or on its neighbours.
  /// \param states, rates a row a state \param alone asked about a state whose lane may have failed, or whose rank is
  /// doubtful \param which numbers of the states that are meant; empty: all
  void evaluate(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses,
                const StatesInLanes::OneState& alone, std::span<const std::size_t> which = {});
  /// Takes other dependent components of reduced momenta, in the order in which they are eliminated, and those that are
  /// not dependent. Before the first states, too.
  void use_dependent(std::span<const int> dependent, std::span<const int> independent) {
    reduced_->use_dependent(dependent, independent, data_);
  }

 private:
  void reserve();
  void reserve_momenta();
  void set_up(const LaneAccelerations& form);
  void set_up(const LaneAllJoints& form);
  void set_up(const LaneMomenta& form);
  void set_up(const LaneReducedMomenta& form);
  /// States that are not (q, u) or (q, p).
  void set_outside(int state_size, int rates_at);
  double* packs(std::size_t count) { return memory_.packs(count); }

  const Mechanism* mechanism_;
  StateKind kind_;
  LoopSweeps sweeps_;
  BatchTree tree_;
  LoopConstants constants_;
  LoopData data_;
  std::optional<ReducedConstants> reduced_;
  std::optional<CutsApart> cuts_apart_;
  LoopMemory memory_;
};

}  // namespace mbdbench
