#pragma once
/// \file
/// Coordinates q, what their changes turn and move (theta, as many as quasi-velocities: theta' = u), and q' = N(q) u,
/// in matrices. Only quaternions are more than a place in both.
///
///   q' = N u,   dtheta = T dq,   of a quaternion e: N = P / 2, T = 2 P^T / |e|^2, P(e) u = e o (0, u)
#include <Eigen/Core>
#include <span>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

class TurnedCoordinates {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  explicit TurnedCoordinates(const Mechanism& mechanism) : mechanism_(&mechanism) {}

  /// \returns T dq.
  [[nodiscard]] Eigen::VectorXd turns_of(std::span<const double> q, std::span<const double> change) const;
  /// \returns N times columns over u.
  [[nodiscard]] Eigen::MatrixXd rates(std::span<const double> q, const Eigen::MatrixXd& columns) const;
  /// \returns columns over theta times T.
  [[nodiscard]] Eigen::MatrixXd by_coordinates(std::span<const double> q, const Eigen::MatrixXd& columns) const;
  /// Adds what q' = N u changes by as q does, at held u. \param derivatives of x', the rows of q' first
  void add_rates_by_coordinates(const Eigen::VectorXd& u, Eigen::Map<RowMajor>& derivatives) const;
  /// The change of q' by dq and du.
  void set_rates(std::span<const double> q, std::span<const double> change, const Eigen::VectorXd& u,
                 const Eigen::VectorXd& push, std::span<double> rates) const;

  /// What weights of q' are worth by q at held u, and by u.
  void set_weights(std::span<const double> q, std::span<const double> weights, const Eigen::VectorXd& u,
                   std::span<double> by_coordinate, Eigen::VectorXd& by_push) const;
  /// Adds what weights of theta are worth by q.
  void add_weights_of_turns(std::span<const double> q, const Eigen::VectorXd& by_turn,
                            std::span<double> by_coordinate) const;

 private:
  const Mechanism* mechanism_;
};

}  // namespace mbdbench
