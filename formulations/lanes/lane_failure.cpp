#include "formulations/lanes/lane_failure.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/recursion/body_recursion.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

RhsStatus lane_status(const Mechanism& mechanism, std::span<const double> q, std::span<const double> results,
                      double smallest_pivot, int outermost, const char* otherwise) {
  const bool finite = std::all_of(results.begin(), results.end(), [](double value) { return std::isfinite(value); });
  if (smallest_pivot > 0.0 && finite) {
    return {};
  }
  const RhsStatus found = BodyRecursion(mechanism, nullptr).set_positions(0.0, q);
  if (!found.ok) {
    return found;
  }
  return {false, mechanism.tree_joints()[index_of(outermost)].name, otherwise, smallest_pivot};
}

}  // namespace mbdbench
