// Exact derivatives where loads of all kinds act: springs between points, bushings, loads on bodies, formulas of joints
// and markers, tables over a joint's own state, friction, stops. Against differences of each formulation's own
// right-hand sides, closed forms where they are simple, forward against reverse, and which mechanisms have none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using test::Variant;

constexpr Variant kOfTrees[] = {{"aba", ""},      {"naudet", ""},      {"naudet-acc", ""},
                                {"bae-haug", ""}, {"dense", ""},       {"dense-momentum", "gauge=none"},
                                {"hdca", ""},     {"dca", "leaf=body"}};
constexpr Variant kOfLoops[] = {{"dense", ""},          {"dense", "projection=off"},
                                {"bae-haug", ""},       {"bae-haug", "projection=off"},
                                {"dense-momentum", ""}, {"dense-momentum", "gauge=none"},
                                {"hdca", ""},           {"hdca", "gauge=none"},
                                {"hdca", "leaf=body"},  {"dca", "leaf=body"}};

/// All kinds of loads.
Mechanism with_all_loads(const Mechanism& made, RandomSource& random) {
  MechanismDescription description = made.description();
  test::add_bushings(random, description);
  test::add_stops(random, description);
  test::add_friction(random, description);
  return Mechanism(description);
}

/// Near the start, where no coordinate comes near the edge of a stop.
void expect_derivatives(const Mechanism& mechanism, const Variant& variant, RandomSource& random,
                        const std::string& what, int& treated) {
  const auto formulation = test::make(variant.key, mechanism, variant.options);
  if (!formulation->without_jacobian().empty()) {
    EXPECT_TRUE(test::may_have_none(variant)) << what << ": " << formulation->without_jacobian();
    return;
  }
  const std::vector<double> x = test::state_beside(*formulation, random, 0.01);
  const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
  // Differences keep 1e-9 of what cancels in them; less across the kink of a table, as another step shows.
  EXPECT_LT(test::error_beside_differences(variant.key, mechanism, x, variant.options, rows), 1e-6) << what;
  test::expect_products(*formulation, x, rows, random, what);
  ++treated;
}

TEST(load_derivatives, agree_with_differences_on_trees) {
  // Seeds of a run of its own would meet kinks of tables within the steps of differences.
  constexpr std::uint64_t kFirst = 1;
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = kFirst; seed < kFirst + test::extent(12); ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism mechanism = with_all_loads(
          test::loop_named(fmt::format("random_tree:seed={},bodies=6,motions={}", seed, seed % 2)), random);
      for (const Variant& variant : kOfTrees) {
        expect_derivatives(mechanism, variant, random,
                           fmt::format("{}[{}], seed {}, {}", variant.key, variant.options, seed, set.name), treated);
      }
    }
  }
  EXPECT_GE(treated, static_cast<int>(test::extent(70)));
}

TEST(load_derivatives, agree_with_differences_on_loops) {
  constexpr std::uint64_t kFirst = 1;  // as above
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = kFirst; seed < kFirst + test::extent(20); ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      const Mechanism made =
          test::loop_named(fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 4 + seed % 5, 1 + seed % 3));
      if (!made.held_by_velocity().empty() || !test::is_free_beside(made)) {
        continue;
      }
      const Mechanism mechanism = with_all_loads(made, random);
      for (const Variant& variant : kOfLoops) {
        if (!test::is_compromise(variant, mechanism)) {
          expect_derivatives(mechanism, variant, random,
                             fmt::format("{}[{}], seed {}, {}", variant.key, variant.options, seed, set.name), treated);
        }
      }
    }
  }
  EXPECT_GE(treated, static_cast<int>(test::extent(70)));
}

/// The coordinate of a screw is an angle; how far it slid tells the whole turns alone. Both agree on the thread, and
/// beside it they do not.
TEST(load_derivatives, of_a_spring_in_a_screw_that_closes_a_loop_are_those_of_an_angle) {
  int treated = 0;
  for (const char* const key :
       {"random_closed:seed=103,bodies=7,cuts=2,screws=1", "random_closed:seed=587,bodies=6,cuts=3,screws=1"}) {
    MechanismDescription description = test::loop_named(key).description();
    const std::vector<JointSpringDescription> springs = description.joint_springs;
    description = test::unloaded(description);
    std::copy_if(springs.begin(), springs.end(), std::back_inserter(description.joint_springs),
                 [](const JointSpringDescription& spring) { return spring.joint == "cut1"; });
    ASSERT_EQ(description.joint_springs.size(), 1U) << key;
    const Mechanism mechanism(description);
    ASSERT_EQ(mechanism.cut_joints().front().type, JointType::screw);
    RandomSource random(7);
    for (const Variant& variant : kOfLoops) {
      if (!test::is_compromise(variant, mechanism)) {
        expect_derivatives(mechanism, variant, random, fmt::format("{}[{}] on {}", variant.key, variant.options, key),
                           treated);
      }
    }
  }
  EXPECT_GE(treated, 10);
}

MechanismDescription sliding_mass() {
  MechanismDescription description;
  description.name = "sliding mass";
  description.gravity = Vec3::Zero();
  description.bodies.push_back({"mass", 2.0, Vec3::Zero(), Mat3::Identity()});
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.b = "mass";
  slide.axis = Vec3::UnitX();
  description.joints.push_back(slide);
  return description;
}

/// x'' of a mass that slides past the fixed end of a spring with a damper, by x and by x'.
TEST(load_derivatives, of_a_spring_between_points_have_the_digits_of_their_closed_form) {
  constexpr double kMass = 2.0, kAside = 0.7, kStiffness = 30.0, kDamping = 4.0, kRest = 0.4;
  MechanismDescription description = sliding_mass();
  description.point_springs.push_back(
      {"spring", kGround, "mass", Vec3(0.0, kAside, 0.0), Vec3::Zero(), kStiffness, kDamping, kRest});
  const Mechanism mechanism(description);
  for (const double place : {-1.3, 0.0, 0.4}) {
    const std::vector<double> x = {place, 1.7};
    const double length = std::hypot(place, kAside);
    const double share = place / length;  // of the spring along the slide
    const double share_slope = kAside * kAside / std::pow(length, 3);
    // -x'' m = k (x - L_0 x / L) + c (x / L)^2 x'
    const double by_place = -(kStiffness * (1.0 - kRest * share_slope) + kDamping * 2.0 * share * share_slope * x[1]);
    const double by_speed = -kDamping * share * share;
    for (const char* const key : {"aba", "dense", "bae-haug"}) {
      const Eigen::MatrixXd rows = test::jacobian(*test::make(key, mechanism), x);
      EXPECT_NEAR(rows(1, 0), by_place / kMass, 1e-13 * kStiffness) << key << ", " << place;
      EXPECT_NEAR(rows(1, 1), by_speed / kMass, 1e-13 * kDamping) << key << ", " << place;
    }
    // p' is m x'', and x' is p / m.
    const Eigen::MatrixXd rows = test::jacobian(*test::make("naudet", mechanism), {place, kMass * x[1]});
    EXPECT_NEAR(rows(1, 0), by_place, 1e-13 * kStiffness) << place;
    EXPECT_NEAR(rows(1, 1), by_speed / kMass, 1e-13 * kDamping) << place;
  }
}

/// A spring without a length of its own is linear, also where its ends meet; with one it has no direction there.
TEST(load_derivatives, of_a_spring_whose_ends_meet_are_there_where_they_exist) {
  for (const double rest : {0.0, 0.4}) {
    MechanismDescription description = sliding_mass();
    description.point_springs.push_back({"spring", kGround, "mass", Vec3::Zero(), Vec3::Zero(), 30.0, 0.0, rest});
    const Mechanism mechanism(description);
    const auto formulation = test::make("aba", mechanism);
    std::vector<double> rows(4);
    const RhsStatus status = formulation->jacobian(0.3, std::vector{0.0, 1.0}, rows);
    EXPECT_EQ(status.ok, rest == 0.0);
    if (status.ok) {
      EXPECT_NEAR(rows[2], -15.0, 1e-13);
    } else {
      EXPECT_NE(status.message().find("not finite"), std::string::npos) << status.message();
    }
  }
}

/// Along one axis a bushing is a spring; the ground's axes and a turn of more than a right angle change nothing in it.
TEST(load_derivatives, of_a_bushing_about_one_axis_are_its_coefficients) {
  MechanismDescription description = sliding_mass();
  description.joints[0].type = JointType::revolute;
  BushingDescription bushing;
  bushing.name = "bushing";
  bushing.body2 = "mass";
  bushing.rotational_stiffness = Vec3(7.0, 1.0, 2.0);
  bushing.rotational_damping = Vec3(0.5, 3.0, 4.0);
  description.bushings.push_back(bushing);
  const Mechanism mechanism(description);
  for (const double angle : {0.0, 1e-9, 0.05, 1.0, 2.5}) {
    const Eigen::MatrixXd rows = test::jacobian(*test::make("aba", mechanism), {angle, 0.3});
    EXPECT_NEAR(rows(1, 0), -7.0, 1e-13 * 7.0) << angle;
    EXPECT_NEAR(rows(1, 1), -0.5, 1e-13) << angle;
  }
}

/// Loads on bodies turn with these, or not; what a table over time says is a constant here.
TEST(load_derivatives, of_a_force_on_a_pendulum_have_the_digits_of_their_closed_form) {
  for (const bool in_body_axes : {false, true}) {
    MechanismDescription description = sliding_mass();
    description.joints[0].type = JointType::revolute;
    description.joints[0].axis = Vec3::UnitZ();
    BodyLoadDescription load;
    load.name = "push";
    load.body = "mass";
    load.point = Vec3(1.5, 0.0, 0.0);
    load.in_body_axes = in_body_axes;
    load.force = {ConstantLaw{0.0}, TableLaw{"t", {0.0, 1.0}, {0.0, 10.0}}, ConstantLaw{1.0}};
    description.body_loads.push_back(load);
    const Mechanism mechanism(description);
    const Eigen::MatrixXd rows = test::jacobian(*test::make("aba", mechanism), {0.8, 0.3});
    // 3 N across: of 1.5 m the torque is 4.5 cos(q) in the world's axes, 4.5 in the body's.
    EXPECT_NEAR(rows(1, 0), in_body_axes ? 0.0 : -4.5 * std::sin(0.8), 1e-14);
    EXPECT_NEAR(rows(1, 1), 0.0, 1e-14);
  }
}

/// A body that floats: forces along the axes of its free joint depend on its displacements.
TEST(load_derivatives, of_displacements_of_a_free_joint_have_the_digits_of_their_closed_form) {
  constexpr double kMass = 2.0;
  MechanismDescription description;
  description.name = "floating mass";
  description.gravity = Vec3::Zero();
  description.bodies.push_back({"mass", kMass, Vec3::Zero(), Mat3::Identity()});
  JointDescription joint;
  joint.name = "base";
  joint.type = JointType::free;
  joint.b = "mass";
  joint.q0 = {1.0, 0.0, 0.0, 0.0, 0.3, -0.4, 0.5};
  description.joints.push_back(joint);
  for (int i = 0; i < 3; ++i) {
    description.joint_loads.push_back(
        {fmt::format("push{}", i + 1), "base", 3 + i, ExpressionLaw{"-3 * q_base_5^2 + 5 * q_base_6 * q_base_7"}});
  }
  const Mechanism mechanism(description);
  const std::vector<double> x = {0.6, 0.0, 0.8, 0.0, 0.3, -0.4, 0.5, 0.0, 0.0, 0.0, 0.1, 0.2, -0.3};
  for (const char* const key : {"aba", "dense", "bae-haug"}) {
    const Eigen::MatrixXd rows = test::jacobian(*test::make(key, mechanism), x);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(rows(10 + i, 4), -6.0 * x[4] / kMass, 1e-14) << key << ' ' << i;
      EXPECT_NEAR(rows(10 + i, 5), 5.0 * x[6] / kMass, 1e-14) << key << ' ' << i;
      EXPECT_NEAR(rows(10 + i, 6), 5.0 * x[5] / kMass, 1e-14) << key << ' ' << i;
    }
  }
}

/// Forces in joints of trees and loops that float, of displacements of their base.
TEST(load_derivatives, know_displacements_of_free_joints) {
  int treated = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    MechanismDescription description =
        test::loop_named(fmt::format("random_tree:seed={},bodies=5,loads=0", seed)).description();
    const auto base = std::find_if(description.joints.begin(), description.joints.end(),
                                   [](const auto& one) { return one.type == JointType::free; });
    if (base == description.joints.end()) {
      continue;
    }
    const std::string formula = fmt::format("2 * q_{0}_5 - 3 * sin(q_{0}_6) * q_{0}_7", base->name);
    description.joint_loads.push_back({"motor", description.joints.front().name, 0, ExpressionLaw{formula}});
    description.joint_loads.push_back({"drag", base->name, 4, ExpressionLaw{formula}});
    const Mechanism mechanism(description);
    for (const Variant& variant : kOfTrees) {
      expect_derivatives(mechanism, variant, random, fmt::format("{}[{}], seed {}", variant.key, variant.options, seed),
                         treated);
    }
  }
  EXPECT_GE(treated, 20);
}

/// A formula sees a quaternion of length 1, whatever the state has.
TEST(load_derivatives, know_components_of_quaternions) {
  int treated = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomSource random(static_cast<std::int64_t>(seed));
    MechanismDescription description =
        test::loop_named(fmt::format("random_{}:seed={},bodies=5,loads=0", seed % 3 == 0 ? "closed" : "tree", seed))
            .description();
    const auto ball = std::find_if(description.joints.begin(), description.joints.end(),
                                   [](const auto& one) { return !one.cut && has_quaternion(one.type); });
    if (ball == description.joints.end()) {
      continue;
    }
    const std::string formula = fmt::format("2 * q_{0} - 3 * sin(q_{0}_2) * q_{0}_4 + q_{0}_3^2", ball->name);
    description.joint_loads.push_back({"motor", description.joints.front().name, 0, ExpressionLaw{formula}});
    description.joint_loads.push_back({"brake", ball->name, 1, ExpressionLaw{formula + " * v"}});
    const Mechanism mechanism(description);
    const bool open = mechanism.cut_joints().empty();
    if (!open && !test::is_free_beside(mechanism)) {
      continue;
    }
    for (const Variant& variant : open ? std::span<const Variant>(kOfTrees) : std::span<const Variant>(kOfLoops)) {
      if (open || !test::is_compromise(variant, mechanism)) {
        expect_derivatives(mechanism, variant, random,
                           fmt::format("{}[{}], seed {}", variant.key, variant.options, seed), treated);
      }
    }
    const auto dense = test::make("dense", mechanism);
    Eigen::VectorXd x(static_cast<Eigen::Index>(dense->state_size()));
    ASSERT_TRUE(dense->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), view(x)).ok);
    Eigen::VectorXd longer = x;
    const int at = mechanism.joint(*mechanism.find_joint(ball->name)).q_offset;
    longer.segment(at, 4) *= 1.01;
    Eigen::VectorXd rates(x.size());
    Eigen::VectorXd same(x.size());
    ASSERT_TRUE(dense->rhs(0.0, view(std::as_const(x)), view(rates)).ok);
    ASSERT_TRUE(dense->rhs(0.0, view(std::as_const(longer)), view(same)).ok);
    const Eigen::Index nu = mechanism.u_size();
    EXPECT_LE((rates - same).tail(nu).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + rates.cwiseAbs().maxCoeff())) << seed;
  }
  EXPECT_GE(treated, 20);
}

TEST(load_derivatives, are_there_for_the_whole_catalogue) {
  for (const MechanismEntry& entry : mechanism_registry()) {
    const Mechanism mechanism = test::loop_named(std::string(entry.key));
    if (mechanism.body_count() > 300) {
      continue;
    }
    for (const char* const key : {"bae-haug", "dense-momentum", "hdca"}) {
      const FormulationEntry& formulation_entry = *find_formulation(formulation_registry(), key);
      if (!refusal_of(formulation_entry, mechanism).empty()) {
        continue;
      }
      const std::string why = test::make(key, mechanism)->without_jacobian();
      EXPECT_EQ(why, "") << key << " on " << entry.key;
    }
  }
}

TEST(load_derivatives, say_which_load_has_none) {
  const auto reason = [](MechanismDescription description) {
    return test::make("dense", Mechanism(std::move(description)))->without_jacobian();
  };
  MechanismDescription chain = test::loop_named("pendulum:3").description();
  std::string formula = "1";
  for (int i = 0; i < 300; ++i) {
    formula += " * q_joint2";  // the product rule writes out more than is read
  }
  chain.joint_loads.push_back({"motor", "joint1", 0, ExpressionLaw{formula}});
  EXPECT_NE(reason(chain).find("load 'motor'"), std::string::npos) << reason(chain);
  EXPECT_EQ(test::make("aba", Mechanism(chain))->without_jacobian(), reason(chain)) << "trees have the same";
  EXPECT_NE(reason(chain).find("letters"), std::string::npos) << reason(chain);
}

}  // namespace
}  // namespace mbdbench
