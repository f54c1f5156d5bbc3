// Mass-orthogonal projections of absolute coordinates: constraints restored to rounding, corrections in the range of
// the constraints' transposed Jacobian, and as after_step of dca-alm-proj.
#include "formulations/augmented_lagrangian/mass_orthogonal_projection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/absolute_reference.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

using test::OffTheConstraints;

const char* const kMechanisms[] = {"five_bar",
                                   "five_bar:shape=rhombus",
                                   "coupled_loops",
                                   "slider_crank",
                                   "pendulum_xyz:8",
                                   "random_closed",
                                   "random_closed:seed=5,bodies=7,cuts=3",
                                   "random_tree:seed=2,bodies=6,motions=2"};

/// G over all rows at y.
Eigen::MatrixXd rows_at(const Mechanism& mechanism, const std::vector<double>& y) {
  test::AbsoluteReference reference(mechanism, 0.0);
  AbsoluteKinematics kinematics(mechanism);
  kinematics.set_positions(y, BranchTeam({}, {}));
  reference.set_rows(kinematics);
  return reference.g;
}

/// \returns the part of M displacement that no multipliers explain, relative to it.
double unexplained(const Mechanism& mechanism, const std::vector<double>& y, const std::vector<Vec6>& displacement) {
  AbsoluteKinematics kinematics(mechanism);
  kinematics.set_positions(y, BranchTeam({}, {}));
  Eigen::VectorXd impulse(6 * mechanism.body_count());
  for (int i = 0; i < mechanism.body_count(); ++i) {
    const Vec6& move = displacement[static_cast<std::size_t>(i)];
    impulse.segment<3>(6 * i) = mechanism.bodies()[static_cast<std::size_t>(i)].mass * move.head<3>();
    impulse.segment<3>(6 * i + 3) = kinematics.body(i).inertia * move.tail<3>();
  }
  const Eigen::MatrixXd transposed = rows_at(mechanism, y).transpose();
  const Eigen::VectorXd explained = transposed * transposed.completeOrthogonalDecomposition().solve(impulse).eval();
  return (impulse - explained).norm() / impulse.norm();
}

TEST(mass_orthogonal_projection, positions_reach_the_constraints_along_the_transposed_jacobian_of_the_start) {
  for (const char* key : kMechanisms) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const OffTheConstraints start(mechanism, 3, 1e-4);
    std::vector<double> y = start.y;
    AugmentedOptions options;
    AugmentedSystem system(mechanism, options, nullptr);
    MassOrthogonalProjection projection(system, options);
    const LevelOutcome outcome = projection.project_positions(0.0, y);
    ASSERT_TRUE(outcome.status.ok) << key;
    EXPECT_GT(outcome.before, 1e-5) << key;
    // The tolerance is 1e-14 m; coordinates of some metres leave eps times that many.
    double size = 1.0;
    for (const double coordinate : y) {
      size = std::max(size, std::abs(coordinate));
    }
    EXPECT_LE(outcome.after, 1e-14 * size) << key;
    std::vector<Vec6> moved(mechanism.bodies().size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const double* from = start.y.data() + kAbsoluteCoordinates * i;
      const double* to = y.data() + kAbsoluteCoordinates * i;
      const Eigen::Map<const EulerParameters> e(from + 3);
      const Eigen::Map<const EulerParameters> e_new(to + 3);
      EXPECT_NEAR(e_new.norm(), 1.0, 1e-15) << key;
      const Vec3 turn = 2.0 * euler_parameter_map(e) * (e_new - e);
      moved[i].head<3>() = Eigen::Map<const Vec3>(to) - Eigen::Map<const Vec3>(from);
      moved[i].tail<3>() = rotation_of_quaternion(e[0], e[1], e[2], e[3]) * turn;
    }
    // Displacements of 1e-4 are differences of coordinates of order 1: 1e-16 / 1e-4 and the condition of M.
    EXPECT_LT(unexplained(mechanism, start.y, moved), 1e-9) << key;
    fmt::print("{:40} {:.1e} -> {:.1e} in {} passes\n", key, outcome.before, outcome.after, outcome.passes);
  }
}

TEST(mass_orthogonal_projection, velocities_reach_the_constraints_along_the_transposed_jacobian) {
  for (const char* key : kMechanisms) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const OffTheConstraints there(mechanism, 4, 0.0);
    const OffTheConstraints start(mechanism, 5, 1.0);
    std::vector<Vec6> velocities = start.velocities;
    AugmentedOptions options;
    AugmentedSystem system(mechanism, options, nullptr);
    MassOrthogonalProjection projection(system, options);
    const LevelOutcome outcome = projection.project_velocities(0.0, there.y, velocities);
    ASSERT_TRUE(outcome.status.ok) << key;
    EXPECT_GT(outcome.before, 0.1) << key;
    EXPECT_LE(outcome.after, 1e-12) << key;
    for (std::size_t i = 0; i < velocities.size(); ++i) {
      velocities[i] -= start.velocities[i];
    }
    EXPECT_LT(unexplained(mechanism, there.y, velocities), 1e-11) << key;
  }
}

TEST(mass_orthogonal_projection, new_jacobians_in_every_pass_reach_the_constraints_from_farther) {
  for (const char* key : {"five_bar", "coupled_loops", "random_closed"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    AugmentedOptions options;
    options.refresh = true;
    AugmentedSystem system(mechanism, options, nullptr);
    MassOrthogonalProjection projection(system, options);
    OffTheConstraints start(mechanism, 6, 1e-2);
    const LevelOutcome outcome = projection.project_positions(0.0, start.y);
    ASSERT_TRUE(outcome.status.ok) << key;
    // Quadratic: 1e-2, 1e-4, 1e-8, rounding, and one pass to see that nothing changes any more.
    EXPECT_LE(outcome.passes, 6) << key;
    EXPECT_LE(outcome.after, 4e-14) << key;
  }
}

TEST(mass_orthogonal_projection, after_a_step_the_right_hand_side_is_that_of_a_fresh_formulation) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "coupled_loops");
  AugmentedLagrangianFormulation formulation(mechanism, [] {
    AugmentedOptions options;
    options.projections = true;
    options.omega = 0.0;
    return options;
  }());
  std::vector<double> x(formulation.state_size());
  ASSERT_TRUE(formulation.pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  for (double& component : x) {
    component += 1e-5;
  }
  EXPECT_TRUE(formulation.after_step(0.1, x));
  EXPECT_GE(formulation.iterations().position.last, 2);
  EXPECT_GE(formulation.iterations().velocity.last, 2);
  std::vector<double> first(x.size());
  std::vector<double> second(x.size());
  ASSERT_TRUE(formulation.rhs(0.1, x, first).ok);
  ASSERT_TRUE(formulation.clone()->rhs(0.1, x, second).ok);
  EXPECT_EQ(first, second) << "bitwise: the matrices of the projection are those of the right-hand side";
  AbsoluteObservation observation;
  ASSERT_TRUE(formulation.observe_absolute(0.1, x, observation).ok);
  EXPECT_LE(observation.position_residual, 1e-14);
  EXPECT_LE(observation.velocity_residual, 1e-12);
  EXPECT_LE(observation.acceleration_residual, 1e-10);
  EXPECT_FALSE(formulation.after_step(0.1, x)) << "nothing left to do";
}

TEST(mass_orthogonal_projection, a_start_out_of_reach_is_left_alone) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "five_bar");
  AugmentedOptions options;
  AugmentedSystem system(mechanism, options, nullptr);
  MassOrthogonalProjection projection(system, options);
  OffTheConstraints start(mechanism, 8, 1.5);
  const std::vector<double> before = start.y;
  const LevelOutcome outcome = projection.project_positions(0.0, start.y);
  EXPECT_TRUE(outcome.status.ok);
  EXPECT_LE(outcome.after, outcome.before);
  if (outcome.after == outcome.before) {
    EXPECT_EQ(start.y, before);
  }
}

}  // namespace
}  // namespace mbdbench
