#pragma once
/// \file
/// What processes that share branches tell one another of them: things that lie anywhere in memory, sent together.
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "formulations/execution/branch_team.hpp"

namespace mbdbench {

/// Things of branches at their places, the same ones on every process. Their memory must stay where it is.
class BranchLetter {
 public:
  /// \param branch whose things they are; of branch 0, the trunk, nothing is sent, since every process has it
  template <typename T>
  void add(std::size_t branch, std::span<T> things) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (branch > 0 && !things.empty()) {
      pieces_.push_back({branch, std::as_writable_bytes(things)});
    }
  }

 private:
  friend class BranchMail;
  struct Piece {
    std::size_t branch = 0;
    std::span<std::byte> memory;
  };
  std::vector<Piece> pieces_;       // by branch once they are posted
  std::vector<std::size_t> first_;  // piece of every process, and one more than there are
  std::vector<std::size_t> bytes_;  // of every process
};

/// Sends letters to all. Allocates nothing once they are posted.
class BranchMail {
 public:
  /// \param team must outlive this
  explicit BranchMail(const BranchTeam& team) : team_(&team) {}
  ~BranchMail() = default;
  BranchMail(const BranchMail&) = delete;
  BranchMail& operator=(const BranchMail&) = delete;
  BranchMail(BranchMail&&) = delete;
  BranchMail& operator=(BranchMail&&) = delete;

  /// Makes room for a letter to which nothing is added any more. Nothing where this process is alone, nor is `send`.
  void post(BranchLetter& letter);
  /// What every process has of the letters goes to its places on all others, in one exchange, which all processes call
  /// together; in none where the letters are empty.
  void send(std::initializer_list<const BranchLetter*> letters);

 private:
  const BranchTeam* team_;
  std::vector<std::byte> buffer_;    // for all letters at once
  std::vector<std::size_t> bounds_;  // of the processes' shares of it
};

}  // namespace mbdbench
