#pragma once
/// \file
/// How long the parts of a study are expected to take, in one unit, before any of them has run.
#include <cstddef>
#include <cstdint>

#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// Of one run: expected evaluations times bodies.
std::uint64_t run_weight(const Study& study, const CellKey& cell);

/// Of the timed repetitions of the variants of one mechanism, integrator and control.
std::uint64_t timing_weight(const Study& study, const CellKey& cell, std::size_t variants);

/// Of what is observed of a mechanism's right-hand sides.
std::uint64_t right_hand_side_weight(const Study& study, std::size_t mechanism);

}  // namespace mbdbench::studies
