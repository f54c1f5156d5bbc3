#include "integrators/matlab/adams_history.hpp"

#include <algorithm>
#include <functional>

namespace mbdbench {
namespace {

/// \returns the numbers in as many cache lines as `size` of them take, one more if that is even.
std::size_t odd_lines(std::size_t size) {
  constexpr std::size_t kLine = 8;
  return ((size + kLine - 1) / kLine | 1) * kLine;
}

}  // namespace

AdamsHistory::AdamsHistory(std::size_t size)
    : size_(size), stride_(odd_lines(size)), differences_((kLargestOrder + 2) * stride_) {
  sigma_[1] = 1.0;
  g_[1] = 1.0;
  g_[2] = 0.5;
}

void AdamsHistory::restart(std::span<const double> f) {
  std::fill(differences_.begin(), differences_.end(), 0.0);
  std::copy(f.begin(), f.end(), differences_.begin());
  constant_steps_ = 0;
  last_order_ = 0;
  last_step_ = 0.0;
}

/// psi, alpha, beta, sigma: those of constant steps stay as they are.
void AdamsHistory::update_grid() {
  const int ns = constant_steps_;
  beta_[ns] = 1.0;
  alpha_[ns] = 1.0 / ns;
  sigma_[ns + 1] = 1.0;
  double sum = step_ * ns;
  for (int i = ns + 1; i <= order_; ++i) {
    const double previous = psi_[i - 1];
    psi_[i - 1] = sum;
    beta_[i] = beta_[i - 1] * psi_[i - 1] / previous;
    sum = previous + step_;
    alpha_[i] = step_ / sum;
    sigma_[i + 1] = i * alpha_[i] * sigma_[i];
  }
  psi_[order_] = sum;
}

/// The table of g column by column: v_ is the column that constant steps have reached, w_ goes on from it.
void AdamsHistory::update_g() {
  const int ns = constant_steps_;
  if (ns == 1) {
    for (int i = 1; i <= order_; ++i) {
      v_[i] = 1.0 / (i * (i + 1));
      w_[i] = v_[i];
    }
  } else {
    if (order_ > last_order_) {
      // A higher order extends every column by one entry, of which only the diagonal has been kept.
      v_[order_] = 1.0 / (order_ * (order_ + 1));
      for (int j = 1; j <= ns - 2; ++j) {
        v_[order_ - j] -= alpha_[j + 1] * v_[order_ - j + 1];
      }
    }
    for (int i = 1; i <= order_ + 1 - ns; ++i) {
      v_[i] -= alpha_[ns] * v_[i + 1];
      w_[i] = v_[i];
    }
    g_[ns + 1] = w_[1];
  }
  for (int i = ns + 2; i <= order_ + 1; ++i) {
    for (int j = 1; j <= order_ + 2 - i; ++j) {
      w_[j] -= alpha_[i - 1] * w_[j + 1];
    }
    g_[i] = w_[1];
  }
}

void AdamsHistory::prepare(double h, int order) {
  step_ = h;
  order_ = order;
  if (h != last_step_) {
    constant_steps_ = 0;
  }
  if (constant_steps_ <= last_order_) {
    ++constant_steps_;
  }
  if (order_ < constant_steps_) {
    return;
  }
  update_grid();
  update_g();
  for (int i = constant_steps_ + 1; i <= order_; ++i) {
    const double beta = beta_[i];
    for (double& value : writable(i)) {
      value *= beta;
    }
  }
}

/// Differences of a block of components are summed from the top downward while they stay in registers.
void AdamsHistory::predict(std::span<const double> x, std::span<double> out) {
  constexpr std::size_t kBlock = 8;
  const double h = step_;
  std::size_t first = 0;
  for (; first + kBlock <= size_; first += kBlock) {
    predict_components<kBlock>(first, h, x.data(), out.data());
  }
  for (; first < size_; ++first) {
    predict_components<1>(first, h, x.data(), out.data());
  }
}

template <std::size_t Count>
void AdamsHistory::predict_components(std::size_t first, double h, const double* x, double* __restrict out) {
  double* __restrict top = differences_.data() + static_cast<std::size_t>(order_) * stride_ + first;
  std::array<double, Count> upper{};
  std::array<double, Count> sum{};
  for (std::size_t c = 0; c < Count; ++c) {
    top[stride_ + c] = top[c];
    top[c] = 0.0;
  }
  for (int i = order_; i >= 1; --i) {
    top -= stride_;
    const double g = g_[i];
    for (std::size_t c = 0; c < Count; ++c) {
      sum[c] += g * top[c];
      upper[c] += top[c];
      top[c] = upper[c];
    }
  }
  for (std::size_t c = 0; c < Count; ++c) {
    out[first + c] = x[first + c] + h * sum[c];
  }
}

void AdamsHistory::undo() {
  for (int i = 1; i <= order_; ++i) {
    double* __restrict lower = writable(i).data();
    const double* upper = difference(i + 1).data();
    const double beta = beta_[i];
    for (std::size_t component = 0; component < size_; ++component) {
      lower[component] = (lower[component] - upper[component]) / beta;
    }
  }
  for (int i = 2; i <= order_; ++i) {
    psi_[i - 1] = psi_[i] - step_;
  }
}

void AdamsHistory::correct(std::span<const double> f) {
  const std::span<double> top = writable(order_ + 1);
  const std::span<double> above = writable(order_ + 2);
  std::transform(f.begin(), f.end(), difference(1).begin(), top.begin(), std::minus<>());
  std::transform(top.begin(), top.end(), above.begin(), above.begin(), std::minus<>());
  for (int i = 1; i <= order_; ++i) {
    const std::span<double> lower = writable(i);
    std::transform(lower.begin(), lower.end(), top.begin(), lower.begin(), std::plus<>());
  }
  last_order_ = order_;
  last_step_ = step_;
}

void AdamsHistory::interpolate(double offset, std::span<const double> x_new, std::span<double> out) const {
  // The accepted polynomial passes through the corrected derivative too: one order more than the step's.
  const int terms = last_order_ + 1;
  Coefficients weights{};
  for (int i = 1; i <= terms; ++i) {
    weights[i] = 1.0 / i;
  }
  std::fill(out.begin(), out.end(), 0.0);
  double previous = 0.0;
  for (int j = 1; j <= terms; ++j) {
    if (j > 1) {
      const double gamma = (offset + previous) / psi_[j - 1];
      const double eta = offset / psi_[j - 1];
      for (int i = 1; i <= terms + 1 - j; ++i) {
        weights[i] = gamma * weights[i] - eta * weights[i + 1];
      }
      previous = psi_[j - 1];
    }
    const double weight = weights[1];
    std::transform(out.begin(), out.end(), difference(j).begin(), out.begin(),
                   [weight](double sum, double value) { return sum + weight * value; });
  }
  for (std::size_t component = 0; component < size_; ++component) {
    out[component] = x_new[component] + offset * out[component];
  }
}

}  // namespace mbdbench
