#include "experiments/precise/numbers/precise_formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numbers>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "experiments/precise/numbers/precise_functions.hpp"

namespace mbdbench::precise {
namespace {

using Part = PreciseFormula::Part;
using Operator = Rated (*)(const Rated& a, const Rated& b, Pieces& pieces);

Part constant(double value) {
  return [value](std::span<const Rated>, Pieces&) { return Rated{value, 0.0}; };
}

Part joined(Part left, Part right, Operator make) {
  return [left = std::move(left), right = std::move(right), make](std::span<const Rated> variables, Pieces& pieces) {
    const Rated a = left(variables, pieces);
    const Rated b = right(variables, pieces);
    return make(a, b, pieces);
  };
}

Rated step(bool holds, Pieces& pieces) {
  pieces.push_back(holds ? 1 : 0);
  return {holds ? 1.0 : 0.0, 0.0};
}

using NamedOperators = std::span<const std::pair<std::string_view, Operator>>;

constexpr std::array<std::pair<std::string_view, Operator>, 1> kOr = {
    {{"||", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value != 0 || b.value != 0, p); }}}};
constexpr std::array<std::pair<std::string_view, Operator>, 1> kAnd = {
    {{"&&", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value != 0 && b.value != 0, p); }}}};
constexpr std::array<std::pair<std::string_view, Operator>, 6> kComparisons = {
    {{"<=", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value <= b.value, p); }},
     {">=", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value >= b.value, p); }},
     {"==", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value == b.value, p); }},
     {"!=", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value != b.value, p); }},
     {"<", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value < b.value, p); }},
     {">", [](const Rated& a, const Rated& b, Pieces& p) { return step(a.value > b.value, p); }}}};
constexpr std::array<std::pair<std::string_view, Operator>, 2> kSums = {
    {{"+", [](const Rated& a, const Rated& b, Pieces&) { return sum_of(a, b); }},
     {"-", [](const Rated& a, const Rated& b, Pieces&) { return difference_of(a, b); }}}};
constexpr std::array<std::pair<std::string_view, Operator>, 2> kProducts = {
    {{"*", [](const Rated& a, const Rated& b, Pieces&) { return product_of(a, b); }},
     {"/", [](const Rated& a, const Rated& b, Pieces&) { return quotient_of(a, b); }}}};

/// Reads by recursive descent. Precedence is muParser's: ?: || && comparisons, + -, * /, signs, ^ from the right.
class Reader {
 public:
  Reader(std::string_view text, std::vector<std::string>& variables) : text_(text), variables_(variables) {}

  Part run() {
    Part whole = condition();
    skip();
    if (place_ != text_.size()) {
      fail();
    }
    return whole;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument("the reference of 113 bits does not know '" + std::string(text_.substr(place_)) +
                                "' of the formula \"" + std::string(text_) + "\"");
  }

  void skip() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
      ++place_;
    }
  }

  bool take(std::string_view sign) {
    skip();
    if (text_.substr(place_, sign.size()) != sign) {
      return false;
    }
    place_ += sign.size();
    return true;
  }

  void require(std::string_view sign) {
    if (!take(sign)) {
      fail();
    }
  }

  Part condition() {
    Part asked = any_of(0);
    if (!take("?")) {
      return asked;
    }
    Part yes = condition();
    require(":");
    Part no = condition();
    return [asked = std::move(asked), yes = std::move(yes), no = std::move(no)](std::span<const Rated> variables,
                                                                                Pieces& pieces) {
      const bool holds = step(asked(variables, pieces).value != 0, pieces).value != 0;
      return holds ? yes(variables, pieces) : no(variables, pieces);
    };
  }

  /// Operators that are done from the left, the loosest first.
  Part any_of(std::size_t level) {
    static constexpr std::array<NamedOperators, 5> kLevels = {kOr, kAnd, kComparisons, kSums, kProducts};
    if (level == kLevels.size()) {
      return signed_power();
    }
    Part left = any_of(level + 1);
    for (;;) {
      const NamedOperators all = kLevels[level];
      const auto found = std::find_if(all.begin(), all.end(), [this](const auto& one) { return take(one.first); });
      if (found == all.end()) {
        return left;
      }
      left = joined(std::move(left), any_of(level + 1), found->second);
    }
  }

  Part signed_power() {
    if (take("-")) {
      return joined(constant(0.0), signed_power(), kSums[1].second);
    }
    if (take("+")) {
      return signed_power();
    }
    Part base = operand();
    if (!take("^")) {
      return base;
    }
    return joined(std::move(base), signed_power(),
                  [](const Rated& a, const Rated& b, Pieces&) { return power_of(a, b); });
  }

  Part operand() {
    if (take("(")) {
      Part inner = condition();
      require(")");
      return inner;
    }
    skip();
    const std::size_t start = place_;
    double number = 0.0;
    const auto read = std::from_chars(text_.data() + place_, text_.data() + text_.size(), number);
    if (start < text_.size() && std::isalpha(static_cast<unsigned char>(text_[start])) == 0 && read.ec == std::errc()) {
      place_ = static_cast<std::size_t>(read.ptr - text_.data());
      return constant(number);
    }
    const std::string name = word();
    if (name.empty()) {
      fail();
    }
    if (take("(")) {
      return function(name, start);
    }
    if (name == "pi" || name == "_pi") {
      return constant(std::numbers::pi);
    }
    if (name == "_e") {
      return constant(std::numbers::e);
    }
    const auto known = std::find(variables_.begin(), variables_.end(), name);
    const auto index = static_cast<std::size_t>(known - variables_.begin());
    if (known == variables_.end()) {
      variables_.push_back(name);
    }
    return [index](std::span<const Rated> variables, Pieces&) { return variables[index]; };
  }

  std::string word() {
    const std::size_t start = place_;
    while (place_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[place_])) != 0 || text_[place_] == '_')) {
      ++place_;
    }
    return std::string(text_.substr(start, place_ - start));
  }

  Part function(const std::string& name, std::size_t start) {
    std::vector<Part> arguments;
    do {
      arguments.push_back(condition());
    } while (take(","));
    require(")");
    if (const RatedFunction one = function_of_one(name); one != nullptr && arguments.size() == 1) {
      return [argument = std::move(arguments.front()), one](std::span<const Rated> variables, Pieces& pieces) {
        return one(argument(variables, pieces), pieces);
      };
    }
    const RatedFunctionOfMany many = function_of_many(name, arguments.size());
    if (many == nullptr) {
      place_ = start;
      fail();
    }
    return [arguments = std::move(arguments), many](std::span<const Rated> variables, Pieces& pieces) {
      std::vector<Rated> values;
      for (const Part& argument : arguments) {
        values.push_back(argument(variables, pieces));
      }
      return many(values, pieces);
    };
  }

  std::string_view text_;
  std::vector<std::string>& variables_;
  std::size_t place_ = 0;
};

}  // namespace

PreciseFormula::PreciseFormula(std::string_view text) : whole_(Reader(text, variables_).run()) {}

}  // namespace mbdbench::precise
