#pragma once
/// \file
/// The cubic that has the state and the derivative of both ends of a step: the continuous extension of the methods
/// whose sources give none.
///
/// Source: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993,
/// section II.6, equation (6.7). Local error h^4: samples inside a step have order 3, whatever the order of the method.
///
/// | book | here |
/// |---|---|
/// | y_0, y_1, f_0, f_1 | x_old, x_new, xdot_old, xdot_new |
/// | theta, h | theta, h |
///
/// Cost: 6 multiply-adds a component.
#include <cstddef>
#include <span>

namespace mbdbench {

/// \param t a time inside [t_old, t_new]. \param out receives the state there; all spans are of the system's size.
inline void hermite_interpolation(double t, std::span<double> out, double t_old, std::span<const double> x_old,
                                  std::span<const double> xdot_old, double t_new, std::span<const double> x_new,
                                  std::span<const double> xdot_new) {
  const double h = t_new - t_old;
  const double theta = (t - t_old) / h;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double difference = x_new[i] - x_old[i];
    const double bend = (1.0 - 2.0 * theta) * difference + (theta - 1.0) * h * xdot_old[i] + theta * h * xdot_new[i];
    out[i] = x_old[i] + theta * difference + theta * (theta - 1.0) * bend;
  }
}

}  // namespace mbdbench
