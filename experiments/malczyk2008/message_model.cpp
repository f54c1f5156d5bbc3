#include "experiments/malczyk2008/message_model.hpp"

#include "experiments/malczyk2008/published.hpp"

namespace mbdbench::malczyk2008 {

double balanced_exchange_time(double sequential_time) {
  return sequential_time / (2.0 * kExchanges);
}

std::optional<double> predicted_crossover(const std::vector<LoopValue>& sequential_times, double exchange_time) {
  for (std::size_t i = 1; i < sequential_times.size(); ++i) {
    const LoopValue& below = sequential_times[i - 1];
    const LoopValue& above = sequential_times[i];
    const double short_time = balanced_exchange_time(below.value);
    const double long_time = balanced_exchange_time(above.value);
    if (exchange_time >= short_time && exchange_time <= long_time && short_time < long_time) {
      return below.joints + (above.joints - below.joints) * (exchange_time - short_time) / (long_time - short_time);
    }
  }
  return std::nullopt;
}

Bounds published_exchange_time() {
  const TableRow& longest = kTableRows.back();
  const double outputs = longest.end / kSteps[1] - longest.end / kSteps[0];
  const double one_process = (longest.one_process[1] - longest.one_process[0]) / outputs;
  const double two_processes = (longest.two_processes[1] - longest.two_processes[0]) / outputs;
  return {(two_processes - one_process) / kExchanges, (two_processes - one_process / 2.0) / kExchanges};
}

Bounds published_body_time() {
  const Bounds exchange = published_exchange_time();
  const double bodies = kCrossoverOneNode - 1;
  return {2.0 * kExchanges * exchange.lower / bodies, 2.0 * kExchanges * exchange.upper / bodies};
}

}  // namespace mbdbench::malczyk2008
