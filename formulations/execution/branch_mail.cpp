#include "formulations/execution/branch_mail.hpp"

#include <algorithm>
#include <numeric>

namespace mbdbench {

void BranchMail::post(BranchLetter& letter) {
  if (!team_->is_divided()) {
    return;
  }
  std::stable_sort(letter.pieces_.begin(), letter.pieces_.end(),
                   [](const auto& one, const auto& other) { return one.branch < other.branch; });
  for (const std::size_t branch : team_->process_bounds()) {
    const auto first = std::find_if(letter.pieces_.begin(), letter.pieces_.end(),
                                    [&](const auto& piece) { return piece.branch >= branch; });
    letter.first_.push_back(static_cast<std::size_t>(first - letter.pieces_.begin()));
  }
  letter.bytes_.assign(letter.first_.size() - 1, 0);
  for (std::size_t r = 0; r < letter.bytes_.size(); ++r) {
    for (std::size_t i = letter.first_[r]; i < letter.first_[r + 1]; ++i) {
      letter.bytes_[r] += letter.pieces_[i].memory.size();
    }
  }
  buffer_.resize(buffer_.size() + std::accumulate(letter.bytes_.begin(), letter.bytes_.end(), std::size_t{0}));
  bounds_.resize(letter.first_.size());
}

void BranchMail::send(std::initializer_list<const BranchLetter*> letters) {
  if (!team_->is_divided()) {
    return;
  }
  const std::size_t processes = bounds_.size() - 1;
  for (std::size_t r = 0; r < processes; ++r) {
    bounds_[r + 1] = bounds_[r];
    for (const BranchLetter* const letter : letters) {
      bounds_[r + 1] += letter->bytes_[r];
    }
  }
  if (bounds_.back() == 0) {
    return;
  }
  const auto for_pieces = [&](std::size_t process, const auto& carry) {
    auto at = buffer_.begin() + static_cast<std::ptrdiff_t>(bounds_[process]);
    for (const BranchLetter* const letter : letters) {
      for (std::size_t i = letter->first_[process]; i < letter->first_[process + 1]; ++i) {
        const std::span<std::byte> memory = letter->pieces_[i].memory;
        carry(memory, at);
        at += static_cast<std::ptrdiff_t>(memory.size());
      }
    }
  };
  for_pieces(team_->process(),
             [](std::span<std::byte> memory, auto at) { std::copy(memory.begin(), memory.end(), at); });
  team_->exchange(std::span(buffer_).first(bounds_.back()), bounds_);
  for (std::size_t r = 0; r < processes; ++r) {
    if (r != team_->process()) {
      for_pieces(r, [](std::span<std::byte> memory, auto at) { std::copy_n(at, memory.size(), memory.begin()); });
    }
  }
}

}  // namespace mbdbench
