#pragma once
/// \file
/// Whether the initial position is singular: whether the constraints restrict more at closed positions nearby.
#include <optional>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Ranks of Phi_q at a closed position near the initial one.
struct NearbyRanks {
  int rank = 0;
  std::vector<int> loops;  ///< of the rows of every cut joint alone
};

/// Moves the mechanism by some hundredths along directions that the constraints leave free, closes its loops again and
/// counts. \returns the largest ranks met; nothing if no loop could be closed there. Cost: a few singular value
/// decompositions of Phi_q.
std::optional<NearbyRanks> ranks_nearby(const Mechanism& mechanism);

/// \returns a sentence that names the loops which are singular at the initial position, with both ranks; empty if the
///          position is regular, or the mechanism too large (300 quasi-velocities) for a check before every run.
std::string singular_start_warning(const Mechanism& mechanism);

}  // namespace mbdbench
