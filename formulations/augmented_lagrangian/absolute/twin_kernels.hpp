#pragma once
/// \file
/// Kinematics of twins in absolute coordinates, a sub-tree a lane: what absolute_kinematics.hpp and AugmentedSystem do
/// with one body and one joint after another, with the same formulas. Compiled once an instruction set
/// (twin_kernels_for_sets.cpp).
#include "formulations/augmented_lagrangian/absolute/twin_bodies.hpp"
#include "formulations/kernels/quaternions.hpp"
#include "formulations/kernels/square_root.hpp"
#include "formulations/kernels/unrolled.hpp"
#include "formulations/kernels/vectors.hpp"

namespace mbdbench::twin_kernels {

using kernels::LinkVector;
using kernels::Matrix3;
using kernels::Symmetric3;
using State = TwinBodyState;

template <typename T>
MBDBENCH_KERNEL Matrix3<T> rotation_at(const T* state) {
  const T* const r = state + State::kRotation;
  return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
}
template <typename T>
MBDBENCH_KERNEL Symmetric3<T> symmetric_at(const T* numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

/// R and J_C^-1 = R J'^-1 R^T.
template <typename T>
MBDBENCH_KERNEL void place_body(const T* constants, T* state, T* inertia_inverse) {
  T* const e = state + State::kCoordinates + 3;
  const T length = square_root(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const T inverse = T(1.0) / length;
  state[State::kLength] = length;
  kernels::unrolled<0, 4>([&](auto i) MBDBENCH_INLINED { e[i] = e[i] * inverse; });
  const Matrix3<T> r = kernels::rotation_of(e[0], e[1], e[2], e[3]);
  put_vector(LinkVector<T>{r.xx, r.xy, r.xz}, state + State::kRotation);
  put_vector(LinkVector<T>{r.yx, r.yy, r.yz}, state + State::kRotation + 3);
  put_vector(LinkVector<T>{r.zx, r.zy, r.zz}, state + State::kRotation + 6);
  const Symmetric3<T> own = symmetric_at(constants + 7);
  const LinkVector<T> x = multiplied(own, LinkVector<T>{r.xx, r.xy, r.xz});  // J'^-1 times the rows of R
  const LinkVector<T> y = multiplied(own, LinkVector<T>{r.yx, r.yy, r.yz});
  const LinkVector<T> z = multiplied(own, LinkVector<T>{r.zx, r.zy, r.zz});
  inertia_inverse[0] = r.xx * x.x + r.xy * x.y + r.xz * x.z;
  inertia_inverse[1] = r.xx * y.x + r.xy * y.y + r.xz * y.z;
  inertia_inverse[2] = r.xx * z.x + r.xy * z.y + r.xz * z.z;
  inertia_inverse[3] = r.yx * y.x + r.yy * y.y + r.yz * y.z;
  inertia_inverse[4] = r.yx * z.x + r.yy * z.y + r.yz * z.z;
  inertia_inverse[5] = r.zx * z.x + r.zy * z.y + r.zz * z.z;
}

/// A joint as it lies between its bodies.
template <typename T>
struct JointPlace {
  Matrix3<T> rotation_a, rotation_b;
  LinkVector<T> lever_a, lever_b;  ///< handles minus centres of mass
  LinkVector<T> displacement;      ///< origin on b minus origin on a
};

template <typename T>
MBDBENCH_KERNEL JointPlace<T> place_of(const TwinJoint& joint, const T* a, const T* b) {
  const T* const constants = reinterpret_cast<const T*>(joint.constants);
  const Matrix3<T> rotation_a = rotation_at(a);
  const Matrix3<T> rotation_b = rotation_at(b);
  const LinkVector<T> handle_a = turned(rotation_a, kernels::vector_of(constants));
  const LinkVector<T> lever_b = turned(rotation_b, kernels::vector_of(constants + 3));
  const LinkVector<T> apart = minus(kernels::vector_of(b), kernels::vector_of(a));
  const LinkVector<T> displacement = plus(apart, minus(lever_b, handle_a));
  // Where the directions are the world's, both bodies have the handle of b.
  return {rotation_a, rotation_b, joint.world_linear ? handle_a : plus(apart, lever_b), lever_b, displacement};
}

/// Three numbers of B, with the sign of the handle. \returns what is behind them
template <typename T>
MBDBENCH_KERNEL T* put_part(bool negative, const LinkVector<T>& part, T* numbers) {
  put_vector(negative ? LinkVector<T>{-part.x, -part.y, -part.z} : part, numbers);
  return numbers + 3;
}

/// B of both handles.
template <typename T>
MBDBENCH_KERNEL void place_joint(const TwinJoint& joint, const T* a, const T* b) {
  const JointPlace<T> place = place_of(joint, a, b);
  for (int end = 0; end < 2; ++end) {
    const bool on_a = end == 0;
    T* numbers = reinterpret_cast<T*>(joint.handles[end]);
    if (numbers == nullptr) {
      continue;
    }
    const LinkVector<T>& lever = on_a ? place.lever_a : place.lever_b;
    if (joint.world_linear) {
      put_vector(lever, numbers);
      numbers += 3;
    }
    const T* constants = reinterpret_cast<const T*>(joint.constants) + kTwinOrigins;
    for (int i = 0; i < joint.direction_count; ++i, constants += 3) {
      const LinkVector<T> direction = turned(place.rotation_a, kernels::vector_of(constants));
      numbers = put_part(on_a, direction, numbers);
      numbers = put_part(on_a, cross(lever, direction), numbers);
    }
    for (int i = 0; i < joint.angular_count; ++i, constants += kTwinAngular) {
      const LinkVector<T> one = turned(place.rotation_a, kernels::vector_of(constants));
      const LinkVector<T> other = turned(place.rotation_b, kernels::vector_of(constants + 3));
      if (!joint.world_linear) {
        numbers = put_part(on_a, LinkVector<T>{T(0.0), T(0.0), T(0.0)}, numbers);
      }
      numbers = put_part(on_a, times(constants[6], cross(other, one)), numbers);
    }
  }
}

template <typename T>
void place(const TwinBodies& twins) {
  T* const states = reinterpret_cast<T*>(twins.state);
  for (int i = 0; i < twins.body_count; ++i) {
    place_body(reinterpret_cast<const T*>(twins.constants) + kTwinBodyConstants * i, states + State::kCount * i,
               reinterpret_cast<T*>(twins.inertia_inverse[i]) + 1);
  }
  for (int k = 0; k < twins.joint_count; ++k) {
    const TwinJoint& joint = twins.joints[k];
    place_joint(joint, states + State::kCount * joint.bodies[0], states + State::kCount * joint.bodies[1]);
  }
}

/// omega, and [m g; -omega x J omega].
template <typename T>
MBDBENCH_KERNEL void move_body(const TwinBodies& twins, const T* constants, T* state, T* input) {
  const T* const e = state + State::kCoordinates + 3;
  T* const rate = state + State::kRates + 3;
  const T two = T(2.0);
  const LinkVector<T> omega = {two * ((e[0] * rate[1] - e[1] * rate[0]) + (e[3] * rate[2] - e[2] * rate[3])),
                               two * ((e[0] * rate[2] - e[2] * rate[0]) + (e[1] * rate[3] - e[3] * rate[1])),
                               two * ((e[0] * rate[3] - e[3] * rate[0]) + (e[2] * rate[1] - e[1] * rate[2]))};
  const Matrix3<T> rotation = rotation_at(state);
  put_vector(omega, rate);
  put_vector(turned(rotation, omega), state + State::kOmega);
  const LinkVector<T> torque = turned(rotation, cross(multiplied(symmetric_at(constants + 1), omega), omega));
  kernels::unrolled<0, 3>([&](auto i) MBDBENCH_INLINED { input[i] = constants[0] * T(twins.gravity[i]); });
  put_vector(torque, input + 3);
}

/// r - 2 omega mu Phi' - omega^2 Phi of the rows of a joint, with r = -(D^T)' (V_b - V_a) - D^T (Xdot_b V_b - Xdot_a
/// V_a).
template <typename T>
MBDBENCH_KERNEL void move_joint(const TwinBodies& twins, const TwinJoint& joint, const T* a, const T* b, T* right) {
  const JointPlace<T> place = place_of(joint, a, b);
  const T stiffness = T(twins.stiffness);
  const T damping = T(twins.damping);
  const LinkVector<T> omega_a = kernels::vector_of(a + State::kOmega);
  const LinkVector<T> omega_b = kernels::vector_of(b + State::kOmega);
  const LinkVector<T> around_a = cross(omega_a, place.lever_a);  // velocities at the handles less those of the bodies
  const LinkVector<T> around_b = cross(omega_b, place.lever_b);
  const LinkVector<T> drift = minus(kernels::vector_of(b + State::kRates), kernels::vector_of(a + State::kRates));
  const LinkVector<T> linear = plus(drift, minus(around_b, around_a));
  const LinkVector<T> turn = minus(omega_b, omega_a);
  // The geometric point of the handle on a is that on b where both bodies have the same.
  const LinkVector<T> point_a = joint.world_linear ? around_a : plus(drift, around_b);
  const LinkVector<T> bias = minus(cross(omega_b, around_b), cross(omega_a, point_a));
  const LinkVector<T>& d = place.displacement;
  if (joint.world_linear) {
    right[0] = -bias.x - damping * linear.x - stiffness * d.x;
    right[1] = -bias.y - damping * linear.y - stiffness * d.y;
    right[2] = -bias.z - damping * linear.z - stiffness * d.z;
    right += 3;
  }
  const T* constants = reinterpret_cast<const T*>(joint.constants) + kTwinOrigins;
  for (int i = 0; i < joint.direction_count; ++i, ++right, constants += 3) {
    const LinkVector<T> direction = turned(place.rotation_a, kernels::vector_of(constants));
    *right = -dot(cross(omega_a, direction), linear) - dot(direction, bias) - damping * dot(direction, linear) -
             stiffness * dot(direction, d);
  }
  for (int i = 0; i < joint.angular_count; ++i, ++right, constants += kTwinAngular) {
    const LinkVector<T> one = turned(place.rotation_a, kernels::vector_of(constants));
    const LinkVector<T> other = turned(place.rotation_b, kernels::vector_of(constants + 3));
    const LinkVector<T> rate = plus(cross(cross(omega_b, other), one), cross(other, cross(omega_a, one)));
    *right = -constants[6] *
             (dot(rate, turn) + damping * dot(cross(other, one), turn) + stiffness * (dot(one, other) - constants[7]));
  }
}

template <typename T>
void move(const TwinBodies& twins, double* input, double* right) {
  T* const states = reinterpret_cast<T*>(twins.state);
  for (int i = 0; i < twins.body_count; ++i) {
    move_body(twins, reinterpret_cast<const T*>(twins.constants) + kTwinBodyConstants * i, states + State::kCount * i,
              reinterpret_cast<T*>(input) + 6 * i);
  }
  for (int k = 0; k < twins.joint_count; ++k) {
    const TwinJoint& joint = twins.joints[k];
    move_joint<T>(twins, joint, states + State::kCount * joint.bodies[0], states + State::kCount * joint.bodies[1],
                  reinterpret_cast<T*>(right) + joint.row);
  }
}

/// e'' = L^T omega' / 2 - (e' . e') e.
template <typename T>
void accelerate(const TwinBodies& twins, const double* accelerations) {
  for (int i = 0; i < twins.body_count; ++i) {
    T* const state = reinterpret_cast<T*>(twins.state) + State::kCount * i;
    const T* const given = reinterpret_cast<const T*>(accelerations) + 6 * i;
    T* const e = state + State::kCoordinates + 3;
    T* const rate = state + State::kRates;
    T unit_rate[4];
    kernels::quaternion_rate(e, rate + 3, unit_rate);
    T turning[3];
    put_vector(turned_back(rotation_at(state), kernels::vector_of(given + 3)), turning);
    T second[4];
    kernels::quaternion_rate(e, turning, second);
    const T square = unit_rate[0] * unit_rate[0] + unit_rate[1] * unit_rate[1] + unit_rate[2] * unit_rate[2] +
                     unit_rate[3] * unit_rate[3];
    put_vector(kernels::vector_of(rate), state + State::kCoordinates);
    put_vector(kernels::vector_of(given), rate);
    kernels::unrolled<0, 4>([&](auto k) MBDBENCH_INLINED {
      rate[3 + k] = second[k] - square * e[k];
      e[k] = state[State::kLength] * unit_rate[k];
    });
  }
}

/// \returns the sweeps in registers of W doubles.
template <int W>
TwinBodySweeps sweeps() {
  using T = kernels::Pack<8, W>;
  return {place<T>, move<T>, accelerate<T>};
}

}  // namespace mbdbench::twin_kernels
