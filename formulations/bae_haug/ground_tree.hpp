#pragma once
/// \file
/// The trees that joints at the ground carry, each a recursion of its own: the two sub-chains of a loop in
/// [Malczyk2008, section 3], and any number of them.
///
/// A tree is a mechanism with its own bodies, joints and loads. What trees know of one another are the ends of the cut
/// joints and of the springs between them, and the sum of
///
///   PhiL^(beta) lambda = RHS^(beta)      over all trees beta     [Malczyk2008, Eq. (5) with l the ground]
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/joint_state.hpp"
#include "formulations/recursion/carried_rows.hpp"
#include "formulations/recursion/cut_end.hpp"
#include "mechanisms/model/loads/point_spring.hpp"

namespace mbdbench {

/// Which tree holds what, and where it stands in the message in which every tree tells its ends: whether it could be
/// evaluated (GroundTree::kTaken or not, the joint that failed, its number), CutEnd::kSize numbers an end of a cut
/// joint, kSpringEnd an end of a spring to another tree.
struct GroundTrees {
  static constexpr std::size_t kStatus = 3;
  static constexpr std::size_t kSpringEnd = 6;  ///< point and velocity
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  explicit GroundTrees(const Mechanism& whole);

  std::vector<int> tree_of;                             ///< of every body
  std::vector<int> bodies;                              ///< how many every tree has
  std::vector<PointSpringDescription> springs;          ///< between trees
  std::vector<std::size_t> starts;                      ///< of every tree's numbers, and behind the last one's
  std::vector<std::array<std::size_t, 2>> cut_ends;     ///< of every cut joint on a and b; kNowhere on the ground
  std::vector<std::array<std::size_t, 2>> spring_ends;  ///< of every spring between trees
};

/// \returns why a mechanism does not fall into so many trees; empty if it does.
std::string refuse_ground_trees(const Mechanism& whole, std::size_t least);

/// The sweeps of one tree. Allocates nothing after construction.
class GroundTree {
 public:
  // What a tree tells of a state.
  static constexpr double kNotPositive = 0.0;  ///< its articulated inertia is not positive definite or not finite
  static constexpr double kTaken = 1.0;
  static constexpr double kNotFinite = 2.0;  ///< a velocity is not

  /// \param place of the tree among all of a mechanism that refuse_ground_trees does not refuse
  GroundTree(const Mechanism& whole, const GroundTrees& trees, std::size_t place);

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  /// \returns which coordinates and quasi-velocities of the whole mechanism are this tree's.
  [[nodiscard]] std::span<const std::size_t> coordinates() const { return coordinates_; }
  [[nodiscard]] std::span<const std::size_t> velocities() const { return velocities_; }

  /// Poses, velocities and articulated inertias. \param q, u of this tree
  /// \param ends the message of all trees; this one's numbers are set
  void set_state(double t, std::span<const double> q, std::span<const double> u, std::span<double> ends);
  /// The backward pass, after set_state of all trees: loads and rows of the cut joints condensed to the ground.
  /// \param cuts all cut joints, placed
  /// \param phi, right_side, smallest receive what the tree adds to PhiL and RHS, and to the limits below which
  /// diagonal entries vanish
  void condense(double t, std::span<const double> ends, std::span<const JointKinematics> cuts, Eigen::MatrixXd& phi,
                Eigen::VectorXd& right_side, Eigen::VectorXd& smallest);
  /// The forward pass, after condense. \param qdot, udot of this tree
  void accelerate(const Eigen::VectorXd& multipliers, std::span<double> qdot, std::span<double> udot);

 private:
  /// An end of a cut joint or of a spring on a body of this tree.
  struct End {
    std::size_t place = 0;  // in the message
    int body = 0;
  };
  struct CrossingEnd : End {
    std::size_t other = 0;  // place of the other end
    Vec3 point = Vec3::Zero();
    PointSpringDescription spring;
  };

  [[nodiscard]] SpringEnd spring_end(const CrossingEnd& end) const;

  std::size_t start_;
  const Mechanism* whole_;
  std::unique_ptr<const Mechanism> mechanism_;
  BodyRecursion tree_;
  CoordinateRates rates_;
  CarriedRows rows_;
  std::vector<End> cut_ends_;
  std::vector<CrossingEnd> crossing_;
  std::vector<PointForce> spring_forces_;  // on the own ends
  std::vector<std::size_t> coordinates_;
  std::vector<std::size_t> velocities_;
  std::span<const double> q_;  // of the present call
};

}  // namespace mbdbench
