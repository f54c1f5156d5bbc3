// Many states of mechanisms with loops at a time, where something is evaluated lane by lane: cut joints that are rods,
// points on lines and planes, screws or driven, with loads of all kinds; and mechanisms without a closed loop that take
// the same lanes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "tests/formulations/batches/loop_batches.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/added_loads.hpp"
#include "tests/support/extent.hpp"

namespace mbdbench {
namespace {

using loop_batches::BatchAnswers;
using loop_batches::closed_states;
using loop_batches::Form;
using loop_batches::in_turn;
using loop_batches::kForms;
using loop_batches::largest_difference;
using loop_batches::name_of;
using loop_batches::side_by_side;
using loop_batches::takes;

/// Joints whose rows lanes do not know, and two that may be driven.
constexpr JointType kPlacedApart[] = {
    JointType::distance, JointType::revolute_spherical, JointType::point_on_line, JointType::point_on_plane,
    JointType::screw,    JointType::cylindrical,        JointType::prismatic};

/// A frame on a body where a frame in world axes is.
JointFrame frame_at(const BodyKinematics& body, const Vec3& origin, const Mat3& axes) {
  const Eigen::Quaterniond turn(Mat3(body.rotation.transpose() * axes));
  return {body.rotation.transpose() * (origin - body.origin), Eigen::Vector4d(turn.w(), turn.x(), turn.y(), turn.z())};
}

/// A cut joint between two bodies of a tree, one of them perhaps the ground, that closes at the start.
JointDescription drawn_cut(RandomSource& random, const MechanismDescription& tree, JointType type) {
  const Mechanism mechanism(tree);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const std::size_t b = random.index(tree.bodies.size());
  const std::size_t other = random.index(tree.bodies.size());
  JointDescription cut;
  cut.name = "cut";
  cut.cut = true;
  cut.type = type;
  draw_geometry(random, cut);
  cut.pitch = type == JointType::screw ? 0.2 : 0.0;
  cut.a = other == b ? kGround : tree.bodies[other].name;
  cut.b = tree.bodies[b].name;
  const auto at = [&](const std::string& name) {
    return name == kGround ? BodyKinematics() : kinematics.body(*mechanism.find_body(name));
  };
  const BodyKinematics from = at(cut.a);
  const Eigen::Vector4d& e = cut.frame_a.rotation;
  const Mat3 axes = from.rotation * Eigen::Quaterniond(e[0], e[1], e[2], e[3]).toRotationMatrix();
  const Vec3 origin = from.origin + from.rotation * cut.frame_a.position;
  const Vec3 axis = axes * cut.axis;
  const Vec3 across = axis.unitOrthogonal();
  cut.length = has_length(type) ? random.uniform(0.3, 1.2) : 0.0;
  const double along = random.uniform(-0.8, 0.8);
  Vec3 moved = origin;
  switch (type) {
    case JointType::distance:
      moved += cut.length * random.direction();
      break;
    case JointType::revolute_spherical:
    case JointType::point_on_plane:
      moved += (type == JointType::point_on_plane ? along : cut.length) * across;
      break;
    case JointType::point_on_line:
      moved += along * axis;
      break;
    default:  // no way along the joint
      cut.q0.assign(static_cast<std::size_t>(velocity_count(type)), 0.0);
      break;
  }
  cut.frame_b = frame_at(at(cut.b), moved, axes);
  return cut;
}

/// A tree of all joints that such a cut joint closes, with loads of all kinds; some joints follow functions of time.
/// \param apart receives the type of the cut joint
std::optional<Mechanism> drawn_mechanism(std::uint64_t seed, JointType& apart) {
  RandomSource random(static_cast<std::int64_t>(seed));
  RandomTreeOptions options;
  options.bodies = 5 + static_cast<std::int64_t>(seed % 5);
  options.branching = 0.3;
  options.screws = seed % 4 == 0;
  MechanismDescription description = draw_tree(random, options);
  description.name = fmt::format("seed {}", seed);
  apart = kPlacedApart[seed % std::size(kPlacedApart)];
  description.joints.push_back(drawn_cut(random, description, apart));
  for (JointDescription& joint : description.joints) {
    joint.dependent = !joint.cut;
  }
  JointDescription& cut = description.joints.back();
  if (apart == JointType::cylindrical || apart == JointType::prismatic) {
    const int slide = apart == JointType::cylindrical ? 1 : 0;
    cut.motions.push_back({slide, "0.3*(1 - cos(3*t))", "0.9*sin(3*t)", "2.7*cos(3*t)"});
  }
  if (seed % 3 == 0) {
    add_random_loads(random, description);
  } else if (seed % 3 == 1) {
    loop_batches::add_constant_loads(random, description);
  }
  if (seed % 5 == 0) {
    loop_batches::prescribe_a_motion(description);
  }
  try {
    return Mechanism(std::move(description));
  } catch (const ModelError&) {  // a drive that the loop cannot follow
    return std::nullopt;
  }
}

TEST(lanes_apart, rods_points_screws_and_driven_slides_give_the_answers_of_one_state_at_a_time) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(42) - 1);
  std::array<std::size_t, std::size(kForms)> in_lanes{};
  std::array<std::size_t, std::size(kForms)> asked{};
  std::array<int, std::size(kPlacedApart)> drawn{};
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + test::extent(42); ++seed) {
      JointType apart{};
      const std::optional<Mechanism> mechanism = drawn_mechanism(seed, apart);
      if (!mechanism || mechanism->generic_rank().overconstrained) {
        continue;
      }
      ++drawn[seed % std::size(kPlacedApart)];
      const std::size_t count = 1 + seed % 7;
      for (std::size_t k = 0; k < std::size(kForms); ++k) {
        for (const double drift : {0.0, 1e-6}) {
          const std::size_t own = loop_batches::expect_answers_in_turn(
              *mechanism, fmt::format("{}, {}", mechanism->name(), set.name), count, drift, kForms[k]);
          in_lanes[k] += own;
          asked[k] += takes(kForms[k], *mechanism) ? count : 0;
        }
      }
    }
  }
  for (std::size_t k = 0; k < std::size(kForms); ++k) {
    fmt::print("{}: {} of {} states in lanes\n", name_of(kForms[k]), in_lanes[k], asked[k]);
    EXPECT_GT(4 * in_lanes[k], 3 * asked[k]) << name_of(kForms[k]);
    EXPECT_GT(asked[k], 20U);
  }
  for (const int count : drawn) {
    EXPECT_GE(count, 2);
  }
}

TEST(lanes_apart, stabilised_and_fed_back_cuts_are_those_of_one_state_at_a_time) {
  std::size_t in_lanes = 0;
  for (std::uint64_t seed = 1; seed < 15; ++seed) {
    JointType apart{};
    const std::optional<Mechanism> mechanism = drawn_mechanism(seed, apart);
    for (const Form& form : {Form{"bae-haug", "projection=off,alpha=3,beta=5"},
                             {"hdca", "gauge=leak,leak=2,feedback=4"},
                             {"hdca", "gauge=tangent,feedback=3"}}) {
      if (mechanism && !mechanism->generic_rank().overconstrained && takes(form, *mechanism)) {
        in_lanes += loop_batches::expect_answers_in_turn(*mechanism, mechanism->name(), 5, 1e-4, form);
      }
    }
  }
  EXPECT_GT(in_lanes, 60U);
}

// Open trees with screws, with gauges or projections that prescribed motions give something to do, and with a cut joint
// that closes nothing but has friction.
TEST(lanes_apart, mechanisms_without_closed_loops_give_the_answers_of_one_state_at_a_time) {
  std::vector<Mechanism> mechanisms;
  for (const char* const key : {"random_tree:seed=4,bodies=7,screws=1", "random_tree:seed=5,bodies=7,motions=2",
                                "random_tree:seed=6,bodies=7,motions=1,screws=1"}) {
    mechanisms.push_back(make_mechanism(mechanism_registry(), key));
  }
  MechanismDescription loose =
      make_mechanism(mechanism_registry(), "random_tree:seed=8,bodies=5,loads=0").description();
  JointDescription cut;
  cut.name = "loose";
  cut.cut = true;
  cut.type = JointType::free;
  cut.a = kGround;
  cut.b = loose.bodies.back().name;
  loose.joints.push_back(cut);
  loose = Mechanism(std::move(loose)).description();
  loose.joint_frictions.push_back({"rubs", "loose", 4, 1.0, 1.5, 0.2, 0.3, 0.1});
  mechanisms.emplace_back(loose);
  std::size_t treated = 0;
  for (const Mechanism& mechanism : mechanisms) {
    for (const Form& form : {Form{"bae-haug"},
                             {"bae-haug", "projection=velocities"},
                             {"hdca"},
                             {"hdca", "gauge=tangent"},
                             {"hdca", "gauge=leak"},
                             {"hdca", "gauge=none"}}) {
      const auto formulation = test::make(form.key, mechanism, form.options);
      if (formulation->batch_lanes() == 1) {
        continue;
      }
      const std::vector<double> states = closed_states(*formulation, 7, 3, 0.0);
      const BatchAnswers got = side_by_side(*formulation, states);
      const BatchAnswers expected = in_turn(*formulation, states);
      EXPECT_LT(largest_difference(*formulation, got, expected), 1e-10) << name_of(form) << " on " << mechanism.name();
      EXPECT_EQ(formulation->states_alone(), 0U) << name_of(form) << " on " << mechanism.name();
      ++treated;
    }
  }
  EXPECT_GE(treated, 18U);
}

}  // namespace
}  // namespace mbdbench
