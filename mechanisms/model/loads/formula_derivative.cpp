#include "mechanisms/model/loads/formula_derivative.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "mechanisms/model/description/short_text.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/loads/formula_limits.hpp"

namespace mbdbench {
namespace {

/// A formula and its derivative, both as text that can stand in any place.
struct Pair {
  std::string value;
  std::string rate;  // "0" where it is constant
};

bool is_zero(const std::string& text) {
  return text == "0";
}

std::string sum_of(const std::string& a, const std::string& b) {
  return is_zero(a) ? b : is_zero(b) ? a : fmt::format("({} + {})", a, b);
}

std::string difference_of(const std::string& a, const std::string& b) {
  return is_zero(b) ? a : is_zero(a) ? fmt::format("(-{})", b) : fmt::format("({} - {})", a, b);
}

std::string product_of(const std::string& a, const std::string& b) {
  return is_zero(a) || is_zero(b) ? "0" : a == "1" ? b : b == "1" ? a : fmt::format("({} * {})", a, b);
}

Pair quotient_of(const Pair& a, const Pair& b) {
  const std::string value = fmt::format("({} / {})", a.value, b.value);
  if (is_zero(b.rate)) {
    return {value, is_zero(a.rate) ? "0" : fmt::format("({} / {})", a.rate, b.value)};
  }
  const std::string numerator = difference_of(product_of(a.rate, b.value), product_of(a.value, b.rate));
  return {value, fmt::format("({} / {}^2)", numerator, b.value)};
}

/// \returns a^(b - 1) for a constant b. Powers of 1 and 0 would have no derivative at zero: they are not written.
std::string lower_power(const std::string& a, const std::string& b) {
  int exponent = 0;
  const auto read = std::from_chars(b.data(), b.data() + b.size(), exponent);
  if (read.ec != std::errc() || read.ptr != b.data() + b.size() || exponent < 1) {
    return fmt::format("({}^({} - 1))", a, b);
  }
  return exponent == 1 ? "1" : exponent == 2 ? a : fmt::format("({}^{})", a, exponent - 1);
}

Pair power_of(const Pair& a, const Pair& b) {
  const std::string value = fmt::format("({}^{})", a.value, b.value);
  if (is_zero(b.rate)) {
    return {value, product_of(product_of(b.value, lower_power(a.value, b.value)), a.rate)};
  }
  const std::string by_exponent = product_of(b.rate, fmt::format("ln({})", a.value));
  const std::string by_base = is_zero(a.rate) ? "0" : fmt::format("({} * {} / {})", b.value, a.rate, a.value);
  return {value, product_of(value, sum_of(by_exponent, by_base))};
}

/// f'(x) of the functions of one argument, {0} is x; "0" of steps. In forms that do not cancel.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kDerivatives = {{
    {"sin", "cos({0})"},
    {"cos", "(-sin({0}))"},
    {"tan", "(1 / cos({0})^2)"},
    {"asin", "(1 / sqrt((1 - {0}) * (1 + {0})))"},
    {"acos", "(-1 / sqrt((1 - {0}) * (1 + {0})))"},
    {"atan", "(1 / (1 + {0}^2))"},
    {"sinh", "cosh({0})"},
    {"cosh", "sinh({0})"},
    {"tanh", "(1 / cosh({0})^2)"},
    {"asinh", "(1 / sqrt({0}^2 + 1))"},
    {"acosh", "(1 / sqrt(({0} - 1) * ({0} + 1)))"},
    {"atanh", "(1 / ((1 - {0}) * (1 + {0})))"},
    {"exp", "exp({0})"},
    {"log", "(1 / {0})"},
    {"ln", "(1 / {0})"},
    {"log2", "(1 / ({0} * ln(2)))"},
    {"log10", "(1 / ({0} * ln(10)))"},
    {"sqrt", "(0.5 / sqrt({0}))"},
    {"abs", "sign({0})"},
    {"sign", "0"},
    {"rint", "0"},
}};

/// Reads by recursive descent and differentiates on the way. Precedence as muParser's: ?: || && comparisons + - * /
/// sign
/// ^, powers from the right.
class Differentiator {
 public:
  Differentiator(std::string_view text, std::string_view variable) : text_(text), variable_(variable) {}

  Pair run() {
    if (text_.size() > kLongestFormula) {
      throw ExpressionError(fmt::format("the formula \"{}\" has {} letters; up to {} are read", short_text(text_),
                                        text_.size(), kLongestFormula));
    }
    Pair all = condition();
    skip();
    if (place_ != text_.size()) {
      fail("is not expected here");
    }
    return all;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw ExpressionError(fmt::format("cannot differentiate the formula \"{}\": '{}' at letter {} {}",
                                      short_text(text_), short_text(text_.substr(place_)), place_ + 1, what));
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
      fail(fmt::format("should be '{}'", sign));
    }
  }

  /// One level of recursion while it lives.
  class Level {
   public:
    explicit Level(Differentiator& reader) : depth_(reader.depth_) {
      if (++depth_ > kDeepestFormula) {
        throw ExpressionError(fmt::format("the formula \"{}\" is nested deeper than {} levels",
                                          short_text(reader.text_), kDeepestFormula));
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Level(Level&&) = delete;
    Level& operator=(Level&&) = delete;

   private:
    std::size_t& depth_;
  };

  Pair condition() {
    const Level level(*this);
    Pair asked = step({"||"}, [this] {
      return step({"&&"}, [this] { return step({"<=", ">=", "==", "!=", "<", ">"}, [this] { return sum(); }); });
    });
    if (!take("?")) {
      return asked;
    }
    const Pair yes = condition();
    require(":");
    const Pair no = condition();
    const bool constant = is_zero(yes.rate) && is_zero(no.rate);
    return {fmt::format("({} ? {} : {})", asked.value, yes.value, no.value),
            constant ? "0" : fmt::format("({} ? {} : {})", asked.value, yes.rate, no.rate)};
  }

  /// Operators whose result is 0 or 1.
  Pair step(std::initializer_list<std::string_view> signs, const std::function<Pair()>& operand) {
    Pair left = operand();
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view sign : signs) {
        if (take(sign)) {
          left = {fmt::format("({} {} {})", left.value, sign, operand().value), "0"};
          found = true;
          break;
        }
      }
    }
    return left;
  }

  Pair sum() {
    Pair left = product();
    for (;;) {
      if (take("+")) {
        const Pair right = product();
        left = {fmt::format("({} + {})", left.value, right.value), sum_of(left.rate, right.rate)};
      } else if (take("-")) {
        const Pair right = product();
        left = {fmt::format("({} - {})", left.value, right.value), difference_of(left.rate, right.rate)};
      } else {
        return left;
      }
    }
  }

  Pair product() {
    Pair left = signed_power();
    for (;;) {
      if (take("*")) {
        const Pair right = signed_power();
        left = {fmt::format("({} * {})", left.value, right.value),
                sum_of(product_of(left.rate, right.value), product_of(left.value, right.rate))};
      } else if (take("/")) {
        left = quotient_of(left, signed_power());
      } else {
        return left;
      }
    }
  }

  Pair signed_power() {
    if (take("-")) {
      const Level level(*this);
      const Pair operand = signed_power();
      return {fmt::format("(-{})", operand.value), difference_of("0", operand.rate)};
    }
    if (take("+")) {
      const Level level(*this);
      return signed_power();
    }
    Pair base = operand();
    if (!take("^")) {
      return base;
    }
    const Level level(*this);
    return power_of(base, signed_power());
  }

  Pair operand() {
    skip();
    if (take("(")) {
      Pair inner = condition();
      require(")");
      return inner;
    }
    if (place_ < text_.size() &&
        (std::isdigit(static_cast<unsigned char>(text_[place_])) != 0 || text_[place_] == '.')) {
      return {number(), "0"};
    }
    const std::string name = word();
    if (name.empty()) {
      fail("should be a number, a name or a bracket");
    }
    if (take("(")) {
      return function(name);
    }
    return {name, name == variable_ ? "1" : "0"};
  }

  std::string number() {
    const std::size_t start = place_;
    const auto digits = [this] {
      while (place_ < text_.size() &&
             (std::isdigit(static_cast<unsigned char>(text_[place_])) != 0 || text_[place_] == '.')) {
        ++place_;
      }
    };
    digits();
    if (place_ < text_.size() && (text_[place_] == 'e' || text_[place_] == 'E')) {
      ++place_;
      if (place_ < text_.size() && (text_[place_] == '+' || text_[place_] == '-')) {
        ++place_;
      }
      digits();
    }
    return std::string(text_.substr(start, place_ - start));
  }

  std::string word() {
    const std::size_t start = place_;
    while (place_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[place_])) != 0 || text_[place_] == '_')) {
      ++place_;
    }
    return std::string(text_.substr(start, place_ - start));
  }

  Pair function(const std::string& name) {
    std::vector<Pair> arguments;
    do {
      arguments.push_back(condition());
    } while (take(","));
    require(")");
    for (const auto& [known, derivative] : kDerivatives) {
      if (name == known && arguments.size() == 1) {
        const Pair& x = arguments.front();
        return {fmt::format("{}({})", name, x.value),
                product_of(is_zero(x.rate) ? "0" : fmt::format(fmt::runtime(derivative), x.value), x.rate)};
      }
    }
    return of_several(name, arguments);
  }

  Pair of_several(const std::string& name, const std::vector<Pair>& arguments) {
    if (name == "atan2" && arguments.size() == 2) {
      const auto& [y, x] = std::pair(arguments[0], arguments[1]);
      const std::string numerator = difference_of(product_of(x.value, y.rate), product_of(y.value, x.rate));
      return {fmt::format("atan2({}, {})", y.value, x.value),
              is_zero(numerator) ? "0" : fmt::format("({} / ({}^2 + {}^2))", numerator, x.value, y.value)};
    }
    Pair all = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const Pair& next = arguments[i];
      if (name == "min" || name == "max") {
        const bool constant = is_zero(all.rate) && is_zero(next.rate);
        all = {fmt::format("{}({}, {})", name, all.value, next.value),
               constant ? "0"
                        : fmt::format("({} {} {} ? {} : {})", all.value, name == "min" ? "<" : ">", next.value,
                                      all.rate, next.rate)};
      } else {
        all = {fmt::format("({} + {})", all.value, next.value), sum_of(all.rate, next.rate)};
      }
    }
    if (name == "avg") {
      return quotient_of(all, {fmt::format("{}", arguments.size()), "0"});
    }
    if (name != "min" && name != "max" && name != "sum") {
      fail(fmt::format("follows '{}', which has no derivative here", name));
    }
    return all;
  }

  std::string_view text_;
  std::string_view variable_;
  std::size_t place_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

std::string derivative_of(const std::string& formula, const std::string& variable) {
  return Differentiator(formula, variable).run().rate;
}

}  // namespace mbdbench
