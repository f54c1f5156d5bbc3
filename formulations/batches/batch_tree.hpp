#pragma once
/// \file
/// One tree as the sweeps of this room see it: constants, and memory for numbers of any width.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "formulations/batches/lane_memory.hpp"
#include "formulations/formulation.hpp"
#include "formulations/recursion/links/link_loads.hpp"

namespace mbdbench {

/// Owns what a LaneData points to.
class BatchTree {
 public:
  /// \param mechanism its tree joints are meant
  /// \param kind of the second half of the state: velocity or momentum
  /// \param width doubles a number \param near as of LoadEvaluator
  /// \param has_other_loads whether there are loads that the sweeps leave out, and so all are evaluated lane by lane
  BatchTree(const Mechanism& mechanism, StateKind kind, std::size_t width, const CutReferences* near,
            bool has_other_loads);
  ~BatchTree() = default;
  BatchTree(const BatchTree&) = delete;
  BatchTree& operator=(const BatchTree&) = delete;
  BatchTree(BatchTree&&) = delete;
  BatchTree& operator=(BatchTree&&) = delete;

  /// Prescribed motions and what else depends on t alone.
  void set_time(double t);
  /// All loads of every lane at its own coordinates, into the packs of torques and of wrenches, where these are.
  /// \param count of lanes; those behind have the same state as the last of them \param u packs
  void evaluate_loads(double t, std::size_t count, const double* u);

  [[nodiscard]] LaneData& data() { return data_; }
  [[nodiscard]] const LaneData& data() const { return data_; }
  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  [[nodiscard]] const PrescribedMotions& motions() const { return loads_.motions(); }
  [[nodiscard]] bool has_momenta() const { return kind_ == StateKind::momentum; }
  [[nodiscard]] bool has_other_loads() const { return has_other_loads_; }

 private:
  void take_constants(const Mechanism& mechanism);
  void evaluate_lane(double t, std::size_t lane, const double* u);

  StateKind kind_;
  std::size_t width_;
  LinkTree tree_;
  LinkLoads loads_;
  bool has_other_loads_;
  // Of one lane.
  LinkPositions positions_;
  BranchTeam team_;
  std::vector<double> q_;
  std::vector<double> u_;
  struct TimedForce {
    std::size_t force;      // in forces_
    const TableLaw* table;  // over time; of the mechanism
  };
  std::vector<LaneForce> forces_;
  std::vector<TimedForce> timed_forces_;
  std::vector<double> offsets_;  // the constants of d
  LaneData data_;
  LaneMemory memory_;
};

/// \returns the forces along quasi-velocities that have no formula. \param mechanism without other loads in joints, and
/// without loads in cut joints
std::vector<LaneForce> linear_forces(const Mechanism& mechanism);

/// \returns which loads in joints are no constant force, spring or damper, in words for a user; empty if none is.
std::string joint_loads_without_lanes(const MechanismDescription& description);

/// \returns whether a mechanism has loads that the sweeps leave out, in words for a user; empty if it has none.
std::string loads_without_lanes(const MechanismDescription& description);

}  // namespace mbdbench
