#include "experiments/verification/derivatives/derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/verification/derivatives/rounding_of_numbers.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Derivatives by the state along one direction.
class StateComparison {
 public:
  StateComparison(Formulation& formulation, const DerivativePlace& place, const Eigen::VectorXd& direction,
                  const Eigen::VectorXd& exact, const DeviationSink& tell)
      : formulation_(formulation),
        place_(place),
        direction_(direction),
        exact_(exact),
        tell_(tell),
        comparison_(formulation.layout(), place, tell) {}

  std::string compare(RandomSource& random) {
    const auto size = place_.x.size();
    rows_.resize(size, size);
    const RhsStatus status =
        formulation_.jacobian(place_.t, view(place_.x), {rows_.data(), static_cast<std::size_t>(size * size)});
    if (!status.ok) {
      return "derivatives: " + status.message();
    }
    const Rows absolute = rows_.cwiseAbs();
    product_ = {rows_ * direction_, absolute * direction_.cwiseAbs()};
    weights_ = comparison_.weights(product_.terms, random);
    const StateFunction rates = [&](double, std::span<const double> x, Eigen::VectorXd& values) {
      values.resize(place_.x.size());
      return formulation_.rhs(place_.t, x, view(values)).message();
    };
    if (exact_.size() > 0) {
      for (const auto& block : comparison_.blocks()) {
        if (!block.empty()) {
          const double of_block = comparison_.size_of_product(product_.terms, block);
          DerivativeDeviation found = comparison_.deviation_of(block, product_.value, exact_, of_block, "by 113 bits");
          found.tolerance = std::max(found.tolerance, place_.missing);
          if (place_.blur && found.error > found.tolerance && of_block > 0.0) {
            const Eigen::VectorXd blur = place_.blur();
            const double blurred = blur.size() > 0 ? DerivativeComparison::largest_in(blur, block) / of_block : 0.0;
            found.tolerance = std::isfinite(blurred) ? std::max(found.tolerance, blurred) : found.tolerance;
          }
          tell_(found);
        }
      }
    }
    std::string failure = comparison_.compare_differences({rates, place_.x, direction_}, product_, "by differences");
    return failure.empty() ? compare_products(absolute) : failure;
  }

 private:
  /// Two ways to weights times derivatives, of a state.
  struct Weighted {
    Eigen::VectorXd by_rows;
    Eigen::VectorXd by_product;
  };

  /// \returns what a rounding of the state does to either way, entry by entry. Beside the constraints multipliers of
  /// rows that are nearly parallel are large and cancel: products, which eliminate them, lose the square of what the
  /// condition says.
  [[nodiscard]] Eigen::VectorXd rounding_of_products(const Weighted& here) {
    const Eigen::Index size = place_.x.size();
    Rows rows(size, size);
    Eigen::VectorXd by_product(size);
    const NumbersOfState both = [&](const Eigen::VectorXd& x, Eigen::VectorXd& numbers) {
      if (!formulation_.jacobian(place_.t, view(x), {rows.data(), static_cast<std::size_t>(rows.size())}).ok ||
          !formulation_.vector_jacobian(place_.t, view(x), view(std::as_const(weights_)), view(by_product)).ok) {
        return false;
      }
      numbers << rows.transpose() * weights_, by_product;
      return true;
    };
    Eigen::VectorXd of_both(2 * size);
    of_both << here.by_rows, here.by_product;
    const Eigen::VectorXd spread = rounding_of_numbers(place_.x, both, 2 * size, {}, of_both);
    return spread.head(size).cwiseMax(spread.tail(size));
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
    const double behind = comparison_.terms_behind_weights(weights_);
    // Where rows repeat others, what they say beside the constraints contradicts itself: rows of derivatives and
    // products may each have an answer of their own there, and are compared along the constraints alone, by the numbers
    // below.
    const bool contradicts = formulation_.mechanism().generic_rank().overconstrained;
    for (const auto& block : comparison_.blocks()) {
      const double size = comparison_.size_of_product(product_.terms, block);
      comparison_.tell(block, along, product_.value, size, "of jacobian_vector");
      if (contradicts || block.empty()) {
        continue;
      }
      const double weighted_size = std::max(DerivativeComparison::size_of(weighted_terms, block), behind);
      DerivativeDeviation found =
          comparison_.deviation_of(block, weighted, both.by_rows, weighted_size, "of vector_jacobian");
      if (found.error > found.tolerance && weighted_size > 0.0) {
        found.tolerance = std::max(found.tolerance,
                                   DerivativeComparison::largest_in(rounding_of_products(both), block) / weighted_size);
      }
      tell_(found);
    }
    // Forward against reverse, neither of them through the rows.
    const double terms = weights_.cwiseAbs().dot(product_.terms);
    const double difference = std::abs(weights_.dot(along) - weighted.dot(direction_));
    if (terms > 0.0 || difference > 0.0 || std::isnan(difference)) {
      tell_({difference / std::max(terms, std::numeric_limits<double>::min()), place_.rounding, false,
             "weights times derivatives times a direction"});
    }
    return {};
  }

  Formulation& formulation_;
  const DerivativePlace& place_;
  const Eigen::VectorXd& direction_;
  const Eigen::VectorXd& exact_;
  const DeviationSink& tell_;
  DerivativeComparison comparison_;
  Rows rows_;
  DerivativeProduct product_;
  Eigen::VectorXd weights_;
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
                                const Eigen::VectorXd& direction, const Eigen::VectorXd& exact, RandomSource& random,
                                const DeviationSink& tell) {
  return StateComparison(formulation, place, direction, exact, tell).compare(random);
}

}  // namespace mbdbench
