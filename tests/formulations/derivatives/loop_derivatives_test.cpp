// Exact derivatives of mechanisms with loops (Formulation::jacobian and its products): against differences of each
// formulation's own right-hand sides and of the dense reference, against the derivatives of open trees, products
// against one another and against the rows, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"
#include "tests/formulations/execution_restored.hpp"

namespace mbdbench {
namespace {

struct Variant {
  std::string_view key;
  std::string_view options;
};

// What closes loops by multipliers and has (q, u) for its state: velocities projected, and as they are.
constexpr Variant kVariants[] = {{"dense", ""},
                                 {"dense", "projection=off"},
                                 {"bae-haug", ""},
                                 {"bae-haug", "projection=off"},
                                 {"bae-haug", "kernel=general"},
                                 {"dca", ""},
                                 {"dca", "leaf=body"}};

Mechanism loop_named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// The mechanism without loads but gravity.
MechanismDescription unloaded(MechanismDescription description) {
  description.joint_loads.clear();
  description.joint_springs.clear();
  description.joint_frictions.clear();
  description.joint_stops.clear();
  description.body_loads.clear();
  description.point_springs.clear();
  description.bushings.clear();
  return description;
}

/// A state near the start whose loops are open by about `size` and whose velocities keep nothing.
std::vector<double> state_beside(Formulation& formulation, RandomSource& random, double size) {
  const Mechanism& mechanism = formulation.mechanism();
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), size);
  const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(q), view(u), x).ok);
  return x;
}

/// Conditions of M and of Phi_q M^-1 Phi_q^T: what derivatives may lose in digits.
double condition_at(const Mechanism& mechanism, const std::vector<double>& x) {
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(x.data(), mechanism.q_size());
  return test::mass_condition(mechanism, q);
}

/// Products against the rows, and forward against reverse.
void expect_products(Formulation& formulation, const std::vector<double>& x, const Eigen::MatrixXd& rows,
                     RandomSource& random, const std::string& what) {
  const Eigen::VectorXd direction = test::random_vector(static_cast<int>(x.size()), random);
  const Eigen::VectorXd weights = test::random_vector(static_cast<int>(x.size()), random);
  Eigen::VectorXd forward(direction.size());
  Eigen::VectorXd backward(direction.size());
  ASSERT_TRUE(formulation.jacobian_vector(0.3, x, view(direction), {forward.data(), x.size()}).ok) << what;
  ASSERT_TRUE(formulation.vector_jacobian(0.3, x, view(weights), {backward.data(), x.size()}).ok) << what;
  // Each pass has its own rounding, which the condition magnifies.
  const double limit = 100.0 * std::numeric_limits<double>::epsilon() *
                       (10.0 + condition_at(formulation.mechanism(), x)) * static_cast<double>(x.size()) *
                       std::max(1.0, rows.cwiseAbs().maxCoeff());
  EXPECT_LT((forward - rows * direction).cwiseAbs().maxCoeff(), limit) << what;
  EXPECT_LT((backward - rows.transpose() * weights).cwiseAbs().maxCoeff(), limit) << what;
  EXPECT_NEAR(weights.dot(forward), backward.dot(direction), limit * std::sqrt(static_cast<double>(x.size()))) << what;
}

/// Where rows that closed loops repeat are independent beside them, x' has no one continuation there.
bool is_free_beside(const Mechanism& mechanism) {
  return !mechanism.generic_rank().overconstrained;
}

TEST(loop_derivatives, agree_with_differences_along_every_direction_on_the_catalogue) {
  int treated = 0;
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism made = loop_named(std::string(entry.key));
    if (made.body_count() > 24 || made.cut_joints().empty() || !made.held_by_velocity().empty()) {
      continue;
    }
    RandomSource random(11);
    const Mechanism mechanism = test::with_joint_loads(unloaded(made.description()), random);
    if (!is_free_beside(mechanism)) {
      continue;
    }
    for (const Variant& variant : kVariants) {
      const FormulationEntry& formulation_entry = *find_formulation(formulation_registry(), variant.key);
      if (!refusal_of(formulation_entry, mechanism).empty()) {
        continue;
      }
      const std::string what = fmt::format("{}[{}] on {}", variant.key, variant.options, mechanism.name());
      const auto formulation = test::make(variant.key, mechanism, variant.options);
      if (!formulation->without_jacobian().empty()) {
        EXPECT_EQ(variant.key, "dca") << what << ": " << formulation->without_jacobian();
        continue;
      }
      const std::vector<double> x = state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      // Differences keep 1e-10 of what cancels in them.
      EXPECT_LT(test::derivative_error(mechanism, rows, test::differences(variant.key, mechanism, x, variant.options)),
                1e-6)
          << what;
      expect_products(*formulation, x, rows, random, what);
      ++treated;
    }
  }
  EXPECT_GE(treated, 60);
}

TEST(loop_derivatives, agree_with_differences_along_every_direction_on_random_mechanisms) {
  const test::ExecutionRestored restored;
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 39);
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    use_instruction_set(set.name);
    for (std::uint64_t seed = first; seed < first + 40; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism made = loop_named(fmt::format("random_closed:seed={},bodies={},cuts={},screws={},loads=0", seed,
                                                    4 + seed % 5, 1 + seed % 3, seed % 2));
      if (!made.held_by_velocity().empty() || !is_free_beside(made)) {
        continue;
      }
      const Mechanism mechanism = test::with_joint_loads(made.description(), random);
      for (const Variant& variant : {kVariants[0], kVariants[1], kVariants[2]}) {
        // Velocities that keep nothing ask redundant rows for what contradicts the others; then x' is a compromise.
        if (variant.options == "projection=off" && mechanism.generic_rank().rank < mechanism.constraint_size()) {
          continue;
        }
        const std::string what = fmt::format("{}[{}], seed {}, {}", variant.key, variant.options, seed, set.name);
        const auto formulation = test::make(variant.key, mechanism, variant.options);
        ASSERT_EQ(formulation->without_jacobian(), "") << what;
        const std::vector<double> x = state_beside(*formulation, random, 0.01);
        const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
        EXPECT_LT(test::derivative_error(mechanism, rows, test::differences("dense", mechanism, x, variant.options)),
                  1e-6)
            << what;
        expect_products(*formulation, x, rows, random, what);
        ++treated;
      }
    }
  }
  EXPECT_GE(treated, 60);
}

TEST(loop_derivatives, of_open_trees_have_the_digits_of_the_linearised_recursion) {
  for (std::int64_t seed = 1; seed <= 24; ++seed) {
    RandomSource random(seed);
    const Mechanism mechanism = test::with_joint_loads(
        loop_named(fmt::format("random_tree:seed={},bodies=7,motions={},loads=0", seed, seed % 2)).description(),
        random);
    const auto tree = test::make("aba", mechanism);
    const auto dense = test::make("dense", mechanism, "projection=off");
    const std::vector<double> x = state_beside(*tree, random, 1.0);
    // As tree_derivatives_test has it against long double; the other side has as much.
    EXPECT_LT(test::derivative_error(mechanism, test::jacobian(*dense, x), test::jacobian(*tree, x)),
              std::max(1e-13, 100.0 * std::numeric_limits<double>::epsilon() * condition_at(mechanism, x)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace mbdbench
