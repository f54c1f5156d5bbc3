#include "formulations/batches/states_in_lanes.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kMostLanes = 8;

/// Asks for the memory that is written after the sweeps: 8 % of the time of balanced_tree:127, 3 % of a chain of 64,
/// 4096 states at a time. More would push out what the sweeps work on.
void fetch(std::span<const double> rows) {
  constexpr std::size_t kMost = 2048;
  constexpr std::size_t kLine = 8;
  for (std::size_t i = 0; i < rows.size() && rows.size() <= kMost; i += kLine) {
    __builtin_prefetch(&rows[i], 1);
  }
}

}  // namespace

int StatesInLanes::lanes_of(const InstructionSet& set) {
  return compiled_for(set, []<int W>() { return lane_sweeps::sweeps<W>(); }).lanes;
}

StatesInLanes::StatesInLanes(const Mechanism& mechanism, StateKind kind, const CutReferences* near,
                             const InstructionSet& set)
    : sweeps_(compiled_for(set, []<int W>() { return lane_sweeps::sweeps<W>(); })),
      tree_(mechanism, kind, index_of(sweeps_.lanes), near, !loads_without_lanes(mechanism.description()).empty()) {}

void StatesInLanes::evaluate(double t, std::span<const double> states, std::span<double> rates,
                             std::span<RhsStatus> statuses, const OneState& alone) {
  const auto lanes = index_of(sweeps_.lanes);
  const LaneData& data = tree_.data();
  const std::size_t size = index_of(data.q_count + data.u_count);
  const std::size_t count = statuses.size();
  const RhsStatus fine;
  tree_.set_time(t);
  std::array<const double*, kMostLanes> from{};
  std::array<double*, kMostLanes> to{};
  for (std::size_t first = 0; first < count; first += lanes) {
    // Lanes behind the last state repeat it: they compute and write what that one does.
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t k = std::min(first + lane, count - 1);
      from[lane] = states.data() + k * size;
      to[lane] = rates.data() + k * size;
    }
    sweeps_.gather(data, from.data());
    fetch(rates.subspan(first * size, std::min(lanes, count - first) * size));
    if (tree_.has_momenta()) {
      sweeps_.momenta(data);
      if (tree_.has_other_loads()) {
        tree_.evaluate_loads(t, std::min(lanes, count - first), data.velocities);
        sweeps_.momentum_loads(data);
      }
    } else {
      if (tree_.has_other_loads()) {
        tree_.evaluate_loads(t, std::min(lanes, count - first), data.state + lanes * index_of(data.q_count));
      } else if (data.force_count > 0) {
        std::fill_n(data.torques, lanes * index_of(data.u_count), 0.0);
      }
      sweeps_.accelerations(data);
    }
    sweeps_.scatter(data, to.data());
    for (std::size_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      const std::size_t k = first + lane;
      // Not by a conditional expression: GCC builds its value byte by byte and waits to copy it, a fifth of an arm's
      // time.
      if (data.verdict[lane] > 0.0) {
        statuses[k] = fine;
      } else {
        statuses[k] = alone(t, states.subspan(k * size, size), rates.subspan(k * size, size));
      }
    }
  }
}

}  // namespace mbdbench
