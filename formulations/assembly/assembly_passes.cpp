/// \file
/// Solutions of the AssemblyEngine: one sweep and what corrects it, by one refinement where the rank is revealed, by
/// passes over the multipliers where rows are regularised (proximal.hpp).
#include <algorithm>
#include <cmath>

#include "formulations/assembly/assembly_engine.hpp"

namespace mbdbench {
namespace {

// Constrained relative velocities above this part of the velocities are refined.
constexpr double kWorthRefining = 1e-13;

}  // namespace

void AssemblyEngine::constraint_residual(std::span<const double> r, std::span<const Vec6> rates,
                                         std::span<double> residual) const {
  std::copy(r.begin(), r.end(), residual.begin());
  for (std::size_t body = 0; body < rates.size(); ++body) {
    leaves_.subtract_constrained_rates(static_cast<int>(body), rates[body], row_offsets_, residual);
  }
}

bool AssemblyEngine::set_residual(std::span<const double> r, std::span<const Vec6> rates) {
  constraint_residual(r, rates, residual_);
  double size = 0.0;
  for (const Vec6& rate : rates) {
    size = std::max(size, rate.lpNorm<Eigen::Infinity>());
  }
  double largest = 0.0;
  for (const double row : residual_) {
    largest = std::max(largest, std::abs(row));
  }
  // Rounding leaves some n eps; what redundant constraints contradict after drift comes back unchanged and costs a
  // pass.
  return largest > kWorthRefining * size;
}

void AssemblyEngine::solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                           std::span<Vec6> rates) {
  sweep(r, input, sigma, rates);
  if (proximal_.rows != ProximalRows::none) {
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

int AssemblyEngine::refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates,
                           const PassLimits& limits, int done) {
  while (done < limits.most) {
    // Where only loops are regularised the first pass often ends at rounding: a look at the residual saves the second.
    if (!set_residual(r, rates) && proximal_.rows == ProximalRows::loops) {
      break;
    }
    correct(residual_, sigma_correction_, rate_correction_);
    ++done;
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      sigma[i] += sigma_correction_[i];
    }
    double change = 0.0;
    double size = 0.0;
    for (std::size_t body = 0; body < rates.size(); ++body) {
      rates[body] += rate_correction_[body];
      change += rate_correction_[body].squaredNorm();
      size += rates[body].squaredNorm();
    }
    if (!(std::sqrt(change) > std::max(limits.change, PassLimits::kRelativeChange * std::sqrt(size)))) {
      break;
    }
  }
  return done;
}

}  // namespace mbdbench
