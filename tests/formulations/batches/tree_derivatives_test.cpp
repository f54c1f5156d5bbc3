// Exact derivatives of right-hand sides (Formulation::jacobian): against differences of the dense reference, to the
// last digits against the same recursion in long double, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/batches/lane_accelerations.hpp"
#include "formulations/batches/lane_momenta.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/execution_restored.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {

/// A number of 64 bits with its derivative along one direction.
struct Long {
  long double value;
  long double slope;
  Long() = default;
  Long(double constant) : value(static_cast<long double>(constant)), slope(0.0L) {}
  Long(long double v, long double s) : value(v), slope(s) {}
  Long& operator+=(const Long& other) { return *this = {value + other.value, slope + other.slope}; }
  Long& operator-=(const Long& other) { return *this = {value - other.value, slope - other.slope}; }
  friend Long operator+(const Long& a, const Long& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Long operator-(const Long& a, const Long& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Long operator-(const Long& a) { return {-a.value, -a.slope}; }
  friend Long operator*(const Long& a, const Long& b) {
    return {a.value * b.value, a.value * b.slope + b.value * a.slope};
  }
  friend Long operator/(const Long& a, const Long& b) {
    const long double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend Long smaller(const Long& a, const Long& b) { return a.value < b.value ? a : b; }
  friend kernels::SineCosine<Long> sine_and_cosine(const Long& a) {
    const long double s = std::sin(a.value);
    const long double c = std::cos(a.value);
    return {{s, c * a.slope}, {c, -s * a.slope}};
  }
};

namespace {

Mechanism tree_named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

std::vector<double> random_state(Formulation& formulation, RandomSource& random) {
  const Mechanism& mechanism = formulation.mechanism();
  const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
  const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(q), view(u), x).ok);
  return x;
}

/// Columns of the derivatives by fourth-order differences of the dense reference.
Eigen::MatrixXd differences(const std::string& reference, const Mechanism& mechanism, const std::vector<double>& x) {
  const auto formulation = test::make(reference, mechanism);
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd result(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    result.col(j) = test::difference([&](double s) {
      std::vector<double> moved = x;
      moved[static_cast<std::size_t>(j)] += s;
      Eigen::VectorXd rates(size);
      EXPECT_TRUE(formulation->rhs(0.3, moved, {rates.data(), x.size()}).ok);
      return rates;
    });
  }
  return result;
}

Eigen::MatrixXd jacobian(Formulation& formulation, const std::vector<double>& x) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(size, size);
  const RhsStatus status = formulation.jacobian(0.3, x, {rows.data(), x.size() * x.size()});
  EXPECT_TRUE(status.ok) << status.message();
  return rows;
}

/// Largest error over the largest entry, of the rows of q' and of those of the rates each: single rows may be nothing
/// but what rounding leaves (a prescribed motion, a joint that nothing moves).
double block_error(const Mechanism& mechanism, const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected) {
  const auto error = [](const auto& a, const auto& b) {
    return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
  };
  return std::max(error(got.topRows(mechanism.q_size()), expected.topRows(mechanism.q_size())),
                  error(got.bottomRows(mechanism.u_size()), expected.bottomRows(mechanism.u_size())));
}

/// Loads that the derivatives know: springs, dampers and constant forces in joints.
Mechanism with_joint_loads(const std::string& key, RandomSource& random) {
  MechanismDescription description = tree_named(key).description();
  for (const JointDescription& joint : description.joints) {
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic) {
      continue;
    }
    if (!joint.motions.empty()) {
      continue;
    }
    const int n = static_cast<int>(description.joint_springs.size());
    description.joint_springs.push_back({.name = fmt::format("spring{}", n),
                                         .joint = joint.name,
                                         .component = 0,
                                         .stiffness = random.uniform(0.0, 30.0),
                                         .damping = random.uniform(0.0, 3.0),
                                         .rest = random.uniform(-1.0, 1.0)});
    description.joint_loads.push_back({.name = fmt::format("motor{}", n),
                                       .joint = joint.name,
                                       .component = 0,
                                       .law = ConstantLaw{random.uniform(-5.0, 5.0)}});
  }
  return Mechanism(description);
}

TEST(tree_derivatives, agree_with_differences_of_the_dense_reference) {
  const test::ExecutionRestored restored;
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 29);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    use_instruction_set(set.name);
    for (std::uint64_t seed = first; seed < first + 30; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const std::uint64_t bodies = 1 + seed * 5 % 9;
      const Mechanism mechanism = with_joint_loads(
          fmt::format("random_tree:seed={},bodies={},motions={},loads=0", seed, bodies, bodies > 2 ? seed % 2 : 0),
          random);
      for (const char* key : {"aba", "naudet"}) {
        const auto formulation = test::make(key, mechanism);
        ASSERT_EQ(formulation->without_jacobian(), "");
        const std::vector<double> x = random_state(*formulation, random);
        const Eigen::MatrixXd expected =
            differences(std::string_view(key) == "aba" ? "dense" : "dense-momentum", mechanism, x);
        // Differences keep 1e-10 of what cancels in them, which a condition of the mass matrix near 1e3 may magnify;
        // a wrong term gives 1e-2.
        EXPECT_LT(block_error(mechanism, jacobian(*formulation, x), expected), 1e-6)
            << key << ", seed " << seed << ", " << set.name;
      }
    }
  }
}

/// The same recursion in long double, one direction at a time.
Eigen::MatrixXd in_long_double(const Mechanism& mechanism, StateKind kind, const std::vector<double>& x) {
  static_assert(sizeof(Long) % sizeof(double) == 0);
  BatchTree tree(mechanism, kind, sizeof(Long) / sizeof(double), nullptr);
  tree.set_time(0.3);
  const LaneData& data = tree.data();
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd result(size, size);
  Long* const state = reinterpret_cast<Long*>(data.state);
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) {
      state[i] = {static_cast<long double>(x[static_cast<std::size_t>(i)]), i == j ? 1.0L : 0.0L};
    }
    for (int k = 0; k < data.u_count; ++k) {
      reinterpret_cast<Long*>(data.torques)[k] = Long(0.0);
    }
    if (kind == StateKind::momentum) {
      lane_sweeps::MomentumSweeps<Long>::run(data);
    } else {
      lane_sweeps::AccelerationSweeps<Long>::run(data);
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      result(i, j) = static_cast<double>(reinterpret_cast<const Long*>(data.rates)[i].slope);
    }
  }
  return result;
}

TEST(tree_derivatives, have_the_digits_of_long_double_where_the_condition_allows) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism mechanism = with_joint_loads(fmt::format("random_tree:seed={},bodies=7,loads=0", seed), random);
    for (const char* key : {"aba", "naudet"}) {
      const auto formulation = test::make(key, mechanism);
      const std::vector<double> x = random_state(*formulation, random);
      const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(x.data(), mechanism.q_size());
      const double condition = test::mass_condition(mechanism, q);
      const Eigen::MatrixXd expected =
          in_long_double(mechanism, std::string_view(key) == "aba" ? StateKind::velocity : StateKind::momentum, x);
      // One factor of the condition from M^-1 itself, and its derivative has M^-1 twice.
      EXPECT_LT(block_error(mechanism, jacobian(*formulation, x), expected),
                std::max(1e-13, 100.0 * std::numeric_limits<double>::epsilon() * condition))
          << key << ", seed " << seed << ", condition " << condition;
    }
  }
}

TEST(tree_derivatives, of_a_pendulum_are_those_of_its_closed_form) {
  const Mechanism mechanism = tree_named("pendulum:1");
  const auto formulation = test::make("aba", mechanism);
  const std::vector<double> x = {0.4, 0.9};
  std::vector<double> rates(2);
  std::vector<double> steep(2);
  ASSERT_TRUE(formulation->rhs(0.3, x, rates).ok);
  // u' = a cos(q + b), whatever the lengths: u'' along q is -a sin(q + b), the value a quarter of a turn on.
  ASSERT_TRUE(formulation->rhs(0.3, std::vector<double>{x[0] + std::acos(-1.0) / 2.0, x[1]}, steep).ok);
  const Eigen::MatrixXd derivatives = jacobian(*formulation, x);
  EXPECT_EQ(derivatives(0, 0), 0.0);
  EXPECT_EQ(derivatives(0, 1), 1.0);
  EXPECT_NEAR(derivatives(1, 0), steep[1], 1e-13 * std::abs(steep[1]));
  EXPECT_NEAR(derivatives(1, 1), 0.0, 1e-13);
}

TEST(tree_derivatives, of_angles_of_many_turns_are_those_of_the_angle) {
  const Mechanism mechanism = tree_named("pendulum:3");
  const auto formulation = test::make("naudet", mechanism);
  RandomSource random(3);
  std::vector<double> x = random_state(*formulation, random);
  const Eigen::MatrixXd expected = jacobian(*formulation, x);
  x[1] += 2.0 * std::acos(-1.0) * 1e6;
  // The angle itself has lost six digits and a half.
  EXPECT_LT(block_error(mechanism, jacobian(*formulation, x), expected), 1e-7);
}

TEST(tree_derivatives, are_refused_by_name_where_there_are_none) {
  const auto reason = [](const char* key, const char* name) {
    const Mechanism mechanism = tree_named(name);
    const auto formulation = test::make(key, mechanism);
    std::vector<double> rows(formulation->state_size() * formulation->state_size());
    std::vector<double> x(formulation->state_size());
    EXPECT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    EXPECT_FALSE(formulation->jacobian(0.3, x, rows).ok) << key;
    return formulation->without_jacobian();
  };
  EXPECT_NE(reason("dense", "pendulum:3").find("aba, naudet, naudet-acc and bae-haug"), std::string::npos);
  EXPECT_NE(reason("bae-haug", "four_bar").find("open trees"), std::string::npos);
  EXPECT_NE(reason("aba", "random_tree:seed=1,bodies=20").find("has none"), std::string::npos);
}

TEST(tree_derivatives, tell_the_joint_where_there_is_no_right_hand_side) {
  const Mechanism mechanism = tree_named("pendulum:3");
  const auto formulation = test::make("aba", mechanism);
  std::vector<double> x(6, 0.1);
  x[4] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows(36);
  const RhsStatus status = formulation->jacobian(0.3, x, rows);
  EXPECT_FALSE(status.ok);
  EXPECT_FALSE(status.joint.empty());
}

}  // namespace
}  // namespace mbdbench
