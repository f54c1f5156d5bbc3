#pragma once
/// \file
/// Impulses of cut joints as momenta need them (ClosedMomenta), a lane a state.
#include "formulations/parts/lanes/cut_lanes.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Adds Phi' wanted of a cut joint: -beta Phi, and what a prescribed motion asks for.
template <typename T>
MBDBENCH_KERNEL void want_feedback(const LoopData& data, int c, int rows, T* wanted) {
  const LaneCut& cut = data.cuts[c];
  if (cut.apart >= 0) {
    for (int i = 0; i < rows; ++i) {
      wanted[i] = motion_of<T>(data, cut).asked[i];
    }
    return;
  }
  if (data.feedback == 0.0) {
    return;
  }
  const CutPlace<T>& place = place_of<T>(data, c);
  const LinkVector<T> displacement = minus(place.origin_b, place.origin_a);
  for (int i = 0; i < rows; ++i) {
    T residual = dot(place.force[i], displacement);
    if (cut.rows[i] >= cut.first_angle) {
      const LaneAngle& angle = cut.angles[cut.rows[i] - cut.first_angle];
      const AngleVectors<T> vectors = vectors_of<T>(data, cut, angle);
      residual = T(angle.scale) * (dot(vectors.on_a, vectors.on_b) - T(angle.cosine));
    }
    wanted[i] = T(-data.feedback) * residual;
  }
}

/// A force and a moment at the point of a cut joint, in world axes.
template <typename T>
struct CutWrench {
  LinkVector<T> force;
  LinkVector<T> moment;
};

/// D sigma of a cut joint.
template <typename T>
MBDBENCH_KERNEL CutWrench<T> cut_impulse(const LoopData& data, int c, int rows, const T* sigma) {
  const CutPlace<T>& place = place_of<T>(data, c);
  CutWrench<T> impulse{no_vector<T>(), no_vector<T>()};
  for (int i = 0; i < rows; ++i) {
    impulse.force = plus(impulse.force, times(sigma[i], place.force[i]));
    impulse.moment = plus(impulse.moment, times(sigma[i], place.moment[i]));
  }
  return impulse;
}

/// -(Sdot D + Ddot) sigma of a cut joint, what its turning impulse adds to loads (ClosedMomenta::add_cut_loads).
template <typename T>
MBDBENCH_KERNEL CutWrench<T> cut_load(const LoopData& data, int c, int rows, const T* sigma,
                                      const CutWrench<T>& impulse) {
  const LaneCut& cut = data.cuts[c];
  const CutPlace<T>& place = place_of<T>(data, c);
  const RowPose<T>& a = pose_of<T>(data, cut.a.row);
  const RowPose<T>& b = pose_of<T>(data, cut.b.row);
  CutWrench<T> load{no_vector<T>(), crossed(impulse.force, point_velocity<T>(data, c))};
  if (cut.apart >= 0) {
    const CutMotion<T>& motion = motion_of<T>(data, cut);
    for (int i = 0; i < rows; ++i) {
      load.force = minus(load.force, times(sigma[i], motion.force_rate[i]));
      load.moment = minus(load.moment, times(sigma[i], motion.moment_rate[i]));
    }
    return load;
  }
  for (int i = 0; i < rows; ++i) {
    if (cut.rows[i] >= cut.first_angle) {
      const LaneAngle& angle = cut.angles[cut.rows[i] - cut.first_angle];
      const LinkVector<T> rate = turning_of(vectors_of<T>(data, cut, angle), a, b);
      load.moment = minus(load.moment, times(T(angle.scale) * sigma[i], rate));
    } else if (cut.rows[i] >= cut.first_direction) {
      load.force = minus(load.force, times(sigma[i], crossed(a.omega, place.force[i])));
    }
  }
  return load;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
