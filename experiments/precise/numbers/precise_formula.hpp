#pragma once
/// \file
/// Formulas of loads and of constraints in 113 bits, with rates. They are read here a second time, by rules of their
/// own: what muParser makes of a formula in double precision is what is checked.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/precise/numbers/precise_number.hpp"

namespace mbdbench::precise {

/// A number and its rate.
struct Rated {
  Real value = 0.0;
  Real rate = 0.0;
};

/// Which way was taken wherever a law has several: a side of a stop, a part of a table, a branch of a condition. Two
/// states with the same list are on one smooth piece of all laws.
using Pieces = std::vector<int>;

/// A formula that is read once.
class PreciseFormula {
 public:
  /// What a part of it makes of its variables.
  using Part = std::function<Rated(std::span<const Rated> variables, Pieces& pieces)>;

  /// \param text that Expression takes. Numbers in it are those of double precision, as is pi.
  /// \throws std::invalid_argument naming what is not known here
  explicit PreciseFormula(std::string_view text);

  /// \returns the names of the variables, in the order of their values.
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
  /// \returns value and rate; not a number where the formula has none. \param pieces to which its choices are added
  [[nodiscard]] Rated value(std::span<const Rated> variables, Pieces& pieces) const {
    return whole_(variables, pieces);
  }

 private:
  std::vector<std::string> variables_;
  Part whole_;
};

}  // namespace mbdbench::precise
