/// \file
/// Formulas in 113 bits: values against muParser's, rates against differences, pieces where they bend.
#include "experiments/precise/numbers/precise_formula.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/model/loads/expression.hpp"

namespace mbdbench::precise {
namespace {

const std::vector<std::string>& formulas() {
  static const std::vector<std::string> kFormulas = {
      "2 - 3 * x + 4 / y",
      "-x^2 + x^-2",
      "2^3^0.5 - y^x",
      "x^y * 1.5e-1",
      "-(x - .5) * (y + 2)",
      "sin(x) * cos(y) - tan(x * y)",
      "asin(x / 2) + acos(y / 2) + atan(x)",
      "sinh(x) - cosh(y) + tanh(x - y)",
      "asinh(x - 2) + asinh(x) + acosh(1 + y) + atanh(x / 3)",
      "exp(-x) + log(y) + ln(x) + log2(y) + log10(x)",
      "sqrt(x) + abs(x - 2 * y) + sign(-x) + rint(3.4 * x)",
      "min(x, y, 0.1) + max(x, 2 * y) + sum(x, y, 1) + avg(x, y)",
      "atan2(x, -y) + atan2(-x, y)",
      "x < y ? sin(x) : cos(y)",
      "x >= y && y > 0 || x == 1 ? x : x != y ? 2 : 3",
      "(x <= 0.7) * 5 + (y > 0.3) - pi + _pi * _e",
      "x < 0 ? 1 : y < 0 ? 2 : y",
  };
  return kFormulas;
}

std::vector<Rated> values_of(const PreciseFormula& formula, const Rated& x, const Rated& y) {
  std::vector<Rated> values;
  std::transform(formula.variables().begin(), formula.variables().end(), std::back_inserter(values),
                 [&](const std::string& name) { return name == "x" ? x : y; });
  return values;
}

TEST(PreciseFormula, HasTheValuesOfDoubles) {
  double x = 0.6125;
  double y = 0.3375;
  for (const std::string& text : formulas()) {
    const PreciseFormula formula(text);
    const Expression expected(text, {{"x", &x}, {"y", &y}});
    Pieces pieces;
    const double found = formula.value(values_of(formula, {x, 0.0}, {y, 0.0}), pieces).value.convert_to<double>();
    EXPECT_NEAR(found, expected(), 1e-14 * std::max(1.0, std::abs(expected()))) << text;
  }
}

TEST(PreciseFormula, HasTheRatesOfDifferences) {
  constexpr double kStep = 1e-11;  // leaves its square, 1e-34 over it
  const Rated x = {0.6125, 0.8};
  const Rated y = {0.3375, -1.3};
  for (const std::string& text : formulas()) {
    const PreciseFormula formula(text);
    Pieces pieces;
    const Rated here = formula.value(values_of(formula, x, y), pieces);
    const auto at = [&](double step) {
      Pieces there;
      Real value =
          formula.value(values_of(formula, {x.value + step * x.rate, 0.0}, {y.value + step * y.rate, 0.0}), there)
              .value;
      EXPECT_EQ(there, pieces) << text;
      return value;
    };
    const Real slope = (at(kStep) - at(-kStep)) / Real(2.0 * kStep);
    EXPECT_LT(abs(slope - here.rate).convert_to<double>(), 1e-19) << text;
  }
}

TEST(PreciseFormula, TellsWhereAFormulaBends) {
  for (const char* const text :
       {"abs(x)", "sign(x)", "min(x, 0)", "max(0, x)", "x < 0 ? 1 : 2", "x > 0", "rint(x + 0.5)", "atan2(x, -1)"}) {
    const PreciseFormula formula(text);
    Pieces before;
    Pieces after;
    static_cast<void>(formula.value(std::vector<Rated>{{-1e-11, 0.0}}, before));
    static_cast<void>(formula.value(std::vector<Rated>{{1e-11, 0.0}}, after));
    EXPECT_NE(before, after) << text;
  }
}

TEST(PreciseFormula, RefusesWhatItCannotRead) {
  for (const char* const text : {"unknown(x)", "x +", "sin(x, 2)", "(x", "x y", "atan2(x)", ""}) {
    EXPECT_THROW(PreciseFormula{text}, std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace mbdbench::precise
