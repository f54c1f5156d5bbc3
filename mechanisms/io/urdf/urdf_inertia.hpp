#pragma once
/// \file
/// Masses of links, and of links that are rigidly joined.
#include <string>

#include "mechanisms/io/urdf/urdf_element.hpp"

namespace mbdbench::urdf {

/// Mass, centre of mass and inertia about it, in one frame.
struct MassProperties {
  double mass = 0.0;
  Vec3 com = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();

  /// \returns whether a body may have them by itself in every formulation: mass and all principal moments positive.
  [[nodiscard]] bool regular() const;
};

/// \param link its name, for messages
/// \returns what `<inertial>` says, in the link's frame; zero where it says nothing, or nothing that can be.
MassProperties read_inertial(const XMLElement& inertial, const std::string& link, Findings& findings);

/// Adds what is rigidly joined. \param pose of the other's frame in that of `sum`
void add(MassProperties& sum, const MassProperties& other, const Pose& pose);

/// \returns the symmetric matrix that a rigid body can have and that is nearest (Frobenius), with moments a millionth
/// of
///          the largest where those would be zero.
Mat3 nearest_inertia(const Mat3& inertia);

}  // namespace mbdbench::urdf
