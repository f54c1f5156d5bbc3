#pragma once
/// \file
/// A continuous extension of any order from a step's ends and further evaluations of f inside the step, for methods
/// whose sources give none of their order.
///
/// Source: W. H. Enright, K. R. Jackson, S. P. Norsett, P. G. Thomsen, Interpolants for Runge-Kutta formulas, ACM
/// Trans. Math. Software 12 (1986) 193-218: bootstrapping. A polynomial that is wrong by h^k gives states inside the
/// step, f there gives slopes as accurate as that, and the integral of the polynomial through enough such slopes is
/// wrong by h^(k+1). Here:
///
/// | round | nodes of the slopes | local error |
/// |---|---|---|
/// | start | the cubic of Hermite, or what the method has | h^4, or what the method says |
/// | that to h^k | both ends and k - 3 between them, Chebyshev's | h^k |
///
/// A cubic moves the last polynomial onto the state at the step's end, which makes it continuously differentiable.
///
/// Cost: only where a step holds a sample inside, 2 + 3 + ... + (order - 2) evaluations of f from Hermite's cubic, once
/// a step; a sample costs order multiply-adds a component. All memory is taken with the first sample.
#include <cstddef>
#include <span>
#include <vector>

#include "integrators/ode_run.hpp"

namespace mbdbench {

/// Both ends of an accepted step.
struct StepEnds {
  double t_old = 0.0;
  std::span<const double> x_old;
  std::span<const double> xdot_old;
  double t_new = 0.0;
  std::span<const double> x_new;
  std::span<const double> xdot_new;
};

class BootstrappedExtension {
 public:
  /// \param order of the samples: their local error goes with h^(order + 1). 4 to 8.
  BootstrappedExtension(int order, std::size_t size) : order_(order), size_(size) {}

  /// A new step: what was evaluated inside the last one counts no more.
  void begin_step() { node_count_ = 0; }

  /// The state at t inside the step, by Hermite's cubic to start with. \returns false when f could not be evaluated
  /// inside the step, which ends the run.
  bool at(OdeRun& run, const StepEnds& ends, double t, std::vector<double>& out);

  /// The same with the method's own start(t, out), whose local error goes with h^start_power.
  template <class Start>
  bool at(OdeRun& run, const StepEnds& ends, double t, std::vector<double>& out, int start_power, const Start& start) {
    if (node_count_ == 0) {
      begin_rounds(ends);
      for (int power = start_power; power <= order_; ++power) {
        if (!round(run, ends, power - 2, power == start_power, start)) {
          return false;
        }
      }
    }
    evaluate(ends, t, out);
    return true;
  }

 private:
  void begin_rounds(const StepEnds& ends);
  /// Slopes at `inner` nodes inside the step, from start or from the polynomial of the last round.
  template <class Start>
  bool round(OdeRun& run, const StepEnds& ends, int inner, bool first, const Start& start) {
    for (int j = 1; j <= inner; ++j) {
      const double t = ends.t_old + node(j, inner + 2) * (ends.t_new - ends.t_old);
      if (first) {
        start(t, stage_);
      } else {
        evaluate(ends, t, stage_);
      }
      if (!run.evaluate_inside(t, stage_, new_slopes_[static_cast<std::size_t>(j)])) {
        return false;
      }
    }
    take_slopes(ends, inner);
    return true;
  }
  void take_slopes(const StepEnds& ends, int inner);
  void evaluate(const StepEnds& ends, double t, std::vector<double>& out) const;
  /// \returns node j of `count`, 0 and 1 among them.
  static double node(int j, int count);

  int order_;
  std::size_t size_;
  int node_count_ = 0;                           // of the polynomial at hand; 0: none
  std::vector<std::vector<double>> slopes_;      // at its nodes
  std::vector<std::vector<double>> new_slopes_;  // of the round in progress
  std::vector<double> stage_;
  std::vector<double> gap_;  // x_new less where the polynomial ends
  mutable std::vector<double> weights_;
};

}  // namespace mbdbench
