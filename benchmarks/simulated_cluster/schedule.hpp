#pragma once
/// \file
/// What the processes of a right-hand side do one after another, as plain data: work of measured length and messages
/// of known size. The simulated cluster runs it, and an estimate on paper (LogGP) adds it up.
#include <cstddef>
#include <string>
#include <vector>

namespace mbdbench {

/// What a step is.
enum class StepKind {
  compute,     ///< every process works
  all_gather,  ///< everybody's bytes to everybody, by recursive doubling
  up,          ///< along a binary tree to process 0; whoever takes a message works afterwards
  down,        ///< from process 0 along the same tree; whoever takes a message works afterwards
  neighbour    ///< to the next process
};

struct Step {
  StepKind kind = StepKind::compute;
  std::size_t bytes = 0;      ///< of one process's message
  double microseconds = 0.0;  ///< of work: of all processes, or after every message
};

/// One right-hand side on so many nodes.
struct Schedule {
  std::string formulation;
  std::string family;
  std::string exchange;  ///< who talks to whom: "all to all" or "tree"
  long bodies = 0;
  int nodes = 1;
  std::vector<Step> steps;
};

/// A network in the parameters of LogGP.
struct Network {
  double latency = 0.0;   ///< L, us
  double overhead = 0.0;  ///< o, us, at either end of a message
  double per_byte = 0.0;  ///< G, us

  /// \returns the time of a message from the call that sends it to the return of the one that takes it, us.
  [[nodiscard]] double message(double bytes) const { return latency + 2.0 * overhead + per_byte * bytes; }
};

/// \returns log2 of the nodes, rounded up: how often they can be halved.
inline int levels(int nodes) {
  int count = 0;
  for (int reached = 1; reached < nodes; reached *= 2) {
    ++count;
  }
  return count;
}

/// \returns the time of a step, us: the longest way through its messages and its work.
inline double estimated(const Step& step, int nodes, const Network& network) {
  const int halvings = levels(nodes);
  double sum = 0.0;
  switch (step.kind) {
    case StepKind::compute:
      return step.microseconds;
    case StepKind::all_gather:
      for (int i = 0; i < halvings; ++i) {
        sum += network.message(static_cast<double>(step.bytes) * static_cast<double>(1L << i));
      }
      return sum;
    case StepKind::up:
    case StepKind::down:
      return halvings * (network.message(static_cast<double>(step.bytes)) + step.microseconds);
    case StepKind::neighbour:
      return nodes > 1 ? network.message(static_cast<double>(step.bytes)) + step.microseconds : 0.0;
  }
  return sum;
}

/// \returns the estimate of a whole right-hand side, us.
inline double estimated(const Schedule& schedule, const Network& network) {
  double sum = 0.0;
  for (const Step& step : schedule.steps) {
    sum += estimated(step, schedule.nodes, network);
  }
  return sum;
}

}  // namespace mbdbench
