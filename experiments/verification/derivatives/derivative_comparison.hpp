#pragma once
/// \file
/// What comparisons of exact derivatives share: what rates are measured by, and products against differences.
#include <Eigen/Core>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/verification/derivatives/state_derivative.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {

/// Where the derivatives of one state are compared.
struct DerivativePlace {
  double t = 0.0;
  Eigen::VectorXd x;
  Eigen::VectorXd xdot;
  double rounding = 0.0;    ///< of x', relative to its largest entry: what the condition of the equations explains
  double rate_terms = 0.0;  ///< largest term of which rates of velocities or momenta are sums: they round by these
  /// Largest term of which these rates' changes along the direction are sums, by velocities: likewise.
  double change_terms = 0.0;
  double step = 0.0;     ///< of differences along a direction
  double scatter = 0.0;  ///< of x' between neighbouring states, relative to its largest entry: differences have it too
  /// What an iteration leaves, by its own account, of x' of the motion, and of its derivatives; infinite: too much.
  double missing = 0.0;
  /// \returns what rounding of positions, which closes loops no nearer, does to each derivative of 113 bits; empty: no
  /// answer. Asked where a derivative misses its limit; none: nothing.
  std::function<Eigen::VectorXd()> blur;
};

/// One comparison: an error and what explains it, over the sum of the absolute terms of the product, or over a tenth of
/// the rates where differences are compared and that is more.
struct DerivativeDeviation {
  double error = 0.0;
  double tolerance = 0.0;
  bool by_differences = false;
  std::string component;  ///< "v.joint2 by differences"
};

/// Takes every comparison.
using DeviationSink = std::function<void(const DerivativeDeviation&)>;

/// A derivative along a direction, and the sums of its absolute terms.
struct DerivativeProduct {
  Eigen::VectorXd value;
  Eigen::VectorXd terms;
};

/// The line along which rates are differences: the function at x + s direction.
struct DerivativeLine {
  StateFunction rates;
  Eigen::VectorXd x;
  Eigen::VectorXd direction;
};

/// Compares at one place.
class DerivativeComparison {
 public:
  using Block = std::vector<Eigen::Index>;

  /// Keeps references to all of them.
  DerivativeComparison(std::span<const StateComponent> layout, const DerivativePlace& place, const DeviationSink& tell);

  /// \returns components whose numbers can be compared: those of positions, and the others.
  [[nodiscard]] const std::array<Block, 2>& blocks() const { return blocks_; }
  [[nodiscard]] static double largest_in(const Eigen::VectorXd& vector, const Block& block);
  /// \returns by what errors of a block are measured. \param terms sums of absolute terms of a product
  [[nodiscard]] static double size_of(const Eigen::VectorXd& terms, const Block& block);
  /// \returns the same of derivatives times a direction: where motions are free in which nothing happens, entries of
  /// rows are what is left of larger terms, of which each way to the product leaves rounding of its own.
  [[nodiscard]] double size_of_product(const Eigen::VectorXd& terms, const Block& block) const;
  /// \returns whether rates of coordinates are solved for from momenta.
  [[nodiscard]] bool solves_velocities() const;
  /// \returns the size of weights times derivatives below which they are what is left of larger terms: each is a sum of
  /// terms like those of the rates.
  [[nodiscard]] double terms_behind_weights(const Eigen::VectorXd& weights) const;
  /// \returns random weights by which every block counts about as much. \param terms as of a product
  [[nodiscard]] Eigen::VectorXd weights(const Eigen::VectorXd& terms, RandomSource& random) const;

  /// A product against differences along its line. Where central differences disagree, those of either side count: a
  /// load may bend within the steps. 6 right-hand sides, up to 12 more there.
  /// \returns what could not be evaluated; empty when all is well
  std::string compare_differences(const DerivativeLine& line, const DerivativeProduct& product, const char* how) const;
  /// \param size by which errors are measured
  [[nodiscard]] DerivativeDeviation deviation_of(const Block& block, const Eigen::VectorXd& found,
                                                 const Eigen::VectorXd& expected, double size, const char* how) const;
  /// Of a product against another way to it.
  void tell(const Block& block, const Eigen::VectorXd& found, const Eigen::VectorXd& expected, double size,
            const char* how) const;
  void tell(const DerivativeDeviation& deviation) const { tell_(deviation); }

 private:
  /// \returns what differences round by, relative to the rates, times their step.
  [[nodiscard]] double rounding_of_rates() const;
  [[nodiscard]] double terms_behind(const Block& block) const;
  /// \returns the terms of which changes of a block's rates by velocities are sums, where nothing pulls and all of them
  /// cancel, too.
  [[nodiscard]] double change_terms(const Block& block) const;
  [[nodiscard]] double solved_velocities(const Block& block) const;
  void look_from_one_side(const DerivativeLine& line, const DerivativeProduct& product, double step, const char* how,
                          std::vector<DerivativeDeviation>& best) const;
  [[nodiscard]] std::vector<DerivativeDeviation> against(const StateDerivative& differences,
                                                         const DerivativeProduct& product, double rounding,
                                                         const char* how) const;

  std::span<const StateComponent> layout_;
  const DerivativePlace& place_;
  const DeviationSink& tell_;
  std::array<Block, 2> blocks_;
};

}  // namespace mbdbench
