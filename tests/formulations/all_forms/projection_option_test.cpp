// The option `projection`: what its values project within the right-hand side and after steps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

struct Projected {
  std::vector<double> rates;
  std::vector<double> after;  // what a step to the state leaves
};

/// At a state whose velocities open the loop.
Projected projected(std::string_view key, const Mechanism& mechanism, const std::string& projection) {
  const auto formulation = test::make(key, mechanism, "projection=" + projection);
  Projected result;
  result.after.resize(formulation->state_size());
  result.rates.resize(formulation->state_size());
  Eigen::VectorXd u = mechanism.u0();
  u[0] += 0.3;
  EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(u), result.after).ok);
  EXPECT_TRUE(formulation->rhs(0.0, result.after, result.rates).ok);
  const std::vector<double> before = result.after;
  const bool changed = formulation->after_step(0.0, result.after);
  EXPECT_EQ(changed, result.after != before) << key << ", " << projection;
  return result;
}

TEST(projection_option, velocities_are_projected_in_the_right_hand_side_alone) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  for (const char* const key : {"dense", "bae-haug", "dca"}) {
    const Projected on = projected(key, mechanism, "on");
    const Projected velocities = projected(key, mechanism, "velocities");
    const Projected off = projected(key, mechanism, "off");
    EXPECT_EQ(velocities.rates, on.rates) << key;
    EXPECT_NE(velocities.rates, off.rates) << key;
    EXPECT_EQ(velocities.after, off.after) << key;
    EXPECT_NE(velocities.after, on.after) << key;
  }
}

/// Its right-hand side projects no velocities on closed loops, so that `velocities` would be `off` under another name.
TEST(projection_option, of_velocities_alone_is_refused_where_no_right_hand_side_has_it) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  EXPECT_THROW(static_cast<void>(test::make("naudet-acc", mechanism, "projection=velocities")), ModelError);
  EXPECT_NO_THROW(static_cast<void>(test::make("naudet-acc", mechanism, "projection=on")));
}

/// Momenta keep velocities on the constraints by themselves.
TEST(projection_option, of_momenta_leaves_steps_alone_too) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar:angle=0.3");
  for (const char* const key : {"dense-momentum", "hdca", "naudet"}) {
    const Projected velocities = projected(key, mechanism, "velocities");
    const Projected off = projected(key, mechanism, "off");
    EXPECT_EQ(velocities.rates, off.rates) << key;
    EXPECT_EQ(velocities.after, off.after) << key;
  }
}

}  // namespace
}  // namespace mbdbench
