#pragma once
/// \file
/// A formula over named variables, evaluated by muParser. One instance a thread: evaluation writes to its own stack.
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// A formula that cannot be read; the message quotes it, the position and the reason.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A variable that a formula may use.
struct ExpressionVariable {
  std::string name;
  double* value = nullptr;  ///< must outlive the expression
};

/// Variables by name, for formulas that use few of many.
class VariableScope {
 public:
  virtual ~VariableScope() = default;
  /// \returns where the value of a variable is kept, which must outlive the expression; nullptr if there is none of
  /// that name
  virtual double* find(const std::string& name) = 0;
  /// \returns all names, for messages.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
};

/// Looks before anything is parsed. \throws ExpressionError for a formula of more letters than `kLongestFormula`, or
/// with more brackets, signs and choices within one another than `kDeepestFormula`
void require_formula_limits(const std::string& text);

/// A compiled formula.
class Expression {
 public:
  /// Asks the scope for the variables that the formula uses, and for no others.
  /// \throws ExpressionError for a formula beyond the limits, a syntax error or an unknown variable (listing those that
  /// exist).
  Expression(const std::string& text, VariableScope& scope);
  /// Of a text that may come from `derivative_of`, which sets brackets of its own: as deep as its length allows.
  /// \throws ExpressionError likewise.
  Expression(const std::string& text, const std::vector<ExpressionVariable>& variables);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// \returns the value at the current values of the variables; allocates nothing.
  [[nodiscard]] double operator()() const;
  /// \returns the names of the variables that the formula uses.
  [[nodiscard]] std::vector<std::string> used_variables() const;

 private:
  void compile(const std::string& text, VariableScope& scope);

  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace mbdbench
