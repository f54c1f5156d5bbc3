// Exact derivatives of right-hand sides (Formulation::jacobian and its products): against differences of the dense
// reference, to the last digits against the recursion itself with dual numbers of long double, products against one
// another and against the rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/batches/lane_sweeps.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"

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

TEST(tree_derivatives, agree_with_differences_of_the_dense_reference) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 29);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + 30; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const std::uint64_t bodies = 1 + seed * 5 % 9;
      const Mechanism mechanism =
          test::with_joint_loads(tree_named(fmt::format("random_tree:seed={},bodies={},motions={},loads=0", seed,
                                                        bodies, bodies > 2 ? seed % 2 : 0))
                                     .description(),
                                 random);
      for (const char* key : {"aba", "naudet"}) {
        const auto formulation = test::make(key, mechanism);
        ASSERT_EQ(formulation->without_jacobian(), "");
        const std::vector<double> x = random_state(*formulation, random);
        const Eigen::MatrixXd expected =
            test::differences(std::string_view(key) == "aba" ? "dense" : "dense-momentum", mechanism, x);
        // Differences keep 1e-10 of what cancels in them, which a condition of the mass matrix near 1e3 may magnify;
        // a wrong term gives 1e-2.
        EXPECT_LT(test::derivative_error(mechanism, test::jacobian(*formulation, x), expected), 1e-6)
            << key << ", seed " << seed << ", " << set.name;
      }
    }
  }
}

/// The same recursion in long double, one direction at a time.
Eigen::MatrixXd in_long_double(const Mechanism& mechanism, StateKind kind, const std::vector<double>& x) {
  static_assert(sizeof(Long) % sizeof(double) == 0);
  BatchTree tree(mechanism, kind, sizeof(Long) / sizeof(double), nullptr, false);
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
      lane_sweeps::StateSweeps<Long>::momenta(data);
    } else {
      lane_sweeps::StateSweeps<Long>::accelerations(data);
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      result(i, j) = static_cast<double>(reinterpret_cast<const Long*>(data.rates)[i].slope);
    }
  }
  return result;
}

/// Checks all derivatives at a random state against long double, and both products against the rows.
void expect_digits(const std::string& key, const Mechanism& mechanism, RandomSource& random) {
  const auto formulation = test::make(key, mechanism);
  ASSERT_EQ(formulation->without_jacobian(), "");
  std::vector<double> x = random_state(*formulation, random);
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(x.data(), mechanism.q_size());
  for (const Joint& joint : mechanism.tree_joints()) {
    const double length = random.uniform(0.5, 2.0);  // no right-hand side depends on it, derivatives do
    for (int c = 0; has_quaternion(joint.type) && c < 4; ++c) {
      x[static_cast<std::size_t>(joint.q_offset + c)] *= length;
    }
  }
  const double condition = test::mass_condition(mechanism, q);
  const Eigen::MatrixXd expected = in_long_double(mechanism, formulation->layout().back().kind, x);
  const Eigen::MatrixXd got = test::jacobian(*formulation, x);
  // One factor of the condition from M^-1 itself, and its derivative has M^-1 twice.
  EXPECT_LT(test::derivative_error(mechanism, got, expected),
            std::max(1e-13, 100.0 * std::numeric_limits<double>::epsilon() * condition))
      << key << " on " << mechanism.name() << ", condition " << condition;

  const Eigen::VectorXd direction = test::random_vector(static_cast<int>(x.size()), random);
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  Eigen::VectorXd forward(direction.size());
  Eigen::VectorXd backward(direction.size());
  ASSERT_TRUE(formulation->jacobian_vector(0.3, x, view(direction), {forward.data(), x.size()}).ok);
  ASSERT_TRUE(formulation->vector_jacobian(0.3, x, view(weights), {backward.data(), x.size()}).ok);
  // Sums of as many terms as there are components; each pass has its own rounding, which the condition magnifies.
  const double limit = 10.0 * std::numeric_limits<double>::epsilon() * (10.0 + condition) *
                       static_cast<double>(x.size()) * got.cwiseAbs().maxCoeff();
  EXPECT_LT((forward - got * direction).cwiseAbs().maxCoeff(), limit) << key << " on " << mechanism.name();
  EXPECT_LT((backward - got.transpose() * weights).cwiseAbs().maxCoeff(), limit) << key << " on " << mechanism.name();
  EXPECT_NEAR(weights.dot(forward), backward.dot(direction), limit * std::sqrt(static_cast<double>(x.size())))
      << key << " on " << mechanism.name();
}

TEST(tree_derivatives, have_the_digits_of_long_double_where_the_condition_allows) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism mechanism = test::with_joint_loads(
          tree_named(fmt::format("random_tree:seed={},bodies=7,motions={},loads=0", seed, seed % 2)).description(),
          random);
      expect_digits("aba", mechanism, random);
      expect_digits("naudet", mechanism, random);
    }
  }
}

TEST(tree_derivatives, have_the_digits_of_long_double_on_the_open_trees_of_the_catalogue) {
  int trees = 0;
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism mechanism = tree_named(std::string(entry.key));
    // Long double takes a right-hand side a column.
    if (mechanism.body_count() > 64 || mechanism.q_size() == 0 || !mechanism.cut_joints().empty() ||
        !loads_without_lanes(mechanism.description()).empty()) {  // of those load_derivatives_test
      continue;
    }
    for (const FormulationEntry& formulation : formulation_registry()) {
      if (!refusal_of(formulation, mechanism).empty()) {
        continue;
      }
      const auto made = test::make(formulation.key, mechanism);
      if (!made->without_jacobian().empty() || !has_joint_states(*made)) {  // of others absolute_derivatives_test
        continue;
      }
      RandomSource random(7);
      expect_digits(std::string(formulation.key), mechanism, random);
      ++trees;
    }
  }
  EXPECT_GE(trees, 20);
}

TEST(tree_derivatives, by_parameters_agree_with_differences) {
  for (std::int64_t seed = 1; seed <= 12; ++seed) {
    RandomSource random(seed);
    const Mechanism mechanism = test::with_joint_loads(
        tree_named(fmt::format("random_tree:seed={},bodies=6,motions={},loads=0", seed, seed % 2)).description(),
        random);
    const MechanismDescription& description = mechanism.description();
    std::vector<RateParameter> parameters = test::masses_and_springs(description);
    for (const JointDescription& joint : description.joints) {
      if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
        parameters.push_back({ParameterKind::joint_force, joint.name, 0});
      }
    }
    for (const char* key : {"aba", "naudet"}) {
      const auto formulation = test::make(key, mechanism);
      const std::vector<double> x = random_state(*formulation, random);
      const auto rows = static_cast<Eigen::Index>(x.size());
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> got(
          rows, static_cast<Eigen::Index>(parameters.size()));
      ASSERT_TRUE(
          formulation->parameter_jacobian(0.3, x, parameters, {got.data(), static_cast<std::size_t>(got.size())}).ok);
      Eigen::MatrixXd expected(got.rows(), got.cols());
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        expected.col(static_cast<Eigen::Index>(k)) = test::difference([&](double s) {
          const Mechanism moved(test::with_parameter(description, parameters[k], s));
          Eigen::VectorXd rates(rows);
          EXPECT_TRUE(test::make(key, moved)->rhs(0.3, x, {rates.data(), x.size()}).ok);
          return rates;
        });
      }
      // As in the differences by the state above.
      for (Eigen::Index k = 0; k < got.cols(); ++k) {
        const double size = std::max(1e-3 * expected.cwiseAbs().maxCoeff(), expected.col(k).cwiseAbs().maxCoeff());
        EXPECT_LT((got.col(k) - expected.col(k)).cwiseAbs().maxCoeff(), 1e-6 * size)
            << key << ", seed " << seed << ", " << parameters[static_cast<std::size_t>(k)].name;
      }
    }
  }
}

/// All forces in joints and all masses at once, weighted, against their columns.
TEST(tree_derivatives, weighted_ones_by_forces_and_masses_are_sums_of_columns) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 11);
  for (std::uint64_t seed = first; seed < first + 12; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    const Mechanism mechanism = test::with_joint_loads(
        tree_named(fmt::format("random_tree:seed={},bodies=7,motions={},loads=0", seed, seed % 2)).description(),
        random);
    std::vector<RateParameter> parameters;
    for (const Joint& joint : mechanism.tree_joints()) {
      for (int component = 0; component < joint.nu; ++component) {
        parameters.push_back({ParameterKind::joint_force, joint.name, component});
      }
    }
    const std::size_t forces = parameters.size();
    for (const Body& body : mechanism.bodies()) {
      parameters.push_back({ParameterKind::mass, body.name, 0});
    }
    for (const char* key : {"aba", "naudet"}) {
      const auto formulation = test::make(key, mechanism);
      const std::vector<double> x = random_state(*formulation, random);
      const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> columns(
          static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(parameters.size()));
      ASSERT_TRUE(
          formulation
              ->parameter_jacobian(0.3, x, parameters, {columns.data(), static_cast<std::size_t>(columns.size())})
              .ok);
      const Eigen::VectorXd expected = columns.transpose() * weights;
      std::vector<double> product(x.size());
      std::vector<double> alone(x.size());
      std::vector<double> by_forces(forces);
      std::vector<double> by_masses(mechanism.bodies().size());
      ASSERT_TRUE(formulation->weighted_derivatives(0.3, x, view(weights), product, {by_forces, by_masses, {}}).ok);
      ASSERT_TRUE(formulation->vector_jacobian(0.3, x, view(weights), alone).ok);
      EXPECT_EQ(product, alone);
      const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(x.data(), mechanism.q_size());
      // Two ways through the same recursion: the rounding of each is magnified by the condition of M.
      const double limit = 100.0 * std::numeric_limits<double>::epsilon() * test::mass_condition(mechanism, q) *
                           columns.cwiseAbs().maxCoeff();
      std::size_t k = 0;
      for (const Joint& joint : mechanism.tree_joints()) {
        for (int component = 0; component < joint.nu; ++component, ++k) {
          EXPECT_NEAR(by_forces[static_cast<std::size_t>(joint.u_offset + component)],
                      expected[static_cast<Eigen::Index>(k)], limit)
              << key << ", seed " << seed << ", force in " << joint.name;
        }
      }
      for (std::size_t body = 0; body < by_masses.size(); ++body) {
        EXPECT_NEAR(by_masses[body], expected[static_cast<Eigen::Index>(forces + body)], limit)
            << key << ", seed " << seed << ", mass of " << mechanism.bodies()[body].name;
      }
      // What every formulation does that has columns alone.
      std::vector<double> other_forces(forces);
      std::vector<double> other_masses(by_masses.size());
      ASSERT_TRUE(
          formulation
              ->Formulation::weighted_derivatives(0.3, x, view(weights), product, {other_forces, other_masses, {}})
              .ok);
      for (std::size_t i = 0; i < forces; ++i) {
        EXPECT_NEAR(other_forces[i], by_forces[i], limit);
      }
      for (std::size_t i = 0; i < by_masses.size(); ++i) {
        EXPECT_NEAR(other_masses[i], by_masses[i], limit);
      }
    }
  }
}

/// A table over time acts as the constant force that it is at that time.
TEST(tree_derivatives, of_tables_over_time_are_those_of_their_values) {
  for (const char* key : {"aba", "naudet"}) {
    MechanismDescription timed = tree_named("pendulum_xyz:5").description();
    MechanismDescription constant = timed;
    timed.joint_loads.push_back(
        {.name = "motor", .joint = "joint3", .component = 0, .law = TableLaw{"t", {0.0, 1.0}, {10.0, 30.0}}});
    constant.joint_loads.push_back({.name = "motor", .joint = "joint3", .component = 0, .law = ConstantLaw{16.0}});
    const Mechanism moving(timed);
    const Mechanism still(constant);
    const auto formulation = test::make(key, moving);
    ASSERT_EQ(formulation->without_jacobian(), "");
    RandomSource random(5);
    const std::vector<double> x = random_state(*formulation, random);
    EXPECT_LT(
        test::derivative_error(moving, test::jacobian(*formulation, x), test::jacobian(*test::make(key, still), x)),
        1e-14)
        << key;
    std::vector<double> alone(x.size());
    std::vector<double> in_lanes(x.size());
    std::vector<RhsStatus> statuses(1);
    ASSERT_TRUE(formulation->rhs(0.3, x, alone).ok);
    formulation->rhs_batch(0.3, x, in_lanes, statuses);
    ASSERT_TRUE(statuses.front().ok);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(in_lanes[i], alone[i], 1e-12 * (1.0 + std::abs(alone[i]))) << key;
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
  const Eigen::MatrixXd derivatives = test::jacobian(*formulation, x);
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
  const Eigen::MatrixXd expected = test::jacobian(*formulation, x);
  x[1] += 2.0 * std::acos(-1.0) * 1e6;
  // The angle itself has lost six digits and a half.
  EXPECT_LT(test::derivative_error(mechanism, test::jacobian(*formulation, x), expected), 1e-7);
}

// A spring is as long as its joint has turned: its force at many turns is another one, and belongs to the state.
TEST(tree_derivatives, springs_know_the_turns_of_their_joints) {
  constexpr double kTurns = 200.0 * 2.0 * 3.14159265358979323846;  // beyond 1000 rad
  const auto derivatives = [](double turns) {
    MechanismDescription description = tree_named("pendulum:2").description();
    for (const char* const joint : {"joint1", "joint2"}) {
      JointSpringDescription spring;
      spring.name = std::string("spring_") + joint;
      spring.joint = joint;
      spring.stiffness = 3.0;
      spring.rest = turns;
      description.joint_springs.push_back(spring);
    }
    const Mechanism mechanism(description);
    return test::jacobian(*test::make("aba", mechanism), std::vector<double>{0.3 + turns, 0.2 + turns, 0.4, -0.7});
  };
  const Eigen::MatrixXd expected = derivatives(0.0);
  // 1257 rad are known to 2e-13.
  EXPECT_LT((derivatives(kTurns) - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff());
}

// Such springs pull hard, and what they pull depends on all positions.
TEST(tree_derivatives, products_with_a_direction_know_the_turns_that_springs_know) {
  RandomSource random(5);
  const Mechanism mechanism = test::with_joint_loads(tree_named("robot_arm").description(), random);
  ASSERT_FALSE(mechanism.description().joint_springs.empty());
  for (const char* const key : {"aba", "naudet"}) {
    const auto formulation = test::make(key, mechanism);
    std::vector<double> x = random_state(*formulation, random);
    for (int k = 0; k < mechanism.q_size(); ++k) {
      x[static_cast<std::size_t>(k)] += 400.0 * 3.14159265358979323846;  // beyond 1000 rad
    }
    const Eigen::VectorXd direction = test::random_vector(static_cast<int>(x.size()), random);
    Eigen::VectorXd product(direction.size());
    ASSERT_TRUE(formulation->jacobian_vector(0.3, x, view(direction), view(product)).ok);
    const Eigen::VectorXd expected = test::jacobian(*formulation, x) * direction;
    EXPECT_LT((product - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff()) << key;
  }
}

/// A velocity that all share changes no acceleration, nor what accelerations depend on.
TEST(tree_derivatives, know_nothing_of_a_common_velocity) {
  RandomSource random(5);
  for (const char* name : {"humanoid", "quadruped"}) {
    const Mechanism mechanism = tree_named(name);
    const auto formulation = test::make("aba", mechanism);
    const std::vector<double> slow = random_state(*formulation, random);
    std::vector<double> fast = slow;
    const Joint& base = mechanism.tree_joints().front();
    ASSERT_EQ(base.type, JointType::free);
    for (int c = 0; c < 3; ++c) {
      fast[static_cast<std::size_t>(mechanism.q_size() + base.u_offset + 3 + c)] += 1e6 * (1.0 + c);
    }
    const Eigen::VectorXd weights = test::random_vector(static_cast<int>(slow.size()), random);
    Eigen::VectorXd expected(weights.size());
    Eigen::VectorXd got(weights.size());
    ASSERT_TRUE(formulation->vector_jacobian(0.3, slow, view(weights), {expected.data(), slow.size()}).ok);
    ASSERT_TRUE(formulation->vector_jacobian(0.3, fast, view(weights), {got.data(), slow.size()}).ok);
    // The square of the velocity would leave 1e12 eps.
    EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff()) << name;
    EXPECT_LT((test::jacobian(*formulation, fast) - test::jacobian(*formulation, slow)).cwiseAbs().maxCoeff(),
              1e-12 * test::jacobian(*formulation, slow).cwiseAbs().maxCoeff())
        << name;
  }
}

}  // namespace
}  // namespace mbdbench
