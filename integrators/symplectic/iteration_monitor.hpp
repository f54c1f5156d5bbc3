#pragma once
/// \file
/// Decides when the equations of an implicit step are solved to rounding level.
///
/// Source: E. Hairer, R. I. McLachlan, A. Razakarivony, Achieving Brouwer's law with implicit Runge-Kutta methods, BIT
/// Numer. Math. 48 (2008) 231-243, section 3: iterate until the change vanishes or no longer decreases. A tolerance
/// instead would leave an error with a sign of its own in every step, which energy and symplecticity then show.
///
/// | paper | here |
/// |---|---|
/// | Delta^(k), Delta^(k-1) | change, previous_ |
///
/// Beyond the paper: an increase far above rounding level is not the end, and diverging or endless iterations are
/// noticed. Cost: a few operations an iteration.
#include <cstddef>
#include <limits>

namespace mbdbench {

class IterationMonitor {
 public:
  enum class Verdict { go_on, solved, failed };

  /// \param change largest absolute change that the iteration made. \param scale size of what was changed.
  Verdict judge(double change, double scale) {
    ++count_;
    if (change == 0.0 || (change >= previous_ && change <= kRoundingLevel * scale)) {
      return Verdict::solved;
    }
    if (count_ == 1) {
      first_ = change;
    }
    previous_ = change;
    return count_ < kMostIterations && change <= kDivergence * first_ ? Verdict::go_on : Verdict::failed;
  }

  /// \returns iterations so far.
  std::size_t count() const { return count_; }

 private:
  /// Sums of some tens of rounded products in f and in the stages.
  static constexpr double kRoundingLevel = 1000.0 * std::numeric_limits<double>::epsilon();
  /// Twice what a contraction by one half needs to get from 1 to rounding level.
  static constexpr std::size_t kMostIterations = 100;
  static constexpr double kDivergence = 1e6;

  std::size_t count_ = 0;
  double first_ = 0.0;
  double previous_ = std::numeric_limits<double>::infinity();
};

}  // namespace mbdbench
