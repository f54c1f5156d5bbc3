#pragma once
/// \file
/// The Runge-Kutta methods whose runs can be differentiated, as tableaus: what a reverse sweep needs to know of them.
///
/// All but `rk4` are those of integrators, with sizes that an adaptive integrator has chosen (chosen_steps.hpp). Sums
/// of explicit ones have the same terms in the same order and are compiled in two places: the ends of steps are the
/// integrators' to the last bit where the compiler fuses the same products, to rounding elsewhere. implicit_step.hpp
/// says how near those of implicit ones are.
/// `rk4` is Kutta's method of order 4 (W. Kutta, Beitrag zur naeherungsweisen Integration totaler
/// Differentialgleichungen, Z. Math. Phys. 46, 1901).
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/gradients/steps/step_times.hpp"

namespace mbdbench::gradients {

/// In which order the sums of a step are rounded.
enum class SumOrder {
  step_last,  ///< x + h (a_1 k_1 + a_2 k_2 + ...)
  step_first  ///< x + (h a_1) k_1 + (h a_2) k_2 + ..., as Boost.Odeint has it
};

/// X_i = x + h sum a_ij k_j, k_i = f(t + c_i h, X_i), x_new = x + h sum b_i k_i.
struct StepMethod {
  std::string_view key;
  std::vector<double> nodes;                ///< c
  std::vector<std::vector<double>> stages;  ///< a; row i has i entries where that stage is explicit, else all
  std::vector<double> weights;              ///< b, as many as nodes
  std::size_t explicit_stages = 0;          ///< the first ones, which need no later one
  bool adaptive = false;                    ///< its integrator chooses the steps
  double largest_step = 1.0;                ///< of an adaptive one, unless it is told, as a fraction of the run
  bool ends_at_end = false;                 ///< stages with c = 1 have the time of the end itself, not t + h
  SumOrder order = SumOrder::step_last;

  [[nodiscard]] std::size_t stage_count() const { return nodes.size(); }
  [[nodiscard]] bool is_implicit() const { return explicit_stages < stage_count(); }
  /// \returns a_ij.
  [[nodiscard]] double coefficient(std::size_t i, std::size_t j) const {
    return j < stages[i].size() ? stages[i][j] : 0.0;
  }
  /// \returns the time of stage i.
  [[nodiscard]] double time_of(std::size_t i, const StepInterval& step) const {
    return ends_at_end && nodes[i] == 1.0 ? step.end : step.t + nodes[i] * step.size;
  }
};

/// \throws std::invalid_argument naming those that there are
const StepMethod& step_method(std::string_view key);

/// \returns the keys of those that choose their steps.
std::vector<std::string_view> adaptive_methods();

/// to = x + h sum weights_j k_j, in the order of the terms. \param k rows of as many numbers as `x` has \param to
/// neither x nor among the k
void advance_by(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                std::span<double> to, SumOrder order = SumOrder::step_last);

}  // namespace mbdbench::gradients
