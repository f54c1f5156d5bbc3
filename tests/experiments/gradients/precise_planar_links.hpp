#pragma once
// Links of a plane in numbers of 113 bits: where they are, how they move, and linear equations by elimination.
#include "tests/experiments/gradients/precise_number.hpp"
#ifdef __SIZEOF_FLOAT128__

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::test {

using Numbers = std::vector<Precise>;
using Rows = std::vector<Numbers>;

/// A place or a rate in the plane.
struct Plane {
  Precise x = Precise(0.0);
  Precise y = Precise(0.0);
  Plane() = default;
  Plane(Precise own_x, Precise own_y) : x(own_x), y(own_y) {}
  explicit Plane(const Vec3& r) : x(r.x()), y(r.y()) {}
  friend Plane operator+(const Plane& a, const Plane& b) { return {a.x + b.x, a.y + b.y}; }
  friend Plane operator-(const Plane& a, const Plane& b) { return {a.x - b.x, a.y - b.y}; }
  friend Plane operator*(const Precise& factor, const Plane& r) { return {factor * r.x, factor * r.y}; }
  /// z x r.
  [[nodiscard]] Plane turned() const { return {-y, x}; }
};

inline Precise dot(const Plane& a, const Plane& b) {
  return a.x * b.x + a.y * b.y;
}

inline double size_of(const Precise& number) {
  return std::abs(static_cast<double>(number.value));
}

/// Solves rows times x = right by elimination with the largest pivot of a column.
inline Numbers eliminated(Rows rows, Numbers right) {
  const std::size_t size = right.size();
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < size; ++i) {
      best = size_of(rows[i][k]) > size_of(rows[best][k]) ? i : best;
    }
    std::swap(rows[k], rows[best]);
    std::swap(right[k], right[best]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const Precise factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < size; ++j) {
        rows[i][j] -= factor * rows[k][j];
      }
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) {
      right[k] -= rows[k][j] * right[j];
    }
    right[k] = right[k] / rows[k][k];
  }
  return right;
}

/// The links of a plane at one state.
class PlanarLinks {
 public:
  explicit PlanarLinks(const Mechanism& mechanism)
      : mechanism_(mechanism), links_(mechanism.bodies().size()), longer_(links_.size()) {
    for (const Joint& joint : mechanism.tree_joints()) {
      EXPECT_EQ(joint.type, JointType::revolute);
      EXPECT_EQ(joint.axis, Vec3::UnitZ());
      EXPECT_TRUE(joint.rotation_a.isIdentity() && joint.rotation_b.isIdentity());
    }
  }

  /// Moves a joint of the tree in the body that carries it.
  void lengthen(std::size_t joint, const Plane& by) { longer_[joint] = by; }

  void place(const Numbers& q) {
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const Joint& joint = mechanism_.tree_joints()[k];
      Link& own = links_[k];
      const kernels::SineCosine<Precise> turn = sine_and_cosine(q[k]);
      own.pivot = on(joint.a, joint.position_a) + (joint.a < 0 ? longer_[k] : at(joint.a).turned(longer_[k]));
      own.along = joint.a < 0 ? Plane(turn.cosine, turn.sine)
                              : turn.cosine * at(joint.a).along + turn.sine * at(joint.a).along.turned();
      own.origin = own.pivot - own.turned(Plane(joint.position_b));
      own.com = on(static_cast<int>(k), mechanism_.bodies()[k].com);
    }
  }

  /// Velocities, and accelerations at u' = 0.
  void move(const Numbers& u) {
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const int inboard = mechanism_.tree_joints()[k].a;
      Link& own = links_[k];
      own.rate = u[k] + (inboard < 0 ? Precise(0.0) : at(inboard).rate);
      own.pivot_rate = rate_at(inboard, own.pivot);
      own.pivot_pull = pull_at(inboard, own.pivot);
    }
  }

  [[nodiscard]] Plane on(int body, const Vec3& point) const {
    return body < 0 ? Plane(point) : at(body).origin + at(body).turned(Plane(point));
  }
  [[nodiscard]] Plane rate_at(int body, const Plane& place) const {
    return body < 0 ? Plane() : at(body).pivot_rate + at(body).rate * (place - at(body).pivot).turned();
  }
  /// At u' = 0.
  [[nodiscard]] Plane pull_at(int body, const Plane& place) const {
    return body < 0 ? Plane() : at(body).pivot_pull - (at(body).rate * at(body).rate) * (place - at(body).pivot);
  }
  /// Adds factor times how a place of a body moves with all joints. `rows` two of as many entries as joints.
  void add_motion(int body, const Plane& place, double factor, Numbers& x, Numbers& y) const {
    for (int k = body; k >= 0; k = mechanism_.parent(k)) {
      const Plane arm = (place - at(k).pivot).turned();
      x[static_cast<std::size_t>(k)] += Precise(factor) * arm.x;
      y[static_cast<std::size_t>(k)] += Precise(factor) * arm.y;
    }
  }
  [[nodiscard]] const Plane& com(std::size_t body) const { return links_[body].com; }
  [[nodiscard]] Precise rate(int body) const { return body < 0 ? Precise(0.0) : at(body).rate; }

 private:
  struct Link {
    Plane pivot;
    Plane origin;
    Plane along;  // x axis of the body
    Plane com;
    Precise rate = Precise(0.0);
    Plane pivot_rate;
    Plane pivot_pull;
    [[nodiscard]] Plane turned(const Plane& r) const { return r.x * along + r.y * along.turned(); }
  };
  [[nodiscard]] const Link& at(int body) const { return links_[static_cast<std::size_t>(body)]; }

  const Mechanism& mechanism_;
  std::vector<Link> links_;
  std::vector<Plane> longer_;
};

}  // namespace mbdbench::test

#endif
