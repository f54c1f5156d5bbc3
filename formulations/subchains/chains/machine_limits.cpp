#include "formulations/subchains/chains/machine_limits.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "formulations/execution/thread_team.hpp"
#include "formulations/subchains/chains/chain_block.hpp"

namespace mbdbench {
namespace {

constexpr int kMeasurements = 7;

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// \returns s.
double meeting_latency() {
  double fastest = std::numeric_limits<double>::infinity();
  if (std::thread::hardware_concurrency() < 2) {
    return fastest;
  }
  // Short batches: one in which a thread had to wait tells nothing, and on a busy machine a meeting may cost
  // milliseconds.
  constexpr int kMeetings = 50;
  constexpr int kBatches = 400;
  constexpr double kLongestTime = 2.0;  // s
  const ThreadTeam team(2);
  double spent = 0.0;
  for (int batch = 0; batch < kBatches && spent < kLongestTime; ++batch) {
    const double elapsed = seconds([&] {
      team.run([](const TeamMember& member) {
        for (int i = 0; i < kMeetings; ++i) {
          member.barrier();
        }
      });
    });
    fastest = std::min(fastest, elapsed / kMeetings);
    spent += elapsed;
  }
  return fastest;
}

}  // namespace

MachineLimits measure_machine_limits(const InstructionSet& set) {
  constexpr int kRepetitions = 200000;
  constexpr std::size_t kLength = std::size_t{1} << 22;  // 32 MiB an array: beyond the caches that a core has alone
  MachineLimits limits;
  std::vector<double> a(kLength, 1.0);
  std::vector<double> b(kLength, 2.0);
  std::vector<double> c(kLength, 0.0);
  volatile double sink = 0.0;  // so that nothing is left out
  const ChainSweeps& sweeps = chain_sweeps_for(set);
  for (int i = 0; i < kMeasurements; ++i) {
    const double busy = seconds([&] { sink = sweeps.multiply_adds(kRepetitions); });
    limits.operations = std::max(limits.operations, sweeps.multiply_add_operations * kRepetitions / busy);
    const double moving = seconds([&] {
      for (std::size_t k = 0; k < kLength; ++k) {
        c[k] = a[k] + b[k];
      }
      sink = c[kLength / 2];
    });
    // Two arrays read, one read and written back.
    limits.bandwidth = std::max(limits.bandwidth, 4.0 * sizeof(double) * static_cast<double>(kLength) / moving);
  }
  static_cast<void>(sink);
  limits.latency = meeting_latency();
  return limits;
}

}  // namespace mbdbench
