#pragma once
/// \file
/// A step of the Gauss collocation methods: coefficients, and how their stages are solved.
///
/// E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., Springer 2006: section II.1.3 (the
/// methods, table 1.1), theorem VI.4.2 (symplecticity), section VIII.6 (fixed-point iteration and Newton's).
///
/// | book | here |
/// |---|---|
/// | c_i, a_ij, b_i | GaussTableau::c, a, b |
/// | k_i = f(t_0 + c_i h, y_0 + h sum_j a_ij k_j) | k_ |
/// | y_0, y_1 | x, x_new |
///
/// Cost a step: s evaluations of f and s^2 multiply-adds a component an iteration; with |h df/dx| = 0.1 about 10
/// iterations. Newton's method (stage_newton.hpp) takes about 5, and its solutions and Jacobians. All memory is taken
/// before the first step; that of Newton's method where it is first needed.
#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "integrators/ode_run.hpp"
#include "integrators/symplectic/iteration_monitor.hpp"
#include "integrators/symplectic/stage_newton.hpp"

namespace mbdbench {

/// Coefficients of the method.
template <std::size_t Stages>
struct GaussTableau {
  std::array<double, Stages> c;
  std::array<std::array<double, Stages>, Stages> a;
  std::array<double, Stages> b;
};

namespace gauss {

inline constexpr double kRoot3 = 1.7320508075688772935;
inline constexpr double kRoot15 = 3.8729833462074168852;

}  // namespace gauss

template <std::size_t Stages>
inline constexpr GaussTableau<Stages> kGauss{};

template <>
inline constexpr GaussTableau<1> kGauss<1>{{0.5}, {{{0.5}}}, {1.0}};

template <>
inline constexpr GaussTableau<2> kGauss<2>{{0.5 - gauss::kRoot3 / 6.0, 0.5 + gauss::kRoot3 / 6.0},
                                           {{{0.25, 0.25 - gauss::kRoot3 / 6.0}, {0.25 + gauss::kRoot3 / 6.0, 0.25}}},
                                           {0.5, 0.5}};

template <>
inline constexpr GaussTableau<3> kGauss<3>{
    {0.5 - gauss::kRoot15 / 10.0, 0.5, 0.5 + gauss::kRoot15 / 10.0},
    {{{5.0 / 36.0, 2.0 / 9.0 - gauss::kRoot15 / 15.0, 5.0 / 36.0 - gauss::kRoot15 / 30.0},
      {5.0 / 36.0 + gauss::kRoot15 / 24.0, 2.0 / 9.0, 5.0 / 36.0 - gauss::kRoot15 / 24.0},
      {5.0 / 36.0 + gauss::kRoot15 / 30.0, 2.0 / 9.0 + gauss::kRoot15 / 15.0, 5.0 / 36.0}}},
    {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0}};

/// The collocation polynomial itself has the order of its stages, s + 1 at most; samples have that of the method.
template <std::size_t Stages>
struct GaussSamples {
  static constexpr int kSampleOrder = 2 * static_cast<int>(Stages);
};

/// Hermite's cubic is of higher order than the midpoint rule.
template <>
struct GaussSamples<1> {};

/// One step of the method, for solve_with_fixed_step. Compiled once, with one, two and three stages: what a step makes
/// has the same bits whoever asks for it.
template <std::size_t Stages>
class GaussStep : public GaussSamples<Stages> {
 public:
  /// \param size of the state
  GaussStep(const OdeOptions& options, std::size_t size);

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new);

  /// What the next step does depends on no step before it.
  void forget();
  /// \returns f at stage i of the last step.
  [[nodiscard]] std::span<const double> rate(std::size_t i) const { return k_[i]; }
  /// The state at stage i of the last step, of size h from x.
  void stage(std::size_t i, double h, std::span<const double> x, std::span<double> out) const;

 private:
  using Verdict = IterationMonitor::Verdict;

  void begin_newton();

  void begin_iteration(std::span<const double> xdot);

  /// Newton's method begins with the polynomial through the stages of the last step and the slope at its end, where
  /// there was one: its first error is smaller by h^Stages.
  void predict(double h, std::span<const double> xdot);

  /// By fixed-point iteration; from the first step on that it does not solve by Newton's method.
  Evaluation solve_by_sweeps(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot);

  Evaluation solve_by_newton(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot);

  /// k_new <- k + (I - h A (x) J)^-1 (k_new - k).
  void correct(OdeRun& run);

  /// out = x + h sum_j weights_j k_j.
  void advance(const std::array<double, Stages>& weights, double h, std::span<const double> x,
               std::span<double> out) const;

  Evaluation sweep(OdeRun& run, double t, double h, std::span<const double> x);

  Verdict judge(IterationMonitor& monitor, double h, std::span<const double> x) const;

  OdeOptions options_;
  std::array<std::vector<double>, Stages> k_;
  std::array<std::vector<double>, Stages> k_new_;
  std::vector<double> stage_;
  std::optional<StageNewton> newton_;
  Eigen::MatrixXd residuals_;
  double solved_step_ = 0.0;  // of the last step, whose stages are in k_; 0: none
};

}  // namespace mbdbench
