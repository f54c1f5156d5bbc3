#pragma once
/// \file
/// Vectors of the model as the passes have them.
#include "formulations/derivatives/screws.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

inline kernels::LinkVector<double> link_vector_of(const Vec3& r) {
  return {r.x(), r.y(), r.z()};
}

}  // namespace mbdbench
