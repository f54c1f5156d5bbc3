#pragma once
/// \file
/// Numbers of 113 bits and what is made of them. Slow and exact: what double precision is measured against.
#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <span>
#include <vector>

#include "experiments/precise/numbers/quadruple.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench::precise {

/// As exact, for every compiler.
using PortableReal = boost::multiprecision::number<boost::multiprecision::cpp_bin_float_quad::backend_type,
                                                   boost::multiprecision::et_off>;
#ifdef MBDBENCH_QUADRUPLE
using Real = Quadruple;
#else
using Real = PortableReal;
#endif
using Reals = std::vector<Real>;
using Vector = Eigen::Matrix<Real, 3, 1>;
using Matrix = Eigen::Matrix<Real, 3, 3>;
/// Linear first: of velocities that of the point at the world's origin; of momenta and wrenches about that origin.
using Spatial = Eigen::Matrix<Real, 6, 1>;
using SpatialMatrix = Eigen::Matrix<Real, 6, 6>;
using Columns = Eigen::Matrix<Real, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using Rates = Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// \returns 2 pi.
inline const Real& whole_turn() {
  static const Real turn = 8 * atan(Real(1));
  return turn;
}

inline Vector precise(const Vec3& v) {
  return v.cast<Real>();
}

/// \returns the vector with length 1. Most axes of mechanisms are those of coordinates, and need no root.
inline Vector unit(const Vector& v) {
  const Real square = v.squaredNorm();
  return square == 1 ? v : Vector(v / sqrt(square));
}

inline Eigen::Map<const RealVector> as_vector(std::span<const Real> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

/// \returns d/dt of a spatial axis that a body with this velocity carries.
inline Spatial carried(const Spatial& velocity, const Spatial& axis) {
  const Vector omega = velocity.tail<3>();
  Spatial rate;
  rate.head<3>() = omega.cross(axis.head<3>()) + Vector(velocity.head<3>()).cross(axis.tail<3>());
  rate.tail<3>() = omega.cross(axis.tail<3>());
  return rate;
}

}  // namespace mbdbench::precise
