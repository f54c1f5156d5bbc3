/// \file
/// Solutions of the AssemblyEngine: one sweep and what corrects it, by one refinement where the rank is revealed, by
/// passes over the multipliers where rows are regularised (proximal.hpp).
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>

#include "formulations/assembly/assembly_engine.hpp"

namespace mbdbench {
namespace {

// Constrained relative velocities above this part of the velocities are refined.
constexpr double kWorthRefining = 1e-13;
// Where rows are regularised the residual is what a pass left of them, and multipliers miss more than that: over the
// eigenvalue of the direction. So it has to be rounding, some eps a body, up to the number above.
constexpr double kRoundingOfABody = 4.0 * std::numeric_limits<double>::epsilon();

// Of balance passes. Two or three suffice unless J itself governs a motion.
constexpr int kMostBalancePasses = 30;
constexpr double kRounding = 1e-15;
constexpr double kShrinks = 0.5;
// Changes of the last pass up to this part of the rates are rounding times the condition of the motion.
constexpr double kBalanced = 1e-9;

double square(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

}  // namespace

void AssemblyEngine::constraint_residual(std::span<const double> r, std::span<const Vec6> rates,
                                         std::span<double> residual) const {
  std::copy(r.begin(), r.end(), residual.begin());
  for (std::size_t body = 0; body < rates.size(); ++body) {
    steps_.subtract_rates(leaves_.plan(static_cast<int>(body)), rates[body].data(), residual.data());
  }
}

bool AssemblyEngine::set_residual(std::span<const double> r, std::span<const Vec6> rates) {
  constraint_residual(r, rates, residual_);
  const auto largest_of = [](const double* values, std::size_t count) {
    return Eigen::Map<const Eigen::VectorXd>(values, static_cast<Eigen::Index>(count)).lpNorm<Eigen::Infinity>();
  };
  const double size = rates.empty() ? 0.0 : largest_of(rates.front().data(), 6 * rates.size());
  const double largest = residual_.empty() ? 0.0 : largest_of(residual_.data(), residual_.size());
  // Rounding leaves some n eps; what redundant constraints contradict after drift comes back unchanged and costs a
  // pass.
  const double rounding = kRoundingOfABody * static_cast<double>(rates.size());
  const double worth = proximal_.rows == ProximalRows::loops ? std::min(kWorthRefining, rounding) : kWorthRefining;
  return largest > worth * size;
}

void AssemblyEngine::solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                           std::span<Vec6> rates) {
  sweep(r, input, sigma, rates);
  if (balances()) {
    balance(r, input, sigma, rates);
    return;
  }
  if (proximal_.rows != ProximalRows::none) {
    multiplier_series_.set_input(std::accumulate(
        input.begin(), input.end(), 0.0, [](double sum, const Vec6& wrench) { return sum + wrench.squaredNorm(); }));
    passes_ = loops_ ? refine(r, sigma, rates, proximal_.limits, 1) : 1;
    return;
  }
  if (!loops_ || !set_residual(r, rates)) {
    return;
  }
  sweep(residual_, no_input_, sigma_correction_, rate_correction_);
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    sigma[i] += sigma_correction_[i];
  }
  for (std::size_t body = 0; body < rates.size(); ++body) {
    rates[body] += rate_correction_[body];
  }
}

void AssemblyEngine::balance_bodies(double length) {
  length_ = length;
  balanced_inertias_.assign(body_input_.size(), Mat3::Identity());
  residual_.resize(static_cast<std::size_t>(row_count_));
  sigma_correction_.resize(residual_.size());
  unbalanced_.resize(body_input_.size());
  rate_correction_.resize(body_input_.size());
}

void AssemblyEngine::balance(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                             std::span<Vec6> rates) {
  const auto size = [this](std::span<const Vec6> values) {
    double largest = 0.0;
    for (const Vec6& value : values) {
      largest = std::max(
          {largest, value.head<3>().lpNorm<Eigen::Infinity>(), length_ * value.tail<3>().lpNorm<Eigen::Infinity>()});
    }
    return largest;
  };
  double last = std::numeric_limits<double>::infinity();
  for (passes_ = 1; passes_ < kMostBalancePasses; ++passes_) {
    constraint_residual(r, rates, residual_);
    for (std::size_t body = 0; body < rates.size(); ++body) {
      unbalanced_[body] =
          leaves_.unbalanced(steps_, static_cast<int>(body), input[body], balanced_inertias_[body], rates[body], sigma);
    }
    sweep(residual_, unbalanced_, sigma_correction_, rate_correction_);
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      sigma[i] += sigma_correction_[i];
    }
    for (std::size_t body = 0; body < rates.size(); ++body) {
      rates[body] += rate_correction_[body];
    }
    const double change = size(rate_correction_);
    const double whole = size(rates);
    // Rounding of the residuals leaves some eps; what does not shrink any more is that, or does not converge.
    if (!(change > kRounding * whole) || !(change < kShrinks * last)) {
      remainder_.rates = change > kBalanced * whole ? change / whole : 0.0;
      return;
    }
    last = change;
    remainder_.rates = change / whole;
  }
}

int AssemblyEngine::refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                           const PassLimits& limits, int done) {
  const int plain = limits.conjugate ? std::min(limits.most, PassLimits::kPlainPasses) : limits.most;
  remainder_ = done < limits.most ? PassRemainder{} : PassRemainder{1.0, 1.0};
  multiplier_series_.start(square(sigma));
  rate_series_ = {};
  while (done < plain) {
    // Where only loops are regularised the first pass often ends at rounding: a look at the residual saves the second.
    if (!set_residual(r, rates) && proximal_.rows == ProximalRows::loops) {
      return done;
    }
    correct(residual_, sigma_correction_, rate_correction_);
    ++done;
    if (!add_change(1.0, sigma_correction_, rate_correction_, sigma, rates, limits)) {
      return done;
    }
  }
  return limits.conjugate ? refine_conjugate(r, sigma, rates, limits, done) : done;
}

bool AssemblyEngine::add_change(double factor, std::span<const double> sigma_change, std::span<const Vec6> rate_change,
                                std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits) {
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    sigma[i] += factor * sigma_change[i];
  }
  double change = 0.0;
  double size = 0.0;
  for (std::size_t body = 0; body < rates.size(); ++body) {
    const Vec6 moved = factor * rate_change[body];
    rates[body] += moved;
    change += moved.squaredNorm();
    size += rates[body].squaredNorm();
  }
  const bool goes_on = std::sqrt(change) > std::max(limits.change, PassLimits::kRelativeChange * std::sqrt(size));
  const double missing = rate_series_.left(change, size);
  remainder_ = {goes_on ? missing : 0.0,
                multiplier_series_.left(factor * factor * square(sigma_change), square(sigma))};
  return goes_on;
}

int AssemblyEngine::refine_conjugate(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                                     const PassLimits& limits, int done) {
  // Without a second pass a direction cannot be weighed: it is taken as it is.
  if (limits.most - done < 2) {
    return done;
  }
  const auto dot = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  // b <- a + factor b
  const auto renew = [](const auto& a, double factor, auto& b) {
    std::transform(a.begin(), a.end(), b.begin(), b.begin(),
                   [factor](const auto& x, const auto& y) { return std::decay_t<decltype(y)>(x + factor * y); });
  };
  const auto apply = [this](Direction& direction) {
    std::fill(residual_.begin(), residual_.end(), 0.0);
    constraint_residual(residual_, direction.rates, direction.rows);
    std::transform(direction.rows.begin(), direction.rows.end(), direction.rows.begin(), std::negate<>());
  };
  set_residual(r, rates);
  Direction& z = preconditioned_;
  correct(residual_, z.multipliers, z.rates);
  ++done;
  apply(z);
  search_ = z;
  double weight = dot(z.multipliers, z.rows);
  while (done < limits.most && weight > 0.0) {
    correct(search_.rows, image_.multipliers, image_.rates);
    ++done;
    const double square = dot(search_.rows, image_.multipliers);
    if (!(square > 0.0)) {
      break;
    }
    const double length = weight / square;
    if (!add_change(length, search_.multipliers, search_.rates, sigma, rates, limits)) {
      break;
    }
    for (std::size_t i = 0; i < z.multipliers.size(); ++i) {
      z.multipliers[i] -= length * image_.multipliers[i];
    }
    for (std::size_t body = 0; body < z.rates.size(); ++body) {
      z.rates[body] -= length * image_.rates[body];
    }
    apply(z);
    const double next = dot(z.multipliers, z.rows);
    const double factor = next / weight;
    renew(z.multipliers, factor, search_.multipliers);
    renew(z.rows, factor, search_.rows);
    renew(z.rates, factor, search_.rates);
    weight = next;
  }
  const auto size_of = [](std::span<const Vec6> of) {
    return std::sqrt(std::accumulate(of.begin(), of.end(), 0.0,
                                     [](double sum, const Vec6& rate) { return sum + rate.squaredNorm(); }));
  };
  if (weight <= 0.0 && size_of(z.rates) <= std::max(limits.change, PassLimits::kRelativeChange * size_of(rates))) {
    // Nothing is left in the range of A, whatever the last pass changed.
    remainder_.rates = 0.0;
  }
  return done;
}

}  // namespace mbdbench
