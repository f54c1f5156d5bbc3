#include "formulations/naudet/dependent_choice.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

struct Pivot {
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  double size = 0.0;
};

/// \returns the largest entry of the rows that are left, in columns that are `usable`.
/// \param reach entries are divided by it \param least smaller entries do not count
Pivot largest_entry(const Eigen::MatrixXd& matrix, const std::vector<bool>& rows_left, const std::vector<bool>& usable,
                    const Eigen::VectorXd& reach, double least) {
  Pivot pivot;
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    if (!usable[static_cast<std::size_t>(column)]) {
      continue;
    }
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      const double size = std::abs(matrix(row, column));
      if (rows_left[static_cast<std::size_t>(row)] && size > least &&
          is_clearly_larger(size / reach[column], pivot.size)) {
        pivot = {row, column, size / reach[column]};
      }
    }
  }
  return pivot;
}

}  // namespace

DependentChoice choose_dependents(const Eigen::MatrixXd& phi_q, double size, const std::vector<bool>& allowed,
                                  const std::vector<bool>& preferred, const Eigen::VectorXd& reach,
                                  std::optional<std::size_t> most) {
  DependentChoice choice;
  if (phi_q.size() == 0) {
    return choice;
  }
  Eigen::MatrixXd left = phi_q;
  std::vector<bool> rows_left(static_cast<std::size_t>(phi_q.rows()), true);
  std::vector<bool> usable = allowed;
  std::vector<bool> first(allowed.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    first[i] = allowed[i] && preferred[i];
  }
  const double smallest = kDependentRank * size;
  const Eigen::VectorXd same = Eigen::VectorXd::Ones(phi_q.cols());
  while (choice.rows.size() < most.value_or(rows_left.size())) {
    const double largest = largest_entry(left, rows_left, usable, same, 0.0).size;
    if (!(largest > smallest)) {
      break;
    }
    const Pivot wanted = largest_entry(left, rows_left, first, reach, kDependentPreference * largest);
    const Pivot pivot =
        wanted.size > 0.0 ? wanted : largest_entry(left, rows_left, usable, reach, kDependentPreference * largest);
    choice.rows.push_back(static_cast<int>(pivot.row));
    choice.dependent.push_back(static_cast<int>(pivot.column));
    rows_left[static_cast<std::size_t>(pivot.row)] = false;
    usable[static_cast<std::size_t>(pivot.column)] = false;
    first[static_cast<std::size_t>(pivot.column)] = false;
    for (Eigen::Index row = 0; row < left.rows(); ++row) {
      if (rows_left[static_cast<std::size_t>(row)] && left(row, pivot.column) != 0.0) {
        left.row(row) -= left(row, pivot.column) / left(pivot.row, pivot.column) * left.row(pivot.row);
      }
    }
  }
  std::sort(choice.rows.begin(), choice.rows.end());
  std::sort(choice.dependent.begin(), choice.dependent.end());
  return choice;
}

}  // namespace mbdbench
