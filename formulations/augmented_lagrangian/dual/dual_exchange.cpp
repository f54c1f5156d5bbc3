#include "formulations/augmented_lagrangian/dual/dual_exchange.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

DualExchange::DualExchange(const BranchTeam& team, const DualStorage& storage)
    : team_(&team), storage_(&storage), mail_(team) {}

BranchLetter DualExchange::letter_of_bodies(std::span<double> numbers, std::size_t a_body) {
  BranchLetter letter;
  for (std::size_t branch = 1; branch < storage_->ranges().size(); ++branch) {
    for (const int body : storage_->ranges()[branch].bodies) {
      letter.add(branch, numbers.subspan(a_body * index_of(body), a_body));
    }
  }
  mail_.post(letter);
  return letter;
}

void DualExchange::connect(std::span<DualFailure> failures, std::span<DualSquares> squares, double* rates) {
  connect_branches_to_top(failures);
  connect_edges(squares, rates);
  all_rates_ = letter_of_bodies({rates, kNumbers * storage_->bodies().size()}, kNumbers);
}

// Xi^C and xi_0^C of the sub-trees that the top joins.
void DualExchange::connect_branches_to_top(std::span<DualFailure> failures) {
  const std::span<const DualRange> ranges = storage_->ranges();
  for (std::size_t branch = 1; branch < ranges.size(); ++branch) {
    matrices_.add(branch, std::span(&failures[branch], 1));
  }
  for (std::size_t n = ranges[DualStorage::kTop].first; n < ranges[DualStorage::kTop].last; ++n) {
    for (const DualChild& link : storage_->nodes()[n].children) {
      const auto below = static_cast<std::size_t>(link.node);
      if (link.node < 0 || below >= ranges[DualStorage::kTop].first) {
        continue;
      }
      std::size_t branch = 1;
      while (below >= ranges[branch].last) {
        ++branch;
      }
      const DualNode& child = storage_->nodes()[below];
      const auto outside = index_of(child.joint_count - child.closed_joints);
      const auto rows = index_of(child.row_count - child.closed_rows);
      matrices_.add(branch, std::span(child.schur, rows * outside * kNumbers));
      rights_.add(branch, std::span(child.right + index_of(child.closed_joints) * kNumbers, outside * kNumbers));
    }
  }
  mail_.post(matrices_);
  mail_.post(rights_);
}

// Bodies of branches at joints of the top, and what this process has to know.
void DualExchange::connect_edges(std::span<DualSquares> squares, double* rates) {
  const std::span<const DualRange> ranges = storage_->ranges();
  const auto [first, last] = team_->own_branches();
  scope_.everything = false;
  std::vector<std::size_t> range_of(storage_->bodies().size(), DualStorage::kTop);
  std::vector<bool> known(storage_->bodies().size(), false);
  for (std::size_t range = 0; range < ranges.size(); ++range) {
    const bool own = range == DualStorage::kTop || (range >= first && range < last);
    for (const int body : ranges[range].bodies) {
      range_of[index_of(body)] = range;
      known[index_of(body)] = own;
    }
    if (own) {
      scope_.joints.insert(scope_.joints.end(), ranges[range].joints.begin(), ranges[range].joints.end());
    }
  }
  for (std::size_t branch = 1; branch < ranges.size(); ++branch) {
    edges_.add(branch, std::span(&squares[branch], 1));
  }
  std::vector<bool> told(known.size(), false);
  for (const int joint : ranges[DualStorage::kTop].joints) {
    for (const int body : storage_->ends()[index_of(joint)].bodies) {
      if (body < 0 || told[index_of(body)] || range_of[index_of(body)] == DualStorage::kTop) {
        continue;
      }
      told[index_of(body)] = true;
      edges_.add(range_of[index_of(body)], std::span(rates + kNumbers * index_of(body), kNumbers));
      if (!known[index_of(body)]) {
        foreign_bodies_.push_back(body);
      }
    }
  }
  for (const int body : foreign_bodies_) {
    known[index_of(body)] = true;
  }
  for (std::size_t body = 0; body < known.size(); ++body) {
    if (known[body]) {
      scope_.bodies.push_back(static_cast<int>(body));
    }
  }
  std::sort(scope_.joints.begin(), scope_.joints.end());
  mail_.post(edges_);
}

}  // namespace mbdbench
