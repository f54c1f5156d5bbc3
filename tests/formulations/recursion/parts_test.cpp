// The recursion over one part (bae-haug): what it gives in world axes, for every instruction set, joint type,
// prescribed motion and coupling, with loops that meet at links and at the ground.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "formulations/parts/part_recursion.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/catalogue_mechanism.hpp"

namespace mbdbench {
namespace {

/// \returns the larger error of x' in link frames, against world axes, near the start: loops drift open by 1e-9 and
/// velocities leave the constraints by `stray` (rad/s, m/s).
double error_beside_world_axes(const Mechanism& mechanism, const std::string& options, std::int64_t seed,
                               double stray = 0.1) {
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-9);
  const Eigen::VectorXd u = mechanism.u0() + stray * test::random_vector(mechanism.u_size(), random);
  const test::Evaluation links = test::evaluate_at(*test::make("bae-haug", mechanism, options), 0.3, q, u);
  const test::Evaluation world =
      test::evaluate_at(*test::make("bae-haug", mechanism, options + ",kernel=general"), 0.3, q, u);
  EXPECT_TRUE(links.status.ok) << links.status.message();
  EXPECT_TRUE(world.status.ok) << world.status.message();
  return test::block_error(links.xdot, world.xdot);
}

TEST(parts, give_what_world_axes_give) {
  double worst = 0.0;
  int compared = 0;
  for (int seed = 1; seed <= 120; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={},loads={},screws={}", 300 + seed,
                                        5 + seed % 11, 1 + seed % 5, seed % 2, seed % 3 == 0 ? 1 : 0);
    const Mechanism mechanism = test::from_catalogue(key);
    // Velocities off the constraints ask redundant rows for different accelerations. What least squares make of that
    // depends on which rows are closed together; where velocities are projected nothing is asked.
    const bool redundant = mechanism.generic_rank().rank < mechanism.constraint_size();
    for (const char* options : {"projection=on", "projection=off", "alpha=3,beta=5"}) {
      const bool projected = std::string_view(options) == "projection=on";
      const double error = error_beside_world_axes(mechanism, options, seed, redundant && !projected ? 0.0 : 0.1);
      // Singular values of Phi_q differ by up to 1e3 here and the mass matrix adds about as much: eps times their
      // product, as against the dense reference (bae_haug_test).
      EXPECT_LT(error, 1e-9) << key << ' ' << options;
      worst = std::max(worst, error);
      ++compared;
    }
  }
  fmt::print("{} right-hand sides of random closed mechanisms: worst relative difference {:.1e}\n", compared, worst);
  EXPECT_EQ(compared, 360);
}

TEST(parts, every_instruction_set_gives_the_same) {
  int sets = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    ++sets;
    // A loop on a loop, a redundant spatial one, spherical cuts, loops that share links, a free base, a tree.
    for (const char* key : {"double_loop", "bricard", "random_closed:seed=3,bodies=30,cuts=4", "rings:3", "ladder:4",
                            "squeezer", "biped", "quadruped", "random_tree:seed=5,bodies=14,loads=1"}) {
      // Conditions up to 1e4 times eps and the two orders of summation.
      EXPECT_LT(error_beside_world_axes(test::from_catalogue(key), "projection=on", 4), 1e-10)
          << key << " with " << set.name;
    }
  }
  EXPECT_GE(sets, 1);
}

// Couplings cross joints of one chain, of two, of the ground, with prescribed joints among them.
TEST(parts, couplings_and_prescribed_motions_are_those_of_world_axes) {
  double worst = 0.0;
  int compared = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    RandomSource random(9000 + seed);
    RandomTreeOptions options;
    options.bodies = 6 + static_cast<std::int64_t>(random.index(8));
    options.motions = seed % 3;
    options.screws = seed % 2 == 0;
    MechanismDescription description = draw_tree(random, options);
    std::vector<std::string> scalar;
    for (JointDescription& joint : description.joints) {
      joint.dependent = joint.motions.empty();
      if (joint.type == JointType::revolute || joint.type == JointType::prismatic || joint.type == JointType::screw) {
        scalar.push_back(joint.name);
      }
    }
    for (std::size_t c = 0; c + 1 < scalar.size() && c < 3; ++c) {
      CouplingDescription coupling;
      coupling.name = fmt::format("gear{}", c);
      coupling.terms = {{scalar[c], 0, random.uniform(0.5, 2.0)}, {scalar[c + 1], 0, random.uniform(-2.0, -0.5)}};
      description.couplings.push_back(coupling);
    }
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::unique_ptr<const Mechanism> made_of_it;
    try {
      made_of_it = std::make_unique<const Mechanism>(description);
    } catch (const ModelError&) {
      continue;  // couplings that nothing but driven joints could keep
    }
    ++compared;
    const Mechanism& mechanism = *made_of_it;
    for (const char* with : {"projection=on", "projection=off", "alpha=3,beta=5"}) {
      const double error = error_beside_world_axes(mechanism, with, seed);
      EXPECT_LT(error, 1e-9) << with;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(compared, 40);
  fmt::print("trees with couplings and motions: worst relative difference {:.1e}\n", worst);
}

// A loop whose rows another one implies, closed further out: what is left of them is rounding, not a constraint.
TEST(parts, rows_that_loops_closed_before_imply_count_for_nothing) {
  for (const char* key :
       {"random_closed:seed=103904,bodies=15,loads=0", "random_closed:seed=418,bodies=13,cuts=4,loads=0",
        "random_closed:seed=750307,bodies=6,cuts=3"}) {
    const Mechanism mechanism = test::from_catalogue(key);
    const auto state = [&](std::string_view formulation) {
      return test::evaluate_at(*test::make(formulation, mechanism), 0.0, mechanism.q0(), mechanism.u0());
    };
    EXPECT_LT(test::block_error(state("bae-haug").xdot, state("dense").xdot), 1e-10) << key;
    PartRecursion part(mechanism, PosesWanted::rows, {});
    ASSERT_TRUE(part.set_positions(view(mechanism.q0())).ok);
    EXPECT_EQ(part.redundant_rows(), mechanism.closing_row_count() - mechanism.generic_rank().rank) << key;
  }
}

/// \returns how many rows of cut joints count.
int kept_rows(const Mechanism& mechanism) {
  const PartRecursion part(mechanism, PosesWanted::cuts, {});
  EXPECT_EQ(static_cast<int>(part.rows_are_kept().size()), mechanism.closing_row_count());
  return static_cast<int>(std::count(part.rows_are_kept().begin(), part.rows_are_kept().end(), true));
}

// Rows out of the plane of planar loops are left out, and are counted as redundant all the same.
TEST(parts, rows_that_nothing_is_felt_by_are_left_out) {
  for (const auto& [key, kept] : {std::pair{"four_bar", 2}, std::pair{"double_loop", 4}, std::pair{"loop8", 2},
                                  std::pair{"rings:3", 6}, std::pair{"bricard", 5}, std::pair{"ladder:3", 9}}) {
    const Mechanism mechanism = test::from_catalogue(key);
    EXPECT_EQ(kept_rows(mechanism), kept) << key;
    PartRecursion part(mechanism, PosesWanted::cuts, {});
    ASSERT_TRUE(part.set_positions(view(mechanism.q0())).ok);
    EXPECT_EQ(part.redundant_rows(), mechanism.closing_row_count() - mechanism.generic_rank().rank) << key;
  }
}

// At its start a parallelogram with a universal joint moves in its plane like any other, but it can leave it.
TEST(parts, rows_that_are_felt_away_from_the_start_are_kept) {
  MechanismDescription description = test::from_catalogue("four_bar").description();
  const int planar = kept_rows(Mechanism(description));
  JointDescription& joint = description.joints[1];
  ASSERT_FALSE(joint.cut);
  ASSERT_EQ(joint.type, JointType::revolute);
  joint.type = JointType::universal;
  joint.axis2 = joint.axis.unitOrthogonal();
  joint.q0.assign(2, 0.0);
  joint.v0.assign(2, 0.0);
  const Mechanism mechanism(description);
  EXPECT_GT(kept_rows(mechanism), planar);
  RandomSource random(3);
  for (const double drift : {0.0, 1e-9}) {
    const Eigen::VectorXd q =
        test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), drift);
    const auto state = [&](std::string_view formulation) {
      return test::evaluate_at(*test::make(formulation, mechanism), 0.0, q, mechanism.u0());
    };
    EXPECT_LT(test::block_error(state("bae-haug").xdot, state("dense").xdot), 1e-9) << drift;
  }
}

/// A turntable with three parallel arms of equal length in a vertical plane, which carry a beam: two of its hinges are
/// cut. A point of the beam stays in a horizontal plane. With the hinges open the arms are three motions, and the
/// hinges alone would hold the beam; closed they are one, which the plane stops. \param middle place of an arm between
/// those at -1 m and 1 m
MechanismDescription beam_on_three_arms(double middle) {
  MechanismDescription description;
  description.name = "beam";
  description.gravity = Vec3(0.0, 0.0, -9.81);
  const auto add_body = [&](const char* name, double mass, const Vec3& com) {
    description.bodies.push_back({name, mass, com, Vec3(0.3, 0.2, 0.4).asDiagonal()});
  };
  const auto add_joint = [&](const char* name, const char* a, const char* b, const Vec3& on_a, const Vec3& on_b,
                             const Vec3& axis) -> JointDescription& {
    JointDescription joint;
    joint.name = name;
    joint.a = a;
    joint.b = b;
    joint.frame_a.position = on_a;
    joint.frame_b.position = on_b;
    joint.axis = axis;
    return description.joints.emplace_back(joint);
  };
  const Vec3 tip(0.6, 0.0, 0.8);
  add_body("table", 3.0, Vec3::Zero());
  add_joint("turn", "ground", "table", Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ()).v0 = {0.7};
  for (const auto& [name, place] : {std::pair{"left", -1.0}, std::pair{"middle", middle}, std::pair{"right", 1.0}}) {
    add_body(name, 1.0, 0.5 * tip);
    add_joint(name, "table", name, Vec3(place, 0.0, 0.0), Vec3::Zero(), Vec3::UnitY());
  }
  add_body("beam", 2.0, Vec3(0.9, 0.1, 0.0));
  add_joint("left_hinge", "left", "beam", tip, Vec3::Zero(), Vec3::UnitY());
  add_joint("middle_hinge", "middle", "beam", tip, Vec3(1.0 + middle, 0.0, 0.0), Vec3::UnitY()).cut = true;
  add_joint("right_hinge", "right", "beam", tip, Vec3(2.0, 0.0, 0.0), Vec3::UnitY()).cut = true;
  JointDescription& plane =
      add_joint("plane", "ground", "beam", Vec3(0.0, 0.0, 0.8), Vec3(0.5, 0.0, 0.0), Vec3::UnitZ());
  plane.type = JointType::point_on_plane;
  plane.cut = true;
  return description;
}

// What counts is settled with all loops open. Were the hinges closed at the random positions, where they are rigid, the
// plane would seem to be felt by nothing.
TEST(parts, rows_are_kept_that_are_felt_where_overconstrained_loops_move) {
  // Near a position where the closed hinges would not be rigid rounding counts: several mechanisms.
  for (const double middle : {-0.6, -0.4, -0.2, 0.0, 0.25, 0.3, 0.5, 0.7}) {
    SCOPED_TRACE(middle);
    const Mechanism mechanism(beam_on_three_arms(middle));
    // The three linear rows of each hinge, which stand in world axes, and the plane.
    EXPECT_EQ(kept_rows(mechanism), 7);
    PartRecursion part(mechanism, PosesWanted::cuts, {});
    ASSERT_TRUE(part.set_positions(view(mechanism.q0())).ok);
    EXPECT_EQ(part.redundant_rows(), mechanism.closing_row_count() - mechanism.generic_rank().rank);
    for (const auto& [key, reference] :
         {std::pair{"bae-haug", "dense"}, std::pair{"dca", "dense"}, std::pair{"hdca", "dense-momentum"}}) {
      const auto state = [&](std::string_view formulation) {
        return test::evaluate_at(*test::make(formulation, mechanism), 0.0, mechanism.q0(), mechanism.u0());
      };
      EXPECT_LT(test::block_error(state(key).xdot, state(reference).xdot), 1e-11) << key;
    }
  }
}

// A free cut joint has no rows: nothing is closed, but a load in it acts.
TEST(parts, loads_in_a_free_cut_joint_act) {
  MechanismDescription description = test::from_catalogue("pendulum_xyz:3").description();
  JointDescription loose;
  loose.name = "loose";
  loose.type = JointType::free;
  loose.cut = true;
  loose.b = description.bodies.back().name;
  loose.frame_b.position = Vec3(0.3, -0.2, 0.5);
  description.joints.push_back(loose);
  description.joint_loads.push_back({"push", "loose", 4, ConstantLaw{3.0}});
  const Mechanism mechanism(description);
  for (const auto& [key, reference] :
       {std::pair{"bae-haug", "dense"}, std::pair{"dca", "dense"}, std::pair{"hdca", "dense-momentum"}}) {
    const auto state = [&](std::string_view formulation) {
      return test::evaluate_at(*test::make(formulation, mechanism), 0.0, mechanism.q0(), mechanism.u0());
    };
    EXPECT_LT(test::block_error(state(key).xdot, state(reference).xdot), 1e-12) << key;
  }
}

/// \returns the larger error of x' of hdca as one part, against bodies as leaves. \param drift of the coordinates
double error_beside_bodies(const Mechanism& mechanism, const std::string& options, std::int64_t seed, double drift) {
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), drift);
  const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
  const test::Evaluation part = test::evaluate_at(*test::make("hdca", mechanism, options), 0.3, q, u);
  const test::Evaluation bodies = test::evaluate_at(*test::make("hdca", mechanism, options + ",leaf=body"), 0.3, q, u);
  EXPECT_TRUE(part.status.ok) << part.status.message();
  EXPECT_TRUE(bodies.status.ok) << bodies.status.message();
  return test::block_error(part.xdot, bodies.xdot);
}

// Two algorithms for the same equations: all joint types, screws, loads, loops at links and at the ground, every gauge.
TEST(parts, momenta_are_those_of_bodies_as_leaves) {
  double worst = 0.0;
  for (int seed = 1; seed <= 60; ++seed) {
    const Mechanism mechanism =
        test::from_catalogue(fmt::format("random_closed:seed={},bodies={},cuts={},loads={},screws={}", 700 + seed,
                                         5 + seed % 11, 1 + seed % 4, seed % 2, seed % 3 == 0 ? 1 : 0));
    SCOPED_TRACE(mechanism.name() + fmt::format(" {}", seed));
    const bool redundant = mechanism.generic_rank().rank < mechanism.constraint_size();
    for (const char* gauge : {"gauge=tangent", "gauge=none", "gauge=leak", "gauge=none,feedback=5"}) {
      if (redundant && std::string_view(gauge) != "gauge=tangent") {
        continue;  // sigma of redundant rows is not unique, and p' follows it
      }
      const double error = error_beside_bodies(mechanism, gauge, seed, 1e-9);
      EXPECT_LT(error, 1e-8) << gauge;
      worst = std::max(worst, error);
    }
  }
  for (const char* key :
       {"ladder:6", "rings:3", "grid:3", "car_axis", "biped", "loop8", "random_tree:seed=7,motions=3"}) {
    for (const char* gauge : {"gauge=tangent", "gauge=none", "gauge=leak"}) {
      EXPECT_LT(error_beside_bodies(test::from_catalogue(key), gauge, 3, 0.0), 1e-11) << key << ' ' << gauge;
    }
  }
  fmt::print("hdca as one part beside bodies as leaves: worst relative difference {:.1e}\n", worst);
}

/// Every link of a ladder carries the columns of the loops on both sides of it at most: cost is linear.
TEST(parts, loops_are_closed_where_they_meet) {
  for (const int loops : {3, 30}) {
    const Mechanism mechanism = test::from_catalogue(fmt::format("ladder:{}", loops));
    const PartPlan plan(mechanism, LinkTree(mechanism));
    EXPECT_EQ(plan.closings.size(), static_cast<std::size_t>(loops));
    for (const PartRow& part : plan.parts) {
      EXPECT_LE(part.last_pass - part.first_pass, 2);
    }
  }
  const Mechanism four_bar = test::from_catalogue("four_bar");
  const PartPlan plan(four_bar, LinkTree(four_bar));
  ASSERT_EQ(plan.closings.size(), 1U);
  EXPECT_EQ(plan.closings.front().row, -1) << "a loop through the ground is closed there";
}

TEST(parts, what_is_not_finite_is_told_by_its_joint) {
  const Mechanism mechanism = test::from_catalogue("double_loop");
  const auto formulation = test::make("bae-haug", mechanism);
  std::vector<double> x(formulation->state_size());
  std::vector<double> xdot(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> spoilt = x;
    spoilt[i] = std::numeric_limits<double>::quiet_NaN();
    const RhsStatus status = formulation->rhs(0.0, spoilt, xdot);
    EXPECT_FALSE(status.ok) << "component " << i;
    EXPECT_FALSE(status.joint.empty()) << "component " << i;
  }
}

}  // namespace
}  // namespace mbdbench
