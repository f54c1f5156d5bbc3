#pragma once
/// \file
/// The rows of cut joints carried inward over a tree in link frames: A = Phi M^-1 Phi^T, and what multipliers do to the
/// joints [Malczyk2008, section 2], [Bae1988]. CarriedRows does the same in world axes, for everything.
///
/// Where the ways of both ends meet, their wrenches go on as one.
///
/// Cost: O(sum of the ways' lengths times the number of cut joints that pass the same links).
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/closed_links/link_elimination.hpp"
#include "formulations/recursion/link_poses.hpp"
#include "formulations/subchains/lane_memory.hpp"

namespace mbdbench {

/// Unit wrenches of all cut joints of one mechanism. Allocates nothing after construction.
class LinkColumns {
 public:
  LinkColumns(const Mechanism& mechanism, const LinkElimination& links);

  /// After links.set_positions. \param cuts placed \param a its lower triangle receives A
  /// \param smallest receives the diagonal entries at which rows count as zero
  void set_positions(const LinkElimination& links, const LinkPoses& poses, std::span<const JointKinematics> cuts,
                     Eigen::MatrixXd& a, Eigen::VectorXd& smallest);
  /// What the multipliers do to the joints, before links.sweep_impulses.
  void set_impulses(const Eigen::VectorXd& multipliers, LinkElimination& links) const;

 private:
  void lead_inward(const LinkElimination& links);
  void start(const LinkPoses& poses, std::span<const JointKinematics> cuts);
  void gather(Eigen::MatrixXd& a) const;

  /// Where the unit wrenches of a cut joint start.
  struct End {
    int cut = 0;
    int row = 0;  // of the LinkTree
    int wrench = 0;
    double sign = 1.0;
  };
  /// A block of A: rows of one cut joint, columns of another or the same.
  struct Block {
    int row_cut = 0;
    int column_cut = 0;
  };

  std::span<const Joint> cuts_;
  std::vector<std::size_t> rows_;  // of the LinkTree, by link of the plan
  std::vector<ColumnLink> links_;
  std::vector<ColumnPass> passes_;
  std::vector<int> block_places_;
  std::vector<Block> blocks_;
  std::vector<int> counts_;  // nc of every cut joint
  std::vector<End> ends_;
  int wrench_count_ = 0;
  int along_count_ = 0;
  LaneMemory wrenches_;
  LaneMemory along_;
  LaneMemory a_;
  ColumnSweep sweep_;
};

}  // namespace mbdbench
