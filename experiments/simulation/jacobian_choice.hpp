#pragma once
/// \file
/// Where implicit methods take df/dx from: the formulation's exact derivatives, or differences of f.
#include <string_view>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

enum class JacobianChoice {
  automatic,   ///< exact where the formulation has derivatives of this mechanism, else differences
  exact,       ///< refused where it has none; Gauss methods then solve their stages with it from the start
  differences  ///< as the programs of the papers, whose counts include the evaluations for them
};

/// \returns "auto", "exact", "differences".
std::string_view to_string(JacobianChoice choice);

/// \param origin for messages: "--jacobian", a file \throws std::invalid_argument for a text that names no choice
JacobianChoice parse_jacobian_choice(std::string_view text, std::string_view origin);

/// \returns whether the method is given exact derivatives; false for methods that need none.
/// \throws std::invalid_argument where exact ones are asked for and there are none: why, and what has them
bool takes_exact_jacobian(JacobianChoice choice, const OdeEntry& integrator, const Formulation& formulation);

}  // namespace mbdbench
