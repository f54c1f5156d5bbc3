#pragma once
/// \file
/// Springs and dampers in six directions between frames of two bodies.
///
/// All components stand in the axes of frame 1, A. With d = A^T (P2 - P1) and theta, |theta| <= pi, the rotation vector
/// of A^T B, the potential is U = (d^T K d + theta^T C theta) / 2. Its wrench on body 2 at P2, with the opposite one on
/// body 1 at the same point of space, is f = -K d and n = -J^-T C theta, where theta' = J^-1 omega and
///
///   J^-1 = 1 - theta~ / 2 + (1 - (phi / 2) cot(phi / 2)) / phi^2 theta~ theta~,   phi = |theta|
///
/// [Bullo1995]. U' = -(f . v + n . omega) with the velocity of P2 and the angular velocity of body 2 that are seen from
/// body 1, exactly, however large the turn; -C theta alone would make energy out of turns about two axes. The dampers
/// -D v and -E omega take energy whatever the motion. At half a turn theta changes its sign, and n with it.
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// \returns the rotation vector, of a length up to pi.
Vec3 rotation_vector(const Mat3& rotation);

/// \returns J^-1 of a rotation vector, which makes its rate of the angular velocity in the axes turned from.
Mat3 rotation_vector_rate(const Vec3& turn);

/// \returns the derivative of J^-T y by the rotation vector, y held.
Mat3 turned_torque_slope(const Vec3& turn, const Vec3& y);

/// What a bushing feels, in the axes of frame 1.
struct BushingState {
  Vec3 displacement = Vec3::Zero();      ///< d, m
  Vec3 turn = Vec3::Zero();              ///< theta, rad
  Vec3 velocity = Vec3::Zero();          ///< of P2 as seen from body 1, m/s
  Vec3 angular_velocity = Vec3::Zero();  ///< of body 2 as seen from body 1, rad/s
};

/// A bushing of a mechanism.
class Bushing {
 public:
  /// \param description must outlive it
  Bushing(const Mechanism& mechanism, const BushingDescription& description);

  [[nodiscard]] int body1() const { return body1_; }
  [[nodiscard]] int body2() const { return body2_; }
  /// \returns P2 in world axes.
  [[nodiscard]] Vec3 point(const BodyMotions& bodies) const;
  /// \returns A, frame 1's axes as columns in world axes.
  [[nodiscard]] Mat3 axes(const BodyMotions& bodies) const;
  [[nodiscard]] BushingState state(const BodyMotions& bodies) const;
  /// \param stiffness 1, or 0 for the dampers alone
  /// \returns [f; n] on body 2 at P2 in the axes of frame 1
  [[nodiscard]] Vec6 wrench(const BushingState& state, double stiffness = 1.0) const;
  /// \returns U (J).
  [[nodiscard]] double energy(const BushingState& state) const;

 private:
  const BushingDescription* description_;
  int body1_;
  int body2_;
  Mat3 rotation1_;
  Mat3 rotation2_;
};

}  // namespace mbdbench
