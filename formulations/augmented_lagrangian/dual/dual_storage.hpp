#pragma once
/// \file
/// Where the numbers of an assembly with regularised rows stand: bodies and nodes (dual_nodes.hpp) with pieces of one
/// memory, in the order in which the sweeps read them.
#include <span>
#include <vector>

#include "formulations/assembly/assembly_division.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_groups.hpp"
#include "formulations/kernels/aligned_memory.hpp"

namespace mbdbench {

/// Set up once. Packs start as zero, but for the inverse masses.
class DualStorage {
 public:
  static constexpr std::size_t kTop = 0;  ///< the range of nodes that joins the branches

  /// \param masses one a body, positive \param twins have their numbers themselves
  DualStorage(const AssemblyTree& tree, const AssemblyDivision& division, std::span<const double> masses,
              const TwinGroups& twins);

  [[nodiscard]] std::span<const DualBody> bodies() const { return bodies_; }
  [[nodiscard]] std::span<const DualNode> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const DualEnds> ends() const { return ends_; }
  /// \returns the top, then the branches.
  [[nodiscard]] std::span<const DualRange> ranges() const { return ranges_; }
  [[nodiscard]] std::size_t joint_count() const { return row_offsets_.size() - 1; }
  [[nodiscard]] int row_count() const { return row_offsets_.back(); }
  /// \returns the first row of a joint, and how many it has.
  [[nodiscard]] int row_offset(std::size_t joint) const { return row_offsets_[joint]; }
  [[nodiscard]] int rows(std::size_t joint) const { return row_offsets_[joint + 1] - row_offsets_[joint]; }

 private:
  /// Hands out pieces of an array that is sized by a first walk, in which it does not exist.
  template <typename Number>
  class Pieces;
  struct Shelves;

  void place_nodes(const AssemblyTree& tree, const AssemblyDivision& division, const TwinGroups& twins);
  void place_node(const AssemblyTree& tree, const AssemblyNode& from, DualNode& node, Pieces<int>& indices,
                  bool counting);
  template <typename Shelf>
  static double* columns(Shelf& shelf, std::size_t count, std::size_t size);
  void place_numbers(DualNode& node, Shelves& shelves);
  /// What others need of a node in a group of twins.
  void place_twin(const TwinGroups& twins, TwinGroups::Seen seen, DualNode& node, Shelves& shelves);
  void set_child(DualChild& link, int index) const;
  void place_ends();
  void list_members(const TwinGroups& twins);

  std::vector<int> row_offsets_;  // and the number of all rows
  std::vector<DualBody> bodies_;
  std::vector<DualNode> nodes_;
  std::vector<DualEnds> ends_;
  std::vector<DualRange> ranges_;
  std::vector<int> range_members_;  // joints, bodies and nodes of one range after another
  std::vector<int> indices_;        // what bodies and nodes point at
  AlignedMemory numbers_;           // likewise
};

}  // namespace mbdbench
