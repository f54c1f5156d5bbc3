#pragma once
/// \file
/// How a serial chain is divided into sub-chains: blocks of lanes, plain data.
///
/// Sub-chain s holds links s L .. (s + 1) L - 1 and sits in lane s mod N of block s / N. What is missing to fill the
/// last sub-chains are links without mass and with a pivot of 1: they neither take nor give anything. The plan depends
/// on the mechanism and on what the user asks for, never on the machine, so that results have the same bits whatever
/// threads run it.
#include <string>
#include <vector>

#include "formulations/kernels/articulated_inertia.hpp"
#include "formulations/recursion/revolute_tree.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Sizes of the division.
struct ChainDivision {
  static constexpr int kLanes = 8;  ///< sub-chains a block
  int blocks = 1;                   ///< blocks, which threads share
  int length = 1;                   ///< links a sub-chain
  [[nodiscard]] int subchains() const { return kLanes * blocks; }
};

/// Neighbouring blocks, or positions.
struct BlockRange {
  int first = 0;
  int last = 0;  ///< one beyond
  [[nodiscard]] int count() const { return last - first; }
};

/// \returns the division of a chain of n links. \param subchains how many are asked for; 0: chosen from n
ChainDivision divide_chain(int links, int subchains);

/// \returns why sub-chains cannot treat the mechanism, empty if they can.
std::string refuse_for_subchains(const Mechanism& mechanism);

/// A serial chain of revolute joints in frames for recursions, by position.
class ChainPlan {
 public:
  /// \param subchains 0: chosen from the number of links \throws ModelError if the mechanism is refused
  ChainPlan(const Mechanism& mechanism, int subchains);

  [[nodiscard]] const ChainDivision& division() const { return division_; }
  [[nodiscard]] std::span<const RevoluteLink> links() const { return tree_.links(); }
  /// \returns constant angles added to q, by position.
  [[nodiscard]] std::span<const double> offsets() const { return tree_.offsets(); }
  /// \returns which joint stands at each position.
  [[nodiscard]] std::span<const int> joints() const { return tree_.bodies(); }
  /// \returns how many ranks can share the chain: blocks that hold links.
  [[nodiscard]] int most_ranks() const;
  /// \returns the blocks of one of `ranks` ranks, neighbouring ones, as equal as can be. \param ranks at most
  /// most_ranks
  [[nodiscard]] BlockRange blocks_of(int rank, int ranks) const;
  /// \returns the positions of the links in these blocks.
  [[nodiscard]] BlockRange positions_of(const BlockRange& blocks) const;
  /// \returns why so many ranks cannot share the chain and what would make it so, empty if they can.
  [[nodiscard]] std::string refuse_ranks(int ranks) const;
  /// A vector of the frame where the chain starts in the frame of the first link before its joint's angle.
  [[nodiscard]] kernels::LinkVector<double> into_first_link(const Vec3& v) const;
  /// \returns gravity in the frame where the chain starts.
  [[nodiscard]] const Vec3& gravity() const { return tree_.runs().front().gravity; }

 private:
  RevoluteTree tree_;
  ChainDivision division_;
};

}  // namespace mbdbench
