#include "formulations/naudet/loop_order.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

int common_ancestor(const Mechanism& mechanism, int a, int b) {
  // An inboard body has the smaller index.
  while (a != b) {
    int& outer = a > b ? a : b;
    outer = outer < 0 ? -1 : mechanism.parent(outer);
  }
  return a;
}

std::optional<std::vector<int>> visiting_order(const Mechanism& mechanism, const std::vector<DependentLoop>& loops) {
  const int count = mechanism.body_count();
  std::vector<int> waits_for(index_of(count), 0);         // how many bodies have to be visited before
  std::vector<std::vector<int>> others(index_of(count));  // by innermost body of a way: the other ends
  for (const DependentLoop& loop : loops) {
    const int meeting = loop.other < 0 ? -1 : common_ancestor(mechanism, loop.end, loop.other);
    if (loop.other >= 0 && meeting != loop.other) {
      int k = loop.end;
      while (mechanism.parent(k) != meeting) {
        k = mechanism.parent(k);
      }
      others[index_of(k)].push_back(loop.other);
      ++waits_for[index_of(loop.other)];
    }
  }
  for (int k = 0; k < count; ++k) {
    if (mechanism.parent(k) >= 0) {
      ++waits_for[index_of(mechanism.parent(k))];
    }
  }
  std::vector<int> ready;  // a heap: the largest index next, which is the plain reversed order where nothing forbids it
  for (int k = 0; k < count; ++k) {
    if (waits_for[index_of(k)] == 0) {
      ready.push_back(k);
    }
  }
  std::make_heap(ready.begin(), ready.end());
  std::vector<int> result;
  const auto release = [&](int k) {
    if (k >= 0 && --waits_for[index_of(k)] == 0) {
      ready.push_back(k);
      std::push_heap(ready.begin(), ready.end());
    }
  };
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end());
    const int k = ready.back();
    ready.pop_back();
    result.push_back(k);
    release(mechanism.parent(k));
    for (const int other : others[index_of(k)]) {
      release(other);
    }
  }
  return static_cast<int>(result.size()) == count ? std::optional(result) : std::nullopt;
}

}  // namespace mbdbench
