#pragma once
/// \file
/// Derivatives of formulas of time, as formulas: prescribed motions then need their position only.
#include <string>

namespace mbdbench {

/// Differentiates a formula that `Expression` reads, by the rules of calculus, and leaves out what is multiplied by
/// zero. Steps (sign, rint, comparisons) count as constant, abs, min, max and conditions are differentiated branch by
/// branch. The result is a formula of the same kind, usually longer. \param variable by which is differentiated ("t")
/// \throws ExpressionError for what cannot be read or has no derivative
std::string derivative_of(const std::string& formula, const std::string& variable);

}  // namespace mbdbench
