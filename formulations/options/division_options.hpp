#pragma once
/// \file
/// The options of the pieces into which a mechanism is divided, and of the threads that share them.
#include <cstdint>

#include "formulations/execution/execution.hpp"
#include "mechanisms/model/description/parameters.hpp"

namespace mbdbench {

/// \returns the option `leaf` = auto, body (the papers' assembly), subchain, subtree, or a number of bodies.
ParameterSpecification leaf_option();
/// \returns the option `leaf` = auto or a number of bodies, of recursions that assemble nothing.
ParameterSpecification section_option();
/// \returns about how many bodies the sections of a line shall have (tree_division.hpp); 0: there are none.
int section_bodies_in(const Parameters& options);
/// \returns whether options ask for sub-chains or sub-trees.
bool asks_for_lanes(const Parameters& options);

/// \returns the option `subchains`: into how many a chain is divided; 0: chosen from its length.
ParameterSpecification subchains_option();
/// \returns its value. \throws ModelError where that is no multiple of 8
int subchains_in(const Parameters& options);

/// How processes tell each other of their sub-chains.
enum class SegmentExchange : std::uint8_t { automatic, all, tree };

/// \returns the option `exchange` = auto, all, tree.
ParameterSpecification exchange_option();
/// \returns its value.
SegmentExchange exchange_in(const Parameters& options);

/// \returns the option `threads`; 0: as `Execution` says.
ParameterSpecification threads_option();
/// \returns the execution with the threads that options ask for, if they do.
Execution execution_in(const Parameters& options, const Execution& execution);

}  // namespace mbdbench
