#pragma once
/// \file
/// Coordinates q of joints, what their changes turn and move (theta, as many as quasi-velocities: theta' = u), and
/// q' = N(q) u, in matrices. Only quaternions are more than a place in both.
///
///   q' = N u,   dtheta = T dq,   of a quaternion e: N = P / 2, T = 2 P^T / |e|^2, P(e) u = e o (0, u)
#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

class TurnedCoordinates {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// \param joints whose coordinates and quasi-velocities stand one behind another
  explicit TurnedCoordinates(std::span<const Joint> joints);

  /// \returns how many coordinates there are.
  [[nodiscard]] Eigen::Index size() const { return size_; }

  /// \returns T dq.
  [[nodiscard]] Eigen::VectorXd turns_of(std::span<const double> q, std::span<const double> change) const;
  /// \returns N times columns over u.
  [[nodiscard]] Eigen::MatrixXd rates(std::span<const double> q, const Eigen::MatrixXd& columns) const;
  /// \returns columns over theta times T.
  [[nodiscard]] Eigen::MatrixXd by_coordinates(std::span<const double> q, const Eigen::MatrixXd& columns) const;
  /// Adds what q' = N u changes by as q does, at held u. \param derivatives those of q' by q first
  void add_rates_by_coordinates(const Eigen::VectorXd& u, Eigen::Ref<RowMajor> derivatives) const;
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
  /// Of one joint: where its coordinates and its quasi-velocities start, and how many these are.
  struct Place {
    bool ball = false;
    int q = 0;
    int u = 0;
    int count = 0;
  };
  template <typename Quaternion, typename Scalar>
  void for_coordinates(const Quaternion& quaternion, const Scalar& scalar) const;

  std::vector<Place> places_;
  Eigen::Index size_ = 0;
  Eigen::Index turns_ = 0;
};

/// \returns the quasi-velocity that is the rate of a coordinate of a tree joint; -1: a component of a quaternion.
int rate_of_coordinate(const Mechanism& mechanism, int q);

}  // namespace mbdbench
