#pragma once
/// \file
/// Phi_q of loops by rows, each with the components of u that move its loop, and the factors of its dependent columns.
///
/// A row of the factors has the columns from its first one to the last that elimination may fill. Columns stand loop
/// by loop, neighbours next to one another, since neighbours share columns: a loop of a ladder reaches over its own
/// columns and its neighbour's, however many loops there are.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

/// Phi_q,s, without zeros of components that do not move a row's loop.
struct LoopRows {
  struct Loop {
    std::vector<int> components;  ///< of u that move it
    int first_row = 0;
    int last_row = 0;  ///< behind it
  };
  struct Row {
    int loop = 0;
    double scale = 1.0;     ///< of the row (CharacteristicScales)
    std::size_t first = 0;  ///< of its entries: one for each of the components of its loop, in their order
  };
  /// An entry of one component.
  struct Place {
    int row = 0;
    std::size_t entry = 0;
  };
  std::vector<Loop> loops;
  std::vector<Row> rows;
  std::vector<std::vector<Place>> columns;  ///< by component of u
  std::vector<double> entries;

  /// \param components of u that move the loop \param scales one a row
  void add_loop(const std::vector<int>& components, std::span<const double> scales);
  [[nodiscard]] const std::vector<int>& components_of(int row) const {
    return loops[index_of(rows[index_of(row)].loop)].components;
  }
  [[nodiscard]] double* row(int row) { return entries.data() + rows[index_of(row)].first; }
  [[nodiscard]] const double* row(int row) const { return entries.data() + rows[index_of(row)].first; }
};

/// One entry of so many right sides.
using RightSides = Eigen::Array<double, 8, 1>;

/// L U of the dependent columns of LoopRows, with as many of the rows.
/// Allocates nothing after `use_dependent`, unless pivots of redundant rows fill more than it expects.
class DependentRows {
 public:
  explicit DependentRows(const LoopRows& phi_q);

  /// Chooses the order of the columns.
  /// \param dependent as many as the first time
  void use_dependent(const LoopRows& phi_q, std::span<const int> dependent);
  /// \returns the dependent components in the order of the columns.
  [[nodiscard]] std::span<const int> columns() const { return columns_; }
  /// \returns the column of a component of u, -1 where it does not depend.
  [[nodiscard]] int column_of(int component) const { return places_[index_of(component)]; }
  /// \returns the rows that the last `factorise` chose, by column.
  [[nodiscard]] std::span<const int> pivots() const { return pivots_; }
  /// \returns the column that the last `factorise` chose a row for, -1: none.
  [[nodiscard]] int pivot_of(int row) const { return rows_[index_of(row)].pivot; }
  /// \returns how many numbers the factors may have.
  [[nodiscard]] std::size_t size() const { return memory_.size(); }

  /// Chooses rows by pivoting in the columns. \returns the smallest pivot over the largest, 0 where it is singular; 1
  /// without columns
  double factorise(const LoopRows& phi_q);
  /// Phi_d^-1 right in place. \param right in the order of the pivots; then of the columns
  void solve(std::span<double> right) const;
  /// The same for several right sides. \param first entries before it are zero
  void solve(std::span<RightSides> right, int first) const;
  /// Phi_d^-T right in place. \param right in the order of the columns; then of the pivots
  void solve_transposed(std::span<double> right) const;

 private:
  /// Columns first .. last - 1 of a row may have entries.
  struct Row {
    int first = 0;
    int last = 0;        ///< before the elimination
    int filled = 0;      ///< and what that has filled
    int room = 0;        ///< as far as there is memory
    int pivot = -1;      ///< of which column; its entry there is inverted then
    std::size_t at = 0;  ///< memory of column `first`
    [[nodiscard]] std::size_t of(int column) const { return at + index_of(column - first); }
  };
  /// One of the components that move a loop, and its column.
  struct Entry {
    int from = 0;
    int column = 0;
  };

  /// Where everything stands for the order of columns_. \returns how many numbers the factors may have
  std::size_t lay_out(const LoopRows& phi_q);
  /// columns_ loop by loop, from one that is far from others.
  void follow_loops(const LoopRows& phi_q);
  /// Visits all loops that share columns with one that was visited. \param round loops of lower rounds are visited anew
  /// \param notes whether columns_ receives their columns \returns the last one
  int visit(const LoopRows& phi_q, int first, int round, bool notes);
  /// Subtracts multiples of the pivot's row from those below that reach its column.
  void eliminate(int k);
  template <typename Side>
  void substitute(std::span<Side> right, int first) const;
  /// Makes room in a row for columns up to `last`.
  void widen(Row& row, int last);

  std::vector<int> columns_;  // components
  std::vector<int> places_;
  std::vector<Row> rows_;
  std::vector<double> memory_;
  std::vector<Entry> entries_;      // of all loops
  std::vector<std::size_t> first_;  // of a loop's entries, and the end
  std::vector<int> pivots_;
  std::vector<int> active_;    // rows that reach the column at hand and are no pivots yet
  std::vector<int> by_first_;  // rows that reach any column, by the first one
  std::vector<int> furthest_;  // by column: what rows that begin there or before reach
  std::vector<int> rounds_;    // in which a loop was visited last
  std::vector<int> seen_;      // and a component
  std::vector<int> queue_;     // loops
};

}  // namespace mbdbench
