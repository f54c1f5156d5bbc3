#pragma once
/// \file
/// Phi' and Phi'' of the rows of one cut joint, the wrench of its multipliers and that wrench's rate, as functions of
/// the motions of its two bodies: the geometry of mechanisms/model/kinematics/joint_kinematics.hpp for numbers of any
/// kind, so that a number with slopes gives the derivatives of all.
///
///   Phi' = D^T W,   Phi'' = D^T (W' - turn x W) + D'^T W,   W = V_b - V_a at O_k
///
/// and Phi as far as it changes (closure_residual in joint.hpp). D as wrenches about the common point. Of what rolls
/// O_k is where it touches.
#include "formulations/derivatives/loops/passes/loop_screws.hpp"
#include "mechanisms/model/description/joint.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// A number with its slopes along as many directions as there are lanes.
template <typename T>
struct Sloped {
  double value;
  T slope;
  Sloped() = default;
  MBDBENCH_KERNEL Sloped(double number) : value(number), slope(T(0.0)) {}  // implicit, as of packs
  MBDBENCH_KERNEL Sloped(double number, const T& s) : value(number), slope(s) {}
  MBDBENCH_KERNEL Sloped& operator+=(const Sloped& other) {
    value += other.value;
    slope += other.slope;
    return *this;
  }
  friend MBDBENCH_KERNEL Sloped operator+(const Sloped& a, const Sloped& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend MBDBENCH_KERNEL Sloped operator-(const Sloped& a, const Sloped& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend MBDBENCH_KERNEL Sloped operator*(const Sloped& a, const Sloped& b) {
    return {a.value * b.value, T(a.value) * b.slope + T(b.value) * a.slope};
  }
  friend MBDBENCH_KERNEL Sloped operator/(const Sloped& a, const Sloped& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.slope - T(quotient) * b.slope) / T(b.value)};
  }
  friend MBDBENCH_KERNEL Sloped root(const Sloped& a) {
    const double root = __builtin_sqrt(a.value);
    return {root, a.slope / T(2.0 * root)};
  }
};

MBDBENCH_KERNEL double root(double a) {
  return __builtin_sqrt(a);
}

template <typename T>
MBDBENCH_KERNEL double value_of(const Sloped<T>& a) {
  return a.value;
}
MBDBENCH_KERNEL double value_of(double a) {
  return a;
}

/// One cut joint at a position: vectors in world axes, points less the common point.
struct CutShape {
  static constexpr int kRows = 6;
  int rows = 0;
  int body_a = -1;
  int body_b = -1;
  double share = 1.0;  ///< of the way from the origin on a to that on b where O_k is
  bool world_linear = false;
  int direction_count = 0;
  kernels::LinkVector<double> directions[3]{};  ///< of linear rows, fixed in a
  bool keeps_length = false;
  bool screws = false;
  double screw_linear = 0.0;  ///< factors of a screw's row
  double screw_angular = 0.0;
  int angle_count = 0;
  kernels::LinkVector<double> angles_a[6]{};  ///< scaled
  kernels::LinkVector<double> angles_b[6]{};
  bool turn_row = false;
  bool rolls = false;       ///< of three directions the first is the normal, by which alone there is a position
  bool rolls_thin = false;  ///< a disc, else a ball
  double radius = 0.0;
  kernels::LinkVector<double> axle{};                        ///< of a disc, fixed in b
  kernels::LinkVector<double> axis{}, normal1{}, normal2{};  ///< fixed in a
  kernels::LinkVector<double> pointer{};                     ///< fixed in b
  kernels::LinkVector<double> origin_a{}, origin_b{};
};

/// How one of its bodies moves, about the common point.
template <typename N>
struct EndMotion {
  Screw<N> displacement;  ///< zero but for its slopes
  Screw<N> velocity;
  Screw<double> acceleration;
};

template <typename N>
struct CutMotion {
  LinkVector<N> point;              ///< O_k
  Screw<N> rows[CutShape::kRows];   ///< D
  Screw<N> rates[CutShape::kRows];  ///< D'
  N closure[CutShape::kRows];       ///< Phi less a constant
  N first[CutShape::kRows];         ///< Phi'
  N second[CutShape::kRows];        ///< Phi''
};

template <typename N>
struct CutRowsMoving {
  using Vector = LinkVector<N>;

  /// A vector or a point that moves with a body.
  static MBDBENCH_KERNEL Vector vector_on(const Screw<N>& displacement, const LinkVector<double>& r) {
    const Vector way = cross(r, displacement.angular);
    return {N(r.x) - way.x, N(r.y) - way.y, N(r.z) - way.z};
  }
  static MBDBENCH_KERNEL Vector point_on(const Screw<N>& displacement, const LinkVector<double>& r) {
    return plus(vector_on(displacement, r), displacement.linear);
  }
  static MBDBENCH_KERNEL Vector velocity_at(const Screw<N>& velocity, const Vector& r) {
    return plus(velocity.linear, cross(velocity.angular, r));
  }
  static MBDBENCH_KERNEL Vector times(const N& factor, const Vector& r) {
    return {factor * r.x, factor * r.y, factor * r.z};
  }

  const CutShape* shape;
  const EndMotion<N>* a;
  const EndMotion<N>* b;
  CutMotion<N>* to;
  Vector point;
  Vector point_rate;
  Vector linear;  // W
  Vector angular;
  Vector linear_rate;
  Vector angular_rate;
  int row = 0;

  MBDBENCH_KERNEL void put_row(const N& closure, const Vector& f, const Vector& f_rate, const Vector& n,
                               const Vector& n_rate) {
    to->closure[row] = closure;
    to->rows[row] = {f, plus(n, cross(point, f))};
    to->rates[row] = {f_rate, plus(n_rate, plus(cross(point_rate, f), cross(point, f_rate)))};
    to->first[row] = dot(f, linear) + dot(n, angular);
    to->second[row] = dot(f, linear_rate) + dot(n, angular_rate) + dot(f_rate, linear) + dot(n_rate, angular);
    ++row;
  }
  MBDBENCH_KERNEL void put_linear(const N& closure, const Vector& f, const Vector& rate) {
    put_row(closure, f, rate, none<N>(), none<N>());
  }
  MBDBENCH_KERNEL void put_angular(const N& closure, const Vector& n, const Vector& rate) {
    put_row(closure, none<N>(), none<N>(), n, rate);
  }

  // Where what rolls touches, from its centre, and that rate. Returns how high the centre is.
  MBDBENCH_KERNEL N set_contact(Vector& offset, Vector& rate) const {
    const Vector normal = vector_on(a->displacement, shape->axis);
    const Vector normal_rate = cross(a->velocity.angular, normal);
    const N radius(-shape->radius);
    if (!shape->rolls_thin) {
      offset = times(radius, normal);
      rate = times(radius, normal_rate);
      return N(shape->radius);
    }
    const Vector axle = vector_on(b->displacement, shape->axle);
    const Vector axle_rate = cross(b->velocity.angular, axle);
    const N along = dot(normal, axle);
    const N along_rate = dot(normal_rate, axle) + dot(normal, axle_rate);
    const N upright = root(N(1.0) - along * along);
    const N inverse = N(1.0) / upright;
    const Vector up = times(inverse, minus(normal, times(along, axle)));
    const N upright_rate = N(-1.0) * along * along_rate * inverse;
    const Vector turning = plus(times(along_rate, axle), plus(times(along, axle_rate), times(upright_rate, up)));
    offset = times(radius, up);
    rate = times(radius * inverse, minus(normal_rate, turning));
    return N(shape->radius) * upright;
  }

  // The turn about the axis, as far as it changes: its gradient, and the gradient's rate.
  MBDBENCH_KERNEL N set_turn(Vector& gradient, Vector& rate) const {
    const Vector& wa = a->velocity.angular;
    const Vector across1 = vector_on(a->displacement, shape->normal1);
    const Vector across2 = vector_on(a->displacement, shape->normal2);
    const Vector pointer = vector_on(b->displacement, shape->pointer);
    const N x = dot(across1, pointer);
    const N y = dot(across2, pointer);
    const N square = x * x + y * y;
    const Vector level = minus(times(x, across2), times(y, across1));
    gradient = times(N(1.0) / square, cross(pointer, level));
    const Vector pointer_rate = cross(b->velocity.angular, pointer);
    const N x_rate = dot(cross(wa, across1), pointer) + dot(across1, pointer_rate);
    const N y_rate = dot(cross(wa, across2), pointer) + dot(across2, pointer_rate);
    const Vector level_rate = plus(minus(times(x_rate, across2), times(y_rate, across1)), cross(wa, level));
    const N square_rate = N(2.0) * (x * x_rate + y * y_rate);
    rate = minus(times(N(1.0) / square, plus(cross(pointer_rate, level), cross(pointer, level_rate))),
                 times(square_rate / square, gradient));
    return (N(value_of(x)) * y - N(value_of(y)) * x) / N(value_of(square));
  }

  MBDBENCH_KERNEL void run() {
    const Vector origin_a = point_on(a->displacement, shape->origin_a);
    const Vector origin_b = point_on(b->displacement, shape->origin_b);
    const Vector way = minus(origin_b, origin_a);
    const N share(shape->share);
    const N rest(1.0 - shape->share);
    point = minus(origin_b, times(rest, way));
    const Screw<N> relative = minus(b->velocity, a->velocity);
    angular = relative.angular;
    const Vector velocity_a = velocity_at(a->velocity, origin_a);
    const Vector velocity_b = velocity_at(b->velocity, origin_b);
    point_rate = plus(times(share, velocity_b), times(rest, velocity_a));
    N height(0.0);
    if (shape->rolls) {
      Vector offset;
      Vector rate;
      height = set_contact(offset, rate);
      point = plus(point, offset);
      point_rate = plus(point_rate, rate);
    }
    to->point = point;
    linear = velocity_at(relative, point);
    const Screw<double> pulled = minus(b->acceleration, a->acceleration);
    angular_rate = {N(pulled.angular.x), N(pulled.angular.y), N(pulled.angular.z)};
    linear_rate = plus(cross(pulled.angular, point), cross(angular, point_rate));
    linear_rate = plus(linear_rate, {N(pulled.linear.x), N(pulled.linear.y), N(pulled.linear.z)});
    if (shape->share == 0.5) {
      const Vector turn = times(N(0.5), plus(a->velocity.angular, b->velocity.angular));
      linear_rate = minus(linear_rate, cross(turn, linear));
    }
    const Vector& wa = a->velocity.angular;
    const Vector& wb = b->velocity.angular;
    if (shape->world_linear) {
      put_linear(way.x, {N(1.0), N(0.0), N(0.0)}, none<N>());
      put_linear(way.y, {N(0.0), N(1.0), N(0.0)}, none<N>());
      put_linear(way.z, {N(0.0), N(0.0), N(1.0)}, none<N>());
    }
    for (int i = 0; i < shape->direction_count; ++i) {
      const Vector direction = vector_on(a->displacement, shape->directions[i]);
      const N closure = !shape->rolls ? dot(direction, way) : i == 0 ? dot(direction, way) - height : N(0.0);
      put_linear(closure, direction, cross(wa, direction));
    }
    if (shape->keeps_length) {
      const N length = root(dot(way, way));
      const Vector along = times(N(1.0) / length, way);
      const Vector rate = minus(velocity_b, velocity_a);
      put_linear(length, along, times(N(1.0) / length, minus(rate, times(dot(along, rate), along))));
    }
    if (shape->screws) {
      Vector gradient;
      Vector rate;
      const N angle = set_turn(gradient, rate);
      const Vector axis = vector_on(a->displacement, shape->axis);
      const N slide(shape->screw_linear);
      const N turn(shape->screw_angular);
      put_row(slide * dot(axis, way) + turn * angle, times(slide, axis), times(slide, cross(wa, axis)),
              times(turn, gradient), times(turn, rate));
    }
    for (int i = 0; i < shape->angle_count; ++i) {
      const Vector va = vector_on(a->displacement, shape->angles_a[i]);
      const Vector vb = vector_on(b->displacement, shape->angles_b[i]);
      put_angular(dot(va, vb), cross(vb, va), plus(cross(cross(wb, vb), va), cross(vb, cross(wa, va))));
    }
    if (shape->turn_row) {
      Vector gradient;
      Vector rate;
      const N angle = set_turn(gradient, rate);
      put_angular(angle, gradient, rate);
    }
  }
};

/// \param shape placed
template <typename N>
MBDBENCH_KERNEL void set_cut_motion(const CutShape& shape, const EndMotion<N>& a, const EndMotion<N>& b,
                                    CutMotion<N>& to) {
  CutRowsMoving<N> moving;
  moving.shape = &shape;
  moving.a = &a;
  moving.b = &b;
  moving.to = &to;
  moving.run();
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
