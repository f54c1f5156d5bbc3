/// \file
/// Phi_q along the paths to the ground against Phi_q from the Jacobians of all bodies.
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"

#include <gtest/gtest.h>

#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

TEST(constraint_jacobian, is_that_of_the_bodies) {
  std::vector<std::string> names = {"double_loop", "coupled_loops", "slider_crank", "grid:4",
                                    "random_tree:seed=3,motions=3"};
  for (int seed = 0; seed < 50; ++seed) {
    names.push_back("random_closed:bodies=12,cuts=4,seed=" + std::to_string(seed));
  }
  for (const std::string& name : names) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    RandomSource random(11);
    Kinematics kinematics(mechanism);
    // Loops open: the two ends of a cut are different points.
    kinematics.set_positions(view(test::random_coordinates(mechanism, random)));
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    const Eigen::MatrixXd phi_q = constraint_jacobian(kinematics);
    ASSERT_GT(phi_q.norm(), 0.1) << name;
    // Lever arms of a few m, summed along at most 16 bodies.
    EXPECT_LT((phi_q - jacobians.constraints()).lpNorm<Eigen::Infinity>(), 1e-13) << name;
  }
}

TEST(constraint_jacobian, lets_a_large_loop_be_built) {
  // The Jacobians of 20000 bodies would be 19 GB each.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop:20001");
  EXPECT_EQ(mechanism.body_count(), 20'000);
}

}  // namespace
}  // namespace mbdbench
