/// \file
/// The closed mechanisms of the catalogue: counts of the papers, loops that close, geometry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/validation/model_check.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Kinematics kinematics_at_start(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  return kinematics;
}

struct Counts {
  const char* specification;
  int bodies;
  int joints;
  int degrees_of_freedom;
  int redundant;
};

// Papers: [Chadaj2017, Sect. 3.1] names bodies and loops, [Malczyk2012, Sect. 4] bodies, joints, degrees of freedom and
// redundant constraints, [Naudet2005] 3 degrees of freedom. The rest by counting: planar loops 3 (bodies) - 2 (joints),
// grids 6 (bodies) - 3 (joints).
const std::vector<Counts>& expected_counts() {
  static const std::vector<Counts> counts = {{"four_bar", 4, 5, 2, 3},
                                             {"loop8", 8, 9, 6, 3},
                                             {"double_loop", 8, 10, 4, 6},
                                             {"loop:4", 3, 4, 1, 3},
                                             {"loop:15", 14, 15, 12, 3},
                                             {"loop:64", 63, 64, 61, 3},
                                             {"rings:1,links=4", 4, 5, 2, 3},
                                             {"rings:5,links=7", 35, 40, 25, 15},
                                             {"rings:32", 256, 288, 192, 96},
                                             {"ladder:1", 4, 5, 9, 0},
                                             {"ladder:127", 256, 383, 387, 0},
                                             {"grid:1", 1, 1, 3, 0},
                                             {"grid:2", 4, 5, 9, 0},
                                             {"grid:6", 36, 61, 33, 0},
                                             {"four_bar:angle=0.8", 4, 5, 2, 3},
                                             {"four_bar:cut=middle", 4, 5, 2, 3},
                                             {"loop8:angle=0.8", 8, 9, 6, 3},
                                             {"loop8:angle=0.3,cut=middle", 8, 9, 6, 3},
                                             {"double_loop:angle=0.8", 8, 10, 4, 6},
                                             {"five_bar:rect", 4, 5, 2, 3},
                                             {"five_bar:rhombus", 4, 5, 2, 3},
                                             // Singular: one more of each.
                                             {"five_bar:line", 4, 5, 3, 4},
                                             {"coupled_loops", 8, 10, 4, 6},
                                             {"biped", 5, 6, 3, 3},
                                             {"slider_crank", 3, 4, 1, 0},
                                             // Mobile by geometry alone.
                                             {"bricard", 5, 6, 1, 1},
                                             {"bennett", 3, 4, 1, 3},
                                             {"sarrus", 5, 6, 1, 1},
                                             {"n_four_bar:1", 3, 4, 1, 3},
                                             {"n_four_bar:40", 81, 121, 1, 120},
                                             {"squeezer", 7, 10, 1, 9}};
  return counts;
}

TEST(closed_catalogue, has_the_expected_counts) {
  for (const Counts& expected : expected_counts()) {
    SCOPED_TRACE(expected.specification);
    const ModelCheck check = check_model(test::from_catalogue(expected.specification));
    EXPECT_EQ(check.bodies, expected.bodies);
    EXPECT_EQ(check.tree_joints + check.cut_joints, expected.joints);
    EXPECT_EQ(check.degrees_of_freedom(), expected.degrees_of_freedom);
    EXPECT_EQ(check.redundant(), expected.redundant);
    // What is not zero is far from it, so that the counts do not hang on the tolerance.
    EXPECT_GT(check.conditioning, 1e-3);
  }
}

TEST(closed_catalogue, starts_with_closed_loops) {
  for (const Counts& expected : expected_counts()) {
    SCOPED_TRACE(expected.specification);
    const Mechanism mechanism = test::from_catalogue(expected.specification);
    const Kinematics kinematics = kinematics_at_start(mechanism);
    ConstraintObserver observer(mechanism);
    const ConstraintErrors errors = observer.evaluate(0.0, view(mechanism.q0()), view(mechanism.u0()), kinematics);
    double size = 1.0;
    for (int k = 0; k < mechanism.body_count(); ++k) {
      size = std::max(size, kinematics.body(k).origin.norm());
    }
    // One rounding of the position a body and one of the angle, which the distance multiplies.
    const double rounding = 4.0 * kEpsilon * mechanism.body_count() * size;
    EXPECT_LE(errors.position, rounding);
    EXPECT_LE(errors.velocity, rounding);
  }
}

TEST(closed_catalogue, gives_the_same_mechanism_through_a_file) {
  for (const Counts& expected : expected_counts()) {
    SCOPED_TRACE(expected.specification);
    const Mechanism mechanism = test::from_catalogue(expected.specification);
    const Mechanism again = load_mechanism(write_mechanism(mechanism.description()), "written");
    EXPECT_EQ(again.q0(), mechanism.q0());
    EXPECT_EQ(again.u0(), mechanism.u0());
    EXPECT_EQ(describe(again), describe(mechanism));
  }
}

/// World positions of the pivots along bodies first.. of a chain: where their frames start, then where the last one
/// ends.
std::vector<Vec3> pivots(const Kinematics& kinematics, int first, int last, double length) {
  std::vector<Vec3> points;
  for (int k = first; k <= last; ++k) {
    points.push_back(kinematics.body(k).origin);
  }
  points.push_back(kinematics.world_point(last, Vec3(length, 0.0, 0.0)));
  return points;
}

void expect_pivots(const std::vector<Vec3>& actual, const std::vector<Vec3>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    // Sums of a few lengths up to 4 with rounded right angles.
    EXPECT_LT((actual[i] - expected[i]).norm(), 20.0 * kEpsilon) << "pivot " << i;
  }
}

TEST(chadaj_cases, have_their_pivots_and_point_K) {
  const Mechanism four_bar = test::from_catalogue("four_bar");
  const Kinematics first = kinematics_at_start(four_bar);
  const std::vector<Vec3> upper = {{0, 0, 0}, {0, -1, 0}, {1, -1, 0}, {2, -1, 0}, {2, 0, 0}};
  expect_pivots(pivots(first, 0, 3, 1.0), upper);
  expect_pivots({marker_state(first, 0).position}, {{1, -1, 0}});

  const Mechanism loop8 = test::from_catalogue("loop8");
  const Kinematics second = kinematics_at_start(loop8);
  expect_pivots(
      pivots(second, 0, 7, 1.0),
      {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}, {1, -2, 0}, {2, -2, 0}, {3, -2, 0}, {4, -2, 0}, {4, -1, 0}, {4, 0, 0}});
  expect_pivots({marker_state(second, 0).position}, {{2, -2, 0}});

  const Mechanism double_loop = test::from_catalogue("double_loop");
  const Kinematics third = kinematics_at_start(double_loop);
  expect_pivots(pivots(third, 0, 3, 1.0), upper);
  expect_pivots(pivots(third, 4, 7, 1.0), {{0, -1, 0}, {0, -2, 0}, {1, -2, 0}, {2, -2, 0}, {2, -1, 0}});
  expect_pivots({marker_state(third, 0).position}, {{1, -1, 0}});
  EXPECT_EQ(double_loop.parent(4), 0);
  EXPECT_EQ(double_loop.cut_joints()[0].b, -1);
  EXPECT_EQ(double_loop.cut_joints()[1].b, 3);
  for (const Mechanism* mechanism : {&four_bar, &loop8, &double_loop}) {
    EXPECT_EQ(mechanism->gravity(), Vec3(0.0, -9.81, 0.0));
    EXPECT_EQ(mechanism->markers()[0].name, "K");
    for (const Body& body : mechanism->bodies()) {
      EXPECT_EQ(body.mass, 1.0);
      EXPECT_EQ(body.inertia, Mat3::Identity());
      EXPECT_LT((body.com - Vec3(0.5, 0.0, 0.0)).norm(), kEpsilon);
    }
  }
}

TEST(loop, is_a_regular_polygon_of_two_equal_chains) {
  for (const int n : {4, 5, 9, 16, 251}) {
    SCOPED_TRACE(n);
    const Mechanism mechanism = test::from_catalogue(fmt::format("loop:{}", n));
    const Kinematics kinematics = kinematics_at_start(mechanism);
    const int first = n / 2;
    const int second = n - 1 - first;
    EXPECT_EQ(first - second, n % 2 == 0 ? 1 : 0);
    EXPECT_EQ(mechanism.parent(0), -1);
    EXPECT_EQ(mechanism.parent(first), -1);
    EXPECT_EQ(mechanism.cut_joints()[0].a, first - 1);
    EXPECT_EQ(mechanism.cut_joints()[0].b, n - 2);
    const double radius = 0.5 / std::sin(std::numbers::pi / n);
    const Vec3 centre(0.5 / std::tan(std::numbers::pi / n), -0.5, 0.0);
    const double rounding = 4.0 * kEpsilon * n * 2.0 * radius;
    for (int k = 0; k < n - 1; ++k) {
      EXPECT_NEAR((kinematics.body(k).origin - centre).norm(), radius, rounding);
    }
    EXPECT_LT((kinematics.body(0).origin - Vec3::Zero()).norm(), rounding);
    EXPECT_LT((kinematics.body(first).origin - Vec3(0.0, -1.0, 0.0)).norm(), rounding);
    EXPECT_NEAR((marker_state(kinematics, 0).position - centre).norm(), radius, rounding);
  }
}

TEST(loop, is_the_same_wherever_it_is_cut) {
  const Mechanism middle = test::from_catalogue("loop:9,springs=4");
  const Kinematics expected = kinematics_at_start(middle);
  EXPECT_LT(spring_energy(expected, view(middle.q0()), nullptr), 1e-20) << "springs are at rest at the start";
  for (const int cut : {1, 3, 7}) {
    const Mechanism mechanism = test::from_catalogue(fmt::format("loop:9,cut={},springs=4", cut));
    EXPECT_EQ(mechanism.cut_joints()[0].a, cut - 1);
    const Kinematics kinematics = kinematics_at_start(mechanism);
    EXPECT_LT((marker_state(kinematics, 0).position - marker_state(expected, 0).position).norm(), 100.0 * kEpsilon);
    for (std::size_t s = 0; s < 4; ++s) {
      const auto ends = [s](const Mechanism& of, const Kinematics& at) {
        const PointSpringDescription& spring = of.description().point_springs[s];
        return std::pair(at.world_point(*of.find_body(spring.body1), spring.point1),
                         at.world_point(*of.find_body(spring.body2), spring.point2));
      };
      EXPECT_LT((ends(mechanism, kinematics).first - ends(middle, expected).first).norm(), 100.0 * kEpsilon);
      EXPECT_LT((ends(mechanism, kinematics).second - ends(middle, expected).second).norm(), 100.0 * kEpsilon);
    }
  }
  EXPECT_THROW(test::from_catalogue("loop:9,cut=8"), ModelError) << "eight links move";
  EXPECT_THROW(test::from_catalogue("loop:9,springs=5"), ModelError) << "four pairs of links";
}

TEST(rings, hang_below_one_another) {
  const Mechanism mechanism = test::from_catalogue("rings:3,links=6,angle=0");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  for (int ring = 0; ring < 3; ++ring) {
    const int top = 6 * ring;
    EXPECT_EQ(mechanism.parent(top), ring == 0 ? -1 : 6 * ring - 3);
    // The distance of opposite sides of a hexagon is sqrt(3).
    const Vec3 hook(0.0, -std::numbers::sqrt3 * ring, 0.0);
    EXPECT_LT((kinematics.body(top).com - hook).norm(), 100.0 * kEpsilon);
    EXPECT_LT((kinematics.tree_joint(top).point - hook).norm(), 100.0 * kEpsilon);
  }
  EXPECT_LT((marker_state(kinematics, 0).position - Vec3(0.0, -3.0 * std::numbers::sqrt3, 0.0)).norm(),
            100.0 * kEpsilon);
}

TEST(grid, joins_neighbours) {
  const Mechanism mechanism = test::from_catalogue("grid:3");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  const auto position = [&](const char* body) { return kinematics.body(*mechanism.find_body(body)).origin; };
  EXPECT_EQ(position("body1_1"), Vec3(0.0, 0.0, 0.0));
  EXPECT_LT((position("body1_3") - Vec3(2.0, 0.0, 0.0)).norm(), 10.0 * kEpsilon);
  EXPECT_LT((position("body3_2") - Vec3(1.0, 2.0, 0.0)).norm(), 10.0 * kEpsilon);
  EXPECT_EQ(mechanism.cut_joints().size(), 4U);
  for (const Joint& cut : mechanism.cut_joints()) {
    EXPECT_EQ(cut.name.substr(0, 3), "row");
    EXPECT_EQ(cut.type, JointType::spherical);
  }
}

TEST(star, has_all_arms_on_the_hub) {
  const Mechanism mechanism = test::from_catalogue("star:5");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  EXPECT_EQ(mechanism.body_count(), 6);
  for (int k = 1; k <= 5; ++k) {
    EXPECT_EQ(mechanism.parent(k), 0);
    const double angle = 2.0 * std::numbers::pi * (k - 1) / 5.0;
    const Vec3 end = kinematics.world_point(k, Vec3::UnitX());
    EXPECT_LT((end - 2.0 * Vec3(std::cos(angle), std::sin(angle), 0.0)).norm(), 10.0 * kEpsilon);
  }
  // Positive angles lower the arms.
  Kinematics lowered(mechanism);
  lowered.set_positions(std::vector<double>{0.0, 0.3, 0.3, 0.3, 0.3, 0.3});
  EXPECT_NEAR(lowered.world_point(4, Vec3::UnitX()).z(), -std::sin(0.3), 10.0 * kEpsilon);
}

TEST(five_bar, has_its_shapes) {
  constexpr double a = 0.2;
  const double s = a * std::sqrt(0.75);
  const auto pivots_of = [](const char* specification) {
    const Mechanism mechanism = test::from_catalogue(specification);
    for (const Body& body : mechanism.bodies()) {
      EXPECT_EQ(body.inertia, 0.25 * Mat3::Identity());
    }
    return pivots(kinematics_at_start(mechanism), 0, 3, a);
  };
  expect_pivots(pivots_of("five_bar"), {{0, 0, 0}, {0, a, 0}, {a, a, 0}, {2 * a, a, 0}, {2 * a, 0, 0}});
  expect_pivots(pivots_of("five_bar:rhombus"), {{0, 0, 0}, {-s, -0.5 * a, 0}, {0, -a, 0}, {s, -0.5 * a, 0}, {0, 0, 0}});
  expect_pivots(pivots_of("five_bar:shape=line"), {{0, 0, 0}, {a, 0, 0}, {2 * a, 0, 0}, {3 * a, 0, 0}, {2 * a, 0, 0}});
}

TEST(coupled_loops, hangs_the_rhombus_on_the_centre_of_body_3) {
  const Mechanism mechanism = test::from_catalogue("coupled_loops");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  const Vec3 centre = kinematics.body(2).com;
  EXPECT_LT((centre - Vec3(0.3, 0.2, 0.0)).norm(), 10.0 * kEpsilon);
  const double opening = 55.0 * std::numbers::pi / 180.0;
  const Vec3 left(-0.2 * std::sin(opening), -0.2 * std::cos(opening), 0.0);
  const Vec3 right(-left.x(), left.y(), 0.0);
  expect_pivots(pivots(kinematics, 4, 7, 0.2), {centre, centre + left, centre + left + right, centre + right, centre});
  EXPECT_EQ(mechanism.parent(4), 2);
  EXPECT_EQ(mechanism.cut_joints()[1].b, 2);
}

TEST(biped, starts_as_published) {
  const Mechanism mechanism = test::from_catalogue("biped");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  const Eigen::VectorXd& q = mechanism.q0();
  constexpr double kTurn = 2.0 * std::numbers::pi;
  EXPECT_EQ(q[0], 1.7);
  EXPECT_EQ(q[1], -0.7);
  EXPECT_EQ(q[2], 0.3);
  // Twelve digits are known.
  EXPECT_NEAR(q[3], kTurn - 1.985957949431, 1e-12);
  EXPECT_NEAR(q[4], kTurn - 0.548352722879, 1e-12);
  EXPECT_NEAR(mechanism.cut_joints()[0].q0[0], 1.534310672311, 1e-12);
  EXPECT_EQ(mechanism.parent(2), 1);
  EXPECT_EQ(mechanism.parent(3), 1);
  // Both ankles on the ground at height 0, 0.25 m apart; 1/48 about the joint.
  EXPECT_LT((kinematics.world_point(4, Vec3(0.25, 0.0, 0.0)) - Vec3(0.25, 0.0, 0.0)).norm(), 4.0 * kEpsilon);
  const Body& body = mechanism.bodies()[0];
  EXPECT_NEAR(body.inertia(2, 2) + body.mass * body.com.squaredNorm(), 1.0 / 48.0, kEpsilon / 48.0);
}

TEST(slider_crank, starts_as_published) {
  const Mechanism mechanism = test::from_catalogue("slider_crank");
  const Kinematics kinematics = kinematics_at_start(mechanism);
  EXPECT_EQ(mechanism.q0(), Eigen::VectorXd::Zero(4));
  EXPECT_EQ(mechanism.u0()[0], 6.0);
  EXPECT_NEAR(mechanism.u0()[1], 0.24, 4.0 * kEpsilon);  // some roundings of the velocities that close the loop
  const int rod = *mechanism.find_body("rod");
  const Vec3 slider(0.2, 0.0, 0.0);
  const Vec3 pin(0.0, 0.1, 0.2);
  EXPECT_LT((kinematics.body(rod).origin - slider).norm(), kEpsilon);
  EXPECT_LT((kinematics.body(rod).com - 0.5 * (slider + pin)).norm(), 4.0 * kEpsilon);
  EXPECT_LT((kinematics.body(rod).rotation.col(1) - (pin - slider) / 0.3).norm(), 4.0 * kEpsilon);
  EXPECT_LT((marker_state(kinematics, 0).position - pin).norm(), 4.0 * kEpsilon);
  // The crank turns about x: the pin at its top moves along -y.
  EXPECT_LT((marker_state(kinematics, 0).velocity - Vec3(0.0, -0.48, 0.0)).norm(), 4.0 * kEpsilon);
  // The rod cannot turn about the normal of the universal joint's axes.
  const Vec3 normal = Vec3::UnitZ().cross(kinematics.body(rod).rotation.col(0));
  EXPECT_NEAR(kinematics.body(rod).velocity.tail<3>().dot(normal), 0.0, 100.0 * kEpsilon);
  ASSERT_EQ(mechanism.description().joint_loads.size(), 1U);
  EXPECT_EQ(std::get<ExpressionLaw>(mechanism.description().joint_loads[0].law).text, "0.01*exp(-t)");
  EXPECT_TRUE(test::from_catalogue("slider_crank:torque=0").description().joint_loads.empty());
}

}  // namespace
}  // namespace mbdbench
