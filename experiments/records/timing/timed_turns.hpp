#pragma once
/// \file
/// Times of short calls, in batches long enough for the clocks, taken in turns: whatever else the machine does meets
/// all of them alike.
#include <functional>
#include <span>
#include <vector>

#include "experiments/records/timing/timing.hpp"
#include "formulations/batches/state_batch.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// What is timed. \returns false where it fails: it is not called again
using TimedCall = std::function<bool()>;

/// \returns a call of the right-hand side. \param formulation must outlive it
TimedCall right_hand_side_call(Formulation& formulation, double t, std::vector<double> x);

/// \returns a call of the right-hand sides of so many states at a time, all of them x. \param states must outlive it
TimedCall batch_call(StateBatch& states, double t, std::span<const double> x, std::size_t count);

/// \param batches of each call \param shortest processor time of a batch, s
/// \param processes that all make the same calls together: a time is that of the last one to end, and its processor
/// time says what the process got that got least \returns times of one call each, in the order of `calls`; none of a
/// call that failed, fewer after an interruption
std::vector<RepeatedTimes> time_in_turns(const std::vector<TimedCall>& calls, int batches, double shortest,
                                         ProcessExchange* processes = nullptr);

}  // namespace mbdbench
