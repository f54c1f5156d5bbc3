#include "experiments/rhs_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace mbdbench {
namespace {

double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Linear between neighbours. \param sorted not empty
double quantile_of(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = place - std::floor(place);
  return (1.0 - weight) * sorted[below] + weight * sorted[above];
}

}  // namespace

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<RhsBatch> time_batch(Formulation& formulation, double t, std::span<const double> x, double shortest) {
  std::vector<double> xdot(x.size());
  const double processor_start = processor_time();
  const double wall_start = wall_clock();
  double elapsed = 0.0;
  std::size_t calls = 0;
  for (std::size_t batch = 1; elapsed < shortest; batch *= 2) {
    for (std::size_t i = 0; i < batch; ++i) {
      if (!formulation.rhs(t, x, xdot).ok) {
        return std::nullopt;
      }
    }
    calls += batch;
    elapsed = processor_time() - processor_start;
  }
  const auto count = static_cast<double>(calls);
  return RhsBatch{(wall_clock() - wall_start) / count, elapsed / count};
}

double RhsTimes::quantile(double part) const {
  std::vector<double> sorted;
  sorted.reserve(batches_.size());
  for (const RhsBatch& batch : batches_) {
    sorted.push_back(batch.wall);
  }
  std::sort(sorted.begin(), sorted.end());
  return quantile_of(sorted, part);
}

double RhsTimes::spread() const {
  return (quantile(0.75) - quantile(0.25)) / median();
}

double RhsTimes::share() const {
  std::vector<double> sorted;
  sorted.reserve(batches_.size());
  for (const RhsBatch& batch : batches_) {
    sorted.push_back(batch.share());
  }
  std::sort(sorted.begin(), sorted.end());
  return quantile_of(sorted, 0.5);
}

}  // namespace mbdbench
