#pragma once
/// \file
/// How formulations that can are executed: instruction set, threads and ranks, the same for all that are made
/// afterwards. None changes what is computed at a given plan: threads and ranks not at all, instruction sets by
/// rounding.
#include <string_view>

#include "formulations/execution/openmp_settings.hpp"
#include "formulations/execution/rank_exchange.hpp"

namespace mbdbench {

/// Threads for formulations made from now on; at first those of `threads_of_environment`. \throws ModelError unless 1
/// .. kMostThreads
void use_threads(int threads);

/// \returns how many threads formulations made now may use.
int thread_count();

/// The ranks that `mbdbench simulate` divides its runs among; nullptr at first: this process is alone.
/// \param ranks must outlive their use
void use_ranks(RankExchange* ranks);

/// \returns the ranks in use; nullptr: this process is alone.
RankExchange* ranks_in_use();

/// Instruction set by name for formulations made from now on; "auto" is the best that the machine has.
/// \throws ModelError if there is none of that name, or the machine lacks it
void use_instruction_set(std::string_view name);

/// \returns the name of the instruction set in use.
std::string_view instruction_set_name();

}  // namespace mbdbench
