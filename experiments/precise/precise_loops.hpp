#pragma once
/// \file
/// Equations of the loops of a mechanism in 113 bits: Phi(q) = 0 of its cut joints, Phi' = Phi_q u, and what Phi'' has
/// besides Phi_q u'.
///
/// Rows of a cut joint are those of the model (mechanisms/model/description/joint.hpp): how far its origin on b is from
/// that on a, along the world's axes or along directions fixed in a; then cosines between vectors fixed in a and in b,
/// and of a screw the advance that belongs to the turn. Each is a wrench w about the world's origin on b, and its
/// opposite on a: Phi' = w . (V_b - V_a).
///
/// Where a loop has drifted open both bodies use one point of space: the middle of both origins where the rows stand
/// along the world's axes and both bodies move, the origin on the moving one where the other is the ground; otherwise
/// the origin on b. Phi'' is meant in axes that turn with the mean of both bodies there
/// (mechanisms/model/kinematics/joint_kinematics.hpp).
#include <Eigen/QR>
#include <vector>

#include "experiments/precise/precise_tree.hpp"

namespace mbdbench::precise {

/// Vectors whose cosine a cut joint holds.
struct HeldCosine {
  Vector on_a;
  Vector on_b;
  Real cosine = 0.0;
  Real scale = 1.0;
};

/// What a cut joint holds, in its own axes.
struct HeldRows {
  bool along_world = false;
  std::vector<Vector> linear;  ///< fixed in a
  std::vector<HeldCosine> cosines;
  bool screw = false;
};

/// Rows of one tree's cut joints, at the positions and velocities of the tree.
class PreciseLoops {
 public:
  /// \param tree must outlive this
  explicit PreciseLoops(const PreciseTree& tree);

  /// \returns rows of all cut joints; those that the tree keeps by itself are zero.
  [[nodiscard]] Eigen::Index rows() const { return rows_; }

  /// Rows at the tree's positions.
  void place();
  /// Their rates at its velocities, after that.
  void move();

  /// \returns Phi_q, rows() x u_size().
  [[nodiscard]] const RealMatrix& jacobian() const { return jacobian_; }
  /// \returns Phi; of a screw without what belongs to its turn, so that only displacements are told.
  [[nodiscard]] RealVector openings() const;
  /// \returns Phi' of the tree's velocities.
  [[nodiscard]] RealVector rates() const;
  /// \returns Phi'' at the tree's accelerations.
  [[nodiscard]] RealVector accelerations() const;
  /// Wrenches of multipliers on all bodies, about the world's origin.
  [[nodiscard]] std::vector<Spatial> wrenches(const RealVector& multipliers) const;
  /// Rates of these at constant multipliers, the world's axes being fixed.
  [[nodiscard]] std::vector<Spatial> wrench_rates(const RealVector& multipliers) const;

 private:
  struct Cut {
    const Joint* joint = nullptr;
    HeldRows held;
    Matrix axes_on_a;  ///< of the joint, in the body's own
    Matrix axes_on_b;
    Eigen::Index first = 0;  ///< of its rows
    Real share = 1.0;        ///< how far the point is on the way from the origin on a to that on b
    Columns wrenches;
    Columns rates;                  ///< of the wrenches
    Vector turn = Vector::Zero();   ///< of the axes in which Phi'' is meant
    Vector apart = Vector::Zero();  ///< origin on b less origin on a
  };
  void place(Cut& cut) const;
  void move(Cut& cut) const;
  void add_end(const Cut& cut, int body, double sign);
  template <typename Twist>
  [[nodiscard]] RealVector along_rows(const Twist& twist) const;
  [[nodiscard]] std::vector<Spatial> sums(const RealVector& multipliers, Columns Cut::*wrenches) const;

  const PreciseTree* tree_;
  std::vector<Cut> cuts_;
  Eigen::Index rows_ = 0;
  RealMatrix jacobian_;
};

/// Solutions M x - Phi_q^T y = f, Phi_q x = g at one position. Rows that repeat others are taken once.
class LoopSolver {
 public:
  /// \param tree, loops at the position
  void factorise(PreciseTree& tree, const PreciseLoops& loops);

  /// \returns how x changes and what y is where Phi_q x has to become less by `excess`; y of rows that are zero: 0.
  struct Correction {
    Reals x;
    RealVector y;
  };
  [[nodiscard]] Correction remove(const RealVector& excess) const;

 private:
  std::vector<Eigen::Index> kept_;  // rows that are not zero
  Eigen::Index rows_ = 0;
  RealMatrix mobile_;  // M^-1 Phi_q^T
  Eigen::CompleteOrthogonalDecomposition<RealMatrix> mobility_;
};

}  // namespace mbdbench::precise
