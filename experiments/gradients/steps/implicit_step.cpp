#include "experiments/gradients/steps/implicit_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "experiments/gradients/steps/run_failure.hpp"
#include "experiments/simulation/simulation.hpp"
#include "integrators/symplectic/gauss_step.hpp"
#include "integrators/symplectic/trapezoidal_step.hpp"

namespace mbdbench::gradients {
namespace {

/// What both have: a system, and an integrator's run of one step.
template <typename Step>
class IntegratorStep : public ImplicitStep {
 public:
  explicit IntegratorStep(Formulation& formulation)
      : system_(ode_system(formulation, &formulation)), step_(options_, system_.size), rate_(system_.size) {}

  void solve(const StepInterval& step, std::span<const double> x, std::span<double> stages, std::span<double> rates,
             std::span<double> x_new) override {
    const std::array<double, 2> ends = {step.t, step.t + step.size};
    NullSink sink;
    OdeRun run(system_, ends, x, options_, sink, 1);
    if (!run.start(rate_)) {
      fail(run);
    }
    step_.forget();
    const Evaluation outcome = step_.step(run, step.t, step.size, x, rate_, x_new);
    if (outcome == Evaluation::not_finite) {
      run.end_not_finite();
    }
    if (outcome != Evaluation::ok) {
      fail(run);
    }
    if constexpr (requires { step_.rate(0); }) {
      for (std::size_t i = 0; i * x.size() < stages.size(); ++i) {
        step_.stage(i, step.size, x, stages.subspan(i * x.size(), x.size()));
        const std::span<const double> rate = step_.rate(i);
        std::copy(rate.begin(), rate.end(), rates.begin() + static_cast<std::ptrdiff_t>(i * x.size()));
      }
    } else {
      // The stages of the trapezoidal rule are the ends of the step.
      std::copy(x.begin(), x.end(), stages.begin());
      std::copy(x_new.begin(), x_new.end(), stages.begin() + static_cast<std::ptrdiff_t>(x.size()));
      std::copy(rate_.begin(), rate_.end(), rates.begin());
      const Evaluation at_end = run.evaluate(step.t + step.size, x_new, rates.subspan(x.size()));
      if (at_end == Evaluation::not_finite) {
        run.end_not_finite();
      }
      if (at_end != Evaluation::ok) {
        fail(run);
      }
    }
  }

 private:
  [[noreturn]] static void fail(OdeRun& run) { throw RunFailure(run.take().message); }

  OdeSystem system_;
  OdeOptions options_;
  Step step_;
  std::vector<double> rate_;
};

}  // namespace

std::unique_ptr<ImplicitStep> make_implicit_step(const StepMethod& method, Formulation& formulation) {
  if (method.explicit_stages > 0) {
    return std::make_unique<IntegratorStep<TrapezoidalStep>>(formulation);
  }
  switch (method.stage_count()) {
    case 1:
      return std::make_unique<IntegratorStep<GaussStep<1>>>(formulation);
    case 2:
      return std::make_unique<IntegratorStep<GaussStep<2>>>(formulation);
    case 3:
      return std::make_unique<IntegratorStep<GaussStep<3>>>(formulation);
    default:
      throw std::logic_error(fmt::format("no steps of '{}' are known", method.key));
  }
}

}  // namespace mbdbench::gradients
