/// \file
/// Mechanisms typed with nine to sixteen digits: rows that are redundant but for the last digits change neither the
/// start nor the rank.
#include "tests/support/typed_digits.hpp"

#include <gtest/gtest.h>

#include "mechanisms/model/mechanism.hpp"
#include "tests/support/random_loops.hpp"

namespace mbdbench {
namespace {

/// A door on two hinges of one axis, which is fixed in space twice. \param size of the door, m
MechanismDescription door(double size) {
  MechanismDescription description;
  description.name = "door";
  description.bodies.push_back({"leaf", 20.0, size * Vec3(0.45, 0.0, 0.1), Mat3::Identity() * size * size});
  for (const double height : {0.2, 1.7}) {
    JointDescription hinge;
    hinge.name = height < 1.0 ? "lower" : "upper";
    hinge.b = "leaf";
    hinge.frame_a.position = hinge.frame_b.position = size * Vec3(0.0, 0.0, height);
    description.joints.push_back(hinge);
  }
  description.joints[0].q0 = {0.3};
  description.joints[0].v0 = {1.0};
  return description;
}

// The digits leave the second hinge's place open by 1e-16 to 1e-9 of the size, and its axis likewise: a start that
// follows from them would be anywhere.
TEST(typed_digits, a_joint_that_is_there_twice_keeps_the_start) {
  const std::int64_t seed = 20250731;
  std::printf("seed %lld\n", static_cast<long long>(seed));
  RandomSource random(seed);
  for (int digits = 9; digits <= 17; ++digits) {
    for (const double size : {1e-3, 1.0, 1e3}) {
      for (const double away : {0.0, 1e2 * size}) {
        SCOPED_TRACE(fmt::format("{} digits, size {}, frames {} away", digits, size, away));
        if (away > 0.0 && digits < 12) {
          continue;  // the digits of far frames are those of their distance
        }
        const Mechanism mechanism(test::typed(test::in_other_frames(door(size), random, away), digits));
        EXPECT_EQ(mechanism.q0()[0], 0.3);
        EXPECT_EQ(mechanism.u0()[0], 1.0);
        EXPECT_EQ(mechanism.generic_rank().rank, 0);
      }
    }
  }
}

TEST(typed_digits, the_rank_of_planar_linkages_is_that_of_all_digits) {
  for (int seed = 1; seed <= 12; ++seed) {
    const Mechanism exact(test::RandomLoops(seed, {.planar = true, .loops = 1 + seed % 3}).take());
    RandomSource random(seed);
    const MechanismDescription turned = test::in_other_frames(exact.description(), random, 0.5);
    for (const int digits : {9, 10, 12, 17}) {
      SCOPED_TRACE(fmt::format("seed {}, {} digits", seed, digits));
      const Mechanism mechanism(test::typed(turned, digits));
      EXPECT_EQ(mechanism.generic_rank().rank, exact.generic_rank().rank);
      EXPECT_LT((mechanism.q0() - exact.q0()).lpNorm<Eigen::Infinity>(), 1e-6);
      EXPECT_LT((mechanism.u0() - exact.u0()).lpNorm<Eigen::Infinity>(), 1e-6 * (1.0 + exact.u0().norm()));
    }
  }
}

}  // namespace
}  // namespace mbdbench
