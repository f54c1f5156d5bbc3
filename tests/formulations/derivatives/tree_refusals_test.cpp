// What derivatives of open trees refuse: formulations without any, parameters that are not there, numbers that are not
// finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"
#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

TEST(tree_refusals, by_parameters_that_are_not_there_are_refused_by_name) {
  const Mechanism mechanism = test::loop_named("pendulum:3");
  const auto formulation = test::make("aba", mechanism);
  const std::vector<double> x(6, 0.1);
  std::vector<double> column(6);
  for (const ParameterKind kind :
       {ParameterKind::joint_force, ParameterKind::mass, ParameterKind::stiffness, ParameterKind::damping}) {
    const std::vector<RateParameter> parameters = {{kind, "nobody", 0}};
    try {
      (void)formulation->parameter_jacobian(0.3, x, parameters, column);
      FAIL() << "no error";
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("'nobody'"), std::string::npos) << error.what();
    }
  }
}

/// A user's formulation that has a right-hand side alone.
class WithoutDerivatives final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;
  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WithoutDerivatives>(right().clone());
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return right().rhs(t, x, xdot);
  }
};

TEST(tree_refusals, say_who_has_derivatives_where_a_formulation_has_none) {
  const Mechanism mechanism = test::loop_named("four_bar");
  WithoutDerivatives formulation(test::make("bae-haug", mechanism));
  std::vector<double> rows(formulation.state_size() * formulation.state_size());
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  EXPECT_FALSE(formulation.jacobian(0.3, x, rows).ok);
  EXPECT_FALSE(formulation.jacobian_vector(0.3, x, x, rows).ok);
  EXPECT_FALSE(formulation.vector_jacobian(0.3, x, x, rows).ok);
  EXPECT_NE(formulation.without_jacobian().find("aba, naudet and bae-haug"), std::string::npos);
}

TEST(tree_refusals, are_refused_where_any_number_is_not_finite) {
  RandomSource random(2);
  const Mechanism mechanism =
      test::with_joint_loads(test::loop_named("random_tree:seed=2,bodies=7,motions=1,loads=0").description(), random);
  for (const char* key : {"aba", "naudet"}) {
    const auto formulation = test::make(key, mechanism);
    const std::vector<double> x = test::state_beside(*formulation, random, 1.0);
    const std::vector<double> ones(x.size(), 1.0);
    std::vector<double> product(x.size());
    std::vector<double> rows(x.size() * x.size());
    ASSERT_TRUE(formulation->vector_jacobian(0.3, x, ones, product).ok);
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<double> spoiled = x;
      spoiled[k] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(formulation->jacobian(0.3, spoiled, rows).ok) << key << ", " << k;
      EXPECT_FALSE(formulation->jacobian_vector(0.3, spoiled, ones, product).ok) << key << ", " << k;
      EXPECT_FALSE(formulation->vector_jacobian(0.3, spoiled, ones, product).ok) << key << ", " << k;
      std::vector<double> weights = ones;
      weights[k] = std::numeric_limits<double>::infinity();
      EXPECT_FALSE(formulation->vector_jacobian(0.3, x, weights, product).ok) << key << ", weight " << k;
    }
  }
}

TEST(tree_refusals, are_refused_where_one_by_a_parameter_is_not_finite) {
  const Mechanism mechanism = test::loop_named("random_tree:seed=3,bodies=7,loads=0");
  for (const char* key : {"aba", "bae-haug"}) {
    const auto formulation = test::make(key, mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    x[31] = -1e155;  // its square exceeds what is finite only with a mass that is not zero
    const std::vector<double> ones(x.size(), 1.0);
    std::vector<double> product(x.size());
    std::vector<double> masses(mechanism.bodies().size());
    const RhsStatus status = formulation->weighted_derivatives(0.0, x, ones, product, {{}, masses, {}});
    const bool finite = std::all_of(masses.begin(), masses.end(), [](double m) { return std::isfinite(m); });
    EXPECT_FALSE(finite) << "the case is none any more";
    EXPECT_FALSE(status.ok) << key;
  }
}

TEST(tree_refusals, tell_the_joint_where_there_is_no_right_hand_side) {
  const Mechanism mechanism = test::loop_named("pendulum:3");
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
