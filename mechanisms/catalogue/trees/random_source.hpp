#pragma once
/// \file
/// Random numbers for generated mechanisms. The standard fixes the words of std::mt19937_64 but not its distributions,
/// so the mapping to numbers is our own: one seed draws the same mechanism with every standard library.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// Seeded source of numbers, directions and rotations. Square roots and sums only, so that at most the last bits differ
/// between platforms.
class RandomSource {
 public:
  explicit RandomSource(std::int64_t seed) : engine_(static_cast<std::uint64_t>(seed)) {}

  /// \returns a number in [low, high), from the upper 53 bits of one word.
  double uniform(double low, double high) {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * kUnit);
  }

  /// \returns an index below `count`; the bias of the remainder, count / 2^64, does not matter here.
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

  /// \returns true with this probability.
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

  /// \returns one of the elements.
  template <typename Range>
  const auto& pick(const Range& range) {
    return range[index(range.size())];
  }

  /// \returns a point of the cube [-half_width, half_width)^3.
  Vec3 point(double half_width) {
    const double x = uniform(-half_width, half_width);
    const double y = uniform(-half_width, half_width);
    return {x, y, uniform(-half_width, half_width)};
  }

  /// \returns a unit vector, uniform on the sphere.
  Vec3 direction() {
    for (;;) {
      const Vec3 candidate = point(1.0);
      const double length = std::sqrt(candidate.squaredNorm());
      if (length > 0.1 && length < 1.0) {
        return candidate / length;
      }
    }
  }

  /// \returns a unit quaternion (w, x, y, z), uniform over the rotations.
  Eigen::Vector4d quaternion() {
    for (;;) {
      const double w = uniform(-1.0, 1.0);
      const Vec3 v = point(1.0);
      const double length = std::sqrt(w * w + v.squaredNorm());
      if (length > 0.1 && length < 1.0) {
        return Eigen::Vector4d(w, v.x(), v.y(), v.z()) / length;
      }
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mbdbench
