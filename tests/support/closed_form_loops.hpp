#pragma once
/// \file
/// Coordinates of the catalogue's mechanisms with one degree of freedom along the curves on which their loops are
/// closed, from formulas: no Jacobian, no iteration over constraints.
#include <Eigen/Core>
#include <cmath>
#include <numbers>

namespace mbdbench::test {

/// Coordinates q(s) of the tree joints.
using CoordinatesOnCurve = Eigen::VectorXd (*)(double s);

/// `bricard`: with three-fold symmetry, and phi, theta the turns from link to link at alternate joints, the loop is
/// closed where (R_z(phi) R_y(theta))^3 = 1, that is trace = cos(phi) cos(theta) + cos(phi) + cos(theta) = 0, or
/// cos(phi/2) cos(theta/2) = 1/2. \param s polar angle of (phi, theta), pi/4 at the start
inline Eigen::VectorXd bricard_coordinates(double s) {
  // Between 2.09 and 2.22: Newton's method has all digits after four.
  double radius = 2.15;
  for (int i = 0; i < 8; ++i) {
    const double x = 0.5 * std::cos(s);
    const double y = 0.5 * std::sin(s);
    const double excess = std::cos(radius * x) * std::cos(radius * y) - 0.5;
    const double slope =
        -x * std::sin(radius * x) * std::cos(radius * y) - y * std::cos(radius * x) * std::sin(radius * y);
    radius -= excess / slope;
  }
  const double phi = radius * std::cos(s);
  const double theta = radius * std::sin(s);
  const double right_angle = 0.5 * std::numbers::pi;
  Eigen::VectorXd q(5);
  q << right_angle - phi, right_angle - theta, right_angle - phi, right_angle - theta, right_angle - phi;
  return q;
}

/// `bennett`: tan(q_1/2) tan(q_2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2), alpha = pi/3, beta = pi/2.
/// \param s q_1
inline Eigen::VectorXd bennett_coordinates(double s) {
  const double product = std::sin(5.0 * std::numbers::pi / 12.0) / std::sin(std::numbers::pi / 12.0);
  // The second angle without jumps: pi - s less what tan(x) = tan(s/2) / product leaves of 2 x - s.
  const double sine = std::sin(0.5 * s);
  const double cosine = std::cos(0.5 * s);
  const double remainder = std::atan2((1.0 - product) * sine * cosine, product * cosine * cosine + sine * sine);
  Eigen::VectorXd q(3);
  q << s, std::numbers::pi - s - 2.0 * remainder, -s;
  return q;
}

/// `sarrus`: both chains are isosceles. \param s angle of the links from the vertical
inline Eigen::VectorXd sarrus_coordinates(double s) {
  Eigen::VectorXd q(5);
  // Tree: lower_a, upper_a, platform, lower_b, upper_b.
  q << s, -2.0 * s, s, s, -2.0 * s;
  return q;
}

/// `n_four_bar`: parallel bars, rods that do not turn. \param theta angle of the bars from the vertical
inline Eigen::VectorXd n_four_bar_coordinates(int n, double theta) {
  Eigen::VectorXd q(2 * n + 1);
  q.head(n + 1).setConstant(0.5 * std::numbers::pi - theta);
  q.tail(n).setConstant(theta - 0.5 * std::numbers::pi);
  return q;
}

}  // namespace mbdbench::test
