#pragma once
/// \file
/// Functions and operators of formulas in 113 bits, with rates.
#include <span>
#include <string_view>
#include <vector>

#include "experiments/precise/numbers/precise_formula.hpp"

namespace mbdbench::precise {

/// Of one argument. \returns nothing callable for a name that is not known.
using RatedFunction = Rated (*)(const Rated& x, Pieces& pieces);
RatedFunction function_of_one(std::string_view name);

/// Of any number of them: min, max, sum, avg; of two: atan2. \returns nullptr for others
using RatedFunctionOfMany = Rated (*)(std::span<const Rated> x, Pieces& pieces);
RatedFunctionOfMany function_of_many(std::string_view name, std::size_t arguments);

Rated sum_of(const Rated& a, const Rated& b);
Rated difference_of(const Rated& a, const Rated& b);
Rated product_of(const Rated& a, const Rated& b);
Rated quotient_of(const Rated& a, const Rated& b);
/// \returns a^b; whole exponents take any base.
Rated power_of(const Rated& a, const Rated& b);

}  // namespace mbdbench::precise
