#include "experiments/simulation/output/run_checkpoint.hpp"

#include <utility>

#include "experiments/simulation/output/simulate_report.hpp"

namespace mbdbench {

RunCheckpoint::RunCheckpoint(std::filesystem::path file, const SimulateSetup& setup, double interval)
    : file_(std::move(file)), setup_(setup), interval_(interval), written_(Clock::now()) {}

bool RunCheckpoint::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
  if (interval_.count() > 0.0) {
    const Clock::time_point now = Clock::now();
    if (now - written_ >= interval_) {
      write_state(file_, setup_, t, x);
      written_ = now;
    }
  }
  return true;
}

void RunCheckpoint::remove() const {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace mbdbench
