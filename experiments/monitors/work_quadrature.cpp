#include "experiments/monitors/work_quadrature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

constexpr double kRoot5 = 2.23606797749978969641;
constexpr std::array<double, 4> kNodes = {0.0, (5.0 - kRoot5) / 10.0, (5.0 + kRoot5) / 10.0, 1.0};
constexpr std::array<double, 4> kWeights = {1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0};
// Rows of both inner nodes of a, method Lobatto IIIA of order six.
constexpr std::array<std::array<double, 4>, 2> kMatrix = {
    {{(11.0 + kRoot5) / 120.0, (25.0 - kRoot5) / 120.0, (25.0 - 13.0 * kRoot5) / 120.0, (-1.0 + kRoot5) / 120.0},
     {(11.0 - kRoot5) / 120.0, (25.0 + 13.0 * kRoot5) / 120.0, (25.0 + kRoot5) / 120.0, (-1.0 - kRoot5) / 120.0}}};

/// Cubic Hermite polynomial through both ends. \param c share of the step
double hermite(double c, double h, double x0, double f0, double x1, double f1) {
  const double d = 1.0 - c;
  return d * d * (1.0 + 2.0 * c) * x0 + c * c * (3.0 - 2.0 * c) * x1 + h * c * d * (d * f0 - c * f1);
}

/// \returns whether the positions in the state are the joint coordinates. Else the formulation looks for these near its
/// last accepted step: dependent ones on the branch, angles on the turn that it left there.
bool holds_joint_coordinates(const Formulation& formulation) {
  const auto layout = formulation.layout();
  const auto positions = std::count_if(layout.begin(), layout.end(), [](const StateComponent& component) {
    return !component.constant && (component.kind == StateKind::position || component.kind == StateKind::quaternion);
  });
  return positions == formulation.mechanism().q_size();
}

}  // namespace

WorkQuadrature::WorkQuadrature(Formulation& formulation) {
  if (formulation.mechanism().exchanges_energy()) {
    original_ = &formulation;
    formulation_ = formulation.clone();
    for (std::size_t i = 0; i < kNodes.size(); ++i) {
      x_[i].resize(formulation.state_size());
      f_[i].resize(formulation.state_size());
    }
  }
}

void WorkQuadrature::start(double t, std::span<const double> x) {
  if (!formulation_ || !failure_.empty()) {
    return;
  }
  if (!started_ || !holds_joint_coordinates(*formulation_)) {
    show_positions(t, x);
  }
  // Where nothing was changed after the step, its end is known already.
  if (!started_ || !std::equal(x.begin(), x.end(), x_[3].begin())) {
    started_ = true;
    std::copy(x.begin(), x.end(), x_[3].begin());
    evaluate(t, x_[3], f_[3]);
    power_ = power(t, x_[3]);
  }
  std::swap(x_[0], x_[3]);
  std::swap(f_[0], f_[3]);
  t_ = t;
}

void WorkQuadrature::finish(double t, std::span<const double> x) {
  if (!end_step(t, x)) {
    return;
  }
  evaluate(kEnd);
  for (int node = 1; node < kEnd; ++node) {
    predict(node);
    evaluate(node);
  }
  close_step();
}

bool WorkQuadrature::end_step(double t, std::span<const double> x) {
  if (!formulation_ || !failure_.empty()) {
    return false;
  }
  step_ = t - t_;
  end_ = t;
  std::copy(x.begin(), x.end(), x_[kEnd].begin());
  return true;
}

double WorkQuadrature::time_of(int node) const {
  return node == kEnd ? end_ : t_ + kNodes[static_cast<std::size_t>(node)] * step_;
}

void WorkQuadrature::predict(int node) {
  const auto i = static_cast<std::size_t>(node);
  for (std::size_t k = 0; k < x_[i].size(); ++k) {
    x_[i][k] = hermite(kNodes[i], step_, x_[0][k], f_[0][k], x_[kEnd][k], f_[kEnd][k]);
  }
  coarse_[i] = power(time_of(node), x_[i]);
}

void WorkQuadrature::evaluate(int node) {
  const auto i = static_cast<std::size_t>(node);
  evaluate(time_of(node), x_[i], f_[i]);
}

void WorkQuadrature::close_step() {
  const double h = step_;
  double change = 0.0;
  double step_work = h * kWeights[0] * power_;
  for (std::size_t i = 1; i <= 2; ++i) {
    const std::array<double, 4>& a = kMatrix[i - 1];
    for (std::size_t k = 0; k < x_[i].size(); ++k) {
      x_[i][k] = x_[0][k] + h * (a[0] * f_[0][k] + a[1] * f_[1][k] + a[2] * f_[2][k] + a[3] * f_[3][k]);
    }
    const double fine = power(t_ + kNodes[i] * h, x_[i]);
    step_work += h * kWeights[i] * fine;
    change += h * kWeights[i] * (fine - coarse_[i]);
  }
  power_ = power(end_, x_[3]);
  step_work += h * kWeights[3] * power_;
  if (failure_.empty()) {
    work_ += step_work;
    exchanged_ += std::abs(step_work);
    uncertainty_ += std::abs(change);
  }
}

void WorkQuadrature::show_positions(double t, std::span<const double> x) {
  const Mechanism& mechanism = formulation_->mechanism();
  std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
  // Where that fails, the first power will say so.
  if (original_->unpack(t, x, q, u).ok) {
    static_cast<void>(formulation_->pack(t, q, u, x_[0]));
  }
}

void WorkQuadrature::evaluate(double t, std::span<const double> x, std::span<double> f) {
  const RhsStatus status = failure_.empty() ? formulation_->rhs(t, x, f) : RhsStatus{};
  if (!status.ok) {
    failure_ = fmt::format("the work at t = {} cannot be computed: {}", t, status.message());
  }
}

double WorkQuadrature::power(double t, std::span<const double> x) {
  double power = 0.0;
  const RhsStatus status = failure_.empty() ? formulation_->power(t, x, power) : RhsStatus{};
  if (!status.ok) {
    failure_ = fmt::format("the work at t = {} cannot be computed: {}", t, status.message());
  } else if (!std::isfinite(power)) {
    failure_ = fmt::format("the power at t = {} is not finite", t);
  }
  return power;
}

}  // namespace mbdbench
