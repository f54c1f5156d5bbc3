/// \file
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
#include "integrators/symplectic/gauss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "integrators/fixed_step_loop.hpp"
#include "integrators/symplectic/iteration_monitor.hpp"
#include "integrators/symplectic/stage_newton.hpp"

namespace mbdbench {
namespace {

template <std::size_t Stages>
struct GaussTableau {
  std::array<double, Stages> c;
  std::array<std::array<double, Stages>, Stages> a;
  std::array<double, Stages> b;
};

constexpr double kRoot3 = 1.7320508075688772935;
constexpr double kRoot15 = 3.8729833462074168852;

template <std::size_t Stages>
constexpr GaussTableau<Stages> kGauss{};

template <>
constexpr GaussTableau<1> kGauss<1>{{0.5}, {{{0.5}}}, {1.0}};

template <>
constexpr GaussTableau<2> kGauss<2>{
    {0.5 - kRoot3 / 6.0, 0.5 + kRoot3 / 6.0}, {{{0.25, 0.25 - kRoot3 / 6.0}, {0.25 + kRoot3 / 6.0, 0.25}}}, {0.5, 0.5}};

template <>
constexpr GaussTableau<3> kGauss<3>{{0.5 - kRoot15 / 10.0, 0.5, 0.5 + kRoot15 / 10.0},
                                    {{{5.0 / 36.0, 2.0 / 9.0 - kRoot15 / 15.0, 5.0 / 36.0 - kRoot15 / 30.0},
                                      {5.0 / 36.0 + kRoot15 / 24.0, 2.0 / 9.0, 5.0 / 36.0 - kRoot15 / 24.0},
                                      {5.0 / 36.0 + kRoot15 / 30.0, 2.0 / 9.0 + kRoot15 / 15.0, 5.0 / 36.0}}},
                                    {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0}};

/// The collocation polynomial itself has the order of its stages, s + 1 at most; samples have that of the method.
template <std::size_t Stages>
struct GaussSamples {
  static constexpr int kSampleOrder = 2 * static_cast<int>(Stages);
};

/// Hermite's cubic is of higher order than the midpoint rule.
template <>
struct GaussSamples<1> {};

/// More iterations than this cost more than what a new Jacobian saves in the next steps.
constexpr std::size_t kSlowNewton = 6;

/// Beyond it the matrices of Newton's method would take memory and time that a fixed-point iteration did not ask for.
constexpr std::size_t kLargestUnasked = 2000;

template <std::size_t Stages>
class Gauss : public GaussSamples<Stages> {
 public:
  Gauss(const OdeOptions& options, std::size_t size) : options_(options), stage_(size) {
    k_.fill(std::vector<double>(size));
    k_new_.fill(std::vector<double>(size));
    if (options.newton_stages) {
      begin_newton();
    }
  }

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    const Evaluation outcome = newton_ ? solve_by_newton(run, t, h, x, xdot) : solve_by_sweeps(run, t, h, x, xdot);
    solved_step_ = outcome == Evaluation::ok ? h : 0.0;
    if (outcome == Evaluation::ok) {
      advance(kGauss<Stages>.b, h, x, x_new);
    }
    return outcome;
  }

 private:
  using Verdict = IterationMonitor::Verdict;

  void begin_newton() {
    Eigen::MatrixXd a(Stages, Stages);
    for (std::size_t i = 0; i < Stages; ++i) {
      for (std::size_t j = 0; j < Stages; ++j) {
        a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = kGauss<Stages>.a[i][j];
      }
    }
    newton_.emplace(a, options_, stage_.size());
    residuals_.resize(static_cast<Eigen::Index>(stage_.size()), a.rows());
  }

  void begin_iteration(std::span<const double> xdot) {
    for (std::vector<double>& k : k_) {
      std::copy(xdot.begin(), xdot.end(), k.begin());
    }
  }

  /// Newton's method begins with the polynomial through the stages of the last step and the slope at its end, where
  /// there was one: its first error is smaller by h^Stages.
  void predict(double h, std::span<const double> xdot) {
    if (solved_step_ == 0.0) {
      begin_iteration(xdot);
      return;
    }
    std::array<double, Stages + 1> nodes{};
    std::copy(kGauss<Stages>.c.begin(), kGauss<Stages>.c.end(), nodes.begin());
    nodes[Stages] = 1.0;
    for (std::size_t i = 0; i < Stages; ++i) {
      const double place = 1.0 + kGauss<Stages>.c[i] * h / solved_step_;
      std::array<double, Stages + 1> weights{};
      for (std::size_t j = 0; j <= Stages; ++j) {
        weights[j] = 1.0;
        for (std::size_t l = 0; l <= Stages; ++l) {
          weights[j] *= l == j ? 1.0 : (place - nodes[l]) / (nodes[j] - nodes[l]);
        }
      }
      for (std::size_t e = 0; e < xdot.size(); ++e) {
        double sum = weights[Stages] * xdot[e];
        for (std::size_t j = 0; j < Stages; ++j) {
          sum += weights[j] * k_[j][e];
        }
        k_new_[i][e] = sum;
      }
    }
    std::swap(k_, k_new_);
  }

  /// By fixed-point iteration; from the first step on that it does not solve by Newton's method.
  Evaluation solve_by_sweeps(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot) {
    begin_iteration(xdot);
    IterationMonitor monitor;
    Verdict verdict = Verdict::go_on;
    Evaluation outcome = Evaluation::ok;
    while (verdict == Verdict::go_on && outcome == Evaluation::ok) {
      outcome = sweep(run, t, h, x);
      if (outcome == Evaluation::ok) {
        verdict = judge(monitor, h, x);
        std::swap(k_, k_new_);
      }
    }
    if (outcome == Evaluation::ended || (outcome == Evaluation::ok && verdict == Verdict::solved)) {
      return outcome;
    }
    // A sweep that leaves the numbers has diverged.
    if (stage_.size() > kLargestUnasked) {
      run.end_method_failed("the fixed-point iteration does not solve the stages; a smaller fixed_step may help");
      return Evaluation::ended;
    }
    begin_newton();
    solved_step_ = 0.0;
    return solve_by_newton(run, t, h, x, xdot);
  }

  Evaluation solve_by_newton(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot) {
    while (true) {
      const bool fresh = !newton_->is_usable();
      const bool predicted = solved_step_ != 0.0;
      if (fresh) {
        const Evaluation formed = newton_->form(run, t, x, xdot);
        if (formed != Evaluation::ok) {
          return formed;
        }
      }
      newton_->factor(run, h);
      predict(h, xdot);
      solved_step_ = 0.0;
      IterationMonitor monitor;
      Verdict verdict = Verdict::go_on;
      Evaluation outcome = Evaluation::ok;
      while (verdict == Verdict::go_on && outcome == Evaluation::ok) {
        outcome = sweep(run, t, h, x);
        if (outcome == Evaluation::ok) {
          correct(run);
          verdict = judge(monitor, h, x);
          std::swap(k_, k_new_);
        }
      }
      if (outcome == Evaluation::ended) {
        return outcome;
      }
      if (outcome == Evaluation::ok && verdict == Verdict::solved) {
        if (monitor.count() > kSlowNewton) {
          newton_->give_up_jacobian();
        }
        return outcome;
      }
      const bool last = fresh && !predicted;
      newton_->give_up_jacobian();
      if (last) {
        if (outcome == Evaluation::ok) {
          run.end_method_failed("Newton's method does not solve the stages; a smaller fixed_step may help");
          outcome = Evaluation::ended;
        }
        return outcome;
      }
    }
  }

  /// k_new <- k + (I - h A (x) J)^-1 (k_new - k).
  void correct(OdeRun& run) {
    for (std::size_t j = 0; j < Stages; ++j) {
      for (std::size_t i = 0; i < stage_.size(); ++i) {
        residuals_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = k_new_[j][i] - k_[j][i];
      }
    }
    newton_->solve(run, residuals_);
    for (std::size_t j = 0; j < Stages; ++j) {
      for (std::size_t i = 0; i < stage_.size(); ++i) {
        k_new_[j][i] = k_[j][i] + residuals_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      }
    }
  }

  /// out = x + h sum_j weights_j k_j.
  void advance(const std::array<double, Stages>& weights, double h, std::span<const double> x,
               std::span<double> out) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < Stages; ++j) {
        sum += weights[j] * k_[j][i];
      }
      out[i] = x[i] + h * sum;
    }
  }

  Evaluation sweep(OdeRun& run, double t, double h, std::span<const double> x) {
    ++run.statistics().niterations;
    for (std::size_t j = 0; j < Stages; ++j) {
      advance(kGauss<Stages>.a[j], h, x, stage_);
      const Evaluation outcome = run.evaluate(t + kGauss<Stages>.c[j] * h, stage_, k_new_[j]);
      if (outcome != Evaluation::ok) {
        return outcome;
      }
    }
    return Evaluation::ok;
  }

  Verdict judge(IterationMonitor& monitor, double h, std::span<const double> x) const {
    double change = 0.0;
    double scale = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      scale = std::max(scale, std::abs(x[i]));
      for (std::size_t j = 0; j < Stages; ++j) {
        change = std::max(change, std::abs(h * (k_new_[j][i] - k_[j][i])));
        scale = std::max(scale, std::abs(h * k_new_[j][i]));
      }
    }
    return monitor.judge(change, scale);
  }

  OdeOptions options_;
  std::array<std::vector<double>, Stages> k_;
  std::array<std::vector<double>, Stages> k_new_;
  std::vector<double> stage_;
  std::optional<StageNewton> newton_;
  Eigen::MatrixXd residuals_;
  double solved_step_ = 0.0;  // of the last step, whose stages are in k_; 0: none
};

}  // namespace

OdeResult implicit_midpoint(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<Gauss<1>>(system, tspan, x0, options, sink);
}

OdeResult gauss4(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<Gauss<2>>(system, tspan, x0, options, sink);
}

OdeResult gauss6(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<Gauss<3>>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
