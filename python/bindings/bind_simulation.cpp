#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/simulation/judged_run.hpp"
#include "python/bindings/number_arrays.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

/// Keeps every sample as the rows of matrices, and lets Python's signal handlers run now and then.
class RunRecorder : public OdeSink {
 public:
  explicit RunRecorder(Formulation& formulation)
      : formulation_(formulation),
        q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
        u_(static_cast<std::size_t>(formulation.mechanism().u_size())) {}

  bool sample(double t, std::span<const double> x) override {
    if (const RhsStatus status = formulation_.unpack(t, x, q_, u_); !status.ok) {
      throw std::runtime_error(fmt::format("the coordinates at t = {} cannot be computed: {}", t, status.message()));
    }
    t_all_.push_back(t);
    x_all_.insert(x_all_.end(), x.begin(), x.end());
    q_all_.insert(q_all_.end(), q_.begin(), q_.end());
    u_all_.insert(u_all_.end(), u_.begin(), u_.end());
    return true;
  }

  bool step(double /*t*/, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    constexpr auto kPeriod = std::chrono::milliseconds(50);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_check_) {
      return true;
    }
    next_check_ = now + kPeriod;
    const nb::gil_scoped_acquire lock;
    interrupted_ = PyErr_CheckSignals() != 0;
    if (interrupted_) {
      error_.emplace();
    }
    return !interrupted_;
  }

  /// Throws what a signal handler raised, KeyboardInterrupt as a rule.
  void raise_interruption() {
    if (error_) {
      throw nb::python_error(*error_);
    }
  }

  [[nodiscard]] std::size_t samples() const { return t_all_.size(); }

  /// Moves the matrices out.
  void give(nb::dict& outcome) {
    const std::size_t rows = samples();
    outcome["t"] = array_of(std::move(t_all_));
    outcome["x"] = array_of(std::move(x_all_), {rows, formulation_.state_size()});
    outcome["q"] = array_of(std::move(q_all_), {rows, q_.size()});
    outcome["u"] = array_of(std::move(u_all_), {rows, u_.size()});
  }

 private:
  Formulation& formulation_;
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> t_all_;
  std::vector<double> x_all_;
  std::vector<double> q_all_;
  std::vector<double> u_all_;
  std::chrono::steady_clock::time_point next_check_;
  bool interrupted_ = false;
  std::optional<nb::python_error> error_;
};

/// The times go to the integrator as they are; those between the ends have no words on the command line.
std::vector<double> checked_times(std::span<const double> times) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (!(times[i] > times[i - 1])) {
      throw nb::value_error(
          fmt::format("times: entry {} is {} and not after {}; they must increase", i, times[i], times[i - 1]).c_str());
    }
  }
  if (times.size() < 2) {
    throw nb::value_error("times: has one entry; give the end alone, (start, end), or all times of samples");
  }
  return {times.begin(), times.end()};
}

/// \returns the fields of mbdbench.Simulation, the statistics as JSON.
nb::dict run(const Mechanism& mechanism, SimulateRequest request, NumbersArgument wanted_times) {
  std::vector<double> times = checked_times(wanted_times.numbers("times"));
  request.time = fmt::format("{}:{}", times.front(), times.back());
  const Registries known = registries();
  std::optional<nb::gil_scoped_release> unlocked(std::in_place);
  SimulateSetup setup = set_up_run(known, request, nullptr, &mechanism);
  setup.times = std::move(times);
  validate(ode_system(*setup.formulation), setup.times, setup.x0,
           ode_options(setup.options, setup.formulation->layout()));
  RunAccuracy accuracy(*setup.formulation);
  RunRecorder recorder(*setup.formulation);
  const JudgedRun judged = judged_run(setup, request, accuracy, {&recorder}, nullptr);
  const std::string statistics =
      run_statistics(setup, judged.result, accuracy, judged.verdict, recorder.samples()).dump();
  unlocked.reset();
  recorder.raise_interruption();
  nb::dict outcome;
  recorder.give(outcome);
  std::vector<std::string> names;
  for (const StateComponent& component : setup.formulation->layout()) {
    names.push_back(component.name);
  }
  outcome["names"] = names;
  outcome["status"] = std::string(judged.verdict.status);
  outcome["message"] = judged.verdict.message;
  outcome["notes"] = diagnostic_notes(accuracy);
  outcome["statistics"] = statistics;
  outcome["wall_time"] = judged.result.time.wall;
  return outcome;
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<SimulateRequest>(module, "SimulateRequest", "The words of `mbdbench simulate`.")
      .def(nb::init<>())
      .def_rw("formulation", &SimulateRequest::formulation)
      .def_rw("integrator", &SimulateRequest::integrator)
      .def_rw("relative_tolerance", &SimulateRequest::relative_tolerance)
      .def_rw("absolute_tolerances", &SimulateRequest::absolute_tolerances)
      .def_rw("fixed_step", &SimulateRequest::fixed_step)
      .def_rw("max_step", &SimulateRequest::max_step)
      .def_rw("initial_step", &SimulateRequest::initial_step)
      .def_rw("refine", &SimulateRequest::refine)
      .def_rw("max_evaluations", &SimulateRequest::max_evaluations)
      .def_rw("projection_tolerance", &SimulateRequest::projection_tolerance)
      .def_rw("jacobian", &SimulateRequest::jacobian)
      .def_prop_rw(
          "max_drift", [](const SimulateRequest& request) { return request.limits.drift; },
          [](SimulateRequest& request, std::optional<double> limit) { request.limits.drift = limit; })
      .def_prop_rw(
          "max_energy_error", [](const SimulateRequest& request) { return request.limits.energy_error; },
          [](SimulateRequest& request, std::optional<double> limit) { request.limits.energy_error = limit; });
  module.def("run", &run, nb::arg("mechanism"), nb::arg("request"), nb::arg("times"),
             "Runs without the interpreter's lock; mbdbench.simulate has the words.");
}

}  // namespace mbdbench::python
