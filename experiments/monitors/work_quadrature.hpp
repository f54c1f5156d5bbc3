#pragma once
/// \file
/// The work of loads, dampers and prescribed motions along a run, as a quadrature over the accepted steps beside the
/// integration: outside error control, so that no step and no count of the run changes.
///
/// Inside a step only its ends are known. The states at the inner nodes of the four-point Lobatto rule come from the
/// cubic Hermite polynomial through both ends, and then from one sweep of the collocation on these nodes:
///     x(c_i) <- x0 + h sum_j a_ij f(x(c_j)),   W <- W + h sum_i b_i P(x(c_i))        [Hairer1993, section II.7]
/// | x0, x1, h | both ends of the step and its size  | P    | power, Formulation::power         |
/// | c, b, a   | nodes, weights, matrix of the rule   | W    | work                              |
/// The sweep gives the states of both inner nodes to O(h^5), the rule W to O(h^6) a step. What the sweep changed in W
/// is the error of the cubic polynomial, O(h^5), and bounds that of the result. Cost a step: three right-hand sides and
/// five powers of a copy of the formulation; nothing where Mechanism:: exchanges_energy is false.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// Integrates the power of one run.
class WorkQuadrature {
 public:
  /// \param formulation of the run, of which a copy is made: its counters and workspaces stay untouched
  explicit WorkQuadrature(Formulation& formulation);

  /// A run begins, or goes on after an accepted step, with this state.
  void start(double t, std::span<const double> x);
  /// The step from there has ended in this state, before anything is changed in it (Formulation::after_step).
  void finish(double t, std::span<const double> x);

  // `finish` in pieces, for who follows many runs of one mechanism and evaluates their right-hand sides together:
  //     end_step; rates of kEnd; of both inner nodes predict and the rates; close_step.

  static constexpr int kEnd = 3;  ///< node at the end of the step; 1 and 2 are inside
  /// \returns whether work is followed; otherwise there is nothing to do.
  bool end_step(double t, std::span<const double> x);
  /// Sets the state at an inner node.
  void predict(int node);
  [[nodiscard]] double time_of(int node) const;
  [[nodiscard]] std::span<const double> state(int node) const { return x_[static_cast<std::size_t>(node)]; }
  /// Where the rates at this state belong.
  [[nodiscard]] std::span<double> rates(int node) { return f_[static_cast<std::size_t>(node)]; }
  /// Evaluates them with the copy, which notes a failure.
  void evaluate(int node);
  void close_step();

  /// \returns the work since the first start, J.
  [[nodiscard]] double work() const { return work_; }
  /// \returns the sum of |work| over the steps, J: what the balance may be compared with.
  [[nodiscard]] double exchanged() const { return exchanged_; }
  /// \returns a bound of the quadrature's own error: what the sweep changed, summed over the steps, J.
  [[nodiscard]] double uncertainty() const { return uncertainty_; }
  /// \returns why the work is not known; empty where it is.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  /// The copy looks for coordinates that its state does not hold near the last ones it has packed.
  void show_positions(double t, std::span<const double> x);
  void evaluate(double t, std::span<const double> x, std::span<double> f);
  double power(double t, std::span<const double> x);

  Formulation* original_ = nullptr;
  std::unique_ptr<Formulation> formulation_;  ///< none where nothing exchanges energy
  bool started_ = false;
  double t_ = 0.0;
  double end_ = 0.0;   ///< of the step
  double step_ = 0.0;  ///< its size
  double power_ = 0.0;
  std::array<double, 4> coarse_{};        ///< powers at the nodes of the polynomial
  std::array<std::vector<double>, 4> x_;  ///< at the nodes, in order of time
  std::array<std::vector<double>, 4> f_;
  double work_ = 0.0;
  double exchanged_ = 0.0;
  double uncertainty_ = 0.0;
  std::string failure_;
};

}  // namespace mbdbench
