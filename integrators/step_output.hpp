#pragma once
/// \file
/// Which samples an accepted step delivers: refined points of every step, or the requested times.
///
/// Source: documentation of MATLAB's odeset (Refine) and ode45 (tspan). Cost: one interpolation a sample, no
/// allocation.
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench {

/// interpolate(t, out): the method's own continuous extension inside the step, written to `out` (of the system's size).
/// It may return whether it could: a sample that it could not give is left out.
template <class T>
concept StepInterpolant = std::invocable < T,
        double, std::vector<double>
& > ;

/// Delivers samples in order. Every function returns false when the sink asks to stop.
class StepOutput {
 public:
  /// \param tspan must outlive this object. \param refine points a step, used when tspan has two entries.
  StepOutput(std::span<const double> tspan, std::size_t size, int refine, OdeSink& sink)
      : tspan_(tspan), refine_(refine), wanted_(sink.wants_samples()), sample_(size), sink_(sink) {}

  /// The sample at t0.
  bool initial(std::span<const double> x0) { return !wanted_ || sink_.sample(tspan_.front(), x0); }

  /// The samples strictly inside (t_old, t_new).
  template <StepInterpolant Interpolant>
  bool inside(double t_old, double t_new, const Interpolant& interpolate) {
    if (!wanted_) {
      return true;
    }
    if (tspan_.size() == 2) {
      for (int i = 1; i < refine_; ++i) {
        if (!deliver(t_old + (t_new - t_old) * (static_cast<double>(i) / refine_), interpolate)) {
          return false;
        }
      }
      return true;
    }
    const double direction = tspan_.back() > tspan_.front() ? 1.0 : -1.0;
    for (; next_ < tspan_.size() && direction * (t_new - tspan_[next_]) > 0.0; ++next_) {
      if (!deliver(tspan_[next_], interpolate)) {
        return false;
      }
    }
    return true;
  }

  /// The sample at the step's end, where the method's state itself is known.
  bool end(double t_new, std::span<const double> x_new) {
    if (!wanted_) {
      return true;
    }
    if (tspan_.size() > 2) {
      if (next_ == tspan_.size() || tspan_[next_] != t_new) {
        return true;
      }
      ++next_;
    }
    return sink_.sample(t_new, x_new);
  }

 private:
  template <StepInterpolant Interpolant>
  bool deliver(double t, const Interpolant& interpolate) {
    if constexpr (std::same_as<std::invoke_result_t<Interpolant, double, std::vector<double>&>, bool>) {
      return !interpolate(t, sample_) || sink_.sample(t, sample_);
    } else {
      interpolate(t, sample_);
      return sink_.sample(t, sample_);
    }
  }

  std::span<const double> tspan_;
  int refine_;
  bool wanted_;
  std::size_t next_ = 1;
  std::vector<double> sample_;
  OdeSink& sink_;
};

}  // namespace mbdbench
