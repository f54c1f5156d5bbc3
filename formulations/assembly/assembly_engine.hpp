#pragma once
/// \file
/// Walks an AssemblyTree: assembly (factorisation), then any number of right sides with the same matrices (assembly and
/// disassembly). HDCA solves one right side with it, its reactions another; DCA the accelerations.
///
/// Cost O(sum over nodes of (c + w)^3): linear in n for chains and trees of bounded degree. Serial; nodes stand
/// children first, every node in memory of its own.
#include <cstddef>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"

namespace mbdbench {

/// A pivot of the assembly that is not positive; joint -1 when all are.
struct AssemblyPivot {
  int joint = -1;
  double value = 0.0;
};

/// Storage and sweeps. No allocation after construction.
class AssemblyEngine {
 public:
  explicit AssemblyEngine(AssemblyTree tree);

  [[nodiscard]] const AssemblyTree& tree() const { return tree_; }
  /// \returns the number of rows of all joints together; joint j owns rows row_offset(j) .. row_offset(j) + rows - 1.
  [[nodiscard]] int row_count() const { return row_count_; }
  [[nodiscard]] int row_offset(int joint) const { return row_offsets_[static_cast<std::size_t>(joint)]; }

  /// \returns the handles (joints) of a body's leaf in the order of its matrix: closed ones first.
  [[nodiscard]] std::span<const int> leaf_joints(int body) const;
  /// \returns the leaf's matrix to fill before `factorise`: rows x rows, lower triangle, column-major.
  [[nodiscard]] double* leaf_matrix(int body);
  /// \returns rows of the leaf's matrix.
  [[nodiscard]] int leaf_rows(int body) const;

  /// Assembly of all matrices. \returns the first pivot that is not positive, if any.
  AssemblyPivot factorise();

  /// \returns the leaf's right side to fill before `solve`: xi_0 of its handles.
  [[nodiscard]] double* leaf_right_side(int body);
  /// Assembly and disassembly of the right sides. \param r right side of every joint's constraint, row_count() entries
  /// \param sigma receives the multipliers of every joint, row_count() entries
  void solve(std::span<const double> r, std::span<double> sigma);

 private:
  /// Rows of one joint in a child's external block and in the parent's front.
  struct BlockMap {
    int child_row = 0;
    int parent_row = 0;
    int rows = 0;
  };
  struct Node {
    int closed_rows = 0;
    int width = 0;
    std::size_t front = 0;  // offset into fronts_
    std::size_t right = 0;  // offset into rights_ and multipliers_
    int children[2] = {-1, -1};
    std::vector<BlockMap> maps[2];
    std::vector<int> joints;  // closed, then external
  };

  void add_child_matrix(const Node& node, int which);
  void add_child_right_side(const Node& node, int which);
  [[nodiscard]] std::vector<BlockMap> map_rows(const Node& child, const Node& parent) const;

  AssemblyTree tree_;
  int row_count_ = 0;
  std::vector<int> row_offsets_;
  std::vector<Node> nodes_;
  std::vector<int> leaf_of_body_;
  std::vector<double> fronts_;
  std::vector<double> rights_;
  std::vector<double> multipliers_;
};

}  // namespace mbdbench
