#pragma once
/// \file
/// Times of exact derivatives beside those of one right-hand side.
#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// One formulation on one mechanism.
struct DerivativeCase {
  std::string mechanism;
  std::string formulation;
  Formulation* made = nullptr;
  std::vector<double> x;
  std::string obstacle;  ///< why there is nothing to time
};

struct DerivativeOutcome {
  bool measured = false;  ///< whether there is a time at all
  bool failed = false;    ///< whether something that has derivatives did not give them, or could not be made
};

/// Times x', its derivatives, both products, and differences of x' in turns, and prints them in right-hand sides.
DerivativeOutcome print_derivative_times(const std::vector<DerivativeCase>& cases, int repetitions, double shortest);

}  // namespace mbdbench
