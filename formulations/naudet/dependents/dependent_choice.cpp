#include "formulations/naudet/dependents/dependent_choice.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

struct Pivot {
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  double size = 0.0;
};

/// What elimination has left of Phi_q, and where it may have entries: rows of a long mechanism have few.
class RowsLeft {
 public:
  explicit RowsLeft(const Eigen::MatrixXd& phi_q)
      : matrix_(phi_q),
        columns_(static_cast<std::size_t>(phi_q.cols())),
        is_left_(static_cast<std::size_t>(phi_q.rows()), true) {
    for (Eigen::Index column = 0; column < phi_q.cols(); ++column) {
      for (Eigen::Index row = 0; row < phi_q.rows(); ++row) {
        if (phi_q(row, column) != 0.0) {
          columns_[static_cast<std::size_t>(column)].push_back(row);
        }
      }
    }
  }

  /// \returns the largest entry in columns that are `usable`. \param reach entries are divided by it \param least
  /// smaller entries do not count
  [[nodiscard]] Pivot largest(const std::vector<bool>& usable, const Eigen::VectorXd& reach, double least) const {
    Pivot pivot;
    for (Eigen::Index column = 0; column < matrix_.cols(); ++column) {
      if (!usable[static_cast<std::size_t>(column)]) {
        continue;
      }
      for (const Eigen::Index row : columns_[static_cast<std::size_t>(column)]) {
        const double size = std::abs(matrix_(row, column));
        if (is_left_[static_cast<std::size_t>(row)] && size > least &&
            is_clearly_larger(size / reach[column], pivot.size)) {
          pivot = {row, column, size / reach[column]};
        }
      }
    }
    return pivot;
  }

  /// Subtracts the pivot's row from all others, and takes it out.
  void eliminate(const Pivot& pivot) {
    is_left_[static_cast<std::size_t>(pivot.row)] = false;
    std::vector<Eigen::Index> reached;
    for (const Eigen::Index row : columns_[static_cast<std::size_t>(pivot.column)]) {
      if (is_left_[static_cast<std::size_t>(row)] && matrix_(row, pivot.column) != 0.0) {
        reached.push_back(row);
      }
    }
    for (Eigen::Index column = 0; column < matrix_.cols() && !reached.empty(); ++column) {
      const double entry = matrix_(pivot.row, column);
      if (entry != 0.0 && column != pivot.column) {
        add(reached, pivot, column, entry);
      }
    }
    for (const Eigen::Index row : reached) {
      matrix_(row, pivot.column) = 0.0;
    }
  }

 private:
  void add(const std::vector<Eigen::Index>& reached, const Pivot& pivot, Eigen::Index column, double entry) {
    std::vector<Eigen::Index>& rows = columns_[static_cast<std::size_t>(column)];
    for (const Eigen::Index row : reached) {
      const auto place = std::lower_bound(rows.begin(), rows.end(), row);
      if (place == rows.end() || *place != row) {
        rows.insert(place, row);
      }
      matrix_(row, column) -= matrix_(row, pivot.column) / matrix_(pivot.row, pivot.column) * entry;
    }
  }

  Eigen::MatrixXd matrix_;
  std::vector<std::vector<Eigen::Index>> columns_;  // rows that may have an entry, ascending
  std::vector<bool> is_left_;
};

}  // namespace

DependentChoice choose_dependents(const Eigen::MatrixXd& phi_q, double size, const std::vector<bool>& allowed,
                                  const std::vector<bool>& preferred, const Eigen::VectorXd& reach,
                                  std::optional<std::size_t> most) {
  DependentChoice choice;
  if (phi_q.size() == 0) {
    return choice;
  }
  RowsLeft left(phi_q);
  std::vector<bool> usable = allowed;
  std::vector<bool> first(allowed.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    first[i] = allowed[i] && preferred[i];
  }
  const double smallest = kDependentRank * size;
  const Eigen::VectorXd same = Eigen::VectorXd::Ones(phi_q.cols());
  while (choice.rows.size() < most.value_or(static_cast<std::size_t>(phi_q.rows()))) {
    const double largest = left.largest(usable, same, 0.0).size;
    if (!(largest > smallest)) {
      break;
    }
    const Pivot wanted = left.largest(first, reach, kDependentPreference * largest);
    const Pivot pivot = wanted.size > 0.0 ? wanted : left.largest(usable, reach, kDependentPreference * largest);
    choice.rows.push_back(static_cast<int>(pivot.row));
    choice.dependent.push_back(static_cast<int>(pivot.column));
    usable[static_cast<std::size_t>(pivot.column)] = false;
    first[static_cast<std::size_t>(pivot.column)] = false;
    left.eliminate(pivot);
  }
  std::sort(choice.rows.begin(), choice.rows.end());
  std::sort(choice.dependent.begin(), choice.dependent.end());
  return choice;
}

}  // namespace mbdbench
