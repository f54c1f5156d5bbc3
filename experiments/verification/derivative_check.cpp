#include "experiments/verification/derivative_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "experiments/verification/state_derivative.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Of a difference, relative: central differences of fourth order leave less of most states, whose uncertainty is
/// estimated.
constexpr double kSmallestTolerance = 1e-9;
/// Along a direction of about 1 rates change by about as much as they are: terms below this part of them are what is
/// left of larger ones, as of a straight chain at rest.
constexpr double kCancelled = 0.1;
/// Likewise of the terms of all blocks, where a block's own are rounding: of a body that slides on evenly.
constexpr double kOfOtherBlocks = 1e-6;

/// Components whose numbers can be compared: those of positions, and the others.
class StateBlocks {
 public:
  explicit StateBlocks(std::span<const StateComponent> layout) {
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const bool position = layout[i].kind == StateKind::position || layout[i].kind == StateKind::quaternion;
      blocks_[position ? 0 : 1].push_back(static_cast<Eigen::Index>(i));
    }
  }
  [[nodiscard]] const std::array<std::vector<Eigen::Index>, 2>& all() const { return blocks_; }

 private:
  std::array<std::vector<Eigen::Index>, 2> blocks_;
};

double largest_in(const Eigen::VectorXd& vector, const std::vector<Eigen::Index>& block) {
  double largest = 0.0;
  for (const Eigen::Index i : block) {
    largest = std::max(largest, std::abs(vector[i]));
  }
  return largest;
}

class DerivativeComparison {
 public:
  DerivativeComparison(Formulation& formulation, const DerivativePlace& place, const Eigen::VectorXd& direction,
                       const std::function<void(const DerivativeDeviation&)>& tell)
      : formulation_(formulation), place_(place), direction_(direction), tell_(tell), blocks_(formulation.layout()) {}

  std::string compare(RandomSource& random) {
    const auto size = place_.x.size();
    rows_.resize(size, size);
    const RhsStatus status =
        formulation_.jacobian(place_.t, view(place_.x), {rows_.data(), static_cast<std::size_t>(size * size)});
    if (!status.ok) {
      return "derivatives: " + status.message();
    }
    product_ = rows_ * direction_;
    const Rows absolute = rows_.cwiseAbs();
    terms_ = absolute * direction_.cwiseAbs();
    weights_.resize(size);
    for (const auto& block : blocks_.all()) {
      const double unit = size_of_product(block);
      for (const Eigen::Index i : block) {
        weights_[i] = random.uniform(-1.0, 1.0) / (unit > 0.0 ? unit : 1.0);
      }
    }
    std::string failure = compare_differences();
    return failure.empty() ? compare_products(absolute) : failure;
  }

 private:
  /// \returns the terms behind the rates of a block; of coordinates these are the rates themselves.
  [[nodiscard]] double terms_behind(const std::vector<Eigen::Index>& block) const {
    return &block == &blocks_.all()[1] ? place_.rate_terms : 0.0;
  }

  /// \returns the largest rate of coordinates that momenta are solved for: by coordinates it changes at held momenta.
  [[nodiscard]] double solved_velocities(const std::vector<Eigen::Index>& block) const {
    const auto layout = formulation_.layout();
    const bool momenta = std::any_of(layout.begin(), layout.end(),
                                     [](const StateComponent& one) { return one.kind == StateKind::momentum; });
    return momenta && &block == &blocks_.all()[0] ? largest_in(place_.xdot, block) : 0.0;
  }

  /// \returns by what errors of a block are measured. \param terms sums of absolute terms of a product
  [[nodiscard]] static double size_of(const Eigen::VectorXd& terms, const std::vector<Eigen::Index>& block) {
    return terms.size() > 0 ? std::max(largest_in(terms, block), kOfOtherBlocks * terms.maxCoeff()) : 0.0;
  }

  /// \returns the same of rows times the direction: where motions are free in which nothing happens, entries of rows
  /// are what is left of larger terms, of which each way to the product leaves rounding of its own.
  [[nodiscard]] double size_of_product(const std::vector<Eigen::Index>& block) const {
    const double change_terms = &block == &blocks_.all()[1] ? place_.change_terms : 0.0;
    return std::max({size_of(terms_, block), kCancelled * terms_behind(block), change_terms});
  }

  std::string compare_differences() {
    const StateFunction rates = [&](double, std::span<const double> x, Eigen::VectorXd& values) {
      values.resize(place_.x.size());
      return formulation_.rhs(place_.t, x, view(values)).message();
    };
    // States that hold independent coordinates alone end where the others can no longer follow: less than a step away
    // from a fold, a shorter one is asked for.
    StateDerivative central;
    for (const double part : {1.0, 0.1, 0.01}) {
      step_ = part * place_.step;
      central = derivative_along(rates, place_.t, place_.x, direction_, step_);
      if (central.failure.empty()) {
        break;
      }
    }
    if (!central.failure.empty()) {
      return central.failure;
    }
    std::vector<DerivativeDeviation> best = against(central, 1.0);
    if (excess(best) > 1.0) {
      look_from_one_side(rates, best);
    }
    std::for_each(best.begin(), best.end(), tell_);
    return {};
  }

  /// A load that bends within the steps, as a table at one of its points, has the derivative of one side: there, and
  /// only there, both sides differ by far more than the more certain one is uncertain by.
  void look_from_one_side(const StateFunction& rates, std::vector<DerivativeDeviation>& best) const {
    const auto ahead = [&](double side) {
      return derivative_ahead(rates, place_.t, place_.x, direction_, 0.5 * side * step_, place_.xdot);
    };
    const StateDerivative after = ahead(1.0);
    const StateDerivative before = ahead(-1.0);
    if (!after.failure.empty() || !before.failure.empty()) {
      return;
    }
    constexpr double kRounding = 2.0 * 11.0;  // of half the step
    const auto bends = [&](const std::vector<Eigen::Index>& block) {
      const double rounding = kRounding * place_.rounding * largest_in(place_.xdot, block) / step_;
      return std::any_of(block.begin(), block.end(), [&](Eigen::Index i) {
        // Of a smooth function both are about as uncertain.
        const double uncertainty = std::min(after.uncertainty[i], before.uncertainty[i]);
        return std::abs(after.value[i] - before.value[i]) > 4.0 * uncertainty + rounding;
      });
    };
    if (std::none_of(blocks_.all().begin(), blocks_.all().end(), bends)) {
      return;
    }
    for (const StateDerivative* const side : {&after, &before}) {
      std::vector<DerivativeDeviation> found = against(*side, kRounding);
      best = excess(found) < excess(best) ? std::move(found) : std::move(best);
    }
  }

  /// \returns the largest error over what is tolerated.
  [[nodiscard]] static double excess(const std::vector<DerivativeDeviation>& deviations) {
    double largest = 0.0;
    for (const DerivativeDeviation& deviation : deviations) {
      largest = std::max(largest, deviation.error / deviation.tolerance);
    }
    return largest;
  }

  /// \param magnified how much rounding of rates counts
  [[nodiscard]] std::vector<DerivativeDeviation> against(const StateDerivative& differences, double magnified) const {
    std::vector<DerivativeDeviation> deviations;
    for (const auto& block : blocks_.all()) {
      if (block.empty()) {
        continue;
      }
      const double largest = std::max(largest_in(place_.xdot, block), terms_behind(block));
      const double rounding = magnified * place_.rounding * largest / step_;
      const double explained = largest_in(differences.uncertainty, block) + rounding;
      const double size = std::max(size_of(terms_, block), kCancelled * largest);
      // Where nothing changes, nothing may be found but what differences do not show.
      deviations.push_back(deviation_of(block, product_, differences.value,
                                        size > 0.0 ? size : explained / kSmallestTolerance, explained, true,
                                        "by differences"));
    }
    return deviations;
  }

  /// Two ways to weights times derivatives, of a state.
  struct Weighted {
    Eigen::VectorXd by_rows;
    Eigen::VectorXd by_product;
  };

  /// \returns what a rounding of the state does to either way, entry by entry. Beside the constraints multipliers of
  /// rows that are nearly parallel are large and cancel: products, which eliminate them, lose the square of what the
  /// condition says. A wrong term would be as wrong at all these states.
  [[nodiscard]] Eigen::VectorXd rounding_of_products(const Weighted& here) {
    constexpr int kStates = 4;
    constexpr double kRoundings = 4.0;  // of a sum of some tens of them
    const double eps = std::numeric_limits<double>::epsilon();
    RandomSource random(kStates);
    const auto size = static_cast<std::size_t>(place_.x.size());
    Eigen::VectorXd spread = Eigen::VectorXd::Zero(place_.x.size());
    Weighted there{Eigen::VectorXd(place_.x.size()), Eigen::VectorXd(place_.x.size())};
    Rows rows(place_.x.size(), place_.x.size());
    for (int k = 0; k < kStates; ++k) {
      Eigen::VectorXd x = place_.x;
      for (double& number : x) {
        number *= 1.0 + eps * random.uniform(-1.0, 1.0);
      }
      if (!formulation_.jacobian(place_.t, view(x), {rows.data(), size * size}).ok ||
          !formulation_.vector_jacobian(place_.t, view(x), view(std::as_const(weights_)), view(there.by_product)).ok) {
        return Eigen::VectorXd::Zero(place_.x.size());
      }
      there.by_rows = rows.transpose() * weights_;
      spread = spread.cwiseMax((there.by_rows - here.by_rows).cwiseAbs())
                   .cwiseMax((there.by_product - here.by_product).cwiseAbs());
    }
    return kRoundings * spread;
  }

  std::string compare_products(const Rows& absolute) {
    Eigen::VectorXd along(place_.x.size());
    Weighted both{Eigen::VectorXd(), Eigen::VectorXd(place_.x.size())};
    Eigen::VectorXd& weighted = both.by_product;
    for (const RhsStatus& status :
         {formulation_.jacobian_vector(place_.t, view(place_.x), view(direction_), view(along)),
          formulation_.vector_jacobian(place_.t, view(place_.x), view(std::as_const(weights_)), view(weighted))}) {
      if (!status.ok) {
        return "products of derivatives: " + status.message();
      }
    }
    both.by_rows = rows_.transpose() * weights_;
    const Eigen::VectorXd weighted_terms = absolute.transpose() * weights_.cwiseAbs();
    // Derivatives by a coordinate are sums of terms like those of the rates.
    double behind = 0.0;
    for (const auto& block : blocks_.all()) {
      const double terms = std::max(terms_behind(block), solved_velocities(block));
      for (const Eigen::Index i : block) {
        behind += kCancelled * terms * std::abs(weights_[i]);
      }
    }
    // Where rows repeat others, what they say beside the constraints contradicts itself: rows of derivatives and
    // products may each have an answer of their own there, and are compared along the constraints alone, by the numbers
    // below.
    const bool contradicts = formulation_.mechanism().generic_rank().overconstrained;
    for (const auto& block : blocks_.all()) {
      const double size = size_of_product(block);
      tell(block, along, product_, size, "of jacobian_vector");
      if (contradicts || block.empty()) {
        continue;
      }
      const double weighted_size = std::max(size_of(weighted_terms, block), behind);
      DerivativeDeviation found =
          deviation_of(block, weighted, both.by_rows, weighted_size, 0.0, false, "of vector_jacobian");
      if (found.error > found.tolerance && weighted_size > 0.0) {
        found.tolerance = std::max(found.tolerance, largest_in(rounding_of_products(both), block) / weighted_size);
      }
      tell_(found);
    }
    // Forward against reverse, neither of them through the rows.
    const double terms = weights_.cwiseAbs().dot(terms_);
    const double difference = std::abs(weights_.dot(along) - weighted.dot(direction_));
    if (terms > 0.0 || difference > 0.0 || std::isnan(difference)) {
      tell_({difference / std::max(terms, std::numeric_limits<double>::min()), place_.rounding, false,
             "weights times derivatives times a direction"});
    }
    return {};
  }

  /// \param size by which errors are measured \param explained of the difference, absolute
  [[nodiscard]] DerivativeDeviation deviation_of(const std::vector<Eigen::Index>& block, const Eigen::VectorXd& found,
                                                 const Eigen::VectorXd& expected, double size, double explained,
                                                 bool by_differences, const char* how) const {
    DerivativeDeviation worst;
    worst.by_differences = by_differences;
    for (const Eigen::Index i : block) {
      const double difference = std::abs(found[i] - expected[i]);
      const double error = difference == 0.0 ? 0.0
                           : size > 0.0      ? difference / size
                                             : std::numeric_limits<double>::infinity();
      if (worst.component.empty() || !(error <= worst.error)) {
        worst.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        worst.component = fmt::format("{} {}", formulation_.layout()[static_cast<std::size_t>(i)].name, how);
      }
    }
    worst.tolerance =
        by_differences ? std::max(kSmallestTolerance, size > 0.0 ? explained / size : 0.0) : place_.rounding;
    return worst;
  }

  /// Of a product against another way to it.
  void tell(const std::vector<Eigen::Index>& block, const Eigen::VectorXd& found, const Eigen::VectorXd& expected,
            double size, const char* how) const {
    if (!block.empty()) {
      tell_(deviation_of(block, found, expected, size, 0.0, false, how));
    }
  }

  Formulation& formulation_;
  const DerivativePlace& place_;
  const Eigen::VectorXd& direction_;
  const std::function<void(const DerivativeDeviation&)>& tell_;
  StateBlocks blocks_;
  double step_ = 0.0;  // of differences
  Rows rows_;
  Eigen::VectorXd product_;
  Eigen::VectorXd terms_;    // sums of absolute terms of product_
  Eigen::VectorXd weights_;  // by which every block counts about as much
};

}  // namespace

std::optional<Eigen::VectorXd> state_direction(Formulation& formulation, const VerificationState& state,
                                               const TangentDirection& along, double step) {
  Eigen::VectorXd motion(state.q.size() + state.u.size());
  motion << state.q, state.u;
  Eigen::VectorXd change(motion.size());
  change << along.q, along.u;
  const StateFunction packed = [&](double, std::span<const double> both, Eigen::VectorXd& x) {
    x.resize(static_cast<Eigen::Index>(formulation.state_size()));
    const auto nq = static_cast<std::size_t>(state.q.size());
    return formulation.pack(state.t, both.first(nq), both.subspan(nq), view(x)).message();
  };
  const StateDerivative found = derivative_along(packed, state.t, motion, change, step);
  if (!found.failure.empty() || !found.value.allFinite()) {
    return std::nullopt;
  }
  const auto layout = formulation.layout();
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (layout[i].constant && found.value[static_cast<Eigen::Index>(i)] != 0.0) {
      return std::nullopt;  // it says what the others mean, and changed
    }
  }
  return found.value;
}

std::string compare_derivatives(Formulation& formulation, const DerivativePlace& place,
                                const Eigen::VectorXd& direction, RandomSource& random,
                                const std::function<void(const DerivativeDeviation&)>& tell) {
  return DerivativeComparison(formulation, place, direction, tell).compare(random);
}

}  // namespace mbdbench
