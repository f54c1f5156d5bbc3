#pragma once
/// \file
/// What the rows of cut joints ask for in accelerations and momenta, and what their impulses do (ClosedMomenta), a lane
/// a state.
#include "formulations/parts/lanes/cut_lanes.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// What Phi' of a cut joint lacks. \param wanted receives a number a row
template <typename T>
MBDBENCH_KERNEL void want_rest(const LoopData& data, int c, int rows, T* wanted) {
  const LaneCut& cut = data.cuts[c];
  const CutPlace<T>& place = place_of<T>(data, c);
  const RowPose<T>& a = pose_of<T>(data, cut.a.row);
  const RowPose<T>& b = pose_of<T>(data, cut.b.row);
  const LinkVector<T> linear = minus(velocity_at(b, place.point), velocity_at(a, place.point));
  const LinkVector<T> angular = minus(b.omega, a.omega);
  for (int i = 0; i < rows; ++i) {
    wanted[i] = -(dot(place.force[i], linear) + dot(place.moment[i], angular));
    if (cut.apart >= 0) {
      wanted[i] += motion_of<T>(data, cut).asked[i];
    }
  }
}

/// Phi'' wanted of a cut joint less what accelerations of the links add, with Baumgarte's terms
/// [Malczyk2008, Eq. (7)].
template <typename T>
MBDBENCH_KERNEL void want_accelerations(const LoopData& data, int c, int rows, T* wanted) {
  const LaneCut& cut = data.cuts[c];
  if (cut.apart >= 0) {
    for (int i = 0; i < rows; ++i) {
      wanted[i] = motion_of<T>(data, cut).wanted[i];
    }
    return;
  }
  const CutPlace<T>& place = place_of<T>(data, c);
  const RowPose<T>& a = pose_of<T>(data, cut.a.row);
  const RowPose<T>& b = pose_of<T>(data, cut.b.row);
  const LinkVector<T> linear = minus(velocity_at(b, place.point), velocity_at(a, place.point));
  const LinkVector<T> angular = minus(b.omega, a.omega);
  const LinkVector<T> velocity = point_velocity<T>(data, c);
  LinkVector<T> bias = minus(cross(b.omega, minus(velocity, b.velocity)), cross(a.omega, minus(velocity, a.velocity)));
  if (cut.share_of_b == 0.5) {
    bias = minus(bias, cross(times(T(0.5), plus(a.omega, b.omega)), linear));
  }
  const double weightless = (cut.a.weightless ? 1.0 : 0.0) - (cut.b.weightless ? 1.0 : 0.0);
  const T weight = T(weightless);
  bias = plus(bias, times(weight, LinkVector<T>{T(data.gravity[0]), T(data.gravity[1]), T(data.gravity[2])}));
  const LinkVector<T> displacement = minus(place.origin_b, place.origin_a);
  const T damping = T(2.0 * data.alpha);
  const T stiffness = T(data.beta * data.beta);
  for (int i = 0; i < rows; ++i) {
    const LinkVector<T>& force = place.force[i];
    const T along = dot(force, linear) + dot(place.moment[i], angular);
    T gamma = -dot(force, bias);
    T residual = dot(force, displacement);
    if (cut.rows[i] >= cut.first_angle) {
      const LaneAngle& angle = cut.angles[cut.rows[i] - cut.first_angle];
      const AngleVectors<T> vectors = vectors_of<T>(data, cut, angle);
      gamma -= T(angle.scale) * dot(turning_of(vectors, a, b), angular);
      residual = T(angle.scale) * (dot(vectors.on_a, vectors.on_b) - T(angle.cosine));
    } else if (cut.rows[i] >= cut.first_direction) {
      gamma -= dot(cross(a.omega, force), linear);
    }
    wanted[i] = gamma - damping * along - stiffness * residual;
  }
}

/// Phi' wanted of a cut joint: -beta Phi, and what a prescribed motion asks for. Rows of which nothing is wanted are
/// left as they are, zero.
template <typename T>
MBDBENCH_KERNEL void want_velocities(const LoopData& data, int c, int rows, T* wanted) {
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
  CutWrench<T> load{no_vector<T>(), cross(impulse.force, point_velocity<T>(data, c))};
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
      load.force = minus(load.force, times(sigma[i], cross(a.omega, place.force[i])));
    }
  }
  return load;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
