#pragma once
/// \file
/// Cut joints whose rows are more than displacements along fixed directions and angles: screws, those that keep a
/// length, driven ones. Their geometry is that of one state (joint_kinematics.hpp, cut_end.hpp), lane by lane, between
/// the passes over all lanes.
#include <Eigen/Core>
#include <vector>

#include "formulations/parts/lanes/loop_constants.hpp"
#include "formulations/recursion/cut_end.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class CutsApart {
 public:
  /// \param constants of the same tree; all must outlive this \param kind of the second half of the state
  CutsApart(const Mechanism& mechanism, const LinkTree& tree, const LoopConstants& constants, StateKind kind,
            std::size_t lanes);

  /// \returns how many packs LoopData::cut_motions has.
  static std::size_t packs(const LoopConstants& constants);

  /// D, the point, and what Phi' shall be, at the poses of the lanes.
  /// \param count of lanes; those behind have the same state as the last of them
  void place(const PrescribedMotions& motions, std::size_t count, const LoopData& data);
  /// D', the point's velocity and, of accelerations, what Phi'' shall be, at the velocities of the lanes.
  void set_rates(const PrescribedMotions& motions, std::size_t count, const LoopData& data);

 private:
  /// Of one joint in one lane.
  void place_in(std::size_t lane, std::size_t c, const PrescribedMotions& motions, const LoopData& data);
  void set_rates_in(std::size_t lane, std::size_t c, const PrescribedMotions& motions, const LoopData& data);
  /// Calls work(lane, c) for every joint in every lane, then `copy` for the lanes behind.
  template <typename Work, typename Copy>
  void for_lanes(std::size_t count, const Work& work, const Copy& copy) const;
  /// Gives a lane of packs what the one before has.
  void repeat(double* packs, std::size_t count, std::size_t lane) const;
  /// \returns the CutMotion of a joint.
  [[nodiscard]] double* motion_of(std::size_t c, const LoopData& data) const;
  /// A body where its row is in a lane, without inertias.
  [[nodiscard]] CutEnd end_of(int body, std::size_t lane, const LoopData& data) const;
  [[nodiscard]] JointKinematics& state_of(std::size_t c, std::size_t lane);

  const Mechanism* mechanism_;
  const LinkTree* tree_;
  const LoopConstants* constants_;
  StateKind kind_;
  std::size_t lanes_;
  std::vector<JointKinematics> states_;  // by cut joint that is placed here, then by lane
  Eigen::VectorXd wanted_;
};

}  // namespace mbdbench
