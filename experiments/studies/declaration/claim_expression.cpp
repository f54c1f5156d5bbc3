#include "experiments/studies/declaration/claim_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {

/// A number, a reference or a function of up to two nodes.
struct ClaimExpression::Node {
  std::function<double(double, double)> apply;  // empty: a leaf
  double number = 0.0;
  std::optional<std::size_t> reference;
  std::shared_ptr<const Node> left;
  std::shared_ptr<const Node> right;
  bool is_condition = false;
  bool measures = false;  // whether anything below depends on a result that does not select places

  [[nodiscard]] double value(const std::vector<double>& values) const {
    if (!apply) {
      return reference ? values[*reference] : number;
    }
    return apply(left->value(values), right ? right->value(values) : 0.0);
  }
};

namespace {

using Node = ClaimExpression::Node;
using NodePointer = std::shared_ptr<const Node>;

// The tree that is built is as deep as a chain of sums is long, and is walked by recursion.
constexpr std::size_t kLongestClaim = 4000;
constexpr std::size_t kDeepestClaim = 200;

struct Operation {
  std::string_view sign;
  double (*apply)(double, double);
};

double as_number(bool holds) {
  return holds ? 1.0 : 0.0;
}

// Longer signs first: "<=" begins with "<".
constexpr std::array kComparisons = {
    Operation{"<=", [](double a, double b) { return as_number(a <= b); }},
    Operation{">=", [](double a, double b) { return as_number(a >= b); }},
    Operation{"==", [](double a, double b) { return as_number(a == b); }},
    Operation{"!=", [](double a, double b) { return as_number(a != b); }},
    Operation{"<", [](double a, double b) { return as_number(a < b); }},
    Operation{">", [](double a, double b) { return as_number(a > b); }},
};
constexpr std::array kSums = {Operation{"+", [](double a, double b) { return a + b; }},
                              Operation{"-", [](double a, double b) { return a - b; }}};
constexpr std::array kProducts = {Operation{"*", [](double a, double b) { return a * b; }},
                                  Operation{"/", [](double a, double b) { return a / b; }}};

struct Function {
  std::string_view name;
  int arguments;
  double (*apply)(double, double);
};

constexpr std::array kFunctions = {
    Function{"abs", 1, [](double a, double /*unused*/) { return std::abs(a); }},
    Function{"log10", 1, [](double a, double /*unused*/) { return std::log10(a); }},
    Function{"min", 2, [](double a, double b) { return std::min(a, b); }},
    Function{"max", 2, [](double a, double b) { return std::max(a, b); }},
};

/// Recursive descent over the text.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::vector<ObserverReference>& references, std::string& guard)
      : text_(text), references_(references), guard_(guard) {}

  NodePointer parse() {
    if (text_.size() > kLongestClaim) {
      throw std::invalid_argument(
          fmt::format("has {} letters; criteria of up to {} are read", text_.size(), kLongestClaim));
    }
    NodePointer root = disjunction();
    skip_blanks();
    if (at_ != text_.size()) {
      fail("something is left over");
    }
    if (!root->is_condition) {
      throw std::invalid_argument("is a number and not a condition: compare it with something");
    }
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw std::invalid_argument(fmt::format("{} at letter {}: \"{}\"", what, at_ + 1,
                                            text_.substr(at_, std::min<std::size_t>(24, text_.size() - at_))));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }

  bool accept(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) {
      return false;
    }
    // A word must not be the beginning of a longer one.
    const std::size_t end = at_ + sign.size();
    if (std::isalpha(static_cast<unsigned char>(sign[0])) != 0 && end < text_.size() && is_of_word(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }

  void expect(std::string_view sign) {
    if (!accept(sign)) {
      fail(fmt::format("'{}' is missing", sign));
    }
  }

  static bool is_of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

  std::string_view word() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_of_word(text_[at_])) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  static NodePointer combine(double (*apply)(double, double), NodePointer left, NodePointer right, bool is_condition) {
    const bool measures = left->measures || (right && right->measures);
    return std::make_shared<const Node>(
        Node{apply, 0.0, {}, std::move(left), std::move(right), is_condition, measures});
  }

  /// Keeps the first side of an `or` or `and` that no result decides. \param start,end where it stands in the text
  NodePointer side(const NodePointer& node, std::size_t start, std::size_t end) {
    if (condition(node); !node->measures && guard_.empty()) {
      guard_ = text_.substr(start, end - start);
      guard_.erase(0, guard_.find_first_not_of(' '));
      guard_.erase(guard_.find_last_not_of(' ') + 1);
    }
    return node;
  }

  NodePointer condition(NodePointer node) {
    if (!node->is_condition) {
      fail("a condition must stand before this");
    }
    return node;
  }

  NodePointer number_of(NodePointer node) {
    if (node->is_condition) {
      fail("a number must stand before this, not a condition");
    }
    return node;
  }

  /// One level of recursion while it lives.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) {
      if (++depth_ > kDeepestClaim) {
        throw std::invalid_argument(fmt::format("is nested deeper than {} levels", kDeepestClaim));
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

  NodePointer disjunction() {
    const Level level(depth_);
    const std::size_t start = at_;
    NodePointer node = conjunction();
    std::size_t end = at_;
    while (accept("or")) {
      node = side(node, start, end);
      const std::size_t other = at_;
      NodePointer right = conjunction();
      end = at_;
      right = side(right, other, end);
      node = combine([](double a, double b) { return std::max(a, b); }, node, right, true);
    }
    return node;
  }

  NodePointer conjunction() {
    const std::size_t start = at_;
    NodePointer node = negation();
    std::size_t end = at_;
    while (accept("and")) {
      node = side(node, start, end);
      const std::size_t other = at_;
      NodePointer right = negation();
      end = at_;
      right = side(right, other, end);
      node = combine([](double a, double b) { return std::min(a, b); }, node, right, true);
    }
    return node;
  }

  NodePointer negation() {
    if (accept("not")) {
      const Level level(depth_);
      return combine([](double a, double /*unused*/) { return 1.0 - a; }, condition(negation()), {}, true);
    }
    return comparison();
  }

  NodePointer comparison() {
    NodePointer node = sum();
    for (const Operation& operation : kComparisons) {
      if (accept(operation.sign)) {
        node = number_of(node);
        return combine(operation.apply, node, number_of(sum()), true);
      }
    }
    return node;
  }

  template <std::size_t N>
  NodePointer chain(const std::array<Operation, N>& operations, NodePointer (ExpressionParser::*operand)()) {
    NodePointer node = (this->*operand)();
    for (bool more = true; more;) {
      more = false;
      for (const Operation& operation : operations) {
        if (accept(operation.sign)) {
          node = number_of(node);
          node = combine(operation.apply, node, number_of((this->*operand)()), false);
          more = true;
        }
      }
    }
    return node;
  }

  NodePointer sum() { return chain(kSums, &ExpressionParser::product); }
  NodePointer product() { return chain(kProducts, &ExpressionParser::factor); }

  NodePointer factor() {
    if (accept("-")) {
      const Level level(depth_);
      return combine([](double a, double /*unused*/) { return -a; }, number_of(factor()), {}, false);
    }
    if (accept("(")) {
      NodePointer node = disjunction();
      expect(")");
      return node;
    }
    skip_blanks();
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      return std::make_shared<const Node>(Node{{}, number(), {}, {}, {}, false, false});
    }
    const std::size_t start = at_;
    const std::string_view name = word();
    if (name.empty()) {
      fail("a number or an observer is missing");
    }
    for (const Function& function : kFunctions) {
      if (function.name == name) {
        return call(function);
      }
    }
    if (name == "exponent" || name == "crossover") {
      return over_sizes(name == "exponent" ? SizeLaw::exponent : SizeLaw::crossover);
    }
    return reference(name, start);
  }

  NodePointer over_sizes(SizeLaw law) {
    expect("(");
    skip_blanks();
    const std::size_t start = at_;
    NodePointer node = reference(word(), start);
    references_.back().law = law;
    expect(")");
    return node;
  }

  /// \returns where the bracket closes that opened before `at_`.
  [[nodiscard]] std::size_t closing_bracket() const {
    int open = 1;
    for (std::size_t at = at_; at < text_.size(); ++at) {
      open += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
      if (open == 0) {
        return at;
      }
    }
    fail("')' is missing");
  }

  NodePointer call(const Function& function) {
    expect("(");
    NodePointer left = number_of(disjunction());
    NodePointer right;
    if (function.arguments == 2) {
      expect(",");
      right = number_of(disjunction());
    }
    expect(")");
    return combine(function.apply, left, right, false);
  }

  double number() {
    skip_blanks();
    double value = 0.0;
    const auto [stopped, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) {
      fail("a number is missing");
    }
    at_ = static_cast<std::size_t>(stopped - text_.data());
    return value;
  }

  std::string quoted() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      fail("a name in quotes is missing");
    }
    std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return name;
  }

  NodePointer reference(std::string_view name, std::size_t start) {
    std::string full(name);
    if (accept("(")) {
      const std::size_t end = closing_bracket();
      full += fmt::format("({})", text_.substr(at_, end - at_));
      at_ = end + 1;
    }
    ObserverReference made;
    made.observer = parse_observer(full);
    if (accept("[")) {
      do {
        selector(made);
      } while (accept(","));
      expect("]");
    }
    made.text = text_.substr(start, at_ - start);
    references_.push_back(std::move(made));
    const bool measures = !references_.back().observer.selects();
    return std::make_shared<const Node>(Node{{}, 0.0, references_.size() - 1, {}, {}, false, measures});
  }

  void selector(ObserverReference& made) {
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      made.variant = quoted();
      return;
    }
    const std::string_view axis = word();
    if (axis == "tolerance" || axis == "step") {
      expect("=");
      made.control = number();
      return;
    }
    std::optional<std::string>* const name = axis == "variant"      ? &made.variant
                                             : axis == "mechanism"  ? &made.mechanism
                                             : axis == "integrator" ? &made.integrator
                                                                    : nullptr;
    if (name == nullptr) {
      throw std::invalid_argument(
          fmt::format("there is no axis '{}'; {}", axis,
                      suggest_name(axis, {"variant", "mechanism", "integrator", "tolerance", "step"}, "axes")));
    }
    expect("=");
    *name = quoted();
  }

  std::string_view text_;
  std::vector<ObserverReference>& references_;
  std::string& guard_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

ClaimExpression::ClaimExpression(std::string_view text) : text_(text) {
  root_ = ExpressionParser(text_, references_, guard_).parse();
}

bool ClaimExpression::depends_on_results() const {
  return std::any_of(references_.begin(), references_.end(), [](const ObserverReference& reference) {
    return reference.observer.quantity != Quantity::bodies;
  });
}

bool ClaimExpression::evaluate(const std::vector<double>& values) const {
  return root_->value(values) != 0.0;
}

}  // namespace mbdbench::studies
