// The augmented Lagrangian formulations: accelerations against dense, the limit and the speed of the iteration against
// dense algebra over the formulation's own rows.
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <array>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/formulations/absolute_reference.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/free_base.hpp"

namespace mbdbench {
namespace {

using test::AbsoluteReference;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kTime = 0.3;

/// [a_C; omega'] of all bodies from u' of `dense`.
Eigen::VectorXd dense_accelerations(const Mechanism& mechanism) {
  const test::Evaluation state =
      test::evaluate_at(*test::make("dense", mechanism), kTime, mechanism.q0(), mechanism.u0());
  EXPECT_TRUE(state.status.ok);
  const Eigen::Map<const Eigen::VectorXd> rates(state.xdot.data() + mechanism.q_size(), mechanism.u_size());
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  jacobians.set_velocities(kinematics);
  Eigen::VectorXd result(6 * mechanism.body_count());
  for (int i = 0; i < mechanism.body_count(); ++i) {
    result.segment<6>(6 * i) = jacobians.body(i) * rates + jacobians.body_rate(i) * mechanism.u0();
  }
  return result;
}

/// [a_C; omega'] of all bodies from x' of a state in absolute coordinates: omega' = 2 L e''.
Eigen::VectorXd accelerations_of(const Mechanism& mechanism, const test::Evaluation& state) {
  const std::size_t half = state.x.size() / 2;
  Eigen::VectorXd result(6 * mechanism.body_count());
  for (int i = 0; i < mechanism.body_count(); ++i) {
    const std::size_t at = kAbsoluteCoordinates * static_cast<std::size_t>(i);
    const Eigen::Map<const EulerParameters> e(state.x.data() + at + 3);
    const Eigen::Map<const EulerParameters> second(state.xdot.data() + half + at + 3);
    const Vec3 omega_rate = 2.0 * euler_parameter_map(e) * second;
    result.segment<3>(6 * i) = Eigen::Map<const Vec3>(state.xdot.data() + half + at);
    result.segment<3>(6 * i + 3) = rotation_of_quaternion(e[0], e[1], e[2], e[3]) * omega_rate;
  }
  return result;
}

/// The chain of constraints solves with A over all joints; rounding costs about n eps cond(A) over its non-zero
/// eigenvalues. A wrong term gives 1e-3 or more.
double limit_of(const AbsoluteReference& reference) {
  const double n = static_cast<double>(reference.a.rows());
  return std::min(1e-7, std::max(1e-12, 10.0 * n * kEps * reference.condition));
}

TEST(augmented_lagrangian, accelerations_of_two_hundred_random_mechanisms_are_those_of_dense) {
  double worst = 0.0;
  double share = 0.0;
  std::array<int, kAllJointTypes.size()> coverage{};
  int redundant = 0;
  int prescribed = 0;
  for (int i = 0; i < 200; ++i) {
    const int screws = i % 5 == 4 ? 1 : 0;
    const std::string key = i % 2 == 0
                                ? fmt::format("random_closed:seed={},bodies={},cuts={},loads={},screws={}",
                                              20120101 + i, 2 + i * 7 % 14, 1 + i % 4, i % 3 == 0 ? 0 : 1, screws)
                                : fmt::format("random_tree:seed={},bodies={},motions={},screws={}", 20120101 + i,
                                              3 + i * 7 % 14, i % 3 == 0 ? 2 : 0, screws);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
      for (const Joint& joint : list) {
        ++coverage[static_cast<std::size_t>(joint.type)];
        prescribed += static_cast<int>(joint.motions.size());
      }
    }
    const AbsoluteReference reference(mechanism, kTime);
    redundant += reference.rank < reference.a.rows() ? 1 : 0;
    const Eigen::VectorXd expected = dense_accelerations(mechanism);
    const test::Evaluation state =
        test::evaluate_at(*test::make("dca-alm-proj", mechanism), kTime, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(state.status.ok) << key << ": " << state.status.message();
    const double error = (accelerations_of(mechanism, state) - expected).cwiseAbs().maxCoeff() /
                         std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_LE(error, limit_of(reference)) << key;
    worst = std::max(worst, error);
    share = std::max(share, error / limit_of(reference));
  }
  fmt::print("worst relative error {:.1e}, {:.2f} of its limit; {} of 200 redundant, {} prescribed motions\n", worst,
             share, redundant, prescribed);
  for (const JointType type : kAllJointTypes) {
    EXPECT_GT(coverage[static_cast<std::size_t>(type)], 0) << to_string(type);
  }
  EXPECT_GT(redundant, 10);
  EXPECT_GT(prescribed, 10);
}

TEST(augmented_lagrangian, two_hundred_free_bases_with_trees_and_arms_are_those_of_dense) {
  const std::uint64_t first_seed = test::seed_of_run(20170501U);
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first_seed, first_seed + 199);
  for (std::uint64_t i = 0; i < 200; ++i) {
    RandomSource random(static_cast<std::int64_t>(first_seed + i));
    const Mechanism mechanism(i % 2 == 0 ? test::draw_free_base(random) : test::draw_free_star(random));
    const AbsoluteReference reference(mechanism, kTime);
    const Eigen::VectorXd expected = dense_accelerations(mechanism);
    for (const char* key : {"dca-alm", "dca-alm-proj"}) {
      const test::Evaluation state =
          test::evaluate_at(*test::make(key, mechanism), kTime, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(state.status.ok) << key << ", seed " << first_seed + i << ": " << state.status.message();
      const double error = (accelerations_of(mechanism, state) - expected).cwiseAbs().maxCoeff() /
                           std::max(1.0, expected.cwiseAbs().maxCoeff());
      EXPECT_LE(error, limit_of(reference)) << key << ", seed " << first_seed + i;
    }
  }
}

TEST(augmented_lagrangian, the_limit_is_the_solution_of_least_norm_over_the_formulations_own_rows) {
  for (const char* key : {"five_bar", "five_bar:shape=rhombus", "coupled_loops", "slider_crank", "random_closed"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    AbsoluteReference reference(mechanism, kTime);
    AugmentedOptions options;
    options.omega = 0.0;
    options.most_iterations = 30;
    AugmentedSystem system(mechanism, options, nullptr);
    system.place(kTime, reference.y);
    ASSERT_TRUE(system.assemble().ok);
    system.set_velocities(reference.velocities);
    system.solve_accelerations(kTime);
    const Eigen::Map<const Eigen::VectorXd> lambda(system.multipliers().data(), reference.a.rows());
    const Eigen::VectorXd expected = reference.least_norm(reference.right);
    const double error = (lambda - expected).norm() / expected.norm();
    EXPECT_LE(error, limit_of(reference)) << key;
    fmt::print("{}: |lambda - least norm| {:.1e}, rank {} of {}\n", key, error, reference.rank, reference.a.rows());
  }
}

TEST(augmented_lagrangian, every_pass_shrinks_every_direction_by_its_proximal_factor) {
  // From lambda* = 0 the error of eigenvector i of A after k passes is (1 + alpha lambda_i)^-k of that of the start.
  // Weak penalties, so that the passes can be told from rounding.
  for (const char* key : {"five_bar", "random_closed"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const AbsoluteReference reference(mechanism, kTime);
    const SymmetricDecomposition eigen = symmetric_decomposition(reference.a);
    const Eigen::VectorXd limit = eigen.vectors.transpose() * reference.least_norm(reference.right);
    for (const double alpha : {0.3, 3.0, 1e3}) {
      for (const int passes : {1, 2, 5, 20}) {
        AugmentedOptions options;
        options.omega = 0.0;
        options.alpha = alpha;
        options.conjugate = false;
        options.most_iterations = passes;
        options.acceleration = 0.0;
        AugmentedSystem system(mechanism, options, nullptr);
        system.place(kTime, reference.y);
        ASSERT_TRUE(system.assemble().ok);
        system.set_velocities(reference.velocities);
        const int used = system.solve_accelerations(kTime);
        const Eigen::VectorXd factors =
            eigen.values.unaryExpr([&](double value) { return std::pow(1.0 + alpha * std::max(value, 0.0), -used); });
        const Eigen::VectorXd expected = limit - factors.cwiseProduct(limit);
        const Eigen::VectorXd lambda =
            eigen.vectors.transpose() * Eigen::Map<const Eigen::VectorXd>(system.multipliers().data(), limit.size());
        EXPECT_LE((lambda - expected).norm() / limit.norm(), limit_of(reference))
            << key << ", alpha " << alpha << ", " << used << " passes";
      }
    }
    fmt::print("{}: 1 / (1 + alpha lambda_min) = {:.4f} for alpha = 1, {:.1e} for 1e6\n", key,
               1.0 / (1.0 + reference.smallest), 1.0 / (1.0 + 1e6 * reference.smallest));
  }
}

/// What passes leave at the fold of the rhombus but for an opening.
struct LeftNextToTheFold {
  double residual = 0.0;     // max |Phi''|
  double unconverged = 0.0;  // what is told of it
  int passes = 0;
};

LeftNextToTheFold left_next_to_the_fold(double opening, bool conjugate) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "five_bar:shape=rhombus").description();
  // Both upper links off the vertical by the opening, the lower ones back.
  const double half = std::numbers::pi / 3.0 - opening;
  const std::array turns = {half, -2.0 * half, 2.0 * half, -2.0 * half};
  for (std::size_t i = 0; i < turns.size(); ++i) {
    description.joints[i].q0[0] += turns[i];
  }
  const Mechanism mechanism(description);
  const AbsoluteReference reference(mechanism, kTime);
  AugmentedOptions options;
  options.omega = 0.0;
  options.conjugate = conjugate;
  AugmentedSystem system(mechanism, options, nullptr);
  system.place(kTime, reference.y);
  EXPECT_TRUE(system.assemble().ok);
  // Any velocities: what they ask for acts along the direction that fades, too.
  std::vector<Vec6> velocities = reference.velocities;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    velocities[i] << 0.3, -0.2 * static_cast<double>(i), 0.0, 0.0, 0.0, 1.0 - 0.4 * static_cast<double>(i);
  }
  system.set_velocities(velocities);
  const int passes = system.solve_accelerations(kTime);
  std::vector<double> second(static_cast<std::size_t>(system.row_count()));
  return {system.acceleration_residual(second), system.remainder().rates, passes};
}

// A direction with alpha lambda = 1e-2 or 1e-4 hardly moves in ten plain passes, and nobody was told.
TEST(augmented_lagrangian, conjugate_residuals_reach_what_plain_passes_leave) {
  for (const double opening : {1e-4, 1e-5}) {
    const LeftNextToTheFold plain = left_next_to_the_fold(opening, false);
    const LeftNextToTheFold conjugate = left_next_to_the_fold(opening, true);
    fmt::print("opening {}: |Phi''| {:.1e} after {} plain passes, {:.1e} after {} of which some are conjugate\n",
               opening, plain.residual, plain.passes, conjugate.residual, conjugate.passes);
    EXPECT_EQ(plain.passes, 10);
    EXPECT_LT(conjugate.passes, 10);
    EXPECT_GT(plain.residual, 1e-4);
    EXPECT_LT(conjugate.residual, 1e-6 * plain.residual);
    EXPECT_GT(plain.unconverged, 0.0) << opening;
    // What rounding leaves may be told too.
    EXPECT_LT(conjugate.unconverged, 1e-6 * plain.unconverged) << opening;
  }
}

// Heavy bodies and nearly redundant rows: what ten passes leave of the reactions is told to a factor of two.
TEST(augmented_lagrangian, what_reactions_miss_is_told) {
  for (const auto& [key, error] : {std::pair("random_closed:seed=203036,bodies=8,cuts=1,loads=0", 4.7e-8),
                                   {"random_closed:seed=204779,bodies=13,cuts=1,loads=1", 3e-4},
                                   {"random_closed:seed=205351,bodies=13,cuts=3,loads=1", 1.2e-5},
                                   {"quadruped", 0.0}}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const auto formulation = test::make("dca-alm", mechanism);
    const auto dense = test::make("dense", mechanism);
    const test::Evaluation here = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    const test::Evaluation there = test::evaluate_at(*dense, 0.0, mechanism.q0(), mechanism.u0());
    Reactions got;
    Reactions expected;
    ASSERT_TRUE(formulation->reactions(0.0, here.x, got).ok);
    ASSERT_TRUE(dense->reactions(0.0, there.x, expected).ok);
    double off = 0.0;
    double size = 0.0;
    const auto add = [&](const std::vector<Vec6>& a, const std::vector<Vec6>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        off = std::max(off, (a[i] - b[i]).lpNorm<Eigen::Infinity>());
        size = std::max(size, b[i].lpNorm<Eigen::Infinity>());
      }
    };
    add(got.tree_joints, expected.tree_joints);
    add(got.cut_joints, expected.cut_joints);
    double told = -1.0;
    formulation->diagnostics(
        [&](std::string_view name, double value) { told = name == "unconverged_reactions" ? value : told; });
    if (error == 0.0) {
      EXPECT_EQ(told, 0.0) << key;  // falls freely: all reactions are rounding
      continue;
    }
    EXPECT_GT(off / size, 0.5 * error) << key;
    EXPECT_GT(told, 0.5 * off / size) << key;
    EXPECT_LT(told, 2.0 * off / size) << key;
  }
}

TEST(augmented_lagrangian, the_penalty_stands_on_the_right_side_of_every_joint) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "random_closed:seed=31,bodies=6,cuts=1,loads=0");
  const test::OffTheConstraints state(mechanism, 7);
  AugmentedOptions options;
  options.mu = 0.7;
  options.omega = 5.0;
  AugmentedSystem system(mechanism, options, nullptr);
  system.place(kTime, state.y);
  ASSERT_TRUE(system.assemble().ok);
  system.set_velocities(state.velocities);
  system.solve_accelerations(kTime);
  std::vector<double> phi(static_cast<std::size_t>(system.row_count()));
  std::vector<double> rate(phi.size());
  std::vector<double> second(phi.size());
  EXPECT_GT(system.position_residual(phi), 1e-5);
  EXPECT_GT(system.velocity_residual(rate), 1e-5);
  EXPECT_GT(system.acceleration_residual(second), 1e-3);
  for (std::size_t row = 0; row < phi.size(); ++row) {
    EXPECT_NEAR(second[row], -2.0 * 0.7 * 5.0 * rate[row] - 25.0 * phi[row], 1e-9) << row;
  }
}

}  // namespace
}  // namespace mbdbench
