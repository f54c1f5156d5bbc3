#include "experiments/precise/numbers/precise_functions.hpp"

#include <array>
#include <limits>
#include <utility>

namespace mbdbench::precise {
namespace {

/// Whole numbers from here on count as one piece: an int holds the others.
constexpr double kMostPieces = 1e9;

/// A slope that is infinite times nothing is nothing.
Rated chained(const Real& value, const Real& slope, const Rated& x) {
  return {value, x.rate == 0 ? Real(0.0) : Real(slope * x.rate)};
}

Real not_a_number() {
  return std::numeric_limits<Real>::quiet_NaN();
}

int sign_of(const Real& x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// By the size of the argument alone: of a large negative one the sum would cancel.
Real inverse_hyperbolic_sine(const Real& x) {
  const Real size = log(abs(x) + sqrt(x * x + 1));
  return x < 0 ? Real(-size) : size;
}

/// \returns the whole number nearest to x, of two the even one.
Real nearest_whole(const Real& x) {
  Real whole = floor(x + Real(0.5));
  if (whole - x == Real(0.5) && fmod(whole, Real(2.0)) != 0) {
    whole -= 1;
  }
  return whole;
}

const Real& natural_log_of_two() {
  static const Real found = log(Real(2));
  return found;
}

const Real& natural_log_of_ten() {
  static const Real found = log(Real(10));
  return found;
}

/// \returns the smallest or the largest.
Rated extreme_of(std::span<const Rated> x, bool largest, Pieces& pieces) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (largest ? x[i].value > x[found].value : x[i].value < x[found].value) {
      found = i;
    }
  }
  pieces.push_back(static_cast<int>(found));
  return x[found];
}

Rated sum_of_all(std::span<const Rated> x) {
  Rated sum;
  for (const Rated& one : x) {
    sum = sum_of(sum, one);
  }
  return sum;
}

constexpr std::array<std::pair<std::string_view, RatedFunction>, 21> kFunctions = {{
    {"sin", [](const Rated& x, Pieces&) { return chained(sin(x.value), cos(x.value), x); }},
    {"cos", [](const Rated& x, Pieces&) { return chained(cos(x.value), -sin(x.value), x); }},
    {"tan",
     [](const Rated& x, Pieces&) {
       const Real tangent = tan(x.value);
       return chained(tangent, 1 + tangent * tangent, x);
     }},
    {"asin", [](const Rated& x, Pieces&) { return chained(asin(x.value), 1 / sqrt(1 - x.value * x.value), x); }},
    {"acos", [](const Rated& x, Pieces&) { return chained(acos(x.value), -1 / sqrt(1 - x.value * x.value), x); }},
    {"atan", [](const Rated& x, Pieces&) { return chained(atan(x.value), 1 / (1 + x.value * x.value), x); }},
    {"sinh", [](const Rated& x, Pieces&) { return chained(sinh(x.value), cosh(x.value), x); }},
    {"cosh", [](const Rated& x, Pieces&) { return chained(cosh(x.value), sinh(x.value), x); }},
    {"tanh",
     [](const Rated& x, Pieces&) {
       const Real tangent = tanh(x.value);
       return chained(tangent, 1 - tangent * tangent, x);
     }},
    {"asinh", [](const Rated& x,
                 Pieces&) { return chained(inverse_hyperbolic_sine(x.value), 1 / sqrt(x.value * x.value + 1), x); }},
    {"acosh",
     [](const Rated& x, Pieces&) {
       const Real root = sqrt((x.value - 1) * (x.value + 1));
       return x.value < 1 ? Rated{not_a_number(), not_a_number()} : chained(log(x.value + root), 1 / root, x);
     }},
    {"atanh",
     [](const Rated& x, Pieces&) {
       const Real above = 1 + x.value;
       const Real below = 1 - x.value;
       return chained(log(above / below) / 2, 1 / (above * below), x);
     }},
    {"exp",
     [](const Rated& x, Pieces&) {
       const Real grown = exp(x.value);
       return chained(grown, grown, x);
     }},
    {"log", [](const Rated& x, Pieces&) { return chained(log(x.value), 1 / x.value, x); }},
    {"ln", [](const Rated& x, Pieces&) { return chained(log(x.value), 1 / x.value, x); }},
    {"log2",
     [](const Rated& x, Pieces&) {
       return chained(log(x.value) / natural_log_of_two(), 1 / (x.value * natural_log_of_two()), x);
     }},
    {"log10",
     [](const Rated& x, Pieces&) {
       return chained(log(x.value) / natural_log_of_ten(), 1 / (x.value * natural_log_of_ten()), x);
     }},
    {"sqrt",
     [](const Rated& x, Pieces&) {
       const Real root = sqrt(x.value);
       return chained(root, 1 / (2 * root), x);
     }},
    {"abs",
     [](const Rated& x, Pieces& pieces) {
       pieces.push_back(sign_of(x.value));
       return chained(abs(x.value), sign_of(x.value), x);
     }},
    {"sign",
     [](const Rated& x, Pieces& pieces) {
       pieces.push_back(sign_of(x.value));
       return Rated{Real(sign_of(x.value)), 0.0};
     }},
    {"rint",
     [](const Rated& x, Pieces& pieces) {
       const Real whole = nearest_whole(x.value);
       pieces.push_back(abs(whole) < kMostPieces ? whole.convert_to<int>() : 0);
       return Rated{whole, 0.0};
     }},
}};

Rated arc_tangent_of_two(std::span<const Rated> x, Pieces& pieces) {
  const Rated& across = x[0];
  const Rated& along = x[1];
  pieces.push_back(along.value < 0 ? sign_of(across.value) : 0);  // it jumps by a turn behind
  const Real square = along.value * along.value + across.value * across.value;
  return {atan2(across.value, along.value), (along.value * across.rate - across.value * along.rate) / square};
}

}  // namespace

RatedFunction function_of_one(std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (known == name) {
      return function;
    }
  }
  return nullptr;
}

RatedFunctionOfMany function_of_many(std::string_view name, std::size_t arguments) {
  if (name == "atan2") {
    return arguments == 2 ? &arc_tangent_of_two : nullptr;
  }
  if (name == "min") {
    return [](std::span<const Rated> x, Pieces& pieces) { return extreme_of(x, false, pieces); };
  }
  if (name == "max") {
    return [](std::span<const Rated> x, Pieces& pieces) { return extreme_of(x, true, pieces); };
  }
  if (name == "sum") {
    return [](std::span<const Rated> x, Pieces&) { return sum_of_all(x); };
  }
  if (name == "avg") {
    return [](std::span<const Rated> x, Pieces&) {
      return quotient_of(sum_of_all(x), {Real(static_cast<double>(x.size())), 0.0});
    };
  }
  return nullptr;
}

Rated sum_of(const Rated& a, const Rated& b) {
  return {a.value + b.value, a.rate + b.rate};
}

Rated difference_of(const Rated& a, const Rated& b) {
  return {a.value - b.value, a.rate - b.rate};
}

Rated product_of(const Rated& a, const Rated& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}

Rated quotient_of(const Rated& a, const Rated& b) {
  return {a.value / b.value, (a.rate * b.value - a.value * b.rate) / (b.value * b.value)};
}

Rated power_of(const Rated& a, const Rated& b) {
  constexpr int kLargestWhole = 1000;
  if (b.rate == 0 && abs(b.value) <= kLargestWhole && floor(b.value) == b.value) {
    const int whole = b.value.convert_to<int>();
    return chained(pow(a.value, whole), whole == 0 ? Real(0.0) : Real(whole * pow(a.value, whole - 1)), a);
  }
  const Real value = pow(a.value, b.value);
  if (b.rate == 0) {
    return chained(value, b.value * pow(a.value, b.value - 1), a);
  }
  return {value, value * (b.rate * log(a.value) + b.value * a.rate / a.value)};
}

}  // namespace mbdbench::precise
