#pragma once
/// \file
/// What roundings of a state do to numbers that are computed from it: where that is more than conditions say, it
/// explains errors too.
#include <Eigen/Core>
#include <functional>

namespace mbdbench {

/// Sets the numbers at a state. \returns whether there are any
using NumbersOfState = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& numbers)>;

/// Which states are looked at: so many, each number of which is at most so many roundings from x.
struct StateNeighbours {
  int states = 4;
  double roundings_apart = 1.0;
};

/// \returns entry by entry four times the largest distance of numbers at neighbours from those at x, or, where `here`
/// is empty, from their mean; zero where a neighbour has none. A wrong term would be as wrong at all of them. \param
/// size how many numbers there are \param here those at x
Eigen::VectorXd rounding_of_numbers(const Eigen::VectorXd& x, const NumbersOfState& numbers, Eigen::Index size,
                                    const StateNeighbours& neighbours, const Eigen::VectorXd& here = {});

}  // namespace mbdbench
