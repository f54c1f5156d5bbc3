#pragma once
/// \file
/// A joint between two bodies, as these move: its directions, its coordinates and its point, with slopes by the motions
/// of both (load_slopes.hpp has their order). It need not hold.
#include <utility>

#include "formulations/derivatives/loops/slopes/vector_slopes.hpp"
#include "mechanisms/model/kinematics/joint_kinematics.hpp"

namespace mbdbench {

/// A vector with its slopes.
struct MovingVector {
  Vec3 value = Vec3::Zero();
  VectorSlopes slopes = VectorSlopes::Zero();
};

/// A number with its slopes.
struct MovingNumber {
  double value = 0.0;
  CutComponent::Row slopes = CutComponent::Row::Zero();
};

/// \returns a vector that is fixed in a body. \param turn of that: kTurnOfA or kTurnOfB
MovingVector fixed_in(int turn, const Vec3& value);
/// \returns a vector that is part of a body's velocity. \param part of that: kVelocityOfA, kSpinOfA, ...
MovingVector velocity_part(int part, const Vec3& value);
MovingNumber dot_of(const MovingVector& a, const MovingVector& b);
MovingVector cross_of(const MovingVector& a, const MovingVector& b);
MovingVector combination(double fa, const MovingVector& a, double fb, const MovingVector& b);
MovingVector times(const MovingNumber& factor, const MovingVector& a);

/// A wrench about the common point, with its slopes.
struct MovingWrench {
  Vec6 value = Vec6::Zero();
  WrenchSlopes slopes = WrenchSlopes::Zero();

  /// \returns its power at the velocity of b less that of a, about the common point.
  [[nodiscard]] MovingNumber power(const Vec6& relative) const;
};

/// \returns whether an axis of a joint's H is fixed in the outboard body, its line included; else in the inboard one.
bool is_fixed_outboard(const Joint& joint, int component);

/// What moves of a joint. Vectors in world axes, points less the common point.
struct JointPlace {
  const Joint* joint = nullptr;
  const JointKinematics* state = nullptr;
  MovingVector origin_a;
  MovingVector origin_b;
  MovingVector displacement;
  MovingVector point;  ///< O_k

  /// \param share_of_b of the way from the origin on a to that on b where O_k is \param state axes and H
  JointPlace(const Joint& joint, const JointKinematics& state, const Vec3& origin_a, const Vec3& origin_b,
             double share_of_b);

  [[nodiscard]] MovingVector in_a(const Vec3& own) const { return fixed_in(kTurnOfA, state->axes_a * own); }
  [[nodiscard]] MovingVector in_b(const Vec3& own) const { return fixed_in(kTurnOfB, state->axes_b * own); }
  /// \returns slopes of a scalar coordinate.
  [[nodiscard]] CutComponent::Row coordinate(int component) const;
  /// \returns the way in joint axes of a along which a scalar coordinate slides; zero: it turns.
  [[nodiscard]] Vec3 sliding_way(int component) const;
  /// \returns whether a column of H is fixed in b, but for where its line is.
  [[nodiscard]] bool moves_with_b(int component) const;
  /// \returns a column of H: of forces and of torques.
  [[nodiscard]] std::pair<MovingVector, MovingVector> direction(int component) const;
  /// \returns the wrench of a unit generalised force (cut_dual_direction), likewise.
  [[nodiscard]] std::pair<MovingVector, MovingVector> dual_direction(int component) const;
  /// \returns the wrench of a force and a torque that act at O_k.
  [[nodiscard]] MovingWrench wrench_of(const std::pair<MovingVector, MovingVector>& force_and_torque) const;

 private:
  [[nodiscard]] CutComponent::Row slide(const Vec3& own) const { return dot_of(in_a(own), displacement).slopes; }
  [[nodiscard]] CutComponent::Row turn() const;
};

}  // namespace mbdbench
