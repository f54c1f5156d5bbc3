#pragma once
/// \file
/// What processes that share the branches of an assembly (dual_assembly.hpp) tell one another. Of a branch, the others
/// need Xi^C once, and in every pass xi_0^C, the rates of the bodies at joints of the top, and the sums.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/dual/dual_scope.hpp"
#include "formulations/augmented_lagrangian/dual/dual_storage.hpp"
#include "formulations/execution/branch_mail.hpp"

namespace mbdbench {

/// What cannot be factorised in a range of nodes. Numbers, as processes exchange nothing else.
struct DualFailure {
  double node = -1.0;
  double row = 0.0;
  double pivot = 0.0;
};

/// Letters and their mail. Allocates nothing once it is connected.
class DualExchange {
 public:
  /// \param team, storage must outlive this
  DualExchange(const BranchTeam& team, const DualStorage& storage);

  /// Where several processes share the branches: what they send stays where it is from now on. \param failures, squares
  /// by range \param rates a pack a body
  void connect(std::span<DualFailure> failures, std::span<DualSquares> squares, double* rates);

  /// What this process needs to know where it is not alone: its branches, the top, and what the joints of the top
  /// connect.
  [[nodiscard]] const DualScope& scope() const { return scope_; }
  /// \returns bodies of other processes at joints of the top.
  [[nodiscard]] std::span<const int> foreign_bodies() const { return foreign_bodies_; }
  /// \returns what processes tell one another of bodies. \param numbers so many a body
  [[nodiscard]] BranchLetter letter_of_bodies(std::span<double> numbers, std::size_t a_body);

  void send(const BranchLetter& letter) { mail_.send({&letter}); }
  void send_matrices() { send(matrices_); }
  void send_rights() { send(rights_); }
  void send_edges() { send(edges_); }
  void send_rates() { send(all_rates_); }

 private:
  static constexpr std::size_t kNumbers = kDualPack;

  void connect_branches_to_top(std::span<DualFailure> failures);
  void connect_edges(std::span<DualSquares> squares, double* rates);

  const BranchTeam* team_;
  const DualStorage* storage_;
  DualScope scope_;
  std::vector<int> foreign_bodies_;
  BranchMail mail_;
  BranchLetter matrices_;  // Xi^C and failures
  BranchLetter rights_;    // xi_0^C
  BranchLetter edges_;     // rates at the joints of the top, and sums
  BranchLetter all_rates_;
};

}  // namespace mbdbench
