#include "integrators/jacobians/bootstrapped_extension.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "integrators/hermite_interpolation.hpp"

namespace mbdbench {
namespace {

/// Of Gauss and Legendre on [0, 1], exact to degree 7, that of the polynomial through the eight slopes of order 8.
constexpr std::array<double, 4> kPoints = {0.0694318442029737124, 0.330009478207571868, 0.669990521792428132,
                                           0.930568155797026288};
constexpr std::array<double, 4> kWeights = {0.173927422568726929, 0.326072577431273071, 0.326072577431273071,
                                            0.173927422568726929};

}  // namespace

double BootstrappedExtension::node(int j, int count) {
  return 0.5 * (1.0 - std::cos(std::numbers::pi * j / (count - 1)));
}

void BootstrappedExtension::begin_rounds(const StepEnds& ends) {
  const auto most = static_cast<std::size_t>(order_);  // nodes of the last round
  slopes_.resize(most, std::vector<double>(size_));
  new_slopes_.resize(most, std::vector<double>(size_));
  stage_.resize(size_);
  gap_.resize(size_);
  weights_.resize(most);
  std::copy(ends.xdot_old.begin(), ends.xdot_old.end(), slopes_.front().begin());
  std::copy(ends.xdot_old.begin(), ends.xdot_old.end(), new_slopes_.front().begin());
}

bool BootstrappedExtension::at(OdeRun& run, const StepEnds& ends, double t, std::vector<double>& out) {
  constexpr int kHermitePower = 4;
  return at(run, ends, t, out, kHermitePower, [&](double t_inside, std::vector<double>& x) {
    hermite_interpolation(t_inside, x, ends.t_old, ends.x_old, ends.xdot_old, ends.t_new, ends.x_new, ends.xdot_new);
  });
}

void BootstrappedExtension::take_slopes(const StepEnds& ends, int inner) {
  std::swap(slopes_, new_slopes_);
  node_count_ = inner + 2;
  std::copy(ends.xdot_new.begin(), ends.xdot_new.end(), slopes_[static_cast<std::size_t>(inner) + 1].begin());
  std::fill(gap_.begin(), gap_.end(), 0.0);
  evaluate(ends, ends.t_new, stage_);
  for (std::size_t i = 0; i < size_; ++i) {
    gap_[i] = ends.x_new[i] - stage_[i];
  }
}

void BootstrappedExtension::evaluate(const StepEnds& ends, double t, std::vector<double>& out) const {
  const double h = ends.t_new - ends.t_old;
  const double theta = (t - ends.t_old) / h;
  const auto count = static_cast<std::size_t>(node_count_);
  for (std::size_t j = 0; j < count; ++j) {
    weights_[j] = 0.0;
    for (std::size_t point = 0; point < kPoints.size(); ++point) {
      const double s = theta * kPoints[point];
      double value = 1.0;  // of Lagrange's polynomial of node j
      for (std::size_t k = 0; k < count; ++k) {
        if (k != j) {
          const double other = node(static_cast<int>(k), node_count_);
          value *= (s - other) / (node(static_cast<int>(j), node_count_) - other);
        }
      }
      weights_[j] += theta * kWeights[point] * value;
    }
  }
  const double onto_end = theta * theta * (3.0 - 2.0 * theta);
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      sum += weights_[j] * slopes_[j][i];
    }
    out[i] = ends.x_old[i] + h * sum + onto_end * gap_[i];
  }
}

}  // namespace mbdbench
