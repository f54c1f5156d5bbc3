/// \file
/// A. C. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, ACM Trans. Math.
/// Softw. 31 (2005) 363-396, section 2.1, and the user documentation of CVODE 6.
///
/// | paper, documentation | here |
/// |---|---|
/// | w_i = 1 / (rtol |y_i| + atol_i), WRMS norm | Cvode::weights |
/// | nst, netf + ncfnf | nsteps, nfailed |
/// | nfe + nfeLS, nje, nsetups, nni | nfevals, npds, ndecomps, niterations |
/// | CV_ONE_STEP, tstop, CVodeGetDky, CVodeReInit | Cvode::solve |
///
/// CVODE gives up after 7 failed error tests and 10 unsolved attempts at a step; here only the smallest step ends it,
/// as in the other methods.
///
/// Cost a step of n components: 1 to 3 evaluations of f; BDF also n^2 an iteration, and n evaluations and n^3 / 3 a
/// Jacobian. All memory is taken before the first step.
#include "integrators/sundials/cvode.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/jacobians/curtis_reid_jacobian.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"
#include "integrators/sundials/cvode_objects.hpp"

namespace mbdbench {
namespace {

/// More halvings than lead from any step to the smallest one.
constexpr int kMostFailures = 2000;

class Cvode {
 public:
  Cvode(int method, const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
        const OdeOptions& options, OdeSink& sink)
      : run_(system, tspan, x0, options, sink, 1),
        tspan_(tspan),
        options_(options),
        norm_(options, system.size),
        largest_(largest_step(tspan, options, 1.0)),
        newton_(method == CV_BDF),
        absolute_(options.absolute_tolerance),
        controlled_(options.error_mask),
        state_(x0.begin(), x0.end()),
        offset_(system.size),
        x_known_(x0.begin(), x0.end()),
        rate_known_(system.size),
        curtis_reid_jacobian_(options, system.size),
        jacobian_(newton_ ? system.size : 0, newton_ ? system.size : 0),
        context_(create_context()),
        x_(created(N_VNew_Serial(static_cast<sunindextype>(system.size), context_.get()))),
        scratch_(created(N_VClone(x_.get()))),
        memory_(created(CVodeCreate(method, context_.get()))) {
    absolute_.resize(system.size, absolute_.front());
    controlled_.resize(system.size, controlled_.empty());
    std::copy(x0.begin(), x0.end(), values(x_.get()).begin());
    run_.shift_small_changes(options);
    set_up();
  }

  OdeResult solve();

 private:
  static std::span<double> values(N_Vector vector) {
    return {N_VGetArrayPointer(vector), static_cast<std::size_t>(N_VGetLength(vector))};
  }

  /// In the first step, of order 1, the solution changes by about the square root of the tolerance. CVODE's own rule
  /// starts from the smallest meaningful step, which is too small to be taken after every change.
  FirstStepRule restart_rule() const {
    return {.relative_change = 0.8 * std::sqrt(options_.relative_tolerance), .upper_limit = largest_};
  }

  /// \returns the state that CVODE's vector z stands for, x = z + offset: CVODE lets nobody change its history, but
  /// where after_step moves x a little, a shift of the whole history is a shift of the origin.
  std::span<const double> state_of(N_Vector z) {
    const std::span<const double> shifted = values(z);
    if (!shifted_) {
      return shifted;
    }
    std::transform(shifted.begin(), shifted.end(), offset_.begin(), state_.begin(), std::plus<>());
    return state_;
  }

  void set_up();
  void shift();
  void restart(double t);
  int evaluate(double t, std::span<const double> x, std::span<double> xdot);
  int form_jacobian(double t, std::span<const double> x, std::span<const double> xdot, double* columns);
  void weights(std::span<const double> x, std::span<double> out) const;
  void update_statistics();
  std::size_t dominant_component();
  void end(int flag, double smallest);

  /// CVODE is written in C: an exception must not pass through it.
  template <class Function>
  int guarded(const Function& function) {
    try {
      return function();
    } catch (...) {
      exception_ = std::current_exception();
      return -1;
    }
  }

  OdeRun run_;
  std::span<const double> tspan_;
  const OdeOptions& options_;
  ErrorNorm norm_;
  double largest_;
  bool newton_;
  std::vector<double> absolute_;
  std::vector<bool> controlled_;
  bool shifted_ = false;
  std::vector<double> state_;
  std::vector<double> offset_;
  /// Where f is known before CVODE asks for it: at a start or restart.
  double t_known_ = OdeOptions::kUnset;
  std::vector<double> x_known_;
  std::vector<double> rate_known_;
  CurtisReidJacobian curtis_reid_jacobian_;
  Eigen::MatrixXd jacobian_;
  OwnedContext context_;
  OwnedVector x_;
  OwnedVector scratch_;
  OwnedMatrix matrix_;
  OwnedLinearSolver linear_solver_;
  OwnedNonlinearSolver fixed_point_;
  OwnedMemory memory_;
  /// Of the restarts so far, since CVODE's counters begin anew with each.
  OdeStatistics before_restart_;
  Evaluation last_ = Evaluation::ok;
  std::exception_ptr exception_;
  std::string complaint_;
};

void Cvode::set_up() {
  void* memory = memory_.get();
  const auto rate = [](sunrealtype t, N_Vector x, N_Vector xdot, void* self) {
    return static_cast<Cvode*>(self)->evaluate(t, static_cast<Cvode*>(self)->state_of(x), values(xdot));
  };
  const auto weigh = [](N_Vector x, N_Vector out, void* self) {
    static_cast<Cvode*>(self)->weights(static_cast<Cvode*>(self)->state_of(x), values(out));
    return 0;
  };
  const auto jacobian = [](sunrealtype t, N_Vector x, N_Vector xdot, SUNMatrix out, void* self, N_Vector, N_Vector,
                           N_Vector) {
    return static_cast<Cvode*>(self)->form_jacobian(t, static_cast<Cvode*>(self)->state_of(x), values(xdot),
                                                    SUNDenseMatrix_Data(out));
  };
  require(CVodeInit(memory, rate, tspan_.front(), x_.get()), "the initial state");
  keep_complaints(context_.get(), memory, complaint_);
  require(CVodeSetUserData(memory, this), "the user data");
  require(CVodeWFtolerances(memory, weigh), "the weights");
  if (newton_) {
    const sunindextype size = N_VGetLength(x_.get());
    matrix_.reset(created(SUNDenseMatrix(size, size, context_.get())));
    linear_solver_.reset(created(SUNLinSol_Dense(x_.get(), matrix_.get(), context_.get())));
    require(CVodeSetLinearSolver(memory, linear_solver_.get(), matrix_.get()), "the linear solver");
    require(CVodeSetJacFn(memory, jacobian), "the Jacobian");
  } else {
    fixed_point_.reset(created(SUNNonlinSol_FixedPoint(x_.get(), 0, context_.get())));
    require(CVodeSetNonlinearSolver(memory, fixed_point_.get()), "the fixed-point iteration");
  }
  require(CVodeSetMaxErrTestFails(memory, kMostFailures), "the limit of error test failures");
  require(CVodeSetMaxConvFails(memory, kMostFailures), "the limit of convergence failures");
  require(CVodeSetStopTime(memory, tspan_.back()), "tf");
  if (!std::isnan(options_.initial_step)) {
    const double step = std::min(options_.initial_step, largest_);
    require(CVodeSetInitStep(memory, std::copysign(step, tspan_.back() - tspan_.front())), "the first step");
  }
  if (!std::isnan(options_.max_step)) {
    require(CVodeSetMaxStep(memory, options_.max_step), "the largest step");
  }
}

/// \returns 0, 1 for a failure that a smaller step may avoid, or -1: CVODE's meaning of a right-hand side's result.
int Cvode::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  return guarded([&] {
    if (t == t_known_ && std::equal(x.begin(), x.end(), x_known_.begin())) {
      std::copy(rate_known_.begin(), rate_known_.end(), xdot.begin());
      return 0;
    }
    last_ = run_.evaluate(t, x, xdot);
    return last_ == Evaluation::ok ? 0 : (last_ == Evaluation::not_finite ? 1 : -1);
  });
}

int Cvode::form_jacobian(double t, std::span<const double> x, std::span<const double> xdot, double* columns) {
  return guarded([&] {
    last_ = curtis_reid_jacobian_.form(run_, t, x, xdot, jacobian_);
    std::copy(jacobian_.data(), jacobian_.data() + jacobian_.size(), columns);
    return last_ == Evaluation::ok ? 0 : (last_ == Evaluation::not_finite ? 1 : -1);
  });
}

/// CVODE divides the sum of squares by the number of all components; the weights put in the number that is meant.
void Cvode::weights(std::span<const double> x, std::span<double> out) const {
  const double size = static_cast<double>(x.size());
  double count = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    count += controlled_[i] ? 1.0 : 0.0;
    squares += controlled_[i] ? x[i] * x[i] : 0.0;
  }
  const double factor = std::sqrt(options_.norm_control ? size : size / count);
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double magnitude = options_.norm_control ? norm : std::abs(x[i]);
    out[i] = controlled_[i] ? factor / (options_.relative_tolerance * magnitude + absolute_[i]) : 0.0;
  }
}

void Cvode::update_statistics() {
  long error_failures = 0, unsolved = 0, iterations = 0, setups = 0;
  CVodeGetNumErrTestFails(memory_.get(), &error_failures);
  CVodeGetNumStepSolveFails(memory_.get(), &unsolved);
  CVodeGetNumNonlinSolvIters(memory_.get(), &iterations);
  CVodeGetNumLinSolvSetups(memory_.get(), &setups);
  OdeStatistics& statistics = run_.statistics();
  statistics.nfailed = before_restart_.nfailed + static_cast<std::size_t>(error_failures + unsolved);
  statistics.niterations = before_restart_.niterations + static_cast<std::size_t>(iterations);
  statistics.ndecomps = newton_ ? before_restart_.ndecomps + static_cast<std::size_t>(setups) : 0;
  statistics.nsolves = newton_ ? statistics.niterations : 0;
}

std::size_t Cvode::dominant_component() {
  CVodeGetEstLocalErrors(memory_.get(), scratch_.get());
  std::vector<double> ratio(x_known_.size());
  weights(state_of(x_.get()), ratio);
  for (std::size_t i = 0; i < ratio.size(); ++i) {
    ratio[i] *= std::abs(values(scratch_.get())[i]);
  }
  return static_cast<std::size_t>(std::max_element(ratio.begin(), ratio.end()) - ratio.begin());
}

void Cvode::end(int flag, double smallest) {
  if (last_ == Evaluation::not_finite) {
    run_.end_not_finite();
  } else if (flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE) {
    run_.end_step_too_small(smallest, dominant_component(), "error");
  } else {
    run_.end_method_failed(fmt::format("CVODE: {}", complaint_));
  }
}

/// after_step may have moved the state x_known_ away from z + offset.
void Cvode::shift() {
  const std::span<const double> z = values(x_.get());
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (x_known_[i] != z[i] + offset_[i]) {
      offset_[i] = x_known_[i] - z[i];
      shifted_ = true;
    }
  }
}

/// From x_known_, where the derivative is rate_known_.
void Cvode::restart(double t) {
  const double tf = tspan_.back();
  std::copy(x_known_.begin(), x_known_.end(), values(x_.get()).begin());
  std::fill(offset_.begin(), offset_.end(), 0.0);
  shifted_ = false;
  t_known_ = t;
  before_restart_ = run_.statistics();
  require(CVodeReInit(memory_.get(), t, x_.get()), "a restart");
  require(CVodeSetStopTime(memory_.get(), tf), "tf");
  const double step = first_step(t, x_known_, rate_known_, options_, norm_, largest_, restart_rule());
  require(CVodeSetInitStep(memory_.get(), std::copysign(std::min(step, std::abs(tf - t)), tf - t)), "a first step");
}

OdeResult Cvode::solve() {
  if (!run_.start(rate_known_)) {
    return run_.take();
  }
  const double tf = tspan_.back();
  double t = tspan_.front();
  t_known_ = t;
  while (t != tf) {
    const double smallest = std::min(smallest_step(t), std::abs(tf - t));
    require(CVodeSetMinStep(memory_.get(), smallest), "the smallest step");
    double t_new = t;
    const int flag = CVode(memory_.get(), tf, x_.get(), &t_new, CV_ONE_STEP);
    t_known_ = OdeOptions::kUnset;
    double size = 0.0;
    CVodeGetActualInitStep(memory_.get(), &size);
    run_.begin_attempt(std::abs(size));
    if (exception_) {
      std::rethrow_exception(exception_);
    }
    update_statistics();
    if (flag < 0) {
      if (last_ != Evaluation::ended) {
        end(flag, smallest);
      }
      return run_.take();
    }
    t = flag == CV_TSTOP_RETURN ? tf : t_new;
    const auto interpolate = [&](double t_sample, std::vector<double>& out) {
      CVodeGetDky(memory_.get(), t_sample, 0, scratch_.get());
      const std::span<const double> sample = state_of(scratch_.get());
      std::copy(sample.begin(), sample.end(), out.begin());
    };
    const std::span<const double> x = state_of(x_.get());
    std::copy(x.begin(), x.end(), x_known_.begin());
    if (!run_.accept(t, x_known_, rate_known_, interpolate)) {
      return run_.take();
    }
    if (run_.restart_needed() && t != tf) {
      restart(t);
    } else {
      shift();
    }
  }
  return run_.take();
}

}  // namespace

OdeResult cvode_adams(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink) {
  return Cvode(CV_ADAMS, system, tspan, x0, options, sink).solve();
}

OdeResult cvode_bdf(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                    const OdeOptions& options, OdeSink& sink) {
  return Cvode(CV_BDF, system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
