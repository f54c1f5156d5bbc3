// The short path of aba and naudet for revolute trees: random geometry, parallel and almost parallel axes, axes along
// the chain, branching, many bases, against the dense reference and against their own general path.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "formulations/recursion/revolute_tree.hpp"
#include "formulations/recursion/sines.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// \returns a random tree whose joints are all revolute, changed by `change` before it is checked.
Mechanism random_revolute_tree(std::uint64_t seed, int bodies, double branching,
                               const std::function<void(MechanismDescription&, RandomSource&)>& change) {
  const std::string key = fmt::format("random_tree:seed={},bodies={},branching={},loads=0", seed, bodies, branching);
  MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
  RandomSource random(static_cast<std::int64_t>(seed));
  for (JointDescription& joint : description.joints) {
    joint.type = JointType::revolute;
    joint.q0 = {random.uniform(-3.0, 3.0)};
    joint.v0 = {random.uniform(-1.0, 1.0)};
  }
  change(description, random);
  return Mechanism(description);
}

void leave(MechanismDescription& /*description*/, RandomSource& /*random*/) {}

/// All joint axes point the same way at q = 0, up to `tilt`.
void align_axes(MechanismDescription& description, RandomSource& random, double tilt) {
  for (JointDescription& joint : description.joints) {
    joint.axis = (Vec3::UnitX() + tilt * random.point(1.0)).normalized();
    joint.frame_a.rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
    joint.frame_b.rotation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
  }
}

/// Joints follow one another along the common axis: feet of the outermost joint would lie one chain away.
void line_up(MechanismDescription& description, RandomSource& random) {
  align_axes(description, random, 0.0);
  for (JointDescription& joint : description.joints) {
    joint.frame_a.position = Vec3(1.0, 0.1, 0.0);
    joint.frame_b.position = Vec3::Zero();
  }
}

/// Largest errors of q' and of the rates against the dense reference, in units of n eps cond(M).
double share_of_rounding(std::string_view key, const Mechanism& mechanism, const std::string& label) {
  const FormulationEntry& entry = *find_formulation(formulation_registry(), key);
  const auto formulation = test::make(key, mechanism);
  const auto reference = test::make(test::reference_of(entry), mechanism);
  const test::Evaluation expected = test::evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
  std::vector<double> xdot(formulation->state_size());
  EXPECT_TRUE(expected.status.ok) << label;
  EXPECT_TRUE(formulation->rhs(0.0, expected.x, xdot).ok) << label;
  const auto split = static_cast<std::size_t>(mechanism.q_size());
  const double error =
      std::max(test::block_error(std::span(xdot).first(split), std::span(expected.xdot).first(split)),
               test::block_error(std::span(xdot).subspan(split), std::span(expected.xdot).subspan(split)));
  const double rounding = std::max(1e-12, std::numeric_limits<double>::epsilon() * mechanism.u_size() *
                                              test::mass_condition(mechanism, mechanism.q0()));
  return error / rounding;
}

TEST(revolute_tree, random_geometry_agrees_with_the_dense_reference) {
  struct Family {
    const char* name;
    std::function<void(MechanismDescription&, RandomSource&)> change;
  };
  const std::vector<Family> families = {
      {"skew axes", leave},
      {"parallel axes", [](auto& description, auto& random) { align_axes(description, random, 0.0); }},
      {"axes off by 1e-14", [](auto& description, auto& random) { align_axes(description, random, 1e-14); }},
      {"axes off by 1e-9", [](auto& description, auto& random) { align_axes(description, random, 1e-9); }},
      {"axes off by 1e-4", [](auto& description, auto& random) { align_axes(description, random, 1e-4); }},
      {"axes along the chain", line_up}};
  for (const std::string_view key : {"aba", "naudet"}) {
    for (const Family& family : families) {
      double worst = 0.0;
      for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const int bodies = 1 + static_cast<int>(seed * 5 % 28);
        const double branching = seed % 3 == 0 ? 0.0 : seed % 3 == 1 ? 0.4 : 1.0;
        const Mechanism mechanism = random_revolute_tree(seed, bodies, branching, family.change);
        ASSERT_TRUE(RevoluteTree::describes(mechanism));
        worst = std::max(worst, share_of_rounding(key, mechanism, family.name));
      }
      // Both sides lose about n eps cond(M); a wrong term gives 1e-3 of the value, far above.
      EXPECT_LT(worst, 1.0) << key << ", " << family.name;
      fmt::print("{:8} {:22} worst error {:.2f} of n eps cond(M)\n", key, family.name, worst);
    }
  }
}

TEST(revolute_tree, runs_start_where_a_link_has_no_frame_left_or_feet_lead_far_away) {
  const RevoluteTree chain(random_revolute_tree(3, 20, 0.0, leave));
  EXPECT_EQ(chain.runs().size(), 1U);
  const RevoluteTree lined_up(random_revolute_tree(3, 20, 0.0, line_up));
  ASSERT_GT(lined_up.runs().size(), 1U);
  EXPECT_NE(lined_up.runs()[1].d, 0.0);
  const RevoluteTree branched(random_revolute_tree(2, 20, 0.8, leave));
  ASSERT_GT(branched.runs().size(), 3U);
  double turned = 0.0;
  for (const RevoluteRun& run : branched.runs()) {
    turned = std::max(turned, std::abs(run.sin_beta * run.d));
  }
  EXPECT_GT(turned, 1e-3);
}

TEST(revolute_tree, general_path_gives_the_same) {
  for (const std::string_view key : {"aba", "naudet"}) {
    for (const char* name : {"pendulum:9", "pendulum_xyz:9", "balanced_tree:bodies=40,branching=3", "caterpillar"}) {
      const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
      RandomSource random(17);
      const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
      const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
      const test::Evaluation links = test::evaluate_at(*test::make(key, mechanism), 0.0, q, u);
      const test::Evaluation world = test::evaluate_at(*test::make(key, mechanism, "kernel=general"), 0.0, q, u);
      // Rounding of two orders of summation times the condition of these mechanisms, below 1e4.
      EXPECT_LT(test::block_error(links.xdot, world.xdot), 1e-11) << key << " on " << name;
    }
  }
}

TEST(revolute_tree, other_mechanisms_take_the_general_path) {
  for (const char* name : {"random_tree:seed=4,loads=0", "random_tree:seed=4", "random_closed"}) {
    EXPECT_FALSE(RevoluteTree::describes(make_mechanism(mechanism_registry(), name))) << name;
  }
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  EXPECT_TRUE(RevoluteTree::describes(Mechanism(description)));
  description.joint_springs.push_back({"spring", description.joints[1].name, 0, 5.0, 0.1, 0.2});
  const Mechanism sprung(description);
  EXPECT_FALSE(RevoluteTree::describes(sprung));
  for (const std::string_view key : {"aba", "naudet"}) {
    EXPECT_LT(share_of_rounding(key, sprung, "spring"), 1.0);
  }
}

TEST(revolute_tree, positions_beyond_the_first_turn_and_huge_angles) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_yz:6");
  RandomSource random(8);
  const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
  for (const double size : {10.0, 1e4, 1e7}) {
    const Eigen::VectorXd q = size * test::random_coordinates(mechanism, random);
    for (const std::string_view key : {"aba", "naudet"}) {
      const auto reference = test::make(test::reference_of(*find_formulation(formulation_registry(), key)), mechanism);
      const test::Evaluation actual = test::evaluate_at(*test::make(key, mechanism), 0.0, q, u);
      const test::Evaluation expected = test::evaluate_at(*reference, 0.0, q, u);
      // The constant angle of a frame is added to q: eps times its size, times the condition.
      EXPECT_LT(test::block_error(actual.xdot, expected.xdot), 1e-12 + 1e-13 * size) << key << ", " << size;
    }
  }
}

TEST(sines, are_right_to_rounding) {
  RandomSource random(2);
  for (const double size : {1e-8, 1.0, 10.0, 1e3, 9.9e4, 1e12}) {
    std::vector<double> angles;
    angles.reserve(2040);
    for (int i = 0; i < 2000; ++i) {
      angles.push_back(size * random.uniform(-1.0, 1.0));
    }
    for (int i = 0; i < 40; ++i) {
      angles.push_back(std::round(angles[static_cast<std::size_t>(i)] / 1.5707963267948966) * 1.5707963267948966);
    }
    for (double& angle : angles) {
      angle = std::clamp(angle, -size, size);
    }
    std::vector<double> sines(angles.size());
    std::vector<double> cosines(angles.size());
    sines_and_cosines(angles, sines, cosines);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const double sine = std::sin(angles[i]);
      const double cosine = std::cos(angles[i]);
      // Two units in the last place, near the zeros of the functions too.
      ASSERT_NEAR(sines[i], sine, 4.5e-16 * std::abs(sine)) << angles[i];
      ASSERT_NEAR(cosines[i], cosine, 4.5e-16 * std::abs(cosine)) << angles[i];
    }
  }
}

TEST(sines, what_is_not_a_number_stays_so) {
  const std::vector<double> angles = {0.5, std::numeric_limits<double>::quiet_NaN(),
                                      std::numeric_limits<double>::infinity()};
  std::vector<double> sines(3);
  std::vector<double> cosines(3);
  sines_and_cosines(angles, sines, cosines);
  EXPECT_NEAR(sines[0], std::sin(0.5), 1e-16);
  EXPECT_TRUE(std::isnan(sines[1]) && std::isnan(cosines[1]) && std::isnan(sines[2]) && std::isnan(cosines[2]));
}

TEST(revolute_tree, single_links_report_what_is_not_a_number) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:1");
  for (const std::string_view key : {"aba", "naudet"}) {
    const auto formulation = test::make(key, mechanism);
    const std::vector<double> x = {std::numeric_limits<double>::quiet_NaN(), 0.0};
    std::vector<double> xdot(2);
    const RhsStatus status = formulation->rhs(0.0, x, xdot);
    EXPECT_FALSE(status.ok && std::isfinite(xdot[1])) << key;
    EXPECT_FALSE(status.ok) << key;
  }
}

}  // namespace
}  // namespace mbdbench
