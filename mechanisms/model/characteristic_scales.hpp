#pragma once
/// \file
/// What a mechanism is measured with: its own length and rate, and from them scales that take the units out of Phi,
/// Phi_q and u.
///
/// Limits of ranks, of open loops and of residuals are numbers without a unit: they hold for a watch in millimetres as
/// for a bridge in kilometres. Distances count in units of the longest link, turns in radians. Whoever compares rows,
/// columns or residuals with one another or with a number scales them first:
///     Phi_s = R Phi,   Phi_q,s = R Phi_q C,   u = C u_s
/// A loop that is far smaller than the longest link counts in a unit of its own: the linkage of a watch beside a crane.
/// What a coupling alone ties counts in units of its own: beside a factor of 1, a wheel with a factor of 1e-9 makes 1e9
/// radians of one, and no limit takes its column for zero.
/// Scales are powers of two, so that scaling rounds nothing.
#include <Eigen/Core>
#include <vector>

namespace mbdbench {

class Mechanism;
struct Joint;

/// Closed loops leave no more than this of Phi_s: what nine typed digits of lengths and axes leave.
inline constexpr double kOpen = 1e-8;
/// Singular values of Phi_q,s up to this share of the largest, or of 1 where that is smaller, are zero where the loops
/// are closed: redundant rows have what typed digits leave open.
inline constexpr double kRankWhereClosed = 1e-7;

/// Length and rate of a mechanism, and R and C.
struct CharacteristicScales {
  /// The longest link, m: twice the largest distance of a joint from a centre of mass; where all joints sit at centres
  /// of mass, twice the largest radius of gyration.
  double length = 1.0;
  /// Of half a swing of a pendulum of that length, 1/s; 0 without gravity.
  double rate = 0.0;
  double unit = 1.0;               ///< the power of two next to the length
  std::vector<double> loop_units;  ///< of distances in the loop of each cut joint, at most `unit`
  Eigen::VectorXd rows;            ///< R: one entry a row of Phi
  Eigen::VectorXd columns;         ///< C: one entry a component of u

  /// \returns max |Phi_s|, NaN if there is one; 0 of no rows. \param residual Phi or its rate
  [[nodiscard]] double largest(const Eigen::Ref<const Eigen::VectorXd>& residual) const;
  /// \returns max |u_s|, NaN if there is one. \param u over all components of u
  [[nodiscard]] double largest_rate(const Eigen::Ref<const Eigen::VectorXd>& u) const;
  /// \returns R Phi_q C.
  [[nodiscard]] Eigen::MatrixXd scaled(const Eigen::MatrixXd& phi_q) const;
};

/// The length of CharacteristicScales.
double characteristic_length(const Mechanism& mechanism);

/// \returns the power of two next to a positive number.
double next_power_of_two(double value);

/// \returns whether component `component` of u of a joint is the rate of a distance; otherwise it turns.
bool is_displacement(const Joint& joint, int component);

/// \returns the scale of row `row` of a joint's own, tree or cut. \param unit of the lengths
double row_scale(const Joint& joint, int row, double unit);

/// The scales of a mechanism whose bodies, joints and couplings stand.
CharacteristicScales find_scales(const Mechanism& mechanism);

}  // namespace mbdbench
