#pragma once
/// \file
/// In which order the bodies of several loops are visited: inward, where a body's equations also refer to a second body
/// (loop_dependents.hpp), which then has to come later.
#include <optional>
#include <vector>

#include "formulations/naudet/dependents/loop_dependents.hpp"

namespace mbdbench {

/// \returns the first body where the ways of both bodies to the ground meet, -1 for the ground.
int common_ancestor(const Mechanism& mechanism, int a, int b);

/// \returns the bodies in the order of DependentLoops::order; nothing if loops follow one another in a circle.
std::optional<std::vector<int>> visiting_order(const Mechanism& mechanism, const std::vector<DependentLoop>& loops);

}  // namespace mbdbench
