#pragma once
/// \file
/// What processes tell one another of the branches of an assembly (BranchTeam): pieces of their memory, side by side in
/// one buffer.
#include <span>
#include <vector>

#include "formulations/execution/branch_team.hpp"

namespace mbdbench {

/// Pieces of memory that belong to branches. Empty, and without any effect, where this process is alone.
class DualExchange {
 public:
  /// Numbers that stand together.
  struct Piece {
    double* numbers = nullptr;
    std::size_t count = 0;
  };

  DualExchange() = default;
  /// \param branches the pieces of branch 1 and the following
  DualExchange(const BranchTeam& team, const std::vector<std::vector<Piece>>& branches);

  /// Everybody's pieces to everybody; all processes call it together, on one thread each.
  void share(const BranchTeam& team);

 private:
  /// \param into_buffer or back from there
  void copy(std::size_t first_branch, std::size_t last_branch, bool into_buffer);

  std::vector<Piece> pieces_;              // of one branch after another
  std::vector<std::size_t> first_pieces_;  // of every branch from 1 on, and their number
  std::vector<std::size_t> places_;        // of every branch in the buffer, and its size
  std::vector<std::size_t> bounds_;        // of the processes, bytes
  std::vector<double> buffer_;
};

}  // namespace mbdbench
