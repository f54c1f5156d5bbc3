#pragma once
/// \file
/// How the work of a right-hand side falls into pieces, for models of parallel machines.
#include <span>
#include <vector>

namespace mbdbench {

/// Pieces of equal work that do not wait for one another. A stage begins when the one before has ended.
struct WorkStage {
  double pieces = 1.0;
  double operations = 0.0;  ///< of one piece, about; those that work on several numbers at once count once
  double lanes = 1.0;       ///< on how many they work
};

/// \returns multiplications and additions of all pieces together, each number counted.
double arithmetic(std::span<const WorkStage> stages);

/// \returns the operations that one of `workers` equal workers has to do one after another; infinitely many workers:
/// the critical path.
double longest_work(std::span<const WorkStage> stages, double workers);

/// A parallel machine: equal workers, and what it costs them to wait for each other.
struct WorkerModel {
  double time_per_operation = 0.0;  ///< s
  double latency = 0.0;             ///< of a meeting of two, s; p of them meet in log2 p rounds
};

/// \returns the time of a right-hand side on so many workers of the machine, s.
double modelled_time(std::span<const WorkStage> stages, const WorkerModel& machine, double workers);

}  // namespace mbdbench
