// Sub-chains that meet in the cut joint of a closed loop: random consistent velocities, momenta in any gauge, in every
// instruction set and division, against the dense reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A closed loop whose bodies get other masses, centres and inertias than the catalogue's, so that nothing cancels.
Mechanism uneven(std::string_view name, std::uint64_t seed) {
  MechanismDescription description = make_mechanism(mechanism_registry(), name).description();
  RandomSource random(static_cast<std::int64_t>(seed));
  for (BodyDescription& body : description.bodies) {
    body.mass *= random.uniform(0.5, 2.0);
    body.inertia *= random.uniform(0.5, 2.0);
    body.com += 0.1 * Vec3(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
  }
  return Mechanism(description);
}

/// A state of a closed mechanism: u that keeps the loop closed, p = M u - Phi_q^T sigma for a random sigma.
struct LoopState {
  LoopState(const Mechanism& mechanism, std::int64_t seed) : dynamics(mechanism, nullptr), q(mechanism.q0()) {
    EXPECT_TRUE(dynamics.set_positions(0.0, view(q)).ok);
    dynamics.set_velocities(0.0, view(q), view(mechanism.u0()));
    const Eigen::MatrixXd phi_q = dynamics.jacobians().constraints();
    const SingularDecomposition svd = singular_decomposition(phi_q);
    const auto rank = (svd.values.array() > 1e-10 * std::max(1.0, svd.values[0])).count();
    null_space = svd.v.rightCols(phi_q.cols() - rank);
    RandomSource random(seed);
    u = null_space * test::random_vector(static_cast<int>(null_space.cols()), random);
    constraint_impulse = phi_q.transpose() * test::random_vector(static_cast<int>(phi_q.rows()), random);
    p = dynamics.mass_matrix() * u - constraint_impulse;
    const Eigen::MatrixXd b = dynamics.mass_matrix().llt().matrixL().solve(phi_q.transpose());
    const Eigen::VectorXd values = singular_values(b);
    const double ratio = rank > 0 ? values[0] / values[rank - 1] : 1.0;
    condition = test::mass_condition(mechanism, q) * ratio * ratio;
  }

  /// \returns x of the second half `rate`.
  [[nodiscard]] std::vector<double> with(const Eigen::VectorXd& rate) const {
    std::vector<double> x(q.begin(), q.end());
    x.insert(x.end(), rate.begin(), rate.end());
    return x;
  }
  /// What rounding costs: A = J M^-1 J^T has the square of the condition of J L^-T.
  [[nodiscard]] double limit() const {
    return std::max(1e-12, 10.0 * kEpsilon * static_cast<double>(u.size()) * condition);
  }

  DenseDynamics dynamics;
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  Eigen::VectorXd p;
  Eigen::VectorXd constraint_impulse;  // Phi_q^T sigma
  Eigen::MatrixXd null_space;
  double condition = 1.0;
};

/// xdot as two vectors.
struct Rates {
  Rates(Formulation& formulation, const std::vector<double>& x, Eigen::Index n) {
    std::vector<double> xdot(x.size());
    const RhsStatus status = formulation.rhs(0.0, x, xdot);
    EXPECT_TRUE(status.ok) << status.message();
    qdot = Eigen::Map<Eigen::VectorXd>(xdot.data(), n);
    rate = Eigen::Map<Eigen::VectorXd>(xdot.data() + n, n);
  }
  Eigen::VectorXd qdot;
  Eigen::VectorXd rate;
};

double error_of(const Eigen::VectorXd& actual, const Eigen::VectorXd& expected) {
  return (actual - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

// Planar loops repeat constraints at every position, Bricard's and Bennett's by their geometry; chains of one link and
// of sixty; one chain that ends at the ground and two that meet.
constexpr const char* kLoops[] = {"four_bar", "loop:5", "loop:9", "loop:24", "loop:63", "loop8", "bricard", "bennett"};

/// Loops closed as published, and as leaf=auto closes them.
struct SubchainWay {
  std::string_view key;
  std::string_view options;
};
constexpr SubchainWay kSubchainWays[] = {{"dca", "leaf=subchain"},
                                         {"dca", "leaf=subchain,projection=velocities"},
                                         {"hdca", "leaf=subchain"},
                                         {"hdca", "leaf=subchain,gauge=tangent"}};

TEST(subchain_loops, agree_with_the_dense_reference_in_any_gauge) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    double worst = 0.0;
    for (const char* name : kLoops) {
      const Mechanism mechanism = uneven(name, 41);
      const LoopState state(mechanism, 7);
      const Rates dense(*test::make("dense", mechanism, "projection=off"), state.with(state.u), state.u.size());
      const Rates momenta(*test::make("dense-momentum", mechanism), state.with(state.p), state.u.size());
      for (const int count : {0, 8, 24}) {
        const std::string where = fmt::format("{} {} subchains={}", set.name, name, count);
        const std::string options = fmt::format("leaf=subchain,subchains={}", count);
        const Rates dca(*test::make("dca", mechanism, options + ",projection=off"), state.with(state.u),
                        state.u.size());
        const Rates hdca(*test::make("hdca", mechanism, options), state.with(state.p), state.u.size());
        const Rates leaking(*test::make("hdca", mechanism, options + ",gauge=leak,leak=3"), state.with(state.p),
                            state.u.size());
        const double errors[] = {
            error_of(dca.rate, dense.rate), error_of(hdca.qdot, state.u),
            // p' is known but for the part along Phi_q^T.
            error_of(state.null_space.transpose() * hdca.rate, state.null_space.transpose() * momenta.rate),
            error_of(leaking.rate - hdca.rate, 3.0 * state.constraint_impulse)};
        for (const double error : errors) {
          EXPECT_LT(error, state.limit()) << where;
          worst = std::max(worst, error / state.limit());
        }
      }
    }
    RecordProperty(fmt::format("worst_{}", set.name), fmt::format("{:.2g}", worst));
  }
}

/// Velocities that pull the loop apart, and momenta whose p' has a part that no motion shows.
TEST(subchain_loops, project_velocities_and_take_the_tangent_gauge_as_the_dense_reference_does) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    double worst = 0.0;
    for (const char* name : kLoops) {
      const Mechanism mechanism = uneven(name, 43);
      const LoopState state(mechanism, 11);
      RandomSource random(12);
      const Eigen::VectorXd apart = state.u + test::random_vector(static_cast<int>(state.u.size()), random);
      const Rates dense(*test::make("dense", mechanism, "projection=velocities"), state.with(apart), apart.size());
      ASSERT_GT((dense.qdot - apart).cwiseAbs().maxCoeff(), 0.1) << name;
      const Rates momenta(*test::make("dense-momentum", mechanism, "gauge=tangent"), state.with(state.p), apart.size());
      const Rates published(*test::make("dense-momentum", mechanism, "gauge=none"), state.with(state.p), apart.size());
      ASSERT_GT(error_of(published.rate, momenta.rate), 1e-3) << name;
      for (const int count : {0, 8, 24}) {
        const std::string where = fmt::format("{} {} subchains={}", set.name, name, count);
        const std::string options = fmt::format("leaf=subchain,subchains={}", count);
        const Rates dca(*test::make("dca", mechanism, options + ",projection=velocities"), state.with(apart),
                        apart.size());
        const Rates hdca(*test::make("hdca", mechanism, options + ",gauge=tangent"), state.with(state.p), apart.size());
        for (const double error : {error_of(dca.qdot, dense.qdot), error_of(dca.rate, dense.rate),
                                   error_of(hdca.qdot, state.u), error_of(hdca.rate, momenta.rate)}) {
          EXPECT_LT(error, state.limit()) << where;
          worst = std::max(worst, error / state.limit());
        }
      }
    }
    RecordProperty(fmt::format("worst_{}", set.name), fmt::format("{:.2g}", worst));
  }
}

/// 33 segments in each of two arms: joined ones are joined again, with tips on both sides.
TEST(subchain_loops, arms_that_are_closed_by_halves_agree_with_the_dense_reference) {
  const Mechanism mechanism = uneven("loop:529", 47);
  const LoopState state(mechanism, 13);
  const Eigen::Index n = state.u.size();
  const Rates dense(*test::make("dense", mechanism, "projection=velocities"), state.with(state.u), n);
  const Rates momenta(*test::make("dense-momentum", mechanism, "gauge=tangent"), state.with(state.p), n);
  const std::string options = "leaf=subchain,subchains=528";
  const Rates published(*test::make("dca", mechanism, options + ",projection=off"), state.with(state.u), n);
  const Rates projected(*test::make("dca", mechanism, options + ",projection=velocities"), state.with(state.u), n);
  const Rates tangent(*test::make("hdca", mechanism, options + ",gauge=tangent"), state.with(state.p), n);
  const Rates hdca(*test::make("hdca", mechanism, options), state.with(state.p), n);
  for (const double error :
       {error_of(published.rate, dense.rate), error_of(projected.qdot, dense.qdot),
        error_of(projected.rate, dense.rate), error_of(hdca.qdot, state.u), error_of(tangent.qdot, state.u),
        error_of(tangent.rate, momenta.rate),
        error_of(state.null_space.transpose() * hdca.rate, state.null_space.transpose() * momenta.rate)}) {
    EXPECT_LT(error, std::min(state.limit(), 1e-6)) << "a wrong term would be of the size of the others";
  }
}

TEST(subchain_loops, any_number_of_threads_gives_the_same_bits) {
  const Mechanism mechanism = uneven("loop:90", 5);
  const LoopState state(mechanism, 9);
  for (const auto& [key, options] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"dca", "projection=off"},
                                                                  {"dca", "projection=velocities"},
                                                                  {"hdca", "gauge=none"},
                                                                  {"hdca", "gauge=tangent"}}) {
    const std::vector<double> x = state.with(key == "dca" ? state.u : state.p);
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
      const auto formulation =
          test::make(key, mechanism, fmt::format("leaf=subchain,subchains=32,threads={},{}", threads, options));
      for (int repetition = 0; repetition < 20; ++repetition) {
        std::vector<double> xdot(x.size());
        ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
        if (first.empty()) {
          first = xdot;
        }
        ASSERT_EQ(xdot, first) << key << ' ' << options << " threads=" << threads << " repetition=" << repetition;
      }
    }
  }
}

TEST(subchain_loops, reactions_are_those_of_bodies_as_leaves) {
  const Mechanism mechanism = uneven("loop:9", 3);
  const LoopState state(mechanism, 4);
  Reactions expected;
  ASSERT_TRUE(test::make("hdca", mechanism)->reactions(0.0, state.with(state.p), expected).ok);
  for (const std::string_view key : {"dca", "hdca"}) {
    const auto formulation = test::make(key, mechanism, "leaf=subchain");
    Reactions reactions;
    ASSERT_TRUE(formulation->reactions(0.0, state.with(key == "dca" ? state.u : state.p), reactions).ok);
    // In the plane: what a planar loop's redundant rows carry is a matter of choice.
    for (std::size_t k = 0; k < expected.tree_joints.size(); ++k) {
      EXPECT_NEAR(reactions.tree_joints[k][0], expected.tree_joints[k][0], 1e-9) << key;
      EXPECT_NEAR(reactions.tree_joints[k][1], expected.tree_joints[k][1], 1e-9) << key;
    }
  }
}

TEST(subchain_loops, right_hand_sides_allocate_nothing_and_tell_what_is_redundant) {
  const Mechanism mechanism = uneven("loop:24", 3);
  const LoopState state(mechanism, 4);
  for (const auto& [key, options] : kSubchainWays) {
    const auto formulation = test::make(key, mechanism, options);
    const std::vector<double> x = state.with(key == "dca" ? state.u : state.p);
    std::vector<double> xdot(x.size());
    const auto redundant = [&] {
      double rows = -1.0;
      formulation->diagnostics(
          [&](std::string_view name, double value) { rows = name == "redundant_rows" ? value : rows; });
      return rows;
    };
    EXPECT_EQ(redundant(), 3.0) << key << ": before there is a solution, as on a rank that makes none";
    {
      const AllocationGuard guard;
      ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
      EXPECT_EQ(guard.count(), 0U) << key;
    }
    EXPECT_EQ(redundant(), 3.0) << key;
  }
}

TEST(subchain_loops, states_that_are_no_numbers_fail) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop:24");
  for (const auto& [key, options] : kSubchainWays) {
    const auto formulation = test::make(key, mechanism, options);
    for (const std::size_t component : {0U, 11U, 22U, 23U, 34U, 45U}) {
      std::vector<double> x(46, 0.1);
      std::vector<double> xdot(46);
      x[component] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(formulation->rhs(0.0, x, xdot).ok) << key << " " << component;
    }
  }
}

}  // namespace
}  // namespace mbdbench
