#pragma once
/// \file
/// How large formulas may be that others have written.
#include <cstddef>

namespace mbdbench {

/// What muParser reads at most, letters.
inline constexpr std::size_t kLongestFormula = 4999;
/// Brackets, signs and choices within one another: a reader that calls itself for each needs kilobytes of stack.
inline constexpr std::size_t kDeepestFormula = 200;

}  // namespace mbdbench
