#include "mechanisms/model/loads/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <vector>

#include "mechanisms/model/description/short_text.hpp"
#include "mechanisms/model/description/visible_text.hpp"
#include "mechanisms/model/loads/formula_limits.hpp"

namespace mbdbench {
namespace {

/// A short list of variables.
class VariableList final : public VariableScope {
 public:
  explicit VariableList(const std::vector<ExpressionVariable>& variables) : variables_(variables) {}

  double* find(const std::string& name) override {
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const ExpressionVariable& variable) { return variable.name == name; });
    return found == variables_.end() ? nullptr : found->value;
  }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const ExpressionVariable& variable : variables_) {
      names.push_back(variable.name);
    }
    return names;
  }

 private:
  const std::vector<ExpressionVariable>& variables_;
};

std::string known_names(const VariableScope& scope) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> names = scope.names();
  if (names.size() > kMost) {
    names.resize(kMost);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// muParser would let a formula write to its variables.
bool assigns(const std::string& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const bool second = i > 0 && std::string_view("=!<>").find(text[i - 1]) != std::string_view::npos;
    const bool first = i + 1 < text.size() && text[i + 1] == '=';
    if (first) {
      ++i;
    } else if (!second) {
      return true;
    }
  }
  return false;
}

/// muParser has forms of its own for these, which cancel (asinh(-1e7) is wrong in its fourth digit, log2(8) in its
/// last), and rounds halves upwards.
void take_c_library(mu::Parser& parser) {
  using Function = double (*)(double);
  const auto take = [&](const char* name, Function function) { parser.DefineFun(name, function); };
  take("asinh", [](double x) { return std::asinh(x); });
  take("acosh", [](double x) { return std::acosh(x); });
  take("atanh", [](double x) { return std::atanh(x); });
  take("log2", [](double x) { return std::log2(x); });
  take("rint", [](double x) { return std::rint(x); });
  take("abs", [](double x) { return std::fabs(x); });
}

void require_length(const std::string& text) {
  if (text.size() > kLongestFormula) {
    throw ExpressionError(fmt::format("the formula \"{}\" has {} letters; up to {} are read",
                                      visible_text(short_text(text)), text.size(), kLongestFormula));
  }
}

/// \returns how many brackets, signs and choices stand within one another at most: every choice of a bracket is taken
/// to stand within the one before.
std::size_t depth_of(std::string_view text) {
  std::size_t deepest = 0;
  std::vector<std::size_t> choices = {0};  // of the open brackets
  std::size_t all_choices = 0;
  std::size_t signs = 0;  // right before this letter
  bool operand = false;   // whether a sign would be a binary one
  for (const char letter : text) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
      continue;
    }
    if (letter == '(') {
      choices.push_back(0);
    } else if (letter == ')' && choices.size() > 1) {
      all_choices -= choices.back();
      choices.pop_back();
    } else if (letter == '?') {
      ++choices.back();
      ++all_choices;
    } else if (letter == ',') {
      all_choices -= choices.back();
      choices.back() = 0;
    }
    signs = (letter == '-' || letter == '+' || letter == '!') && !operand ? signs + 1 : 0;
    operand = letter == ')' || letter == '.' || letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
    deepest = std::max(deepest, choices.size() - 1 + all_choices + signs);
  }
  return deepest;
}

}  // namespace

struct Expression::Parser {
  mu::Parser parser;
};

void require_formula_limits(const std::string& text) {
  require_length(text);
  if (depth_of(text) > kDeepestFormula) {
    throw ExpressionError(fmt::format("the formula \"{}\" is nested deeper than {} levels",
                                      visible_text(short_text(text)), kDeepestFormula));
  }
}

Expression::Expression(const std::string& text, VariableScope& scope) : parser_(std::make_unique<Parser>()) {
  require_formula_limits(text);
  compile(text, scope);
}

Expression::Expression(const std::string& text, const std::vector<ExpressionVariable>& variables)
    : parser_(std::make_unique<Parser>()) {
  require_length(text);
  VariableList scope(variables);
  compile(text, scope);
}

void Expression::compile(const std::string& text, VariableScope& scope) {
  // muParser would read up to a NUL only.
  if (const std::string wrong = unseen_character(text); !wrong.empty()) {
    throw ExpressionError(fmt::format("the formula \"{}\" {}", visible_text(short_text(text)), wrong));
  }
  try {
    parser_->parser.DefineConst("pi", std::numbers::pi);
    // Of some versions of muParser this one has twelve digits.
    parser_->parser.DefineConst("_pi", std::numbers::pi);
    take_c_library(parser_->parser);
    parser_->parser.SetExpr(text);
    // A copy: defining a variable changes the parser's own list. Names that stay undefined fail below.
    const mu::varmap_type used = parser_->parser.GetUsedVar();
    for (const auto& variable : used) {
      if (double* value = scope.find(variable.first)) {
        parser_->parser.DefineVar(variable.first, value);
      }
    }
    // The first evaluation compiles; do it here so that later ones allocate nothing.
    static_cast<void>(parser_->parser.Eval());
    if (assigns(text) || parser_->parser.GetNumResults() != 1) {
      throw ExpressionError(
          fmt::format("the formula \"{}\" must be one value: without assignments (compare with ==) and commas "
                      "outside functions",
                      short_text(text)));
    }
  } catch (const mu::ParserError& error) {
    throw ExpressionError(fmt::format("cannot read the formula \"{}\": {} Variables here: {}.", short_text(text),
                                      error.GetMsg(), known_names(scope)));
  }
}

Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

double Expression::operator()() const {
  return parser_->parser.Eval();
}

std::vector<std::string> Expression::used_variables() const {
  std::vector<std::string> names;
  for (const auto& variable : parser_->parser.GetUsedVar()) {
    names.push_back(variable.first);
  }
  return names;
}

}  // namespace mbdbench
