#pragma once
/// \file
/// The order in which the nodes of a balanced binary tree over neighbouring leaves are made.
#include <vector>

namespace mbdbench {

/// A leaf (middle -1) or the node over leaves [first, last), which closes the handle before leaf `middle`. Handle k
/// lies before leaf k, handle `count` behind the last one.
struct BinaryStep {
  int first = 0;
  int middle = -1;
  int last = 1;
};

/// \returns leaves and nodes, children before parents, so that a stack holds what waits: halves of halves.
std::vector<BinaryStep> binary_steps(int leaves);

/// \returns how many nodes wait on the stack at most.
int stack_depth(int leaves);

}  // namespace mbdbench
