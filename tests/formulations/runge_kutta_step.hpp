#pragma once
/// \file
/// One step of a formulation without an integrator's step control.
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench::test {

/// One classical Runge-Kutta step from (t, x) by h. \returns the first status that is not ok; then x stays
[[nodiscard]] inline RhsStatus runge_kutta_step(Formulation& formulation, double t, double h, std::vector<double>& x) {
  std::vector<double> k1(x.size());
  std::vector<double> k2(x.size());
  std::vector<double> k3(x.size());
  std::vector<double> k4(x.size());
  RhsStatus status;
  const auto at = [&](double s, const std::vector<double>& k, std::vector<double>& result) {
    if (!status.ok) {
      return;
    }
    std::vector<double> moved = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      moved[i] += s * k[i];
    }
    status = formulation.rhs(t + s, moved, result);
  };
  at(0.0, k1, k1);
  at(0.5 * h, k1, k2);
  at(0.5 * h, k2, k3);
  at(h, k3, k4);
  for (std::size_t i = 0; status.ok && i < x.size(); ++i) {
    x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
  return status;
}

}  // namespace mbdbench::test
