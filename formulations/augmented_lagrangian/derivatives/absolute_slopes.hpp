#pragma once
/// \file
/// The equations of the augmented Lagrangian formulations, linearised about one state and one pass of it: with a the
/// accelerations and lambda the multipliers of the pass, held,
///
///   M da - D^T dlambda = g,   g = d(f + D^T lambda) - dM a
///   D da             = h,   h = d(r) - dD a,   r as of AugmentedSystem: Phi'' + 2 omega mu Phi' + omega^2 Phi = 0
///
/// by how the bodies are displaced and how their velocities change (BodySlopes::twist), and by parameters.
///
/// Cost: O(n) a pass and a direction; the slopes of a joint by both of its bodies are those of
/// derivatives/loops/passes/cut_motion.hpp, with the two points of absolute_kinematics.hpp.
#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "formulations/augmented_lagrangian/derivatives/body_slopes.hpp"
#include "formulations/augmented_lagrangian/derivatives/tree_load_slopes.hpp"
#include "formulations/derivatives/loops/joint_place.hpp"
#include "formulations/derivatives/loops/passes/closed_data.hpp"
#include "formulations/derivatives/spring_forces.hpp"

namespace mbdbench {

/// Changes of everything that a right-hand side depends on, or weights of these.
struct AbsoluteChange {
  Eigen::Matrix<double, BodySlopes::kTwist, Eigen::Dynamic> twists;  ///< a column a body
  Eigen::VectorXd forces;                                            ///< in tree joints, dual to u
  Eigen::VectorXd masses;                                            ///< a body
  Eigen::VectorXd lengths;                                           ///< of links, by tree joint
  std::vector<SpringForces::BodyWrench> wrenches;                    ///< further ones; no weights of these

  void set_zero(const Mechanism& mechanism);
};

/// One body at a state and a pass.
struct PlacedBody {
  Vec3 lever = Vec3::Zero();         ///< from the common point to the centre of mass
  Vec6 velocity = Vec6::Zero();      ///< [v_C; omega]
  Vec6 acceleration = Vec6::Zero();  ///< [a_C; omega']

  /// \returns its velocity about the common point.
  [[nodiscard]] Vec6 velocity_at_center() const { return shift_velocity(-lever, velocity); }
};

/// Of one mechanism that has derivatives.
class AbsoluteSlopes {
 public:
  /// \param system outlives it \param near as of LoadEvaluator, never nullptr \param set of the kernels
  AbsoluteSlopes(const Mechanism& mechanism, const AugmentedSystem& system, const AugmentedOptions& options,
                 const CutReferences* near, const InstructionSet& set);

  /// At the poses and velocities of the system, after its AugmentedSystem::set_directions.
  void set_state(double t);
  /// Of one pass. \param accelerations [a_C; omega'] of the bodies \param multipliers by row of the system
  void set_pass(std::span<const Vec6> accelerations, std::span<const double> multipliers);

  /// \param g receives wrenches on the bodies about their centres of mass \param h by row of the system
  void run(const AbsoluteChange& change, std::span<Vec6> g, std::span<double> h);
  /// Adds what weights of g and h are worth.
  void run_back(std::span<const Vec6> of_g, std::span<const double> of_h, AbsoluteChange& weights);

  /// \returns which way a link becomes longer, in the frame of the inboard body; zero: it has no length.
  [[nodiscard]] const Vec3& link_direction(int joint) const {
    return link_directions_[static_cast<std::size_t>(joint)];
  }
  /// \returns coordinates and quasi-velocities of the spanning tree.
  [[nodiscard]] std::span<const double> q() const { return q_; }
  [[nodiscard]] std::span<const double> u() const { return u_; }

 private:
  /// By both twists of a and of b, then by the length of the joint's link.
  static constexpr int kBoth = 2 * BodySlopes::kTwist;
  static constexpr int kDirections = kBoth + 1;
  static constexpr int kLength = kDirections - 1;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, kDirections, Eigen::RowMajor, 6, kDirections>;
  using Wrench = Eigen::Matrix<double, 6, kDirections>;
  using Changes = Eigen::Matrix<double, kDirections, 1>;
  /// What turns of bodies about their own centres of mass do.
  using BodyBlock = Eigen::Matrix<double, 6, BodySlopes::kTwist>;

  struct JointSlopes {
    std::optional<JointPlace> place;
    Vec3 link = Vec3::Zero();            ///< in world axes, of a tree joint
    std::vector<MovingWrench> duals;     ///< of unit forces in it, about the common point
    Rows turns;                          ///< of its coordinates
    Rows speeds;                         ///< of its quasi-velocities
    Wrench force_on_a = Wrench::Zero();  ///< of the forces that act in it, about the centre of mass
    Wrench force_on_b = Wrench::Zero();
    // Of a pass.
    Rows rows;
    Wrench on_a = Wrench::Zero();
    Wrench on_b = Wrench::Zero();
  };

  [[nodiscard]] const Joint& joint(std::size_t k) const { return system_->kinematics().joint(static_cast<int>(k)); }
  [[nodiscard]] const PlacedBody& place_of(int body) const {
    return body < 0 ? ground_ : bodies_[static_cast<std::size_t>(body)];
  }
  void place_joint(std::size_t k);
  /// What does not depend on the pass, of tree joints alone.
  void set_coordinates(std::size_t k);
  void set_forces(std::size_t k);
  void slope_joint(std::size_t k, std::span<const double> multipliers);
  void add_two_points(std::size_t k, std::span<const double> multipliers);
  void add_motions(std::size_t k, std::span<const double> multipliers);
  /// \returns slopes by motions of both bodies about the common point, as LoopCut has them, as slopes by twists.
  template <int kCount>
  [[nodiscard]] auto by_twists(const Joint& joint,
                               const Eigen::Matrix<double, kCount, linear::LoopCut::kSlopes>& slopes) const;
  /// \returns slopes of f . (what b is accelerated more than a at the common point), at held accelerations of the
  /// centres of mass.
  [[nodiscard]] Eigen::Matrix<double, 1, kBoth> slopes_of_pull(const Joint& joint, const Vec3& force) const;
  /// The wrench on both bodies of a joint, slopes included, as wrenches about their centres of mass.
  void add_wrench(std::size_t k, const MovingWrench& wrench, Wrench& on_a, Wrench& on_b) const;
  [[nodiscard]] Wrench about(int body, bool is_b, const Vec6& wrench,
                             const Eigen::Matrix<double, 6, kBoth>& slopes) const;
  [[nodiscard]] Changes changes_of(const Joint& joint, std::size_t k, const AbsoluteChange& change) const;
  void add_changes(const Joint& joint, std::size_t k, const Changes& changes, AbsoluteChange& to) const;
  void run_loads(const AbsoluteChange& change, std::span<Vec6> g);
  void run_loads_back(std::span<const Vec6> of_g, AbsoluteChange& weights);

  const Mechanism* mechanism_;
  const AugmentedSystem* system_;
  double damping_;    // 2 omega mu
  double stiffness_;  // omega^2
  linear::ClosedSweeps sweeps_;
  std::optional<TreeLoadSlopes> loads_;  // beyond gravity
  TreeLoadSlopes::Direction tree_;
  std::vector<Vec3> link_directions_;
  Vec3 center_ = Vec3::Zero();
  PlacedBody ground_;
  std::vector<PlacedBody> bodies_;
  std::vector<BodyBlock> own_;  // of M a - f of every body
  std::vector<JointSlopes> joints_;
  std::vector<linear::LoopBody> loop_bodies_;
  std::vector<linear::LoopCut> cuts_;
  linear::ClosedData data_;
  std::vector<double> q_;
  std::vector<double> u_;
};

}  // namespace mbdbench
