#pragma once
/// \file
/// What a right-hand side in lanes says when it fails.
#include <span>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// \returns whether all is well: a positive smallest pivot and finite results; otherwise what failed, found with the
/// general recursion: seldom done, so that lanes need not tell. \param outermost a joint to name where it finds nothing
/// \param otherwise what to say then, before the smallest pivot
RhsStatus lane_status(const Mechanism& mechanism, std::span<const double> q, std::span<const double> results,
                      double smallest_pivot, int outermost, const char* otherwise);

}  // namespace mbdbench
