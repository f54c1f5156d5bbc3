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

/// A compiled formula.
class Expression {
 public:
  /// \throws ExpressionError for a syntax error or an unknown variable (listing those that exist).
  Expression(const std::string& text, const std::vector<ExpressionVariable>& variables);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// \returns the value at the current values of the variables; allocates nothing.
  [[nodiscard]] double operator()() const;
  /// \returns the names of the variables that the formula uses.
  [[nodiscard]] std::vector<std::string> used_variables() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace mbdbench
