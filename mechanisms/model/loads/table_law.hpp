#pragma once
/// \file
/// Values of tables: linear between their points, constant outside.
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \returns the table's value at x; x itself where that is not a number.
double value_at(const TableLaw& table, double x);

/// \returns the derivative of that by x; at a point of the table that behind it.
double slope_at(const TableLaw& table, double x);

}  // namespace mbdbench
