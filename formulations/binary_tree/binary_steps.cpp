#include "formulations/binary_tree/binary_steps.hpp"

#include <algorithm>

namespace mbdbench {
namespace {

void add_steps(int first, int last, std::vector<BinaryStep>& steps) {
  if (last - first == 1) {
    steps.push_back({first, -1, last});
    return;
  }
  const int middle = first + (last - first + 1) / 2;
  add_steps(first, middle, steps);
  add_steps(middle, last, steps);
  steps.push_back({first, middle, last});
}

}  // namespace

std::vector<BinaryStep> binary_steps(int leaves) {
  std::vector<BinaryStep> steps;
  add_steps(0, leaves, steps);
  return steps;
}

int stack_depth(int leaves) {
  // The first half stands while the second one is made.
  return leaves == 1 ? 1 : std::max(stack_depth((leaves + 1) / 2), 1 + stack_depth(leaves / 2));
}

}  // namespace mbdbench
