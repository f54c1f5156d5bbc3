#include "experiments/gradients/steps/run_failure.hpp"

#include <fmt/format.h>

namespace mbdbench::gradients {

void require_run(const RhsStatus& status, double t) {
  if (!status.ok) {
    throw RunFailure(fmt::format("t = {}: {}", t, status.message()));
  }
}

}  // namespace mbdbench::gradients
