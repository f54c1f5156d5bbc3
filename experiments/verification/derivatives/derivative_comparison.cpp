#include "experiments/verification/derivatives/derivative_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbdbench {
namespace {

/// Of a difference, relative: central differences of fourth order leave less of most states, whose uncertainty is
/// estimated.
constexpr double kSmallestTolerance = 1e-9;
/// Of steps, one next to the one before, and the last next to the first.
constexpr double kShorter = 0.1;
constexpr double kShortest = 5e-4;
/// Along a direction of about 1 rates change by about as much as they are: terms below this part of them are what is
/// left of larger ones, as of a straight chain at rest.
constexpr double kCancelled = 0.1;
/// Likewise of the terms of all blocks, where a block's own are rounding: of a body that slides on evenly.
constexpr double kOfOtherBlocks = 1e-6;
/// How much rounding of rates counts in differences of one side, with half the step.
constexpr double kRoundingOfOneSide = 2.0 * 11.0;

/// \returns the largest error over what is tolerated.
double excess(const std::vector<DerivativeDeviation>& deviations) {
  double largest = 0.0;
  for (const DerivativeDeviation& deviation : deviations) {
    largest = std::max(largest, deviation.error / deviation.tolerance);
  }
  return largest;
}

/// \returns the largest that is tolerated.
double uncertainty(const std::vector<DerivativeDeviation>& deviations) {
  double largest = 0.0;
  for (const DerivativeDeviation& deviation : deviations) {
    largest = std::max(largest, deviation.tolerance);
  }
  return largest;
}

}  // namespace

DerivativeComparison::DerivativeComparison(std::span<const StateComponent> layout, const DerivativePlace& place,
                                           const DeviationSink& tell)
    : layout_(layout), place_(place), tell_(tell) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const bool position = layout[i].kind == StateKind::position || layout[i].kind == StateKind::quaternion;
    blocks_[position ? 0 : 1].push_back(static_cast<Eigen::Index>(i));
  }
}

double DerivativeComparison::largest_in(const Eigen::VectorXd& vector, const Block& block) {
  double largest = 0.0;
  for (const Eigen::Index i : block) {
    largest = std::max(largest, std::abs(vector[i]));
  }
  return largest;
}

double DerivativeComparison::size_of(const Eigen::VectorXd& terms, const Block& block) {
  return terms.size() > 0 ? std::max(largest_in(terms, block), kOfOtherBlocks * terms.maxCoeff()) : 0.0;
}

double DerivativeComparison::rounding_of_rates() const {
  return std::max(place_.rounding, place_.scatter);
}

/// \returns the terms behind the rates of a block; of coordinates these are the rates themselves.
double DerivativeComparison::terms_behind(const Block& block) const {
  return &block == &blocks_[1] ? place_.rate_terms : 0.0;
}

/// \returns the largest rate of coordinates that momenta are solved for: by coordinates it changes at held momenta.
double DerivativeComparison::solved_velocities(const Block& block) const {
  return solves_velocities() && &block == blocks_.data() ? largest_in(place_.xdot, block) : 0.0;
}

bool DerivativeComparison::solves_velocities() const {
  return std::any_of(layout_.begin(), layout_.end(),
                     [](const StateComponent& one) { return one.kind == StateKind::momentum; });
}

double DerivativeComparison::change_terms(const Block& block) const {
  return &block == &blocks_[1] ? place_.change_terms : 0.0;
}

double DerivativeComparison::size_of_product(const Eigen::VectorXd& terms, const Block& block) const {
  return std::max({size_of(terms, block), kCancelled * terms_behind(block), change_terms(block)});
}

double DerivativeComparison::terms_behind_weights(const Eigen::VectorXd& weights) const {
  double behind = 0.0;
  for (const Block& block : blocks_) {
    const double terms = kCancelled * std::max(terms_behind(block), solved_velocities(block));
    for (const Eigen::Index i : block) {
      behind += std::max(terms, change_terms(block)) * std::abs(weights[i]);
    }
  }
  return behind;
}

Eigen::VectorXd DerivativeComparison::weights(const Eigen::VectorXd& terms, RandomSource& random) const {
  Eigen::VectorXd drawn(place_.x.size());
  for (const Block& block : blocks_) {
    const double unit = size_of_product(terms, block);
    for (const Eigen::Index i : block) {
      drawn[i] = random.uniform(-1.0, 1.0) / (unit > 0.0 ? unit : 1.0);
    }
  }
  return drawn;
}

std::string DerivativeComparison::compare_differences(const DerivativeLine& line, const DerivativeProduct& product,
                                                      const char* how) const {
  // States that hold independent coordinates alone end where the others can no longer follow: less than a step away
  // from a fold, a shorter one is asked for.
  StateDerivative central;
  double step = 0.0;
  for (const double part : {1.0, 0.1, 0.01}) {
    step = part * place_.step;
    central = derivative_along(line.rates, place_.t, line.x, line.direction, step);
    if (central.failure.empty()) {
      break;
    }
  }
  if (!central.failure.empty()) {
    return central.failure;
  }
  std::vector<DerivativeDeviation> best = against(central, product, rounding_of_rates() / step, how);
  // Where rates bend much within a step, as near a fold, what it says of its own uncertainty is of the size of its
  // error. Of shorter steps the most certain one counts, whatever it finds: what is wrong is wrong with all of them.
  if (excess(best) > 1.0) {
    for (double shorter = kShorter * step; shorter > kShortest * place_.step; shorter *= kShorter) {
      const StateDerivative nearer = derivative_along(line.rates, place_.t, line.x, line.direction, shorter);
      if (!nearer.failure.empty()) {
        continue;
      }
      std::vector<DerivativeDeviation> found = against(nearer, product, rounding_of_rates() / shorter, how);
      if (uncertainty(found) < uncertainty(best)) {
        best = std::move(found);
        step = shorter;
      }
    }
  }
  if (excess(best) > 1.0) {
    look_from_one_side(line, product, step, how, best);
  }
  std::for_each(best.begin(), best.end(), tell_);
  return {};
}

/// A load that bends within the steps, as a table at one of its points, has the derivative of one side: there, and
/// only there, both sides differ by far more than the more certain one is uncertain by.
void DerivativeComparison::look_from_one_side(const DerivativeLine& line, const DerivativeProduct& product, double step,
                                              const char* how, std::vector<DerivativeDeviation>& best) const {
  const auto ahead = [&](double side) {
    return derivative_ahead(line.rates, place_.t, line.x, line.direction, 0.5 * side * step, place_.xdot);
  };
  const StateDerivative after = ahead(1.0);
  const StateDerivative before = ahead(-1.0);
  if (!after.failure.empty() || !before.failure.empty()) {
    return;
  }
  const double rounding = kRoundingOfOneSide * rounding_of_rates() / step;
  const auto bends = [&](const Block& block) {
    const double of_block = rounding * largest_in(place_.xdot, block);
    return std::any_of(block.begin(), block.end(), [&](Eigen::Index i) {
      // Of a smooth function both are about as uncertain.
      const double uncertainty = std::min(after.uncertainty[i], before.uncertainty[i]);
      return std::abs(after.value[i] - before.value[i]) > 4.0 * uncertainty + of_block;
    });
  };
  if (std::none_of(blocks_.begin(), blocks_.end(), bends)) {
    return;
  }
  for (const StateDerivative* const side : {&after, &before}) {
    std::vector<DerivativeDeviation> found = against(*side, product, rounding, how);
    best = excess(found) < excess(best) ? std::move(found) : std::move(best);
  }
}

/// \param rounding of differences, relative to the rates
std::vector<DerivativeDeviation> DerivativeComparison::against(const StateDerivative& differences,
                                                               const DerivativeProduct& product, double rounding,
                                                               const char* how) const {
  std::vector<DerivativeDeviation> deviations;
  for (const Block& block : blocks_) {
    if (block.empty()) {
      continue;
    }
    const double largest = std::max(largest_in(place_.xdot, block), terms_behind(block));
    const double explained = largest_in(differences.uncertainty, block) + rounding * largest;
    const double terms = std::max(size_of(product.terms, block), kCancelled * largest);
    // Where nothing changes, nothing may be found but what differences do not show.
    const double size = terms > 0.0 ? terms : explained / kSmallestTolerance;
    DerivativeDeviation& found =
        deviations.emplace_back(deviation_of(block, product.value, differences.value, size, how));
    found.by_differences = true;
    found.tolerance = std::max(kSmallestTolerance, size > 0.0 ? explained / size : 0.0);
  }
  return deviations;
}

DerivativeDeviation DerivativeComparison::deviation_of(const Block& block, const Eigen::VectorXd& found,
                                                       const Eigen::VectorXd& expected, double size,
                                                       const char* how) const {
  DerivativeDeviation worst;
  worst.tolerance = place_.rounding;
  for (const Eigen::Index i : block) {
    const double difference = std::abs(found[i] - expected[i]);
    const double error = difference == 0.0 ? 0.0
                         : size > 0.0      ? difference / size
                                           : std::numeric_limits<double>::infinity();
    if (worst.component.empty() || !(error <= worst.error)) {
      worst.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      worst.component = fmt::format("{} {}", layout_[static_cast<std::size_t>(i)].name, how);
    }
  }
  return worst;
}

void DerivativeComparison::tell(const Block& block, const Eigen::VectorXd& found, const Eigen::VectorXd& expected,
                                double size, const char* how) const {
  if (!block.empty()) {
    tell_(deviation_of(block, found, expected, size, how));
  }
}

}  // namespace mbdbench
