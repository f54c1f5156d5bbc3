#pragma once
/// \file
/// How loads change that are evaluated at the coordinates of the spanning tree (AugmentedSystem::evaluate_loads):
/// forces in tree joints, and the wrench on every body about its centre of mass, by those coordinates and by lengths of
/// links.
///
/// With psi_b = psi_a + sum S_k dtheta_k [+ e dl] and what velocities change by likewise, as of closed_data.hpp.
/// Cost: O(n + loads) a direction.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/derivatives/loops/loads/loop_loads.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Of one mechanism whose loads have derivatives.
class TreeLoadSlopes {
 public:
  /// \param near as of LoadEvaluator, never nullptr
  TreeLoadSlopes(const Mechanism& mechanism, const CutReferences* near);

  /// \param q, u of the tree \param center the common point
  void set(double t, std::span<const double> q, std::span<const double> u, const Vec3& center);
  /// \returns forces in the tree joints, dual to u.
  [[nodiscard]] const Eigen::VectorXd& joint_forces() const { return loads_.joint_forces(); }

  /// Changes of the tree, and what they do.
  struct Direction {
    Eigen::VectorXd turns;                              ///< dtheta, by quasi-velocity
    Eigen::VectorXd pushes;                             ///< du
    Eigen::VectorXd lengths;                            ///< of links, by tree joint
    Eigen::VectorXd forces;                             ///< in tree joints
    Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;  ///< a column a body, about its centre of mass
  };
  [[nodiscard]] Direction direction() const;
  /// Sets forces and wrenches.
  void run(Direction& direction);
  /// The same the other way: sets turns, pushes and lengths to what weights of forces and wrenches are worth.
  void run_back(Direction& weights);

 private:
  using Motions = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  /// A quasi-velocity: its motion about the common point, in which body it is fixed.
  struct Axis {
    Vec6 motion = Vec6::Zero();
    int carrier = -1;
  };

  /// Of a body or of the ground.
  [[nodiscard]] static Vec6 of(const Motions& motions, int body) {
    return body < 0 ? Vec6(Vec6::Zero()) : Vec6(motions.col(body));
  }
  void displace(const Direction& direction);
  /// \returns the change of a law's number.
  [[nodiscard]] double change_of(const linear::LoopLaw& law, const Direction& direction) const;
  void weigh(const linear::LoopLaw& law, double weight, Direction& weights);
  void collect(Direction& weights);

  const Mechanism* mechanism_;
  Kinematics tree_;
  LoopLoads loads_;
  std::vector<Vec3> link_directions_;  // in the frames of inboard bodies
  std::vector<Vec3> links_;            // the same in world axes
  std::vector<Axis> axes_;
  std::vector<Vec3> levers_;  // from the common point to the centres of mass
  Eigen::VectorXd u_;
  linear::ClosedData data_;
  Motions displacements_;  // of bodies, or weights of these
  Motions velocities_;
  Motions wrenches_;  // about the common point
};

}  // namespace mbdbench
