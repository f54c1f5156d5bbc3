#pragma once
/// \file
/// How a mechanism of serial chains is divided into sub-chains: blocks of lanes, plain data.
///
/// An `arm` is a chain that starts at the ground; its far end is free or held by the cut joint that closes a loop. Each
/// lane of a block holds `length` neighbouring links of one arm, the last lane of an arm what is left: missing links
/// have no mass and a pivot of 1, they neither take nor give anything. The lanes of one arm within one block are a
/// `segment`. The plan depends on the mechanism and on what the user asks for, never on the machine, so that results
/// have the same bits whatever threads or processes run it.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulations/recursion/links/link_tree.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Sizes of the division.
struct ChainDivision {
  static constexpr int kLanes = 8;  ///< a block
  int blocks = 1;                   ///< which threads share
  int length = 1;                   ///< links a lane
  [[nodiscard]] int lanes() const { return kLanes * blocks; }
};

/// \returns the division of arms with so many links each. \param loop whether two of them, or one and the ground, meet
/// \param subchains how many lanes are asked for; 0: chosen from the numbers of links
ChainDivision divide_chains(std::span<const int> links, bool loop, int subchains);

/// \returns why sub-chains cannot treat the mechanism, empty if they can.
std::string refuse_for_subchains(const Mechanism& mechanism);

/// What a lane holds: links at positions [first, first + count).
struct ChainLane {
  int first = 0;
  int count = 0;
  bool ends_arm = true;      ///< it holds the arm's last link, or none
  bool ends_at_cut = false;  ///< and the cut joint holds that one
};

/// Neighbouring blocks, segments or positions [first, last).
struct ChainRange {
  int first = 0;
  int last = 0;
  [[nodiscard]] int count() const { return last - first; }
};

/// What one of several processes holds.
struct ChainShare {
  ChainRange blocks, segments, positions;
};

/// Neighbouring lanes of one arm in one block.
struct ChainSegment {
  int block = 0;
  int first_lane = 0;  ///< among all lanes
  int last_lane = 0;   ///< behind the last one
  int arm = 0;
};

/// A chain from the ground: positions [first, last) and segments [first_segment, last_segment).
struct ChainArm {
  int first = 0;
  int last = 0;
  int first_segment = 0;
  int last_segment = 0;
  bool at_cut = false;
};

/// One end of the cut joint.
struct CutTip {
  int arm = -1;                  ///< -1: the ground
  Mat3 axes = Mat3::Identity();  ///< the joint's, columns in the axes of the arm's last link (in world axes)
  Vec3 lever = Vec3::Zero();     ///< from O_k of that link to the joint's origin on it
};

/// Serial chains of revolute joints in frames for recursions, by position.
class ChainPlan {
 public:
  /// \param subchains 0: chosen from the number of links \throws ModelError if the mechanism is refused
  ChainPlan(const Mechanism& mechanism, int subchains);

  [[nodiscard]] const ChainDivision& division() const { return division_; }
  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  [[nodiscard]] std::span<const ChainLane> lanes() const { return lanes_; }
  [[nodiscard]] std::span<const ChainArm> arms() const { return arms_; }
  [[nodiscard]] std::span<const ChainSegment> segments() const { return segments_; }
  /// \returns which coordinate (and quasi-velocity) stands at each position.
  [[nodiscard]] std::span<const int> coordinates() const { return coordinates_; }
  /// \returns the axes of the frame where an arm starts, columns in world axes.
  [[nodiscard]] Mat3 start_axes(int arm) const { return matrix_of(tree_.runs()[static_cast<std::size_t>(arm)].axes); }
  /// \returns O of the arm's first link, which does not move.
  [[nodiscard]] Vec3 start_origin(int arm) const;
  [[nodiscard]] const Vec3& gravity() const { return gravity_; }
  /// \returns the ends of the cut joint on its bodies a and b, where there is one.
  [[nodiscard]] const std::optional<std::array<CutTip, 2>>& cut() const { return cut_; }

  /// \returns how many processes can share the chains: blocks that hold links.
  [[nodiscard]] int most_processes() const;
  /// \returns what one of `processes` processes holds, neighbouring blocks, as equal as can be. \param processes up to
  /// most_processes
  [[nodiscard]] ChainShare share_of(int process, int processes) const;
  /// \returns why so many processes cannot share the chains and what would make it so, empty if they can.
  [[nodiscard]] std::string refuse_processes(int processes) const;

 private:
  void set_arms(const Mechanism& mechanism);
  void set_lanes();

  LinkTree tree_;
  ChainDivision division_;
  std::vector<int> coordinates_;
  std::vector<ChainArm> arms_;
  std::vector<ChainLane> lanes_;
  std::vector<ChainSegment> segments_;
  std::optional<std::array<CutTip, 2>> cut_;
  Vec3 gravity_;
};

}  // namespace mbdbench
