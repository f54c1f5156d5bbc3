#pragma once
/// \file
/// What every method does alike around its own formulas: counted and checked evaluations of f, acceptance of a step
/// (samples, after_step, sink), and the result. A method holds one OdeRun and keeps only its formulas to itself.
///
/// Cost: per evaluation one pass over x and xdot that looks for NaN and Inf; per accepted step one copy of the state.
#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "integrators/attempt_sink.hpp"
#include "integrators/error_norm.hpp"
#include "integrators/ode.hpp"
#include "integrators/step_output.hpp"

namespace mbdbench {

/// Outcome of one evaluation of f.
enum class Evaluation {
  ok,
  not_finite,  ///< a state or derivative is NaN or Inf, or f has failed for a step that reaches too far: the attempt is
               ///< lost, the run may go on with a smaller step
  ended        ///< f failed or the evaluation limit is reached: the result is final
};

/// One integration in progress. After a function reports the end (false, Evaluation::ended, end_*), take() is all that
/// is left.
class OdeRun {
 public:
  /// \param default_refine the method's points a step where OdeOptions::refine is 0.
  /// \throws std::invalid_argument as validate does.
  OdeRun(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0, const OdeOptions& options,
         OdeSink& sink, int default_refine);

  /// Delivers the sample at t0 and evaluates f there.
  /// \param f0 receives f(t0, x0). \returns false when that ended the run.
  bool start(std::span<double> f0);

  /// xdot = f(t, x), counted. f is not called (nor counted) with a state that is not finite.
  Evaluation evaluate(double t, std::span<const double> x, std::span<double> xdot);

  /// \returns whether the system gives its own df/dx.
  bool has_jacobian() const { return static_cast<bool>(system_.jacobian); }

  /// \returns whether component j of the state is a number that never changes.
  [[nodiscard]] bool is_constant(std::size_t j) const { return j < system_.constant.size() && system_.constant[j]; }
  /// That df/dx, which costs no evaluation of f. Columns of constant components are zero, as in differences.
  Evaluation exact_jacobian(double t, std::span<const double> x, Eigen::MatrixXd& jacobian);

  /// With partners what one process's derivative is becomes known to the others only when they agree on something:
  /// \returns Evaluation::not_finite where any process's last derivative is not finite, else the outcome given. Methods
  /// call it before they rely on an evaluation whose derivative neither a further state nor an error norm shows.
  Evaluation settled(Evaluation outcome);

  /// \returns the same for what the last error norm has shown.
  Evaluation confirmed(Evaluation outcome) const;

  /// An attempt with step size `size` (positive) begins; the first one is recorded, and an AttemptSink told.
  void begin_attempt(double size);

  /// The attempt did not pass the error test.
  void reject() { ++result_.statistics.nfailed; }

  void count_jacobian() { ++result_.statistics.npds; }
  void count_factorisation() { ++result_.statistics.ndecomps; }
  void count_linear_solve() { ++result_.statistics.nsolves; }
  /// \param error estimated local error, one entry a component, of the step that is accepted next; kept if
  ///        OdeOptions::record_local_error asks for it.
  void record_local_error(std::span<const double> error);

  /// \returns the counters that only the method can keep: npds, ndecomps, nsolves, niterations.
  OdeStatistics& statistics() { return result_.statistics; }

  /// A step from the last accepted time to t_new has passed the error test: samples inside it from `interpolate`,
  /// after_step, then the sample at its end and OdeSink::step; where `evaluate_inside` has failed, the run then ends.
  /// \param x_new state at t_new; after_step may change it.
  /// \param f_new f(t_new, x_new) as the method knows it; evaluated anew where a history must restart.
  /// \returns false when that ended the run. What was accepted has then reached the sink, unless the sink itself asked
  /// to stop.
  template <StepInterpolant Interpolant>
  bool accept(double t_new, std::span<double> x_new, std::span<double> f_new, const Interpolant& interpolate) {
    ++result_.statistics.nsteps;
    const bool wanted = output_.inside(result_.t, t_new, interpolate);
    return finish_step(t_new, x_new, f_new, wanted);
  }

  /// f for a sample inside the step that is being accepted, counted. \returns false when that ends the run.
  bool evaluate_inside(double t, std::span<const double> x, std::span<double> xdot) {
    if (inside_ == Evaluation::ok) {
      inside_ = evaluate(t, x, xdot);
    }
    return inside_ == Evaluation::ok;
  }

  /// \returns OdeSystem::separable_positions.
  std::size_t separable_positions() const { return system_.separable_positions; }

  /// For methods with a history: from now on a change by after_step that is within 100 times the tolerance in every
  /// component, also in those outside the error mask, is a shift of the whole history. f_new is then left as it is.
  void shift_small_changes(const OdeOptions& options);

  /// \returns whether after_step has changed the last accepted state by more than a shift: histories must restart.
  bool restart_needed() const { return restart_needed_; }

  /// The step at the last accepted time would fall below `smallest`.
  /// \param component, measure the component that limits the step, and what is largest there ("error", "rate").
  void end_step_too_small(double smallest, std::size_t component, std::string_view measure);

  /// \returns whether all values are finite; the first that is not is kept for end_not_finite. \param name "value"
  /// or "rate"
  bool all_finite(double t, std::span<const double> values, std::string_view name);

  /// What was seen last was not finite and the method cannot make its step smaller.
  void end_not_finite();

  /// The method itself gives up at the last accepted time. \param why what did not work, for the message.
  void end_method_failed(std::string_view why);

  /// \returns the result; the run is over.
  OdeResult take() { return std::move(result_); }

 private:
  Evaluation failed(std::string failure);
  Evaluation evaluate_with_partners(double t, std::span<const double> x, std::span<double> xdot);
  bool apply_after_step(double t_new, std::span<double> x_new);
  bool finish_step(double t_new, std::span<double> x_new, std::span<double> f_new, bool wanted);
  void end(OdeStatus status, std::string message);
  [[nodiscard]] std::string component_name(std::size_t component, double t, std::span<const double> x) const;

  /// Where the last NaN or Inf was seen; becomes a message only if the run ends with it.
  struct NotFinite {
    double t = 0.0;
    double value = 0.0;
    std::size_t component = 0;
    std::string_view name;
    std::vector<double> x;  ///< state, for messages
  };

  const OdeSystem& system_;
  OdeSink& sink_;
  AttemptSink* attempts_;
  std::size_t max_evaluations_;
  bool record_local_error_;
  OdePartners* partners_;
  bool restart_needed_ = false;
  Evaluation inside_ = Evaluation::ok;  // of f inside the last step
  double largest_shift_ = 0.0;
  std::optional<ErrorNorm> shift_norm_;
  StepOutput output_;
  OdeResult result_;
  NotFinite not_finite_;
  std::vector<double> rows_;     // of the last exact Jacobian
  std::string reached_too_far_;  // in place of not_finite_, where f has failed for that
};

}  // namespace mbdbench
