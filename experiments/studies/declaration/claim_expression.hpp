#pragma once
/// \file
/// The criterion of a claim as text: arithmetic and comparisons over observers of variants,
/// `energy_error['HDCA'] < 0.5 * energy_error['DCA'] and evaluations['HDCA'] < 2000`.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/studies/declaration/observer.hpp"

namespace mbdbench::studies {

/// What an observer says over mechanisms of several sizes: the power of the number of bodies, or the number of bodies
/// at which it passes 1 for the last time.
enum class SizeLaw { none, exponent, crossover };

/// An observer with the axes that the text fixes: `error(tip)['DCA', integrator='ode45', tolerance=1e-6]`.
struct ObserverReference {
  Observer observer;
  std::optional<std::string> variant;
  std::optional<std::string> mechanism;
  std::optional<std::string> integrator;
  std::optional<double> control;  ///< tolerance or step
  SizeLaw law = SizeLaw::none;    ///< what is taken over the claim's mechanisms instead
  std::string text;               ///< as written
};

/// Grammar, loosest first: or; and; not; one of < <= > >= == !=; + -; * /; unary -; number, (...), abs(x), log10(x),
/// min(x, y), max(x, y), observer[selectors], exponent(observer[selectors]), crossover(observer[selectors]).
class ClaimExpression {
 public:
  ClaimExpression() = default;
  /// \throws std::invalid_argument saying what is wrong and at which letter
  explicit ClaimExpression(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// \returns what the expression needs, in the order in which it stands there.
  [[nodiscard]] const std::vector<ObserverReference>& references() const { return references_; }
  /// \returns the side of an `or` or `and` that depends on nothing but what selects places (`Observer::selects`), or on
  /// nothing at all; empty where there is none. Such a side decides which places count, and as part of a condition it
  /// lets those that it leaves out hold, or fail, untested: it belongs into `where`.
  [[nodiscard]] const std::string& guard() const { return guard_; }
  /// \returns whether it depends on anything but the mechanism.
  [[nodiscard]] bool depends_on_results() const;
  /// \param values of the references \returns whether it holds.
  [[nodiscard]] bool evaluate(const std::vector<double>& values) const;

  struct Node;

 private:
  std::string text_;
  std::vector<ObserverReference> references_;
  std::string guard_;
  std::shared_ptr<const Node> root_;
};

}  // namespace mbdbench::studies
