#pragma once
/// \file
/// How a run that is differentiated fails.
#include <stdexcept>

namespace mbdbench::gradients {

/// A run that could not go on: what, when, and in which joint.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mbdbench::gradients
