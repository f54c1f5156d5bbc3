#pragma once
/// \file
/// Rows of one cut joint in 113 bits. They are those of the model (mechanisms/model/description/joint.hpp): how far its
/// origin on b is from that on a, along the world's axes or along directions fixed in a; how far at all, where it keeps
/// a length; then cosines between vectors fixed in a and in b, of a screw the advance that belongs to the turn, and the
/// turn that is prescribed. Each is a wrench w about the world's origin on b, and its opposite on a:
/// Phi' = w . (V_b - V_a).
///
/// Where a loop has drifted open both bodies use one point of space: the middle of both origins where the rows stand
/// along the world's axes and both bodies move, the origin on the moving one where the other is the ground; otherwise
/// the origin on b. Phi'' is meant in axes that turn with the mean of both bodies there
/// (mechanisms/model/kinematics/joint_kinematics.hpp). What rolls is held where it touches the plane, by velocities
/// alone along it.
#include <span>
#include <vector>

#include "experiments/precise/tree/precise_tree.hpp"

namespace mbdbench::precise {

/// Vectors whose cosine a cut joint holds.
struct HeldCosine {
  Vector on_a;
  Vector on_b;
  Real cosine = 0.0;
  Real scale = 1.0;
};

/// What a cut joint holds, in its own axes, in the order of its rows.
struct HeldRows {
  bool along_world = false;
  std::vector<Vector> linear;  ///< fixed in a
  bool length = false;
  bool screw = false;
  std::vector<HeldCosine> cosines;
  bool turn = false;  ///< about the axis
};

/// A row whose coordinate follows a given function of time.
struct FollowingRow {
  Eigen::Index row = 0;
  std::size_t motion = 0;  ///< in PrescribedMotions
  bool turns = false;      ///< an angle, known to whole turns
};

/// The rows at the places and velocities of both bodies.
class PreciseCut {
 public:
  /// \param joint must outlive this
  explicit PreciseCut(const Joint& joint);

  [[nodiscard]] const Joint& joint() const { return *joint_; }
  [[nodiscard]] Eigen::Index count() const { return count_; }
  [[nodiscard]] const std::vector<FollowingRow>& following() const { return following_; }

  void place(const TreeBody& a, const TreeBody& b);
  /// Rates, after that.
  void move(const TreeBody& a, const TreeBody& b);

  /// \returns the wrenches on b about the world's origin, a column each row.
  [[nodiscard]] const RealMatrix& wrenches() const { return wrenches_; }
  [[nodiscard]] const RealMatrix& wrench_rates() const { return rates_; }
  /// \returns what Phi'' has beside the wrenches times V_b' - V_a', where the bodies have these velocities.
  [[nodiscard]] RealVector bias(const TreeBody& a, const TreeBody& b) const;
  /// \returns Phi; of a screw without what belongs to its turn; of rows that hold velocities alone zero; of those that
  /// follow a function of time the coordinate.
  [[nodiscard]] RealVector openings(const TreeBody& a, const TreeBody& b) const;

 private:
  /// Where what rolls touches the plane, from its centre, and the rate of that.
  struct Contact {
    Vector offset = Vector::Zero();
    Vector rate = Vector::Zero();
    Real upright = 1.0;  ///< how high the centre is, in radii
  };
  [[nodiscard]] Contact contact(const TreeBody& a, const TreeBody& b) const;
  [[nodiscard]] Matrix axes_on_a(const TreeBody& a) const { return a.rotation * axes_on_a_; }
  [[nodiscard]] Matrix axes_on_b(const TreeBody& b) const { return b.rotation * axes_on_b_; }

  const Joint* joint_;
  HeldRows held_;
  std::vector<FollowingRow> following_;
  Matrix axes_on_a_;  ///< of the joint, in the body's own
  Matrix axes_on_b_;
  Eigen::Index count_ = 0;
  Real share_ = 1.0;  ///< how far the point is on the way from the origin on a to that on b
  RealMatrix wrenches_;
  RealMatrix rates_;
  Vector apart_ = Vector::Zero();  ///< origin on b less origin on a
};

}  // namespace mbdbench::precise
