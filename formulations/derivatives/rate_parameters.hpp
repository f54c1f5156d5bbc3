#pragma once
/// \file
/// Where in a mechanism a parameter is that rates are differentiated by.
#include "formulations/formulation.hpp"

namespace mbdbench {

struct ParameterPlace {
  ParameterKind kind = ParameterKind::joint_force;
  int body = -1;  ///< of a mass
  int link = -1;  ///< of a length: its tree joint, which may have none (require_length)
  int q = 0;      ///< of a spring in a tree joint
  int u = 0;      ///< of a force, of such a spring
  double rest = 0.0;
  const PointSpringDescription* between = nullptr;  ///< a spring between two points
  int cut = -1;                                     ///< of a spring in a cut joint, which has `component`
  int component = 0;

  /// \returns whether it is a number of a spring that acts on bodies (spring_forces.hpp).
  [[nodiscard]] bool moves_bodies() const { return between != nullptr || cut >= 0; }
};

/// \throws ModelError naming a parameter that is not there, but for a length, of which it finds the joint alone
ParameterPlace place_of(const Mechanism& mechanism, const RateParameter& parameter);

/// \param direction in which the joint of a length moves (link_directions) \throws ModelError where it is zero
void require_length(const Mechanism& mechanism, const RateParameter& length, const Vec3& direction);

/// \returns the first of the sums that is not finite, if any.
RhsStatus finite_or_why(const WeightsByParameter& by);

}  // namespace mbdbench
