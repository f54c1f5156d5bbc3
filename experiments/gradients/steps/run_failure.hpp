#pragma once
/// \file
/// How a run that is differentiated fails.
#include <stdexcept>

#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// A run that could not go on: what, when, and in which joint.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws RunFailure where it is not ok
void require_run(const RhsStatus& status, double t);

}  // namespace mbdbench::gradients
