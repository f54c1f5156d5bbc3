// bae-haug in link frames: what it gives in world axes, for every instruction set, and what it leaves to those.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "formulations/closed_links/closed_links.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/execution_restored.hpp"

namespace mbdbench {
namespace {

Mechanism made(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// \returns the larger error of x' in link frames, against world axes, near the start: loops drift open by 1e-9 and
/// velocities leave the constraints.
double error_beside_world_axes(const Mechanism& mechanism, const std::string& options, std::int64_t seed) {
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-9);
  const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
  const test::Evaluation links = test::evaluate_at(*test::make("bae-haug", mechanism, options), 0.3, q, u);
  const test::Evaluation world =
      test::evaluate_at(*test::make("bae-haug", mechanism, options + ",kernel=general"), 0.3, q, u);
  EXPECT_TRUE(links.status.ok) << links.status.message();
  EXPECT_TRUE(world.status.ok) << world.status.message();
  return test::block_error(links.xdot, world.xdot);
}

TEST(closed_links, give_what_world_axes_give) {
  double worst = 0.0;
  int compared = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const std::string key = fmt::format("random_closed:seed={},bodies={},cuts={},loads={}", 300 + seed, 5 + seed % 11,
                                        1 + seed % 3, seed % 2);
    const Mechanism mechanism = made(key);
    if (!refuse_closed_links(mechanism).empty()) {
      continue;
    }
    for (const char* options : {"projection=on", "projection=off", "alpha=3,beta=5"}) {
      const double error = error_beside_world_axes(mechanism, options, seed);
      // Singular values of Phi_q differ by up to 1e3 here and the mass matrix adds about as much: eps times their
      // product, as against the dense reference (bae_haug_test).
      EXPECT_LT(error, 1e-9) << key << ' ' << options;
      worst = std::max(worst, error);
      ++compared;
    }
  }
  fmt::print("{} right-hand sides of random closed mechanisms: worst relative difference {:.1e}\n", compared, worst);
  EXPECT_GT(compared, 90);
}

TEST(closed_links, every_instruction_set_gives_the_same) {
  const test::ExecutionRestored restored;
  int sets = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    use_instruction_set(set.name);
    ++sets;
    // A loop on a loop, a redundant spatial one, spherical cuts, loops that share links, a free base, a tree.
    for (const char* key : {"double_loop", "bricard", "random_closed:seed=3,bodies=30,cuts=4", "rings:3", "ladder:4",
                            "squeezer", "biped", "quadruped", "random_tree:seed=5,bodies=14,loads=1"}) {
      // Conditions up to 1e4 times eps and the two orders of summation.
      EXPECT_LT(error_beside_world_axes(made(key), "projection=on", 4), 1e-10) << key << " with " << set.name;
    }
  }
  EXPECT_GE(sets, 1);
}

TEST(closed_links, prescribed_motions_couplings_and_screws_take_the_way_in_world_axes) {
  EXPECT_EQ(refuse_closed_links(made("four_bar")), "");
  EXPECT_EQ(refuse_closed_links(made("humanoid")), "");
  MechanismDescription driven = made("pendulum:3").description();
  driven.joints.front().motions = {{0, "sin(t)", "cos(t)", "-sin(t)"}};
  driven.joints.front().q0 = {0.0};
  driven.joints.front().v0 = {1.0};
  EXPECT_EQ(refuse_closed_links(Mechanism(driven)), "there are prescribed motions");
  MechanismDescription screwed = made("pendulum:3").description();
  screwed.joints.back().type = JointType::screw;
  screwed.joints.back().pitch = 0.1;
  EXPECT_EQ(refuse_closed_links(Mechanism(screwed)), "there are screws");
}

TEST(closed_links, what_is_not_finite_is_told_by_its_joint) {
  const Mechanism mechanism = made("double_loop");
  const auto formulation = test::make("bae-haug", mechanism);
  std::vector<double> x(formulation->state_size());
  std::vector<double> xdot(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> spoilt = x;
    spoilt[i] = std::numeric_limits<double>::quiet_NaN();
    const RhsStatus status = formulation->rhs(0.0, spoilt, xdot);
    EXPECT_FALSE(status.ok) << "component " << i;
    EXPECT_FALSE(status.joint.empty()) << "component " << i;
  }
}

}  // namespace
}  // namespace mbdbench
