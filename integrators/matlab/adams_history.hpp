#pragma once
/// \file
/// Modified divided differences of the derivative on an arbitrary grid, and the Adams formulas they carry.
///
/// L. F. Shampine, M. K. Gordon, Computer Solution of Ordinary Differential Equations: The Initial Value Problem,
/// Freeman, 1975, chapters 5 and 10.
///
/// | book | here |
/// |---|---|
/// | phi_i(n), phi*_i(n) | difference(i) |
/// | psi_i, alpha_i, beta_i, sigma_i, g_i | psi_, alpha_, beta_, sigma_, g_ |
/// | v, w (columns of the table of g) | v_, w_ |
/// | n_s, steps of the present size | constant_steps_ |
/// | k of the last step, h of the last step | last_order_, last_step_ |
///
/// Indices are the book's, from 1. Cost a step of order k: k multiply-adds a component to predict, 2 k additions to
/// predict and correct; O(k^2) operations on scalars, O(k) while the step stays.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace mbdbench {

/// The history of a variable-step Adams method. One step: prepare, predict, then undo or correct.
class AdamsHistory {
 public:
  static constexpr int kLargestOrder = 12;

  explicit AdamsHistory(std::size_t size);

  /// Forgets everything but the derivative f at the present point: what follows is a step of order 1.
  void restart(std::span<const double> f);

  /// Coefficients for a step h (signed) of this order, and the differences scaled to it.
  void prepare(double h, int order);

  /// out = the prediction from x; the differences become those of the predicting polynomial at the new point.
  void predict(std::span<const double> x, std::span<double> out);

  /// Takes prepare and predict back.
  void undo();

  /// The step is accepted with derivative f at its end.
  void correct(std::span<const double> f);

  /// The state at t_new + offset from the state at t_new, the end of the accepted step; offset points backward.
  void interpolate(double offset, std::span<const double> x_new, std::span<double> out) const;

  std::span<const double> difference(int i) const { return std::span(differences_).subspan((i - 1) * stride_, size_); }
  double g(int i) const { return g_[i]; }
  double sigma(int i) const { return sigma_[i]; }
  /// Number of steps of the present size, this one included; at most one more than their largest order.
  int constant_steps() const { return constant_steps_; }

 private:
  /// One entry more than g_13 and sigma_13, for entry 0, which the book does not have.
  using Coefficients = std::array<double, kLargestOrder + 2>;

  std::span<double> writable(int i) { return std::span(differences_).subspan((i - 1) * stride_, size_); }
  /// Components first ... first + Count - 1 of `predict`.
  template <std::size_t Count>
  void predict_components(std::size_t first, double h, const double* x, double* __restrict out);
  void update_grid();
  void update_g();

  std::size_t size_;
  std::size_t stride_;  ///< an odd number of cache lines: differences of one component are not rivals in the cache
  std::vector<double> differences_;
  Coefficients psi_{}, alpha_{}, beta_{}, sigma_{}, g_{}, v_{}, w_{};
  int order_ = 1;
  int constant_steps_ = 0;
  int last_order_ = 0;
  double step_ = 0.0;
  double last_step_ = 0.0;
};

}  // namespace mbdbench
