/// \file
/// One physics in other units of length, mass and time, and typed with few digits: every formulation gives the same
/// accelerations of closed loops.
#include <gtest/gtest.h>

#include "tests/formulations/comparison.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/other_units.hpp"
#include "tests/support/random_loops.hpp"
#include "tests/support/typed_digits.hpp"

namespace mbdbench {
namespace {

/// Velocities u and, of formulations in velocities, accelerations at the start, in units of 1.
struct Motion {
  std::string failure;
  Eigen::VectorXd u;
  Eigen::VectorXd rates;  ///< q' of momenta, u' of velocities
};

Motion start_of(const FormulationEntry& entry, const Mechanism& mechanism, const test::Units& units) {
  Motion motion;
  if (const std::string refusal = refusal_of(entry, mechanism); !refusal.empty()) {
    motion.failure = "refused: " + refusal;
    return motion;
  }
  const auto formulation = test::make(entry.key, mechanism);
  const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
  if (!start.status.ok) {
    motion.failure = start.status.message();
    return motion;
  }
  // What the state does in a short time tells of its rates in every form: q and u along the derivative.
  const double h = 1e-3 * units.time;
  std::vector<double> x = start.x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += h * start.xdot[i];
  }
  Eigen::VectorXd q = mechanism.q0();
  motion.u = mechanism.u0();
  const RhsStatus status = formulation->unpack(h, x, view(q), view(motion.u));
  motion.failure = status.message();
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      motion.u[joint.u_offset + i] /= units.rate(joint, i);
    }
  }
  return motion;
}

/// \returns what differs, by formulation; empty if nothing does.
std::string differences(const Mechanism& one, const Mechanism& other, const test::Units& units, double limit) {
  std::string found;
  for (const FormulationEntry& entry : formulation_registry()) {
    // The penalty of dca-alm has a unit.
    if (entry.key.starts_with("dca-alm")) {
      continue;
    }
    const Motion expected = start_of(entry, one, {});
    const Motion actual = start_of(entry, other, units);
    if (expected.failure.empty() != actual.failure.empty()) {
      found += fmt::format("{}: '{}' and '{}'\n", entry.key, expected.failure, actual.failure);
    } else if (expected.failure.empty()) {
      const double error = (expected.u - actual.u).lpNorm<Eigen::Infinity>() / expected.u.lpNorm<Eigen::Infinity>();
      if (!(error <= limit)) {
        found += fmt::format("{}: u off by {:.2g}\n", entry.key, error);
      }
    }
  }
  return found;
}

std::vector<Mechanism> closed_mechanisms() {
  std::vector<Mechanism> mechanisms;
  for (const char* const key :
       {"four_bar", "double_loop", "bricard", "bennett", "sarrus", "random_closed:seed=3,cuts=1,loads=0",
        "random_closed:seed=8,cuts=2,loads=0", "random_closed:seed=11,cuts=1,loads=0"}) {
    mechanisms.push_back(test::from_catalogue(key));
  }
  for (int seed = 1; seed <= 8; ++seed) {
    mechanisms.emplace_back(test::RandomLoops(seed, {.planar = seed % 2 == 1, .loops = 1 + seed % 3}).take());
  }
  return mechanisms;
}

// 1e-3 s along the derivative in units whose scales are powers of two next to those of other units: nothing differs but
// rounding, which the mechanisms' conditions (up to 1e5) amplify.
TEST(units_and_digits, no_formulation_knows_the_unit_of_length_mass_or_time) {
  for (const Mechanism& mechanism : closed_mechanisms()) {
    for (const test::Units& units : std::vector<test::Units>{{.length = 1e-9},
                                                             {.length = 1e-4},
                                                             {.length = 1e5},
                                                             {.length = 1e9},
                                                             {.mass = 1e-9},
                                                             {.mass = 1e9},
                                                             {.time = 1e-9},
                                                             {.time = 1e9},
                                                             {.length = 1e3, .mass = 1e-6, .time = 1e3}}) {
      SCOPED_TRACE(
          fmt::format("{}, length {}, mass {}, time {}", mechanism.name(), units.length, units.mass, units.time));
      const Mechanism other(test::in_units(mechanism, units));
      EXPECT_EQ(other.generic_rank().rank, mechanism.generic_rank().rank);
      EXPECT_EQ(other.generic_rank().overconstrained, mechanism.generic_rank().overconstrained);
      EXPECT_EQ(differences(mechanism, other, units, 1e-8), "");
    }
  }
}

// Nine digits leave redundant rows of 1e-9; what they may change is of that size over the smallest singular values.
TEST(units_and_digits, planar_linkages_move_however_many_digits_are_typed) {
  for (int seed = 1; seed <= 6; ++seed) {
    const Mechanism exact(test::RandomLoops(seed, {.planar = true, .loops = 1 + seed % 2}).take());
    RandomSource random(seed);
    const MechanismDescription turned = test::in_other_frames(exact.description(), random, 0.5);
    for (const int digits : {9, 10, 13}) {
      SCOPED_TRACE(fmt::format("seed {}, {} digits", seed, digits));
      const Mechanism mechanism(test::typed(turned, digits));
      EXPECT_EQ(differences(exact, mechanism, {}, 1e-5), "");
    }
  }
}

// Frames 1e3 m away leave 1e-13 m of rounding in every joint. Dependent joints may be others: after a step of 1e-3 s
// along the derivative, which opens the loops by its square, those that follow differ by as much.
TEST(units_and_digits, body_frames_may_lie_far_away) {
  for (int seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Mechanism exact(test::RandomLoops(seed, {.planar = true, .loops = 1 + seed % 2}).take());
    RandomSource random(seed);
    const Mechanism mechanism(test::in_other_frames(exact.description(), random, 1e3));
    EXPECT_EQ(differences(exact, mechanism, {}, 1e-5), "");
  }
}

TEST(units_and_digits, a_joint_that_is_there_twice_moves) {
  RandomSource random(5);
  MechanismDescription description = test::from_catalogue("pendulum:1").description();
  description.joints[0].v0 = {1.0};
  JointDescription second = description.joints[0];
  second.name = "second";
  second.q0.clear();
  second.v0.clear();
  const Vec3 along = 1.5 * second.axis;
  second.frame_a.position += rotation_of_quaternion(second.frame_a.rotation[0], second.frame_a.rotation[1],
                                                    second.frame_a.rotation[2], second.frame_a.rotation[3]) *
                             along;
  second.frame_b.position += rotation_of_quaternion(second.frame_b.rotation[0], second.frame_b.rotation[1],
                                                    second.frame_b.rotation[2], second.frame_b.rotation[3]) *
                             along;
  description.joints.push_back(second);
  const Mechanism exact(description);
  for (const int digits : {9, 10, 12, 15}) {
    SCOPED_TRACE(digits);
    const Mechanism mechanism(test::typed(test::in_other_frames(description, random, 0.5), digits));
    EXPECT_EQ(differences(exact, mechanism, {}, 1e-6), "");
  }
}

}  // namespace
}  // namespace mbdbench
