/// \file
/// The extension module mbdbench._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "experiments/records/provenance/build_information.hpp"
#include "experiments/terminal/standard_descriptors.hpp"
#include "mechanisms/io/file_error.hpp"
#include "python/bindings/session.hpp"

namespace nb = nanobind;

namespace mbdbench::python {
namespace {

/// \returns {key: summary} in the order in which they are listed.
template <class Entries>
nb::dict summaries(const Entries& entries) {
  nb::dict result;
  for (const auto& entry : entries) {
    result[nb::cast(std::string(entry.key))] = std::string(entry.summary);
  }
  return result;
}

using Summaries = nb::typed<nb::dict, nb::str, nb::str>;

void bind_registries(nb::module_& module) {
  module.def(
      "mechanisms", [] { return Summaries(summaries(registries().mechanisms)); },
      "Mechanisms of the catalogue: a line for each key.");
  module.def(
      "formulations", [] { return Summaries(summaries(registries().formulations)); },
      "Formulations, prototypes included: a line for each key.");
  module.def(
      "integrators", [] { return Summaries(summaries(registries().integrators)); },
      "Integrators: a line for each key.");
}

/// Whatever says that the input is wrong is a ValueError, as it is for the standard exceptions.
void bind_errors(nb::module_& module) {
  static nb::handle mechanism_error;
  mechanism_error = nb::exception<ModelError>(module, "MechanismError", PyExc_ValueError);
  nb::register_exception_translator([](const std::exception_ptr& error, void* /*payload*/) {
    try {
      std::rethrow_exception(error);
    } catch (const FileError& wrong) {
      PyErr_SetString(mechanism_error.ptr(), wrong.what());
    }
  });
  const nb::exception<RightHandSideFailure> right_hand_side_error(module, "RightHandSideError", PyExc_RuntimeError);
}

}  // namespace

Registries& registries() {
  static Registries all = default_registries();
  return all;
}

void require_ok(const RhsStatus& status) {
  if (!status.ok) {
    throw RightHandSideFailure(status.message());
  }
}

}  // namespace mbdbench::python

NB_MODULE(_core, module) {
  // Files that Python code opens through this module are opened by the library.
  mbdbench::open_standard_descriptors();
  module.doc() = "The library behind mbdbench; import mbdbench instead.";
  module.attr("__version__") = mbdbench::build_information().version;
  mbdbench::python::bind_errors(module);
  mbdbench::python::bind_registries(module);
  mbdbench::python::bind_mechanism(module);
  mbdbench::python::bind_formulation(module);
  mbdbench::python::bind_gradients(module);
  mbdbench::python::bind_simulation(module);
  mbdbench::python::bind_verification(module);
  mbdbench::python::bind_prototype(module);
}
