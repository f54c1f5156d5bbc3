#pragma once
/// \file
/// Why two ranks win from some size on: a right-hand side on two ranks is taken for half of the sequential one and its
/// exchanges of messages,
///
///   t2(n) = t1(n) / 2 + 3 t_exchange,
///
/// so that two ranks win where t1(n) > 6 t_exchange. It leaves out what both ranks do (the multipliers), which counts
/// in the smallest loops, and that a longer message takes longer.
#include <optional>
#include <vector>

#include "experiments/malczyk2008/crossover.hpp"

namespace mbdbench::malczyk2008 {

/// Messages that each rank sends and receives in one right-hand side (formulations/bae_haug/split_bae_haug.cpp).
inline constexpr int kExchanges = 3;

/// \returns the time of an exchange (s) at which a loop takes as long on two ranks as on one.
/// \param sequential_time of one right-hand side, s
double balanced_exchange_time(double sequential_time);

/// \returns the number of joints at which a right-hand side takes as long on two ranks as on one; nothing outside
/// the loops that were measured: below four joints there is no loop that moves.
/// \param sequential_times of one right-hand side by joints, s; interpolated linearly
std::optional<double> predicted_crossover(const std::vector<LoopValue>& sequential_times, double exchange_time);

/// What the paper's times can be made to say of its machine; the true number lies between, if the assumptions hold.
struct Bounds {
  double lower = 0.0;
  double upper = 0.0;
};

/// \returns the time of an exchange (s) on one node of the paper. Table 1 gives the cost of an output on one process
/// and on two, as the difference of its two steps. If an output costs a right-hand side (a hypothesis, see kSteps), the
/// three exchanges cost at least what the second process adds, and at most what it adds to half of the time.
Bounds published_exchange_time();

/// \returns the time of one body (s) in a right-hand side of the paper, of which 14 balance the exchanges at 15 joints.
Bounds published_body_time();

}  // namespace mbdbench::malczyk2008
