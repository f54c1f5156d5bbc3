// aba and naudet in link frames: random geometry, parallel and almost parallel axes, axes along the chain, branching,
// many bases, all joint types, prescribed motions and loads, against the dense reference and against their own path in
// world axes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "formulations/recursion/links/link_tree.hpp"
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

TEST(link_tree, random_geometry_agrees_with_the_dense_reference) {
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
        worst = std::max(worst, share_of_rounding(key, mechanism, family.name));
      }
      // Both sides lose about n eps cond(M); a wrong term gives 1e-3 of the value, far above.
      EXPECT_LT(worst, 1.0) << key << ", " << family.name;
      fmt::print("{:8} {:22} worst error {:.2f} of n eps cond(M)\n", key, family.name, worst);
    }
  }
}

TEST(link_tree, runs_start_where_a_link_has_no_frame_left_or_feet_lead_far_away) {
  const LinkTree chain(random_revolute_tree(3, 20, 0.0, leave));
  EXPECT_EQ(chain.runs().size(), 1U);
  const LinkTree lined_up(random_revolute_tree(3, 20, 0.0, line_up));
  ASSERT_GT(lined_up.runs().size(), 1U);
  EXPECT_NE(lined_up.runs()[1].start.d, 0.0);
  const LinkTree branched(random_revolute_tree(2, 20, 0.8, leave));
  ASSERT_GT(branched.runs().size(), 3U);
  double turned = 0.0;
  for (const LinkRun& run : branched.runs()) {
    turned = std::max(turned, std::abs(run.start.sin_beta * run.start.d));
  }
  EXPECT_GT(turned, 1e-3);
}

TEST(link_tree, general_path_gives_the_same) {
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

/// Every joint becomes one of the given types, at random; loads in joints and prescribed motions as asked for.
Mechanism random_joints(std::uint64_t seed, int bodies, std::span<const JointType> types, bool loaded, bool driven) {
  RandomSource types_of(static_cast<std::int64_t>(seed) + 1000);
  return random_revolute_tree(seed, bodies, 0.4, [&](MechanismDescription& description, RandomSource& random) {
    for (std::size_t k = 0; k < description.joints.size(); ++k) {
      JointDescription& joint = description.joints[k];
      joint.type = types[types_of.index(types.size())];
      Vec3 across = Vec3::Zero();
      while (across.norm() < 1e-3) {  // the axis may have come from the same numbers
        across = joint.axis.cross(random.point(1.0));
      }
      joint.axis2 = across.normalized();
      joint.pitch = joint.type == JointType::screw ? -0.4 : 0.0;
      joint.q0.clear();
      joint.v0.clear();
      for (int i = 0; i < velocity_count(joint.type); ++i) {
        joint.v0.push_back(random.uniform(-1.0, 1.0));
      }
      const bool quaternion = has_quaternion(joint.type);
      if (quaternion) {
        const Eigen::Vector4d e = random.quaternion();
        joint.q0.assign(e.data(), e.data() + 4);
      }
      while (static_cast<int>(joint.q0.size()) < position_count(joint.type)) {
        joint.q0.push_back(random.uniform(-2.0, 2.0));
      }
      if (joint.type == JointType::fixed) {
        continue;
      }
      const int component = static_cast<int>(random.index(static_cast<std::size_t>(velocity_count(joint.type))));
      if (driven && !quaternion && random.chance(0.4)) {
        joint.q0[static_cast<std::size_t>(component)] = 0.3;
        joint.v0[static_cast<std::size_t>(component)] = 0.7;
        joint.motions.push_back({component, "0.3 + 0.7 * t + 0.2 * t^2", "0.7 + 0.4 * t", "0.4"});
      }
      if (loaded) {
        const std::string number = std::to_string(k);
        description.joint_loads.push_back(
            {"load" + number, joint.name, component,
             ExpressionLaw{quaternion ? "cos(t) - 0.3 * v" : "cos(t) - 0.3 * v + 0.1 * q"}});
        if (!quaternion) {
          description.joint_springs.push_back({"spring" + number, joint.name, component, 3.0, 0.4, 0.1});
        }
      }
    }
  });
}

TEST(link_tree, every_joint_type_alone_and_mixed_agrees_with_the_dense_reference) {
  std::vector<std::pair<std::string, std::vector<JointType>>> families;
  for (const JointType type : kAllJointTypes) {
    // With revolute ones beside them, so that rows follow one another in both orders.
    families.push_back({fmt::format("{} and revolute", to_string(type)), {type, JointType::revolute}});
    families.push_back({std::string(to_string(type)), {type}});
  }
  families.push_back({"robots", {JointType::revolute, JointType::prismatic, JointType::free}});
  families.push_back({"all", {kAllJointTypes.begin(), kAllJointTypes.end()}});
  const std::uint64_t first_seed = test::seed_of_run(300U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  for (const auto& [name, types] : families) {
    for (const std::string_view key : {"aba", "naudet"}) {
      double worst = 0.0;
      for (std::uint64_t i = 0; i < 20; ++i) {
        const int bodies = 1 + static_cast<int>(i * 7 % 19);
        const Mechanism mechanism = random_joints(first_seed + i, bodies, types, i % 2 == 1, i % 4 >= 2);
        if (mechanism.u_size() > 0) {
          worst = std::max(worst, share_of_rounding(key, mechanism, name));
        }
      }
      // As above: a wrong term gives 1e-3 of the value.
      EXPECT_LT(worst, 1.0) << key << ", " << name;
      fmt::print("{:8} {:26} worst error {:.2f} of n eps cond(M)\n", key, name, worst);
    }
  }
}

TEST(link_tree, rows_are_lean_where_the_joints_allow_it) {
  // A free base carries arms of turns; fixed bodies, and joints to them, cost no rows.
  const std::vector<JointType> robot = {JointType::revolute, JointType::fixed};
  const Mechanism mechanism = random_joints(5, 20, robot, true, false);
  const LinkTree tree(mechanism);
  EXPECT_EQ(tree.size(), static_cast<std::size_t>(mechanism.u_size()));
  EXPECT_LT(tree.size(), 20U);
  for (const LinkSegment& segment : tree.segments()) {
    EXPECT_EQ(segment.kind, RowKind::revolute);
  }
  // The masses that were merged are all there.
  double mass = 0.0;
  double on_rows = 0.0;
  for (int k = 0; k < mechanism.body_count(); ++k) {
    mass +=
        tree.bodies()[static_cast<std::size_t>(k)].row < 0 ? 0.0 : mechanism.bodies()[static_cast<std::size_t>(k)].mass;
  }
  for (const kernels::LinkConstants<double>& link : tree.links()) {
    on_rows += link.mass;
  }
  EXPECT_NEAR(on_rows, mass, 1e-14 * mass);
}

TEST(link_tree, positions_beyond_the_first_turn_and_huge_angles) {
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

TEST(link_tree, single_links_report_what_is_not_a_number) {
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
