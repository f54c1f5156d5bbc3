#pragma once
/// \file
/// The rate of an angle of a cut joint as a function of the coordinates q of the tree and of q', and its slopes: of a
/// law's angle that a state holds (followed_cuts.hpp).
///
/// With n the direction of the angle and omega of its two bodies
///
///   theta' = n (omega_b - omega_a),   domega_k = domega_a + sum over the axes h of joint k of h du + (phi x h) u
///
/// where phi turns the body in which h is fixed. The slopes come from one sweep inward, O(n).
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/derivatives/loops/slopes/turned_coordinates.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench {

/// Workspace of one mechanism.
class TurningSlopes {
 public:
  explicit TurningSlopes(const Mechanism& mechanism);

  /// \param kinematics with positions and velocities set \param q of the tree
  void set(const FollowedAngle& angle, const Kinematics& kinematics, const CutReferences& near,
           std::span<const double> q, const Eigen::VectorXd& u);
  /// \returns slopes by q at held q', and by q'; q_size() entries each.
  [[nodiscard]] const Eigen::VectorXd& by_coordinate() const { return by_coordinate_; }
  [[nodiscard]] const Eigen::VectorXd& by_rate() const { return by_rate_; }

 private:
  void sweep_inward(const Kinematics& kinematics, const Eigen::VectorXd& u);

  TurnedCoordinates turned_;
  std::vector<Vec3> by_turn_;  // by body
  std::vector<Vec3> by_spin_;
  Eigen::VectorXd by_displacement_;  // over u
  Eigen::VectorXd by_velocity_;
  Eigen::VectorXd by_coordinate_;
  Eigen::VectorXd by_rate_;
  Eigen::VectorXd unused_;
};

}  // namespace mbdbench
