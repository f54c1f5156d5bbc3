#pragma once
/// \file
/// One body's numbers of a state in absolute coordinates, (r, e; r', e'), as motions of the body, and its share of x'.
///
///   phi = 2 R L(e) de / |e|   omega = 2 R L(e) e'   e'' = L(e)^T omega' / 2 - (omega . omega / 4) e   for unit e
///
/// with omega' in body axes in the last one; e' of the right side is |e| L(e)^T omega / 2.
#include <Eigen/Core>

#include "formulations/augmented_lagrangian/absolute/euler_parameters.hpp"

namespace mbdbench {

struct BodySlopes {
  static constexpr int kNumbers = 14;  ///< of a body: r, e, r', e'
  static constexpr int kTwist = 12;    ///< its displacement [d_C; phi], then the change of its velocity [v_C; omega]

  Eigen::Matrix<double, kTwist, kNumbers> twist;       ///< by its numbers, world axes
  Eigen::Matrix<double, kNumbers, kNumbers> rates;     ///< of x' by its numbers, at held accelerations
  Eigen::Matrix<double, kNumbers, 6> by_acceleration;  ///< of x' by [a_C; omega'], world axes
};

/// \param e, e_rate of the state \param acceleration [a_C; omega'] in world axes
BodySlopes body_slopes(const EulerParameters& e, const EulerParameters& e_rate, const Mat3& rotation,
                       const Vec6& acceleration);

/// The same where a penalty on the length of e takes the place of its elimination, as of dca-alm-printed. With s = e .
/// e' for unit e, e' of the right side has s e more, and e'' has (s^2 + 2 omega mu s) e less.
///
/// \param damping 2 omega mu
BodySlopes primal_body_slopes(const EulerParameters& e, const EulerParameters& e_rate, const Mat3& rotation,
                              const Vec6& acceleration, double damping);

}  // namespace mbdbench
