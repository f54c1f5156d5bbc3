#pragma once
/// \file
/// What the functions of the module share: the registries, to which Python's own formulations are added, and errors.
#include <nanobind/nanobind.h>

#include <stdexcept>

#include "experiments/registries/registries.hpp"

namespace mbdbench::python {

/// \returns the tables of the running interpreter. Changed and read under the interpreter's lock only.
Registries& registries();

/// RightHandSideError of Python: a right-hand side that could not be evaluated at a state.
class RightHandSideFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws RightHandSideFailure
void require_ok(const RhsStatus& status);

void bind_mechanism(nanobind::module_& module);
void bind_formulation(nanobind::module_& module);
void bind_gradients(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_verification(nanobind::module_& module);
void bind_prototype(nanobind::module_& module);

}  // namespace mbdbench::python
