#include "mechanisms/model/loads/table_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mbdbench {

namespace {

/// \returns the first point behind x, which is inside the table.
std::size_t point_behind(const TableLaw& table, double x) {
  return static_cast<std::size_t>(std::upper_bound(table.abscissa.begin(), table.abscissa.end(), x) -
                                  table.abscissa.begin());
}

}  // namespace

double value_at(const TableLaw& table, double x) {
  if (std::isnan(x)) {  // compares with no entry: the search would end behind the table
    return x;
  }
  if (x <= table.abscissa.front()) {
    return table.values.front();
  }
  if (x >= table.abscissa.back()) {
    return table.values.back();
  }
  const std::size_t right = point_behind(table, x);
  const double weight = (x - table.abscissa[right - 1]) / (table.abscissa[right] - table.abscissa[right - 1]);
  return (1.0 - weight) * table.values[right - 1] + weight * table.values[right];
}

double slope_at(const TableLaw& table, double x) {
  if (std::isnan(x)) {
    return x;
  }
  if (x < table.abscissa.front() || x >= table.abscissa.back()) {
    return 0.0;
  }
  const std::size_t right = point_behind(table, x);
  return (table.values[right] - table.values[right - 1]) / (table.abscissa[right] - table.abscissa[right - 1]);
}

}  // namespace mbdbench
