#pragma once
/// \file
/// Right-hand sides of many states of one mechanism on several threads and processes.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "formulations/execution/process_exchange.hpp"
#include "formulations/execution/thread_team.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Where the rates of a batch are needed that processes share.
enum class BatchRates {
  everywhere,  ///< all on all processes: they are sent
  own          ///< on the process that computed them
};

/// \returns a failure with the joint of the first of a state's numbers that is not finite, else a status that is fine.
RhsStatus status_of_state(std::span<const StateComponent> layout, std::span<const double> x);

/// Processes share the states, and the threads of each its part, in portions of as many as go side by side in lanes;
/// each thread has a formulation of its own. Results depend neither on threads nor on processes.
class StateBatch {
 public:
  /// \param formulation of the first thread, must outlive this; the others get clones \param threads at least 1
  /// \param processes that share the states, all of which call `rhs` with the same ones; nullptr: this one is alone
  StateBatch(Formulation& formulation, int threads, ProcessExchange* processes = nullptr,
             BatchRates wanted = BatchRates::everywhere);

  /// As Formulation::rhs_batch; a state that went alone fails, too, where its numbers or rates are not finite, which
  /// some formulations pass on without a word. Where each process keeps its own rates, those of others and their
  /// statuses stay as they are.
  void rhs(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses);

  /// \returns process r's share of so many states: the places at [r] .. [r + 1].
  [[nodiscard]] std::vector<std::size_t> shares(std::size_t count) const;
  [[nodiscard]] int threads() const { return team_.size(); }
  /// \returns how many states the clones were asked about; the formulation itself counts its own.
  [[nodiscard]] std::size_t further_calls() const;
  /// \returns Formulation::states_alone of the clones.
  [[nodiscard]] std::size_t further_states_alone() const;

 private:
  /// Of a batch that is no longer than one message.
  void rhs_of_message(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses);
  void compute(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses);
  /// What one thread computes. \param own its formulation
  void compute_share(Formulation& own, double t, std::span<const double> states, std::span<double> rates,
                     std::span<RhsStatus> statuses) const;
  void send(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses);

  Formulation* formulation_;
  ProcessExchange* processes_;
  BatchRates wanted_;
  ThreadTeam team_;
  std::vector<std::unique_ptr<Formulation>> clones_;
};

}  // namespace mbdbench
