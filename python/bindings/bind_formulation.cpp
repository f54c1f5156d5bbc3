#include <fmt/format.h>
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/gradients/numbers/rate_parameter_names.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "formulations/batches/state_batch.hpp"
#include "python/bindings/number_arrays.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

/// A formulation as Python holds it; Python keeps the mechanism alive as long as this.
struct FormulationHandle {
  std::string word;  ///< that chose it, "hdca[gauge=leak]"
  std::unique_ptr<Formulation> formulation;
  std::unique_ptr<StateBatch> batch;  ///< once many states were asked for at a time
};

/// Observation and Reactions of one state, named.
struct StateObservation {
  Observation of;
  std::map<std::string, Vec3> marker_positions;
  std::map<std::string, Vec3> marker_velocities;
  std::map<std::string, Vec6> reactions;
};

std::size_t q_size(const FormulationHandle& handle) {
  return static_cast<std::size_t>(handle.formulation->mechanism().q_size());
}

std::size_t u_size(const FormulationHandle& handle) {
  return static_cast<std::size_t>(handle.formulation->mechanism().u_size());
}

void construct(FormulationHandle* place, const Mechanism& mechanism, const std::string& word) {
  const FormulationChoice choice = choose_formulation(registries().formulations, word);
  require_memory(*choice.entry, mechanism);
  new (place) FormulationHandle{
      word, make_formulation(registries().formulations, *choice.entry, mechanism, choice.options), nullptr};
}

/// \returns whether memory is shared: what is written would change what is still to be read.
bool overlap(std::span<const double> read, std::span<const double> written) {
  const std::less<const double*> before;
  return before(read.data(), written.data() + written.size()) && before(written.data(), read.data() + read.size());
}

/// \param copy of the numbers where they are about to be written over \returns what can be read meanwhile
std::span<const double> apart_from(std::span<const double> written, std::span<const double> read,
                                   std::vector<double>& copy) {
  if (!overlap(read, written)) {
    return read;
  }
  copy.assign(read.begin(), read.end());
  return copy;
}

/// x' of every row, and what became of each.
struct BatchAnswer {
  nb::object rates;
  std::vector<RhsStatus> statuses;
};

BatchAnswer evaluate_rows(FormulationHandle& handle, double t, NumbersArgument x, const nb::object& out, int threads) {
  constexpr int kMostThreads = 1024;
  if (threads < 1 || threads > kMostThreads) {
    throw nb::value_error(fmt::format("threads: is {}; 1 to {} are taken", threads, kMostThreads).c_str());
  }
  Formulation& formulation = *handle.formulation;
  const std::size_t size = formulation.state_size();
  const std::span<const double> states = x.rows("x", size);
  if (size == 0) {
    throw nb::value_error("x: nothing moves, states have no components; rows of them are not taken");
  }
  const std::size_t count = states.size() / size;
  if (count == 0) {
    throw nb::value_error(
        fmt::format("x: has shape (0, {}), no states; K rows are wanted, K at least 1", size).c_str());
  }
  std::vector<double> own(out.is_none() ? states.size() : 0);
  const std::span<double> rates = out.is_none() ? std::span<double>(own) : writable_rows(out, "out", count, size);
  BatchAnswer answer;
  answer.statuses.resize(count);
  if (!handle.batch || handle.batch->threads() != threads) {
    handle.batch = std::make_unique<StateBatch>(formulation, threads);
  }
  std::vector<double> copy;
  const std::span<const double> read = apart_from(rates, states, copy);
  {
    const nb::gil_scoped_release release;
    handle.batch->rhs(t, read, rates, answer.statuses);
  }
  for (std::size_t k = 0; k < count; ++k) {
    // As a single state is refused, whether or not its rates depend on that number.
    if (answer.statuses[k].ok) {
      answer.statuses[k] = status_of_state(formulation.layout(), read.subspan(k * size, size));
    }
    if (!answer.statuses[k].ok) {
      std::fill_n(rates.begin() + static_cast<std::ptrdiff_t>(k * size), size,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
  answer.rates = out.is_none() ? nb::cast(array_of(std::move(own), {count, size})) : out;
  return answer;
}

nb::tuple rhs_batch(FormulationHandle& handle, double t, NumbersArgument x, const nb::object& out, int threads) {
  const BatchAnswer answer = evaluate_rows(handle, t, std::move(x), out, threads);
  nb::dict failures;
  for (std::size_t k = 0; k < answer.statuses.size(); ++k) {
    if (!answer.statuses[k].ok) {
      failures[nb::cast(k)] = answer.statuses[k].message();
    }
  }
  return nb::make_tuple(answer.rates, failures);
}

/// Of two dimensions: all rows must have a right-hand side.
nb::object rhs_of_rows(FormulationHandle& handle, double t, NumbersArgument x, const nb::object& out) {
  const BatchAnswer answer = evaluate_rows(handle, t, std::move(x), out, 1);
  for (std::size_t k = 0; k < answer.statuses.size(); ++k) {
    if (!answer.statuses[k].ok) {
      throw RightHandSideFailure(
          fmt::format("state {}: {}; rhs_batch goes on with the others", k, answer.statuses[k].message()));
    }
  }
  return answer.rates;
}

nb::object rhs(FormulationHandle& handle, double t, NumbersArgument x, const nb::object& out) {
  const std::size_t dimensions = x.dimensions("x");
  if (dimensions > 2) {
    throw nb::value_error(
        fmt::format("x: has {} dimensions; one is wanted, or two of rows of states", dimensions).c_str());
  }
  if (dimensions == 2) {
    return rhs_of_rows(handle, t, std::move(x), out);
  }
  Formulation& formulation = *handle.formulation;
  const std::span<const double> state = x.numbers("x", formulation.state_size());
  if (!out.is_none()) {
    const std::span<double> rates = writable_numbers(out, "out", formulation.state_size());
    std::vector<double> copy;
    require_ok(formulation.rhs(t, apart_from(rates, state, copy), rates));
    return out;
  }
  std::vector<double> xdot(formulation.state_size());
  require_ok(formulation.rhs(t, state, xdot));
  return nb::cast(array_of(std::move(xdot)));
}

void require_derivatives(const Formulation& formulation) {
  if (const std::string reason = formulation.without_jacobian(); !reason.empty()) {
    throw nb::value_error(reason.c_str());
  }
}

NumberArray jacobian(FormulationHandle& handle, double t, NumbersArgument x) {
  Formulation& formulation = *handle.formulation;
  require_derivatives(formulation);
  const std::size_t size = formulation.state_size();
  std::vector<double> rows(size * size);
  require_ok(formulation.jacobian(t, x.numbers("x", size), rows));
  return array_of(std::move(rows), {size, size});
}

using JacobianProduct = RhsStatus (Formulation::*)(double, std::span<const double>, std::span<const double>,
                                                   std::span<double>);

/// \param name of the factor, for messages
NumberArray jacobian_product(FormulationHandle& handle, double t, NumbersArgument x, NumbersArgument factor,
                             std::string_view name, JacobianProduct product) {
  Formulation& formulation = *handle.formulation;
  require_derivatives(formulation);
  const std::size_t size = formulation.state_size();
  std::vector<double> result(size);
  require_ok((formulation.*product)(t, x.numbers("x", size), factor.numbers(name, size), result));
  return array_of(std::move(result));
}

NumberArray jacobian_vector(FormulationHandle& handle, double t, NumbersArgument x, NumbersArgument direction) {
  return jacobian_product(handle, t, std::move(x), std::move(direction), "direction", &Formulation::jacobian_vector);
}

NumberArray vector_jacobian(FormulationHandle& handle, double t, NumbersArgument x, NumbersArgument weights) {
  return jacobian_product(handle, t, std::move(x), std::move(weights), "weights", &Formulation::vector_jacobian);
}

NumberArray parameter_jacobian(FormulationHandle& handle, double t, NumbersArgument x,
                               const std::vector<std::string>& parameters) {
  Formulation& formulation = *handle.formulation;
  require_derivatives(formulation);
  const std::vector<RateParameter> asked = gradients::rate_parameters_of_names(formulation.mechanism(), parameters);
  const std::size_t size = formulation.state_size();
  std::vector<double> rows(size * asked.size());
  require_ok(formulation.parameter_jacobian(t, x.numbers("x", size), asked, rows));
  return array_of(std::move(rows), {size, asked.size()});
}

nb::tuple weighted_derivatives(FormulationHandle& handle, double t, NumbersArgument x, NumbersArgument weights) {
  Formulation& formulation = *handle.formulation;
  require_derivatives(formulation);
  const Mechanism& mechanism = formulation.mechanism();
  const std::size_t size = formulation.state_size();
  std::vector<double> by_state(size);
  std::vector<double> forces(static_cast<std::size_t>(mechanism.u_size()));
  std::vector<double> masses(mechanism.bodies().size());
  std::vector<double> lengths(mechanism.tree_joints().size());
  require_ok(formulation.weighted_derivatives(t, x.numbers("x", size), weights.numbers("weights", size), by_state,
                                              {forces, masses, lengths}));
  nb::dict by_parameter;
  for (const gradients::NamedRateParameter& one : gradients::rate_parameters(mechanism)) {
    switch (one.parameter.kind) {
      case ParameterKind::joint_force:
        by_parameter[one.name.c_str()] = forces[one.place];
        break;
      case ParameterKind::mass:
        by_parameter[one.name.c_str()] = masses[one.place];
        break;
      case ParameterKind::length:
        by_parameter[one.name.c_str()] = lengths[one.place];
        break;
      case ParameterKind::stiffness:
      case ParameterKind::damping:
        break;
    }
  }
  return nb::make_tuple(array_of(std::move(by_state)), by_parameter);
}

NumberArray pack(FormulationHandle& handle, NumbersArgument q, NumbersArgument u, double t) {
  std::vector<double> x(handle.formulation->state_size());
  require_ok(handle.formulation->pack(t, q.numbers("q", q_size(handle)), u.numbers("u", u_size(handle)), x));
  return array_of(std::move(x));
}

std::pair<NumberArray, NumberArray> unpack(FormulationHandle& handle, NumbersArgument x, double t) {
  std::vector<double> q(q_size(handle));
  std::vector<double> u(u_size(handle));
  require_ok(handle.formulation->unpack(t, x.numbers("x", handle.formulation->state_size()), q, u));
  return {array_of(std::move(q)), array_of(std::move(u))};
}

StateObservation observe(FormulationHandle& handle, double t, NumbersArgument x) {
  Formulation& formulation = *handle.formulation;
  const Mechanism& mechanism = formulation.mechanism();
  const std::span<const double> state = x.numbers("x", formulation.state_size());
  StateObservation result;
  Reactions reactions;
  require_ok(formulation.observe(t, state, result.of));
  require_ok(formulation.reactions(t, state, reactions));
  for (std::size_t i = 0; i < mechanism.markers().size(); ++i) {
    result.marker_positions[mechanism.markers()[i].name] = result.of.marker_positions[i];
    result.marker_velocities[mechanism.markers()[i].name] = result.of.marker_velocities[i];
  }
  for (std::size_t k = 0; k < reactions.tree_joints.size(); ++k) {
    result.reactions[mechanism.tree_joints()[k].name] = reactions.tree_joints[k];
  }
  for (std::size_t k = 0; k < reactions.cut_joints.size(); ++k) {
    result.reactions[mechanism.cut_joints()[k].name] = reactions.cut_joints[k];
  }
  return result;
}

void bind_observation(nb::module_& module) {
  const auto number = [](double Observation::*member) {
    return [member](const StateObservation& observation) { return observation.of.*member; };
  };
  nb::class_<StateObservation>(module, "Observation", "What there is to see of a state; SI units, world axes.")
      .def_prop_ro("kinetic", [](const StateObservation& state) { return state.of.energies.kinetic; })
      .def_prop_ro("potential", [](const StateObservation& state) { return state.of.energies.potential; })
      .def_prop_ro("total", [](const StateObservation& state) { return state.of.energies.total(); })
      .def_prop_ro("linear_momentum", [](const StateObservation& state) { return state.of.linear_momentum; })
      .def_prop_ro(
          "angular_momentum", [](const StateObservation& state) { return state.of.angular_momentum; },
          "About the origin of the world.")
      .def_prop_ro("position_residual", number(&Observation::position_residual), "max |Phi|")
      .def_prop_ro("velocity_residual", number(&Observation::velocity_residual), "max |Phi'|")
      .def_ro("marker_positions", &StateObservation::marker_positions)
      .def_ro("marker_velocities", &StateObservation::marker_velocities)
      .def_ro("reactions", &StateObservation::reactions,
              "Force and torque [f; n] of each joint's constraints on its outboard body; empty where a formulation has "
              "none.");
}

}  // namespace

void bind_formulation(nb::module_& module) {
  nb::class_<StateComponent>(module, "StateComponent", "One component of a state.")
      .def_ro("name", &StateComponent::name)
      .def_prop_ro(
          "kind", [](const StateComponent& component) { return std::string(to_string(component.kind)); },
          "position, quaternion, velocity or momentum")
      .def_ro("joint", &StateComponent::joint)
      .def_ro("constant", &StateComponent::constant, "Says what others mean; no coordinate.")
      .def("__repr__", [](const StateComponent& component) {
        return fmt::format("<{} {}>", to_string(component.kind), component.name);
      });
  bind_observation(module);
  nb::class_<FormulationHandle>(module, "Formulation",
                                "Equations of motion x' = f(t, x) of one mechanism. Use one instance in a thread.")
      .def("__init__", &construct, nb::arg("mechanism"), nb::arg("formulation"), nb::keep_alive<1, 2>(),
           "`formulation`: a key with options, \"hdca[gauge=leak]\".")
      .def("rhs", &rhs, nb::arg("t"), nb::arg("x"), nb::arg("out") = nb::none(),
           nb::sig(
               "def rhs(self, t: float, x: numpy.typing.ArrayLike, out: numpy.ndarray | None = None) -> numpy.ndarray"),
           "x' at (t, x), in `out` where it is given; of an array of shape (K, state_size) those of K states, "
           "at least one. RightHandSideError where there is none.")
      .def(
          "rhs_batch", &rhs_batch, nb::arg("t"), nb::arg("x"), nb::arg("out") = nb::none(), nb::arg("threads") = 1,
          nb::sig("def rhs_batch(self, t: float, x: numpy.typing.ArrayLike, out: numpy.ndarray | None = None, threads: "
                  "int = 1) -> tuple[numpy.ndarray, dict[int, str]]"),
          "(x', failures) of K states, at least one, an array of shape (K, state_size): open trees of aba, naudet, "
          "naudet-acc and "
          "bae-haug and loops of bae-haug, dca, hdca and naudet side by side in the lanes of the registers, other "
          "states one after another; threads share them. "
          "Rows of states without a right-hand side are NaN, and `failures` has their message by row.")
      .def("jacobian", &jacobian, nb::arg("t"), nb::arg("x"),
           "Exact derivatives of x' with respect to x, an array of shape (state_size, state_size). ValueError says "
           "why, where a formulation has none of a mechanism.")
      .def("jacobian_vector", &jacobian_vector, nb::arg("t"), nb::arg("x"), nb::arg("direction"),
           "The derivatives of `jacobian` times a direction, at two to four right-hand sides.")
      .def("vector_jacobian", &vector_jacobian, nb::arg("t"), nb::arg("x"), nb::arg("weights"),
           "Weights times the derivatives of `jacobian`, at the cost of `jacobian_vector`.")
      .def("parameter_jacobian", &parameter_jacobian, nb::arg("t"), nb::arg("x"), nb::arg("parameters"),
           "Exact derivatives of x' by parameters, an array of shape (state_size, number of parameters): "
           "'force.JOINT', 'force.JOINT.2', 'mass.BODY', 'stiffness.SPRING', 'damping.SPRING', 'length.JOINT'. "
           "ValueError for a name that is not there, MechanismError for a length that does not move its joint.")
      .def("weighted_derivatives", &weighted_derivatives, nb::arg("t"), nb::arg("x"), nb::arg("weights"),
           nb::sig("def weighted_derivatives(self, t: float, x: numpy.typing.ArrayLike, weights: "
                   "numpy.typing.ArrayLike) -> tuple[numpy.ndarray, dict[str, float]]"),
           "(by x, by parameters): weights times the derivatives of x' by the state, and by the forces in all tree "
           "joints, all masses and all lengths of links, by the names of `parameter_jacobian`, in one pass.")
      .def("pack", &pack, nb::arg("q"), nb::arg("u"), nb::arg("t") = 0.0,
           "The state of coordinates and quasi-velocities of the tree joints, which satisfy the constraints.")
      .def("unpack", &unpack, nb::arg("x"), nb::arg("t") = 0.0, "(q, u) of a state.")
      .def("observe", &observe, nb::arg("t"), nb::arg("x"), "Energies, momenta, residuals, markers and reactions.")
      .def_prop_ro("word", [](const FormulationHandle& handle) { return handle.word; })
      .def_prop_ro(
          "mechanism", [](const FormulationHandle& handle) { return &handle.formulation->mechanism(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro("state_size", [](const FormulationHandle& handle) { return handle.formulation->state_size(); })
      .def_prop_ro(
          "layout",
          [](const FormulationHandle& handle) {
            const std::span<const StateComponent> layout = handle.formulation->layout();
            return std::vector<StateComponent>(layout.begin(), layout.end());
          },
          "Names and kinds of the state's components.")
      .def_prop_ro(
          "rhs_calls",
          [](const FormulationHandle& handle) {
            return handle.formulation->rhs_calls() + (handle.batch ? handle.batch->further_calls() : 0);
          },
          "Right-hand sides evaluated so far.")
      .def_prop_ro(
          "states_alone",
          [](const FormulationHandle& handle) {
            return handle.formulation->states_alone() + (handle.batch ? handle.batch->further_states_alone() : 0);
          },
          "How many states of `rhs_batch` lanes did not take, which went one after another.")
      .def("__repr__", [](const FormulationHandle& handle) {
        return fmt::format("<mbdbench.Formulation {} of '{}', {} components>", handle.word,
                           handle.formulation->mechanism().name(), handle.formulation->state_size());
      });
}

}  // namespace mbdbench::python
