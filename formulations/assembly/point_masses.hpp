#pragma once
/// \file
/// Bodies that are nearly point masses: m l^2 / J large, l the lever from the centre of mass to a handle.
///
/// What a handle gives way to a force is 1 / m + l^2 / J: of the mass, eps m l^2 / J is lost when both are added, and
/// the angular velocity J^-1 (n + l x f) comes from torques that cancel to as much. The equations themselves are well
/// conditioned: m l^2 + J governs the motion. So the assembly serves as an approximate inverse, and passes over
///
///   f + B sigma - M V   (balance of every body)   and   r - G^T V   (constraints)
///
/// bring the digits back: each leaves eps m l^2 / J of the error before it. Beyond kRaised the assembly stands on a
/// raised inertia J' = J + m sum_h ((|l_h|^2 I - l_h l_h^T) / kRaised + |l_h|^2 I / kLost); a pass then leaves
/// 1 / kRaised times the condition of the motion. Where J itself governs a motion (a bob that spins freely about its
/// own link with less than kLost) the passes do not end, which is told.
///
/// The same passes serve where a light body stands between heavy ones: 1 / m of the light one hides as much of the
/// heavy ones' as the masses differ by. And where a thin one carries others by torques: 1 / J about its axis hides as
/// much of theirs (a governor's shaft of 5e-6 kg m^2, about which 8 kg m^2 turn).
#include <algorithm>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Limits of m l^2 / J; kPassed also of the ratio of two neighbours' masses.
struct LeverRatio {
  /// Above, solutions are passed until the bodies balance; below, at most some 1e-13 is lost.
  static constexpr double kPassed = 1e3;
  /// Likewise of compliance_ratio, which is larger than 1e3 in many mechanisms that lose nothing.
  static constexpr double kThin = 1e4;
  /// Above, the assembly stands on a raised inertia.
  static constexpr double kRaised = 1e8;
  /// Turns about the levers themselves keep J down to this, where pivots begin to be rounding.
  static constexpr double kLost = 1e13;
};

/// \returns m l^2 / J of one handle: the trace of m l~^T J^-1 l~. \param lever handle minus centre of mass
inline double lever_ratio(double mass, const Mat3& inertia_inverse, const Vec3& lever) {
  const Mat3 cross = skew(lever);
  return mass * (cross.transpose() * inertia_inverse * cross).trace();
}

/// \returns the largest ratio of the masses of two bodies that a joint connects.
inline double largest_mass_ratio(const Mechanism& mechanism) {
  double largest = 1.0;
  const auto compare = [&](const Joint& joint) {
    if (joint.a >= 0 && joint.b >= 0) {
      const auto bodies = mechanism.bodies();
      const double ratio =
          bodies[static_cast<std::size_t>(joint.a)].mass / bodies[static_cast<std::size_t>(joint.b)].mass;
      largest = std::max({largest, ratio, 1.0 / ratio});
    }
  };
  std::for_each(mechanism.tree_joints().begin(), mechanism.tree_joints().end(), compare);
  std::for_each(mechanism.cut_joints().begin(), mechanism.cut_joints().end(), compare);
  return largest;
}

/// \returns how much more one side of a joint gives way to a wrench of its constraints than the other: the larger of
/// tr(xi_b^-1 xi_a) and tr(xi_a^-1 xi_b), whatever the units, xi = D^T X M^-1 X^T D of the handles of both bodies; the
/// largest of all joints between two bodies. It depends on how the bodies are turned: all angles are tried at q0 and
/// 45, 90 and 135 degrees on, so that a mechanism that starts folded is judged as it will be. 1 where there is no
/// constraint.
double largest_compliance_ratio(const Mechanism& mechanism);

/// \returns m ((|l|^2 I - l l^T) / kRaised + |l|^2 I / kLost), what one handle adds to J'.
inline Mat3 raised_inertia(double mass, const Vec3& lever) {
  const Mat3 cross = skew(lever);
  return mass *
         (cross.transpose() * cross / LeverRatio::kRaised + lever.squaredNorm() / LeverRatio::kLost * Mat3::Identity());
}

}  // namespace mbdbench
