#pragma once
/// \file
/// Motion of the spanning tree of a mechanism in 113 bits, by articulated bodies about the world's origin, kinematics
/// included. Shares no code with any formulation. O(n), some 0.04 ms a body.
#include <Eigen/Cholesky>
#include <cstddef>
#include <span>
#include <vector>

#include "experiments/precise/tree/precise_joint.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::precise {

/// A body and its inboard joint.
struct TreeBody {
  Matrix rotation = Matrix::Identity();
  Vector origin = Vector::Zero();
  Spatial velocity = Spatial::Zero();
  Spatial acceleration = Spatial::Zero();
  JointAxes axes;
  Spatial bias = Spatial::Zero();                     ///< rate of the axes times u
  SpatialMatrix inertia = SpatialMatrix::Zero();      ///< of the body alone
  SpatialMatrix articulated = SpatialMatrix::Zero();  ///< with what hangs on it
  Spatial force = Spatial::Zero();                    ///< that what hangs on it needs at rest
  Columns gain;                                       ///< articulated inertia times axes
  Eigen::LLT<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>> pivot;
  Rates remaining;
};

/// Numbers of a mechanism that may be others than the file's.
struct TreeNumbers {
  explicit TreeNumbers(const Mechanism& mechanism);
  Reals masses;      ///< a body; inertias about centres of mass stay
  Reals stiffness;   ///< of the description's joint springs, then of its springs between points
  Reals damping;     ///< likewise
  Reals forces;      ///< in tree joints, dual to u, added to all others
  Reals elongation;  ///< of tree joints: by how much they are moved along `link_directions` in their inboard body
};

/// The tree at one state.
class PreciseTree {
 public:
  /// \param mechanism, numbers must outlive this
  PreciseTree(const Mechanism& mechanism, const TreeNumbers& numbers);

  /// Goes to coordinates: positions, axes, inertias. \param q q_size() entries
  void place(std::span<const Real> q);
  /// Goes to quasi-velocities there. \param u u_size() entries
  void move(std::span<const Real> u);

  /// What is on the right-hand side of a solution.
  struct Loads {
    std::span<const Real> joint_forces;      ///< dual to u
    bool gravity_and_velocities = true;      ///< otherwise all else is zero
    std::span<const Spatial> wrenches = {};  ///< on bodies, about the world's origin; may be empty
  };
  /// \returns u' (without gravity and velocities M^-1 of the loads); bodies have their accelerations afterwards, less
  /// gravity. \throws std::runtime_error naming a body whose articulated inertia is not positive
  Reals accelerations(const Loads& loads);
  /// Gives bodies the accelerations of these u' where the tree moves.
  void accelerate(std::span<const Real> udot);

  /// Impulses on bodies that canonical momenta do not count, about the world's origin, and how they turn with the
  /// bodies. What forces add to them by and by, these do not change.
  struct Impulses {
    std::span<const Spatial> sums;  ///< may be empty, and the rates with them
    std::span<const Spatial> rates;
  };
  /// \returns p' of canonical momenta, p = M u less the impulses' share, where the tree moves, under such loads and
  /// gravity.
  [[nodiscard]] Reals momentum_rates(const Loads& loads, const Impulses& impulses) const;
  /// \returns p = M u.
  [[nodiscard]] Reals momenta() const;
  /// \returns q' = N(q) u.
  [[nodiscard]] Reals coordinate_rates(std::span<const Real> q, std::span<const Real> u) const;

  /// \param body -1: the ground
  [[nodiscard]] const TreeBody& body(int body) const {
    return body < 0 ? ground_ : bodies_[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }

 private:
  TreeBody& inboard(std::size_t body);
  void articulate();
  void set_inertia(std::size_t body);

  const Mechanism* mechanism_;
  const TreeNumbers* numbers_;
  std::vector<Vec3> link_directions_;
  TreeBody ground_;
  std::vector<TreeBody> bodies_;
  bool articulated_ = false;  // articulated inertias are those of the position
};

}  // namespace mbdbench::precise
