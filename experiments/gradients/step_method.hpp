#pragma once
/// \file
/// Explicit Runge-Kutta methods with a fixed step, as tableaus: what a reverse sweep needs to know of them.
///
/// `rk2` and `rkf45-fixed` make the steps of the integrators of these names, to the last bit. `rk4` is Kutta's method
/// of order 4 (W. Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, Z. Math. Phys. 46,
/// 1901).
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mbdbench::gradients {

/// X_i = x + h sum a_ij k_j, k_i = f(t + c_i h, X_i), x_new = x + h sum b_i k_i.
struct StepMethod {
  std::string_view key;
  std::vector<double> nodes;                ///< c
  std::vector<std::vector<double>> stages;  ///< a, row i with i entries
  std::vector<double> weights;              ///< b, as many as nodes
  [[nodiscard]] std::size_t stage_count() const { return nodes.size(); }
};

/// \throws std::invalid_argument naming those that there are
const StepMethod& step_method(std::string_view key);

/// to = x + h sum weights_j k_j, in the order of the terms. \param k rows of as many numbers as `x` has \param to
/// neither x nor among the k
void advance_by(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                std::span<double> to);

/// The times of a run, t0 + k h but for the last one, as fixed-step integrators have them.
class StepTimes {
 public:
  StepTimes() = default;
  /// \throws std::invalid_argument where the step is not positive, the times are equal, or there are more than 1e9
  /// steps
  StepTimes(double t0, double tf, double step);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// \returns time k of 0 ... count().
  [[nodiscard]] double at(std::size_t k) const { return k == count_ ? tf_ : t0_ + static_cast<double>(k) * step_; }
  /// \returns the size of the step from time k, signed.
  [[nodiscard]] double size_of(std::size_t k) const;
  /// \returns which of them a time is, to a millionth of a step. \throws std::invalid_argument saying which are nearest
  [[nodiscard]] std::size_t index_of_time(double t) const;

 private:
  double t0_ = 0.0;
  double tf_ = 0.0;
  double step_ = 0.0;
  std::size_t count_ = 0;
};

}  // namespace mbdbench::gradients
