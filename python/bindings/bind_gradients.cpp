#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "python/bindings/number_arrays.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

/// Lets Python's signal handlers run now and then while the interpreter's lock is not held.
class SignalWatch {
 public:
  void operator()() {
    constexpr auto kPeriod = std::chrono::milliseconds(50);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_check_) {
      return;
    }
    next_check_ = now + kPeriod;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  }

 private:
  std::chrono::steady_clock::time_point next_check_;
};

gradients::RunSettings watched(gradients::RunSettings settings) {
  settings.watch = SignalWatch();
  return settings;
}

/// A run with its objective as Python holds it; Python keeps the mechanism alive as long as this.
struct GradientHandle {
  GradientHandle(const Mechanism& varied, gradients::VariedNumbers numbers, const gradients::RunSettings& settings)
      : mechanism(varied),
        run(registries().formulations, mechanism, std::move(numbers), watched(settings)),
        objective(mechanism, run.times()) {}

  /// \returns the values of a call. \throws nb::value_error where they do not fit
  std::span<const double> values(NumbersArgument& given) const { return given.numbers("values", run.numbers().size()); }

  const Mechanism& mechanism;
  gradients::DifferentiableRun run;
  gradients::SquareSum objective;
  bool has_objective = false;
};

/// \returns what the work gives, done without the interpreter's lock.
template <typename Work>
auto without_lock(const Work& work) {
  const nb::gil_scoped_release release;
  try {
    return work();
  } catch (const gradients::RunFailure& failure) {
    throw RightHandSideFailure(failure.what());
  }
}

void construct(GradientHandle* place, const Mechanism& mechanism, const std::string& formulation,
               const std::string& method, NumbersArgument times, std::optional<double> step,
               const std::vector<std::string>& parameters, const nb::dict& controls, double memory,
               std::optional<double> rtol, std::optional<double> atol, NumbersArgument land_on) {
  gradients::RunSettings settings;
  settings.formulation = formulation;
  settings.method = method;
  settings.step = step;
  settings.memory = memory;
  settings.relative_tolerance = rtol;
  settings.absolute_tolerance = atol;
  if (!land_on.given.is_none()) {
    const std::span<const double> landings = land_on.numbers("land_on");
    settings.land_on.assign(landings.begin(), landings.end());
  }
  if (nb::isinstance<nb::float_>(times.given) || nb::isinstance<nb::int_>(times.given)) {
    settings.tf = nb::cast<double>(times.given);
  } else {
    const std::span<const double> ends = times.numbers("times", 2);
    settings.t0 = ends[0];
    settings.tf = ends[1];
  }
  std::vector<gradients::Control> all;
  for (const auto [joint, knots] : controls) {
    NumbersArgument numbers;
    numbers.given = nb::borrow(knots);
    const std::string name = nb::cast<std::string>(joint);
    const std::span<const double> own = numbers.numbers("control '" + name + "'");
    all.push_back({name, {own.begin(), own.end()}});
  }
  gradients::VariedNumbers numbers(mechanism, parameters, std::move(all));
  without_lock([&] { new (place) GradientHandle(mechanism, std::move(numbers), settings); });
}

void require_objective(const GradientHandle& handle) {
  if (!handle.has_objective) {
    throw nb::value_error(
        "there is no objective yet; call track, target or control_cost first, or use adjoint with "
        "derivatives of your own");
  }
}

nb::tuple value_and_gradient(GradientHandle& handle, NumbersArgument values) {
  require_objective(handle);
  const std::span<const double> at = handle.values(values);
  gradients::RunGradient result = without_lock([&] { return handle.run.gradient(at, handle.objective); });
  return nb::make_tuple(result.value, array_of(std::move(result.gradient)));
}

double value(GradientHandle& handle, NumbersArgument values) {
  require_objective(handle);
  const std::span<const double> at = handle.values(values);
  return without_lock([&] { return handle.run.value(at, handle.objective); });
}

nb::tuple simulate(GradientHandle& handle, NumbersArgument values) {
  const std::span<const double> at = handle.values(values);
  gradients::Trajectory all = without_lock([&] { return handle.run.trajectory(at); });
  const std::size_t rows = all.t.size();
  const auto q_size = static_cast<std::size_t>(handle.mechanism.q_size());
  const auto u_size = static_cast<std::size_t>(handle.mechanism.u_size());
  return nb::make_tuple(array_of(std::move(all.t)), array_of(std::move(all.q), {rows, q_size}),
                        array_of(std::move(all.u), {rows, u_size}));
}

/// \returns its rows. \throws nanobind::value_error with the place of a number that is not finite
std::span<const double> finite_rows(NumbersArgument& argument, const char* name, std::size_t columns) {
  const std::span<const double> numbers = argument.rows(name, columns);
  const auto wrong =
      std::find_if_not(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  if (wrong != numbers.end()) {
    const auto place = static_cast<std::size_t>(wrong - numbers.begin());
    throw nb::value_error(
        fmt::format("{}: entry ({}, {}) is {}; all must be finite", name, place / columns, place % columns, *wrong)
            .c_str());
  }
  return numbers;
}

NumberArray along(GradientHandle& handle, NumbersArgument values, NumbersArgument directions) {
  require_objective(handle);
  const std::span<const double> at = handle.values(values);
  const std::span<const double> rows = finite_rows(directions, "directions", at.size());
  return array_of(without_lock([&] { return handle.run.along(at, rows, handle.objective).gradient; }));
}

NumberArray precise_along(GradientHandle& handle, NumbersArgument values, NumbersArgument directions) {
  require_objective(handle);
  const std::span<const double> at = handle.values(values);
  const std::span<const double> rows = finite_rows(directions, "directions", at.size());
  return array_of(without_lock([&] { return handle.run.precise_along(at, rows, handle.objective); }));
}

NumberArray adjoint(GradientHandle& handle, NumbersArgument values, NumbersArgument by_q, NumbersArgument by_u) {
  const std::span<const double> at = handle.values(values);
  const auto given = [](NumbersArgument& argument, const char* name, int columns) {
    return argument.given.is_none() ? std::span<const double>()
                                    : finite_rows(argument, name, static_cast<std::size_t>(columns));
  };
  gradients::GivenDerivatives derivatives(given(by_q, "by_q", handle.mechanism.q_size()),
                                          given(by_u, "by_u", handle.mechanism.u_size()));
  return array_of(without_lock([&] { return handle.run.gradient(at, derivatives).gradient; }));
}

std::vector<std::string> number_names(const GradientHandle& handle) {
  std::vector<std::string> names;
  for (const gradients::VariedNumber& number : handle.run.numbers().numbers()) {
    names.push_back(number.name);
  }
  return names;
}

}  // namespace

void bind_gradients(nb::module_& module) {
  nb::class_<GradientHandle>(
      module, "GradientRun",
      "A run by a Runge-Kutta method, and exact derivatives of an objective of it by parameters, start and controls "
      "(docs/using/gradients.md). Calling it with values gives (objective, gradient): "
      "scipy.optimize.minimize(run, run.start, jac=True). Use one instance in a thread.")
      .def("__init__", &construct, nb::arg("mechanism"), nb::arg("formulation") = "aba", nb::arg("method") = "rk4",
           nb::kw_only(), nb::arg("times"), nb::arg("step") = nb::none(),
           nb::arg("parameters") = std::vector<std::string>(), nb::arg("controls") = nb::dict(),
           nb::arg("memory") = 256e6, nb::arg("rtol") = nb::none(), nb::arg("atol") = nb::none(),
           nb::arg("land_on") = nb::none(), nb::keep_alive<1, 2>(),
           nb::sig("def __init__(self, mechanism: Mechanism, formulation: str = 'aba', method: str = 'rk4', *, times: "
                   "float | numpy.typing.ArrayLike, step: float | None = None, parameters: "
                   "collections.abc.Sequence[str] = (), controls: dict[str, numpy.typing.ArrayLike] = {}, memory: "
                   "float = 256e6, rtol: float | None = None, atol: float | None = None, land_on: "
                   "numpy.typing.ArrayLike | None = None) -> None"),
           "method: rk2, rk4, rkf45-fixed, implicit-midpoint, gauss4, gauss6 or trapezoidal, which need `step`; or "
           "ode23, ode45, rkf45, odeint-dopri5 or odeint-fehlberg78, which choose their steps by rtol (1e-6) and atol "
           "(as rtol) and end some at the times of land_on and of controls; that steps change with the values is left "
           "out of derivatives. times: the end, or (start, end). parameters: \"mass.BODY\", "
           "\"stiffness.SPRING\", \"damping.SPRING\", \"length.JOINT\", \"q.JOINT\", \"v.JOINT\" (of closed loops, "
           "others follow). controls: the times, for every joint with a force of its own, between which the force is "
           "linear. memory: bytes that may be kept of a run.")
      .def(
          "track",
          [](GradientHandle& handle, const std::string& marker, NumbersArgument times, NumbersArgument places,
             double weight) {
            handle.objective.add_track(marker, times.numbers("times"), places.rows("places", 3), weight);
            handle.has_objective = true;
          },
          nb::arg("marker"), nb::arg("times"), nb::arg("places"), nb::arg("weight") = 1.0,
          "Adds weight times the sum of the squared distances (m^2) of a marker from places, an array of shape "
          "(times, 3); the times must be ends of steps: those of land_on where the method chooses its steps.")
      .def(
          "target",
          [](GradientHandle& handle, const std::string& name, double wanted, double weight, bool running) {
            handle.objective.add_target(name, wanted, weight, running);
            handle.has_objective = true;
          },
          nb::arg("name"), nb::arg("value"), nb::arg("weight") = 1.0, nb::arg("running") = false,
          "Adds weight times the squared distance of \"q.JOINT\" or \"v.JOINT\" from a value: at the end, or running, "
          "summed over all steps, each times its length; where the method chooses its steps over the times of land_on "
          "and of controls, each times what lies before it.")
      .def(
          "control_cost",
          [](GradientHandle& handle, double weight) {
            handle.run.add_control_cost(weight);
            handle.has_objective = true;
          },
          nb::arg("weight"), "Adds weight times the integral of the squares of all controls.")
      .def("__call__", &value_and_gradient, nb::arg("values"),
           nb::sig("def __call__(self, values: numpy.typing.ArrayLike) -> tuple[float, numpy.ndarray]"),
           "(objective, gradient) by the adjoint.")
      .def("value", &value, nb::arg("values"), "The objective alone.")
      .def("simulate", &simulate, nb::arg("values"),
           nb::sig("def simulate(self, values: numpy.typing.ArrayLike) -> tuple[numpy.ndarray, numpy.ndarray, "
                   "numpy.ndarray]"),
           "(t, q, u) of the run, a row a step and one for the start. Other values may have other steps where the "
           "method chooses them.")
      .def("along", &along, nb::arg("values"), nb::arg("directions"),
           "Derivatives of the objective along rows of directions, by forward sensitivities.")
      .def("precise_along", &precise_along, nb::arg("values"), nb::arg("directions"),
           "The same by differences of the whole run in numbers of 113 bits, with equations of motion of their own: a "
           "check of gradients, some 0.1 ms a body and stage and more with loops. ValueError where it knows a "
           "mechanism, a load or a formulation's states not.")
      .def(
          "adjoint", &adjoint, nb::arg("values"), nb::arg("by_q") = nb::none(), nb::arg("by_u") = nb::none(),
          nb::sig("def adjoint(self, values: numpy.typing.ArrayLike, by_q: numpy.typing.ArrayLike | None = None, by_u: "
                  "numpy.typing.ArrayLike | None = None) -> numpy.ndarray"),
          "The gradient of an objective of your own, from its derivatives by q and u: arrays as `simulate` gives them.")
      .def(
          "mechanism",
          [](const GradientHandle& handle, NumbersArgument values) {
            const std::span<const double> at = handle.values(values);
            MechanismDescription description = handle.run.numbers().with(at).description();
            gradients::put_start(handle.mechanism, handle.run.numbers().start(at), description);
            return Mechanism(std::move(description));
          },
          nb::arg("values"), "The mechanism with these values, controls as tables over time.")
      .def_prop_ro("names", &number_names, "What the values are, in their order.")
      .def_prop_ro(
          "start", [](const GradientHandle& handle) { return array_of(handle.run.numbers().own_values()); },
          nb::rv_policy::move, "The mechanism's own values; controls are zero.")
      .def_prop_ro(
          "steps", [](const GradientHandle& handle) { return handle.run.times().count(); },
          "How many steps a run has; where they are chosen, at the mechanism's own values.")
      .def_prop_ro(
          "checkpoint_distance", [](const GradientHandle& handle) { return handle.run.checkpoint_distance(); },
          "How many steps apart states are kept; `steps` where all is kept.")
      .def("__repr__", [](const GradientHandle& handle) {
        return fmt::format("<mbdbench.GradientRun of '{}': {} steps, {} values>", handle.mechanism.name(),
                           handle.run.times().count(), handle.run.numbers().size());
      });
}

}  // namespace mbdbench::python
