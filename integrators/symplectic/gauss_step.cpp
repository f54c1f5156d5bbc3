#include "integrators/symplectic/gauss_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {
namespace {

/// More iterations than this cost more than what a new Jacobian saves in the next steps.
constexpr std::size_t kSlowNewton = 6;

/// Beyond it the matrices of Newton's method would take memory and time that a fixed-point iteration did not ask for.
constexpr std::size_t kLargestUnasked = 2000;

}  // namespace

template <std::size_t Stages>
GaussStep<Stages>::GaussStep(const OdeOptions& options, std::size_t size) : options_(options), stage_(size) {
  k_.fill(std::vector<double>(size));
  k_new_.fill(std::vector<double>(size));
  if (options.newton_stages) {
    begin_newton();
  }
}

template <std::size_t Stages>
Evaluation GaussStep<Stages>::step(OdeRun& run, double t, double h, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> x_new) {
  const Evaluation outcome = newton_ ? solve_by_newton(run, t, h, x, xdot) : solve_by_sweeps(run, t, h, x, xdot);
  solved_step_ = outcome == Evaluation::ok ? h : 0.0;
  if (outcome == Evaluation::ok) {
    advance(kGauss<Stages>.b, h, x, x_new);
  }
  return outcome;
}

template <std::size_t Stages>
void GaussStep<Stages>::forget() {
  newton_.reset();
  if (options_.newton_stages) {
    begin_newton();
  }
  solved_step_ = 0.0;
}

template <std::size_t Stages>
void GaussStep<Stages>::stage(std::size_t i, double h, std::span<const double> x, std::span<double> out) const {
  advance(kGauss<Stages>.a[i], h, x, out);
}

template <std::size_t Stages>
void GaussStep<Stages>::begin_newton() {
  Eigen::MatrixXd a(Stages, Stages);
  for (std::size_t i = 0; i < Stages; ++i) {
    for (std::size_t j = 0; j < Stages; ++j) {
      a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = kGauss<Stages>.a[i][j];
    }
  }
  newton_.emplace(a, options_, stage_.size());
  residuals_.resize(static_cast<Eigen::Index>(stage_.size()), a.rows());
}

template <std::size_t Stages>
void GaussStep<Stages>::begin_iteration(std::span<const double> xdot) {
  for (std::vector<double>& k : k_) {
    std::copy(xdot.begin(), xdot.end(), k.begin());
  }
}

template <std::size_t Stages>
void GaussStep<Stages>::predict(double h, std::span<const double> xdot) {
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

template <std::size_t Stages>
Evaluation GaussStep<Stages>::solve_by_sweeps(OdeRun& run, double t, double h, std::span<const double> x,
                                              std::span<const double> xdot) {
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

template <std::size_t Stages>
Evaluation GaussStep<Stages>::solve_by_newton(OdeRun& run, double t, double h, std::span<const double> x,
                                              std::span<const double> xdot) {
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

template <std::size_t Stages>
void GaussStep<Stages>::correct(OdeRun& run) {
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

template <std::size_t Stages>
void GaussStep<Stages>::advance(const std::array<double, Stages>& weights, double h, std::span<const double> x,
                                std::span<double> out) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < Stages; ++j) {
      sum += weights[j] * k_[j][i];
    }
    out[i] = x[i] + h * sum;
  }
}

template <std::size_t Stages>
Evaluation GaussStep<Stages>::sweep(OdeRun& run, double t, double h, std::span<const double> x) {
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

template <std::size_t Stages>
typename GaussStep<Stages>::Verdict GaussStep<Stages>::judge(IterationMonitor& monitor, double h,
                                                             std::span<const double> x) const {
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

template class GaussStep<1>;
template class GaussStep<2>;
template class GaussStep<3>;

}  // namespace mbdbench
