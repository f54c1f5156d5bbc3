#include "mechanisms/model/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <numbers>

namespace mbdbench {
namespace {

std::string known_names(const std::vector<ExpressionVariable>& variables) {
  constexpr std::size_t kMost = 12;
  std::string names;
  for (std::size_t i = 0; i < variables.size() && i < kMost; ++i) {
    names += (i == 0 ? "" : ", ") + variables[i].name;
  }
  return variables.size() > kMost ? names + ", ..." : names;
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

}  // namespace

struct Expression::Parser {
  mu::Parser parser;
};

Expression::Expression(const std::string& text, const std::vector<ExpressionVariable>& variables)
    : parser_(std::make_unique<Parser>()) {
  try {
    for (const ExpressionVariable& variable : variables) {
      parser_->parser.DefineVar(variable.name, variable.value);
    }
    parser_->parser.DefineConst("pi", std::numbers::pi);
    parser_->parser.SetExpr(text);
    static_cast<void>(parser_->parser.GetUsedVar());
    // The first evaluation compiles; do it here so that later ones allocate nothing.
    static_cast<void>(parser_->parser.Eval());
    if (assigns(text) || parser_->parser.GetNumResults() != 1) {
      throw ExpressionError(
          fmt::format("the formula \"{}\" must be one value: without assignments (compare with ==) and commas "
                      "outside functions",
                      text));
    }
  } catch (const mu::ParserError& error) {
    throw ExpressionError(fmt::format("cannot read the formula \"{}\": {} Variables here: {}.", text, error.GetMsg(),
                                      known_names(variables)));
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
