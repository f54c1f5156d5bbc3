#pragma once
/// \file
/// The interface every integrator implements: x' = f(t, x) from t0 to tf, samples to a sink, statistics back.
///
/// Integrators know nothing of mechanisms. Statistics carry MATLAB's names so that published counts can be compared.
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

class OdePartners;

/// The initial value problem as the integrator sees it.
struct OdeSystem {
  /// Number of state components; 0: nothing moves, and every entry of the registry takes that too.
  std::size_t size = 0;
  /// f(t, x, xdot). Returns an empty string when all is well, else what went wrong ("joint k3: ..."), which ends the
  /// run.
  std::function<std::string(double t, std::span<const double> x, std::span<double> xdot)> rhs;
  /// df/dx at (t, x), row by row: size times size entries. Returns what went wrong as `rhs` does. Empty: methods that
  /// need it take differences of f. Only methods with OdeEntry::takes_jacobian ask for it.
  std::function<std::string(double t, std::span<const double> x, std::span<double> rows)> jacobian;
  /// Asked after f has failed: whether that is for a step that reaches too far, so that a shorter one may avoid it.
  /// Then adaptive methods lose the attempt and go on; the run ends with the failure only where no step is short
  /// enough. Empty: never.
  std::function<bool()> reached_too_far;
  /// Called on every accepted step with the new state; may change it (projection, quaternion normalisation, re-gauge)
  /// and then returns true. One-step methods evaluate f anew, counted. Adaptive multistep methods do so and begin a new
  /// history where a component moved by more than 100 times the tolerance; a smaller change is an error like that of a
  /// step, and the history is moved along with the state. Empty: nothing to do.
  std::function<bool(double t, std::span<double> x)> after_step;
  /// Components with zero rate that only `after_step` changes, one flag a component; empty: none. They may be codes and
  /// not coordinates, so that increments would change the meaning of others: ode15s does not difference them.
  std::vector<bool> constant;
  /// States that the system is separable: x = (q, p) with this many leading components q, where q' depends on t and p
  /// only and p' on t and q only. 0: not stated. Methods with OdeEntry::needs_separable refuse a system that does not
  /// state it; all others ignore it.
  std::size_t separable_positions = 0;
  /// \returns what messages call a component ("'v.hip'") of a run that failed at (t, x). Empty: "component 3".
  std::function<std::string(std::size_t component, double t, std::span<const double> x)> component_name;
};

/// What a run is asked to do. Unset numbers (NaN) mean the method's own default.
struct OdeOptions {
  static constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();
  double relative_tolerance = 1e-3;
  /// One entry for all components, or one a component.
  std::vector<double> absolute_tolerance = {1e-6};
  /// Error control in the Euclidean norm of the whole state instead of component by component.
  bool norm_control = false;
  double initial_step = kUnset;
  double max_step = kUnset;
  /// Step of the fixed-step methods, which need it; adaptive methods ignore it.
  double fixed_step = kUnset;
  /// Methods that can do without df/dx (Gauss) solve their stages with it from the start, not only where they must.
  bool newton_stages = false;
  /// Embedded pairs whose source propagates the lower order (rkf45, rkf45-fixed) propagate the higher one instead.
  bool propagate_higher_order = false;
  /// Fills OdeStatistics::mean_local_error, in the methods that have an estimate of their own (rkf45, rkf45-fixed).
  bool record_local_error = false;
  /// Components under error control, one flag a component; empty means all. The components left out count neither in
  /// the error test nor in the choice of the first step (Naudet's partial control).
  std::vector<bool> error_mask;
  /// The run ends with OdeStatus::evaluation_limit after this many evaluations of f.
  std::size_t max_evaluations = std::numeric_limits<std::size_t>::max();
  /// Points a step when tspan has two entries (MATLAB's Refine); 0 means the method's default.
  int refine = 0;
  /// The system is one process's slice of a larger one, which all processes integrate together (ode_partners.hpp);
  /// nullptr: it is whole. Then f is called, fails and tells of a state that is not finite on all processes alike, the
  /// sink gives all the same answers, and there is no after_step. Only for methods with OdeEntry::takes_partners.
  OdePartners* partners = nullptr;
};

/// MATLAB's counters.
struct OdeStatistics {
  std::size_t nsteps = 0;    ///< accepted steps
  std::size_t nfailed = 0;   ///< rejected attempts
  std::size_t nfevals = 0;   ///< evaluations of f made by the integrator
  std::size_t npds = 0;      ///< Jacobians formed, exact or by differences, whose evaluations of f nfevals counts
  std::size_t ndecomps = 0;  ///< factorisations
  std::size_t nsolves = 0;   ///< linear solves
  /// Iterations in which implicit methods solved their equations, Newton or fixed-point.
  std::size_t niterations = 0;
  /// One entry a component: the mean over the accepted steps of the absolute estimated local error. Empty unless
  /// OdeOptions::record_local_error asks for it.
  std::vector<double> mean_local_error;
};

/// How a run ended.
enum class OdeStatus {
  ok,                ///< tf reached
  stopped,           ///< the sink asked to stop
  rhs_failed,        ///< f reported a failure
  not_finite,        ///< f or the state became NaN or Inf
  step_too_small,    ///< the step fell below the smallest meaningful one
  evaluation_limit,  ///< OdeOptions::max_evaluations reached
  method_failed      ///< the method itself gave up (a library's own failure, no convergence)
};

/// \returns "ok", "stopped", ...
std::string_view to_string(OdeStatus status);

/// What a run returns. Everything that reached the sink before a failure stays valid.
struct OdeResult {
  OdeStatus status = OdeStatus::ok;
  /// For a failure: what, when and in which component.
  std::string message;
  /// Last accepted time.
  double t = 0.0;
  /// Last accepted state.
  std::vector<double> x;
  /// Size of the first step tried.
  double first_step = 0.0;
  OdeStatistics statistics;
};

/// Where samples and steps go. Both functions return false to ask the run to stop. Spans are valid during the call
/// only.
class OdeSink {
 public:
  virtual ~OdeSink() = default;
  /// \returns whether `sample` has anything to do; otherwise it is not called and nothing is interpolated. Asked once,
  /// when the run begins.
  [[nodiscard]] virtual bool wants_samples() const { return true; }
  /// An output sample: the initial state, then refined points of each step (tspan of two entries) or the requested
  /// times.
  virtual bool sample(double t, std::span<const double> x) = 0;
  /// After every accepted step, whether or not it produced samples.
  virtual bool step(double /*t*/, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) { return true; }
};

/// One integration method as the registry lists it.
struct OdeEntry {
  std::string_view key;
  /// One line for `mbdbench list integrators`.
  std::string_view summary;
  /// Citation key of docs/references.md.
  std::string_view source;
  /// Classical order of convergence of the propagated solution; 0 for variable order.
  int order = 0;
  bool adaptive = true;
  /// \param tspan at least two strictly monotonic times. Two: samples at every step (refined); more: samples at exactly
  ///        these times, which do not change the steps except where the method's source says so (MATLAB caps the first
  ///        step with tspan[1] - tspan[0]).
  /// \throws std::invalid_argument for unusable options, tspan or sizes; the message names the offending value.
  OdeResult (*solve)(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                     const OdeOptions& options, OdeSink& sink) = nullptr;
  /// For systems that state OdeSystem::separable_positions only.
  bool needs_separable = false;
  /// Obeys OdeOptions::propagate_higher_order and record_local_error; the others ignore them.
  bool embedded_lower_order = false;
  /// Obeys OdeOptions::partners; the others must not be called with them.
  bool takes_partners = false;
  /// Matrices of the size of the state that it keeps; runs that would exceed the machine's memory are refused.
  double matrices = 0.0;
  /// Does the same with every component, in steps that depend on no state: systems that know nothing of one another may
  /// stand one behind another in one, and each gets the bits that it has alone.
  bool takes_stacks = false;
  /// Needs df/dx, always or where OdeOptions::newton_stages says so or nothing else solves its equations: takes
  /// OdeSystem::jacobian where it is there, else differences.
  bool takes_jacobian = false;
  /// Matrices that OdeOptions::newton_stages adds.
  double stage_matrices = 0.0;
};

/// Checks tspan, x0 and options against the rules above; every method calls it first.
/// \throws std::invalid_argument naming what is wrong and what would be right.
void validate(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
              const OdeOptions& options);

/// The further rule of the fixed-step methods: OdeOptions::fixed_step is set and moves every time of tspan.
/// \param tspan, options as validate has passed them. \throws std::invalid_argument otherwise
void validate_fixed_step(std::span<const double> tspan, const OdeOptions& options);

}  // namespace mbdbench
