#include "formulations/augmented_lagrangian/dual/dual_exchange.hpp"

#include <algorithm>

namespace mbdbench {

DualExchange::DualExchange(const BranchTeam& team, const std::vector<std::vector<Piece>>& branches) {
  std::size_t size = 0;
  for (const std::vector<Piece>& branch : branches) {
    first_pieces_.push_back(pieces_.size());
    places_.push_back(size);
    for (const Piece& piece : branch) {
      pieces_.push_back(piece);
      size += piece.count;
    }
  }
  first_pieces_.push_back(pieces_.size());
  places_.push_back(size);
  buffer_.resize(size);
  bounds_ = team.pieces(places_, sizeof(double));
}

void DualExchange::copy(std::size_t first_branch, std::size_t last_branch, bool into_buffer) {
  double* at = buffer_.data() + places_[first_branch - 1];
  for (std::size_t p = first_pieces_[first_branch - 1]; p < first_pieces_[last_branch - 1]; ++p) {
    const Piece& piece = pieces_[p];
    double* const from = into_buffer ? piece.numbers : at;
    std::copy_n(from, piece.count, into_buffer ? at : piece.numbers);
    at += piece.count;
  }
}

void DualExchange::share(const BranchTeam& team) {
  if (!team.is_divided()) {
    return;
  }
  const auto [first, last] = team.own_branches();
  copy(first, last, true);
  team.exchange(std::span(buffer_), bounds_);
  copy(1, first, false);
  copy(last, places_.size(), false);
}

}  // namespace mbdbench
