#include "formulations/naudet/dependents/dependent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {
namespace {

double product(const double* one, const double* other, int count) {
  return Eigen::Map<const Eigen::VectorXd>(one, count).dot(Eigen::Map<const Eigen::VectorXd>(other, count));
}

RightSides product(const double* one, const RightSides* other, int count) {
  RightSides sum = RightSides::Zero();
  for (int i = 0; i < count; ++i) {
    sum += one[i] * other[i];
  }
  return sum;
}

}  // namespace

void LoopRows::add_loop(const std::vector<int>& components, std::span<const double> scales) {
  const auto first = static_cast<int>(rows.size());
  for (const double scale : scales) {
    for (std::size_t i = 0; i < components.size(); ++i) {
      columns[index_of(components[i])].push_back({static_cast<int>(rows.size()), entries.size() + i});
    }
    rows.push_back({static_cast<int>(loops.size()), scale, entries.size()});
    entries.resize(entries.size() + components.size(), 0.0);
  }
  loops.push_back({components, first, static_cast<int>(rows.size())});
}

DependentRows::DependentRows(const LoopRows& phi_q)
    : places_(phi_q.columns.size(), -1),
      rows_(phi_q.rows.size()),
      first_(phi_q.loops.size() + 1),
      rounds_(phi_q.loops.size()),
      seen_(phi_q.columns.size()) {
  std::size_t count = 0;
  for (const LoopRows::Loop& loop : phi_q.loops) {
    count += loop.components.size();
  }
  entries_.reserve(count);
  active_.reserve(rows_.size());
  by_first_.reserve(rows_.size());
  queue_.reserve(phi_q.loops.size());
}

void DependentRows::use_dependent(const LoopRows& phi_q, std::span<const int> dependent) {
  std::fill(places_.begin(), places_.end(), -1);
  for (const int component : dependent) {
    places_[index_of(component)] = 0;
  }
  pivots_.assign(dependent.size(), 0);
  furthest_.resize(dependent.size());
  columns_.reserve(dependent.size());
  follow_loops(phi_q);
  const std::size_t along_loops = lay_out(phi_q);
  columns_.assign(dependent.begin(), dependent.end());  // their own order is as good where loops are few
  std::size_t size = lay_out(phi_q);
  if (along_loops < size) {
    follow_loops(phi_q);
    size = lay_out(phi_q);
  }
  memory_.resize(size);
}

void DependentRows::follow_loops(const LoopRows& phi_q) {
  columns_.clear();
  std::fill(rounds_.begin(), rounds_.end(), 0);
  std::fill(seen_.begin(), seen_.end(), 0);
  for (int loop = 0; loop < static_cast<int>(rounds_.size()); ++loop) {
    const LoopRows::Loop& one = phi_q.loops[index_of(loop)];
    // Without rows a loop is no neighbour, and others would be visited anew.
    if (rounds_[index_of(loop)] == 0 && one.first_row < one.last_row) {
      visit(phi_q, visit(phi_q, loop, 1, false), 2, true);
    }
  }
  // Of no loop: Phi_d is singular.
  for (std::size_t component = 0; component < places_.size(); ++component) {
    if (places_[component] >= 0 && seen_[component] == 0) {
      columns_.push_back(static_cast<int>(component));
    }
  }
}

int DependentRows::visit(const LoopRows& phi_q, int first, int round, bool notes) {
  queue_.assign(1, first);
  rounds_[index_of(first)] = round;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    for (const int component : phi_q.loops[index_of(queue_[next])].components) {
      if (places_[index_of(component)] < 0 || seen_[index_of(component)] == round) {
        continue;
      }
      seen_[index_of(component)] = round;
      if (notes) {
        columns_.push_back(component);
      }
      for (const LoopRows::Place& place : phi_q.columns[index_of(component)]) {
        if (const int loop = phi_q.rows[index_of(place.row)].loop; rounds_[index_of(loop)] != round) {
          rounds_[index_of(loop)] = round;
          queue_.push_back(loop);
        }
      }
    }
  }
  return queue_.back();
}

std::size_t DependentRows::lay_out(const LoopRows& phi_q) {
  const auto count = static_cast<int>(columns_.size());
  for (int k = 0; k < count; ++k) {
    places_[index_of(columns_[index_of(k)])] = k;
  }
  entries_.clear();
  for (std::size_t loop = 0; loop < phi_q.loops.size(); ++loop) {
    first_[loop] = entries_.size();
    const std::vector<int>& components = phi_q.loops[loop].components;
    for (std::size_t i = 0; i < components.size(); ++i) {
      if (const int column = places_[index_of(components[i])]; column >= 0) {
        entries_.push_back({static_cast<int>(i), column});
      }
    }
  }
  first_.back() = entries_.size();
  by_first_.clear();
  std::fill(furthest_.begin(), furthest_.end(), 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Row& row = rows_[r];
    row.first = count;
    row.last = 0;
    row.pivot = -1;
    const auto loop = index_of(phi_q.rows[r].loop);
    for (std::size_t e = first_[loop]; e < first_[loop + 1]; ++e) {
      row.first = std::min(row.first, entries_[e].column);
      row.last = std::max(row.last, entries_[e].column + 1);
    }
    if (row.first < row.last) {
      by_first_.push_back(static_cast<int>(r));
      furthest_[index_of(row.first)] = std::max(furthest_[index_of(row.first)], row.last);
    }
  }
  std::sort(by_first_.begin(), by_first_.end(), [this](int one, int other) {
    return std::pair(rows_[index_of(one)].first, one) < std::pair(rows_[index_of(other)].first, other);
  });
  for (std::size_t k = 1; k < furthest_.size(); ++k) {
    furthest_[k] = std::max(furthest_[k], furthest_[k - 1]);
  }
  // A row is a pivot, or rounding, behind its own last column: before it reaches what rows reach that begin there.
  std::size_t end = 0;
  for (const int r : by_first_) {
    Row& row = rows_[index_of(r)];
    row.at = end;
    row.room = furthest_[index_of(row.last - 1)];
    end += index_of(row.room - row.first);
  }
  return end;
}

void DependentRows::widen(Row& row, int last) {
  const std::size_t before = row.at;
  row.at = memory_.size();
  row.room = std::min(static_cast<int>(columns_.size()), std::max(last, 2 * row.room - row.first));
  memory_.resize(row.at + index_of(row.room - row.first));
  std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(before), row.filled - row.first,
              memory_.begin() + static_cast<std::ptrdiff_t>(row.at));
}

double DependentRows::factorise(const LoopRows& phi_q) {
  if (columns_.empty()) {
    return 1.0;
  }
  for (const int r : by_first_) {
    Row& row = rows_[index_of(r)];
    double* const to = &memory_[row.at];
    std::fill_n(to, row.last - row.first, 0.0);
    const double* const from = phi_q.row(r);
    const auto loop = index_of(phi_q.rows[index_of(r)].loop);
    for (std::size_t e = first_[loop]; e < first_[loop + 1]; ++e) {
      to[entries_[e].column - row.first] = from[entries_[e].from];
    }
    row.filled = row.last;
    row.pivot = -1;
  }
  active_.clear();
  std::size_t next = 0;
  double smallest = 0.0;
  double largest = 0.0;
  for (int k = 0; k < static_cast<int>(columns_.size()); ++k) {
    for (; next < by_first_.size() && rows_[index_of(by_first_[next])].first <= k; ++next) {
      active_.push_back(by_first_[next]);
    }
    auto left = active_.begin();
    auto pivot = active_.end();
    double size = 0.0;
    for (const int row : active_) {
      if (rows_[index_of(row)].filled <= k) {
        continue;  // zero from here on: others stand for it
      }
      const double own = std::abs(memory_[rows_[index_of(row)].of(k)]);
      if (pivot == active_.end() || size < own) {
        pivot = left;
        size = own;
      }
      *left++ = row;
    }
    active_.erase(left, active_.end());
    if (!(size > 0.0)) {
      return 0.0;  // also for what is not a number
    }
    pivots_[index_of(k)] = *pivot;
    rows_[index_of(*pivot)].pivot = k;
    active_.erase(pivot);
    smallest = k == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    double& entry = memory_[rows_[index_of(pivots_[index_of(k)])].of(k)];
    entry = 1.0 / entry;
    eliminate(k);
  }
  return smallest / largest;
}

void DependentRows::eliminate(int k) {
  const Row& pivot = rows_[index_of(pivots_[index_of(k)])];
  const int right = pivot.filled - k - 1;
  for (const int r : active_) {
    Row& row = rows_[index_of(r)];
    if (memory_[row.of(k)] == 0.0) {
      continue;
    }
    if (row.filled < pivot.filled) {
      if (row.room < pivot.filled) {
        widen(row, pivot.filled);
      }
      std::fill_n(&memory_[row.of(row.filled)], pivot.filled - row.filled, 0.0);
      row.filled = pivot.filled;
    }
    const double* const from = &memory_[pivot.of(k)];
    double* const to = &memory_[row.of(k)];
    const double multiple = to[0] * from[0];
    to[0] = multiple;
    for (int j = 1; j <= right; ++j) {
      to[j] -= multiple * from[j];
    }
  }
}

template <typename Side>
void DependentRows::substitute(std::span<Side> right, int first) const {
  const auto count = static_cast<int>(columns_.size());
  for (int i = first; i < count; ++i) {
    const Row& row = rows_[index_of(pivots_[index_of(i)])];
    const int from = std::max(row.first, first);
    right[index_of(i)] -= product(&memory_[row.of(from)], &right[index_of(from)], i - from);
  }
  for (int i = count - 1; i >= 0; --i) {
    const Row& row = rows_[index_of(pivots_[index_of(i)])];
    const double* const own = &memory_[row.of(i)];
    right[index_of(i)] -= product(own + 1, right.data() + i + 1, row.filled - i - 1);
    right[index_of(i)] *= own[0];
  }
}

void DependentRows::solve(std::span<double> right) const {
  substitute(right, 0);
}

void DependentRows::solve(std::span<RightSides> right, int first) const {
  substitute(right, first);
}

void DependentRows::solve_transposed(std::span<double> right) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Row& row = rows_[index_of(pivots_[i])];
    const double* const own = &memory_[row.of(static_cast<int>(i))];
    right[i] *= own[0];
    for (int j = 1; j < row.filled - static_cast<int>(i); ++j) {
      right[i + index_of(j)] -= right[i] * own[j];
    }
  }
  for (std::size_t i = columns_.size(); i-- > 0;) {
    const Row& row = rows_[index_of(pivots_[i])];
    const double* const own = &memory_[row.at];
    double* const to = right.data() + row.first;
    for (int j = 0; j < static_cast<int>(i) - row.first; ++j) {
      to[j] -= right[i] * own[j];
    }
  }
}

}  // namespace mbdbench
