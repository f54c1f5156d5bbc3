#pragma once
/// \file
/// Conversion between joint coordinates (q, u) along the spanning tree and absolute ones: y = (r_i, e_i), y' = (r'_i,
/// e'_i), 7 numbers a body each.
///
/// Of the two quaternions of a pose the one nearer to given ones is taken, of the turns of an angle the nearest: both
/// are continuous along a motion if what is near is kept up to date. The length of e_i says nothing: e'_i is the rate
/// of the unit quaternion e_i / |e_i|, and what it has along e_i is ignored.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_kinematics.hpp"

namespace mbdbench {

/// y of the poses of a tree. \param y 7 n entries; given e_i choose the sign of the quaternions
void absolute_positions(const Kinematics& kinematics, std::span<double> y);

/// y' of velocities [v_C; omega] in world axes. \param y the positions \param rates 7 n entries
void absolute_rates(std::span<const double> y, std::span<const Vec6> velocities, std::span<double> rates);

/// Velocities [v_C; omega] in world axes. \param y, rates 7 n entries each
void body_velocities(std::span<const double> y, std::span<const double> rates, std::span<Vec6> velocities);
/// The same of one body whose rotation is known. \param own, rates 7 entries each
void set_body_velocity(const Mat3& rotation, const double* own, const double* rates, Vec6& velocity);

/// Coordinates of the tree joints at the kinematics' positions; what the joints do not keep is left out.
/// \param near, q q_size() entries; angles come out within half a turn of `near`
void tree_coordinates(const AbsoluteKinematics& kinematics, std::span<const double> near, std::span<double> q);

/// Quasi-velocities of the tree joints at the kinematics' velocities: u = (H^T H)^-1 H^T (V_b - V_a).
void tree_velocities(const AbsoluteKinematics& kinematics, std::span<double> u);

}  // namespace mbdbench
