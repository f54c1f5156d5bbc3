#pragma once
/// \file
/// A Python function as a formulation: everything that takes formulations takes it, for a first version of one's own.
#include <nanobind/nanobind.h>

#include <string>

#include "formulations/formulation.hpp"

namespace mbdbench::python {

/// State (q, u). \param function (t, q, u) -> u', kept until `forget_prototypes`
/// \returns an entry whose key is `name` \throws nanobind::value_error for a name that is no key
FormulationEntry prototype_entry(const std::string& name, nanobind::callable function);

/// Lets go of all functions, at the end of the interpreter.
void forget_prototypes();

}  // namespace mbdbench::python
