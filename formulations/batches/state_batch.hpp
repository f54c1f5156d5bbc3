#pragma once
/// \file
/// Right-hand sides of many states of one mechanism on several threads.
#include <memory>
#include <span>
#include <vector>

#include "formulations/execution/thread_team.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Threads share the states, in portions of as many as go side by side in lanes; each has a formulation of its own.
/// Results do not depend on the number of threads.
class StateBatch {
 public:
  /// \param formulation of the first thread, must outlive this; the others get clones \param threads at least 1
  StateBatch(Formulation& formulation, int threads);

  /// As Formulation::rhs_batch.
  void rhs(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses);

  [[nodiscard]] int threads() const { return team_.size(); }
  /// \returns how many states the clones were asked about; the formulation itself counts its own.
  [[nodiscard]] std::size_t further_calls() const;

 private:
  Formulation* formulation_;
  ThreadTeam team_;
  std::vector<std::unique_ptr<Formulation>> clones_;
};

}  // namespace mbdbench
