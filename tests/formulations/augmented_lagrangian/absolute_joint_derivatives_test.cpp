/// \file
/// Derivatives of dca-alm by all fourteen numbers of every body and by parameters, where joints of every kind close
/// loops, where these are driven, and under loads of every kind: against differences of its own right-hand sides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/formulations/augmented_lagrangian/absolute_cases.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/held_block.hpp"

namespace mbdbench {
namespace {

/// The held block, whose joint moves along one of its components from where its frames meet.
MechanismDescription driven_block(JointType type, int component) {
  MechanismDescription description = test::held_block(type);
  JointDescription hold = description.joints.back();
  description.joints.pop_back();
  const Mechanism apart(description);
  Kinematics kinematics(apart);
  kinematics.set_positions(view(apart.q0()));
  const BodyKinematics& arm = kinematics.body(0);
  const BodyKinematics& block = kinematics.body(1);
  const auto quaternion_of = [](const Eigen::Vector4d& e) { return Eigen::Quaterniond(e[0], e[1], e[2], e[3]); };
  const Vec3 end = block.com + block.rotation * (hold.frame_b.position - description.bodies[1].com);
  const Eigen::Quaterniond axes =
      Eigen::Quaterniond(Mat3(arm.rotation.transpose() * block.rotation)) * quaternion_of(hold.frame_b.rotation);
  hold.frame_a.position = arm.rotation.transpose() * (end - arm.com) + description.bodies[0].com;
  hold.frame_a.rotation = Eigen::Vector4d(axes.w(), axes.x(), axes.y(), axes.z());
  hold.q0.assign(static_cast<std::size_t>(position_count(type)), 0.0);
  hold.motions = {{component, "0.4*sin(2*t) + 0.3*t", "0.8*cos(2*t) + 0.3", "-1.6*sin(2*t)"}};
  description.joints.push_back(hold);
  return description;
}

TEST(AbsoluteJointDerivatives, OfCutJointsWithoutCoordinates) {
  RandomSource random(test::seed_of_run(29));
  for (const JointType type :
       {JointType::point_on_line, JointType::point_on_plane, JointType::distance, JointType::revolute_spherical}) {
    const Mechanism mechanism(test::held_block(type));
    ASSERT_EQ(mechanism.cut_joints().size(), 1U) << to_string(type);
    SCOPED_TRACE(to_string(type));
    for (const char* const options : {test::kConverged, test::kCutOff}) {
      test::compare_state(mechanism, {"dca-alm", options}, 1e-3, test::kOfDifferences, random);
      EXPECT_GE(test::compare_parameters(mechanism, {"dca-alm", options}, test::kOfDifferences, random), 2U);
    }
  }
}

TEST(AbsoluteJointDerivatives, OfCutJointsThatAreDriven) {
  RandomSource random(test::seed_of_run(31));
  struct Drive {
    JointType type;
    int component;
  };
  for (const auto& [type, component] :
       {Drive{JointType::prismatic, 0}, Drive{JointType::cylindrical, 0}, Drive{JointType::cylindrical, 1},
        Drive{JointType::planar, 0}, Drive{JointType::planar, 1}, Drive{JointType::planar, 2},
        Drive{JointType::revolute, 0}}) {
    const Mechanism mechanism(driven_block(type, component));
    ASSERT_TRUE(mechanism.drives_cut_joints()) << to_string(type);
    SCOPED_TRACE(fmt::format("{}, component {}", to_string(type), component));
    test::compare_state(mechanism, {"dca-alm", test::options_of(mechanism)}, 1e-3, test::kOfDifferences, random);
    test::compare_state(mechanism, {"dca-alm", test::kCutOff}, 1e-3, test::kOfDifferences, random);
  }
}

/// No seeds of the run: others would meet kinks of tables or edges of stops within the steps of differences.
TEST(AbsoluteJointDerivatives, UnderLoadsOfEveryKind) {
  struct Load {
    const char* name;
    void (*add)(RandomSource&, MechanismDescription&);
    std::size_t (*count)(const MechanismDescription&);
  };
  const auto names = {
      Load{"bushings",
           [](RandomSource& random, MechanismDescription& description) { test::add_bushings(random, description); },
           [](const MechanismDescription& description) { return description.bushings.size(); }},
      Load{"friction",
           [](RandomSource& random, MechanismDescription& description) { test::add_friction(random, description); },
           [](const MechanismDescription& description) { return description.joint_frictions.size(); }},
      Load{"stops",
           [](RandomSource& random, MechanismDescription& description) { test::add_stops(random, description); },
           [](const MechanismDescription& description) { return description.joint_stops.size(); }}};
  int compared = 0;
  for (const Load& load : names) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      RandomSource random(static_cast<std::int64_t>(seed));
      for (const std::string& key : {fmt::format("random_tree:seed={},bodies=4", seed),
                                     fmt::format("random_closed:seed={},bodies=4,cuts=1", seed)}) {
        const Mechanism made = test::absolute_named(key);
        if (made.generic_rank().overconstrained || !made.held_by_velocity().empty()) {
          continue;
        }
        MechanismDescription description = made.description();
        load.add(random, description);
        ASSERT_GT(load.count(description), 0U) << load.name << ", " << key;
        const Mechanism mechanism(description);
        SCOPED_TRACE(fmt::format("{} on {}", load.name, key));
        const test::AbsoluteVariant variant{"dca-alm", test::options_of(mechanism)};
        test::compare_state(mechanism, variant, 1e-3, test::kOfDifferences, random);
        if (mechanism.cut_joints().empty()) {  // springs in cut joints are no parameters
          EXPECT_GT(test::compare_parameters(mechanism, variant, test::kOfDifferences, random), 4U);
        }
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace mbdbench
