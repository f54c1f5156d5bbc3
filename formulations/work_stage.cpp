#include "formulations/work_stage.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {

double arithmetic(std::span<const WorkStage> stages) {
  double sum = 0.0;
  for (const WorkStage& stage : stages) {
    sum += stage.pieces * stage.operations * stage.lanes;
  }
  return sum;
}

double longest_work(std::span<const WorkStage> stages, double workers) {
  double sum = 0.0;
  for (const WorkStage& stage : stages) {
    sum += std::max(std::ceil(stage.pieces / workers), 1.0) * stage.operations;
  }
  return sum;
}

double modelled_time(std::span<const WorkStage> stages, const WorkerModel& machine, double workers) {
  double rounds = 0.0;
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const double meeting = std::min(workers, std::max(stages[i - 1].pieces, stages[i].pieces));
    rounds += std::ceil(std::log2(meeting));  // none between stages of one piece each
  }
  return longest_work(stages, workers) * machine.time_per_operation + rounds * machine.latency;
}

}  // namespace mbdbench
