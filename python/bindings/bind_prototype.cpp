/// \file
/// A Python function as a formulation: everything that takes formulations takes it, for a first version of one's own.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "formulations/joint_state.hpp"
#include "python/bindings/number_arrays.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

/// What an entry, which is plain data, only refers to.
struct Prototype {
  std::string name;
  nb::object function;
  std::array<ParameterSpecification, 1> options;
};

/// Entries refer to elements: they stay where they are.
std::deque<Prototype>& prototypes() {
  static std::deque<Prototype> all;
  return all;
}

NumberArray copied(std::span<const double> numbers) {
  return array_of({numbers.begin(), numbers.end()});
}

class PrototypeFormulation final : public JointVelocityFormulation {
 public:
  PrototypeFormulation(const Mechanism& mechanism, const Prototype& prototype)
      : JointVelocityFormulation(mechanism), prototype_(&prototype) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<PrototypeFormulation>(mechanism(), *prototype_);
  }

  /// The function gives none: no joint's.
  RhsStatus reactions(double /*t*/, std::span<const double> /*x*/, Reactions& reactions) override {
    reactions = {};
    return {};
  }

 protected:
  /// Statuses of all states refer to their own texts.
  void evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                      std::span<RhsStatus> statuses) override {
    failures_.clear();
    in_batch_ = true;
    Formulation::evaluate_batch(t, states, rates, statuses);
    in_batch_ = false;
  }

  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (!in_batch_) {
      failures_.clear();
    }
    const std::span<const double> u = rate_of(x);
    set_coordinate_rates(q_of(x), u, xdot.first(q_of(x).size()));
    const nb::gil_scoped_acquire lock;
    std::string failure;
    try {
      // The function may keep what it gets: the spans are valid during this call only.
      NumbersArgument answer;
      answer.given = prototype_->function(t, copied(q_of(x)), copied(u));
      const std::span<const double> accelerations = answer.numbers("what the function returns", u.size());
      std::copy(accelerations.begin(), accelerations.end(), rate_of(xdot).begin());
      return {};
    } catch (const nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) {
        // Ctrl-C while Python was at work: raised again where the interpreter goes on.
        PyErr_SetInterrupt();
      }
      failure = fmt::format("{}: {}", nb::cast<std::string>(error.type().attr("__name__")),
                            nb::cast<std::string>(nb::str(error.value())));
    } catch (const std::exception& error) {
      failure = error.what();
    }
    failures_.push_back(fmt::format("prototype '{}': {}, at time", prototype_->name, failure));
    return {false, {}, failures_.back(), t};
  }

 private:
  const Prototype* prototype_;
  std::deque<std::string> failures_;  ///< of the last evaluation, or batch; statuses refer to elements, which stay
  bool in_batch_ = false;
};

std::string refuse(const Mechanism& /*mechanism*/) {
  return {};
}

std::unique_ptr<Formulation> make(const Mechanism& mechanism, const Parameters& options,
                                  const Execution& /*execution*/) {
  const nb::gil_scoped_acquire lock;
  return std::make_unique<PrototypeFormulation>(mechanism,
                                                prototypes()[static_cast<std::size_t>(options.integer("function"))]);
}

bool may_be_key(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
}

/// The function is kept until `forget_prototypes`. \returns an entry whose key is `name`
FormulationEntry prototype_entry(const std::string& name, nb::callable function) {
  if (!may_be_key(name)) {
    throw nb::value_error(
        fmt::format("'{}' cannot be the name of a formulation: letters, digits, - and _ can", name).c_str());
  }
  std::deque<Prototype>& all = prototypes();
  const auto place = static_cast<std::int64_t>(all.size());
  const auto function_place = static_cast<double>(place);
  all.push_back({name,
                 std::move(function),
                 {{{"function", place, "which Python function it is", function_place, function_place}}}});
  FormulationEntry entry;
  entry.key = all.back().name;
  entry.summary = "prototype: a Python function";
  entry.source = "prototype";
  entry.rate_kind = StateKind::velocity;
  entry.options = all.back().options;
  entry.refusal = refuse;
  entry.make = make;
  return entry;
}

/// Makes `function` a formulation that all functions of the module take under its name; the last one of a name counts.
void add_prototype(const std::string& name, nb::callable function) {
  std::vector<FormulationEntry>& entries = registries().formulations.entries;
  const FormulationEntry* const shipped = find_formulation(formulation_registry(), name);
  if (shipped != nullptr) {
    throw nb::value_error(fmt::format("'{}' is a formulation of the suite; choose another name", name).c_str());
  }
  const FormulationEntry added = prototype_entry(name, std::move(function));
  std::erase_if(entries, [&](const FormulationEntry& entry) { return entry.key == name; });
  entries.push_back(added);
}

/// Lets go of all functions, at the end of the interpreter.
void forget_prototypes() {
  for (Prototype& prototype : prototypes()) {
    prototype.function = nb::object();
  }
}

}  // namespace

void bind_prototype(nb::module_& module) {
  module.def("add_prototype", &add_prototype, nb::arg("name"), nb::arg("function"),
             "Makes a function (t, q, u) -> u' a formulation with the state (q, u) under this name.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&forget_prototypes));
}

}  // namespace mbdbench::python
