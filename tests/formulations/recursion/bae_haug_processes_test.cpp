// bae-haug with a recursion for every tree at the ground: what it has from one process, and the same bits on any number
// of processes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "formulations/bae_haug/ground_tree.hpp"
#include "formulations/execution/thread_processes.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

constexpr const char* kWhole = "alpha=3,beta=7,projection=off,kernel=general";

std::string divided(int processes) {
  return fmt::format("{},processes={}", kWhole, processes);
}

/// \returns bae-haug whose right-hand sides all processes evaluate together.
std::unique_ptr<Formulation> shared(const Mechanism& mechanism, ProcessExchange& processes) {
  return make_shared_formulation(formulation_registry(), *find_formulation(formulation_registry(), "bae-haug"),
                                 mechanism, divided(processes.size()), processes);
}

Mechanism catalogued(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// Coordinates off the closed loop and velocities that open it, so that every term of gamma* counts.
test::Evaluation disturbed(Formulation& formulation, int seed) {
  const Mechanism& mechanism = formulation.mechanism();
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 0.05);
  const Eigen::VectorXd u = mechanism.u0() + test::random_vector(mechanism.u_size(), random);
  return test::evaluate_at(formulation, 0.3, q, u);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_like_serial(const Mechanism& mechanism, int seed, double limit, double& worst) {
  const auto split = test::make("bae-haug", mechanism, divided(2));
  const auto serial = test::make("bae-haug", mechanism, kWhole);
  const test::Evaluation actual = disturbed(*split, seed);
  const test::Evaluation expected = disturbed(*serial, seed);
  ASSERT_TRUE(actual.status.ok) << mechanism.name() << actual.status.message();
  ASSERT_TRUE(expected.status.ok) << mechanism.name() << expected.status.message();
  const double error = test::block_error(actual.xdot, expected.xdot);
  EXPECT_LT(error, limit) << mechanism.name() << ", seed " << seed;
  EXPECT_GT(test::block_error(expected.xdot, std::vector<double>(expected.xdot.size(), 0.0)), 0.1);
  worst = std::max(worst, error);
}

TEST(bae_haug_processes, single_loops_accelerate_like_bae_haug) {
  double worst = 0.0;
  for (const char* key : {"slider_crank", "loop:4", "loop:5", "loop:9", "loop:16", "loop:40", "loop:9,cut=2",
                          "loop:9,springs=3", "loop:30,cut=7,springs=5"}) {
    const Mechanism mechanism = catalogued(key);
    ASSERT_EQ(refuse_ground_trees(mechanism, 2), "") << key;
    for (int seed = 1; seed <= 5; ++seed) {
      // The same sums in another order: rounding times the condition of the loop's matrix, at most 1e4 here.
      expect_like_serial(mechanism, seed, 1e-11, worst);
    }
  }
  fmt::print("worst relative difference {:.1e}\n", worst);
}

/// Two random trees on the ground, all joint types, joined by a cut joint between their last bodies that is closed at
/// the start: its frames on both coincide there. Empty when a tree has several joints at the ground.
std::optional<MechanismDescription> random_loop(int seed) {
  constexpr std::array kCuts = {JointType::revolute,    JointType::prismatic, JointType::universal,
                                JointType::cylindrical, JointType::spherical, JointType::planar,
                                JointType::fixed};
  MechanismDescription loop;
  for (const int half : {0, 1}) {
    MechanismDescription tree =
        catalogued(fmt::format("random_tree:seed={},bodies={}", 2 * seed + half, 2 + (seed + half) % 5)).description();
    const auto named = [half](const std::string& name) {
      return name == kGround ? name : fmt::format("{}_{}", name, half);
    };
    for (BodyDescription& body : tree.bodies) {
      body.name = named(body.name);
      loop.bodies.push_back(body);
    }
    for (JointDescription& joint : tree.joints) {
      joint.name = named(joint.name);
      joint.a = named(joint.a);
      joint.b = named(joint.b);
      joint.dependent = true;
      loop.joints.push_back(joint);
    }
  }
  if (std::count_if(loop.joints.begin(), loop.joints.end(), [](const auto& joint) { return joint.a == kGround; }) !=
      2) {
    return std::nullopt;
  }
  const Mechanism tree(loop);
  Kinematics kinematics(tree);
  kinematics.set_positions(view(tree.q0()));
  JointDescription cut;
  cut.name = "cut";
  cut.type = kCuts[static_cast<std::size_t>(seed) % kCuts.size()];
  cut.cut = true;
  const Vec3 meeting = kinematics.body(tree.body_count() - 1).com;
  const auto attach = [&](const std::string& name, std::string& body, JointFrame& frame) {
    const BodyKinematics& state = kinematics.body(tree.find_body(name).value_or(0));
    const Eigen::Quaterniond to_body(Mat3(state.rotation.transpose()));
    body = name;
    frame.position = state.rotation.transpose() * (meeting - state.origin);
    frame.rotation = Eigen::Vector4d(to_body.w(), to_body.x(), to_body.y(), to_body.z());
  };
  const auto second = std::find_if(loop.bodies.begin(), loop.bodies.end(),
                                   [](const BodyDescription& body) { return body.name.ends_with("_1"); });
  attach((second - 1)->name, cut.a, cut.frame_a);
  attach(loop.bodies.back().name, cut.b, cut.frame_b);
  loop.joints.push_back(cut);
  loop.name = fmt::format("random loop {}", seed);
  return loop;
}

TEST(bae_haug_processes, random_loops_of_all_joint_types_accelerate_like_bae_haug) {
  double worst = 0.0;
  int compared = 0;
  for (int seed = 1; seed <= 120; ++seed) {
    const std::optional<MechanismDescription> description = random_loop(seed);
    if (!description) {
      continue;
    }
    const Mechanism mechanism(*description);
    ASSERT_EQ(refuse_ground_trees(mechanism, 2), "") << mechanism.name();
    // The same sums in another order: rounding times the condition of the loop's matrix, up to 1e5 or so.
    expect_like_serial(mechanism, seed, 1e-10, worst);
    ++compared;
  }
  fmt::print("{} random loops, worst relative difference {:.1e}\n", compared, worst);
  EXPECT_GT(compared, 20);
}

TEST(bae_haug_processes, closed_random_mechanisms_accelerate_like_bae_haug) {
  double worst = 0.0;
  int compared = 0;
  int with_loads = 0;
  for (int seed = 1; seed <= 400; ++seed) {
    const bool loaded = seed % 2 == 0;
    const Mechanism mechanism =
        catalogued(fmt::format("random_closed:seed={},bodies={},cuts=1,loads={}", seed, 3 + seed % 8, loaded ? 1 : 0));
    if (!refuse_ground_trees(mechanism, 2).empty()) {  // one tree, or a load that depends on a joint of another one
      continue;
    }
    with_loads += loaded ? 1 : 0;
    // As in bae_haug_test: singular values of Phi_q differ by up to 1e3, and the mass matrix adds about as much.
    expect_like_serial(mechanism, seed, 1e-8, worst);
    ++compared;
  }
  fmt::print("{} random mechanisms, {} with loads, worst relative difference {:.1e}\n", compared, with_loads, worst);
  EXPECT_GT(compared, 10);
  EXPECT_GT(with_loads, 3);
}

TEST(bae_haug_processes, coupled_loops_between_many_trees_accelerate_like_bae_haug) {
  double worst = 0.0;
  int compared = 0;
  std::size_t most = 0;
  for (int seed = 1; seed <= 300; ++seed) {
    const Mechanism mechanism =
        catalogued(fmt::format("random_closed:seed={},bodies={},cuts={},loads=0", seed, 5 + seed % 7, 2 + seed % 2));
    if (!refuse_ground_trees(mechanism, 2).empty()) {
      continue;
    }
    most = std::max(most, GroundTrees(mechanism).bodies.size());
    expect_like_serial(mechanism, seed, 1e-8, worst);  // as before
    ++compared;
  }
  fmt::print("{} random mechanisms, up to {} trees, worst relative difference {:.1e}\n", compared, most, worst);
  EXPECT_GT(compared, 10);
  EXPECT_GE(most, 3U);
}

void expect_the_bits_of_one_process(const Mechanism& mechanism, int processes) {
  const test::Evaluation one = disturbed(*test::make("bae-haug", mechanism, divided(2)), 3);
  std::vector<test::Evaluation> all(index_of(processes));
  const ExchangeCounts counts = on_processes(processes, [&](ProcessExchange& exchange) {
    all[index_of(exchange.process())] = disturbed(*shared(mechanism, exchange), 3);
  });
  EXPECT_EQ(counts.shares, 5U) << mechanism.name() << ": two to set up, two of the parts, the rates";
  for (const test::Evaluation& process : all) {
    EXPECT_TRUE(process.status.ok) << process.status.message();
    EXPECT_TRUE(same_bits(process.xdot, one.xdot)) << mechanism.name() << " on " << processes << " processes";
  }
}

TEST(bae_haug_processes, any_number_of_processes_as_threads_gives_the_bits_of_one_process) {
  for (const char* key : {"slider_crank", "loop:9", "loop:30", "loop:30,cut=7,springs=5"}) {
    expect_the_bits_of_one_process(catalogued(key), 2);
  }
  int largest = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const Mechanism mechanism = catalogued(fmt::format("random_closed:seed={},bodies=11,cuts=3,loads=0", seed));
    const auto trees = static_cast<int>(GroundTrees(mechanism).bodies.size());
    for (int processes = 2; processes <= trees; ++processes) {
      expect_the_bits_of_one_process(mechanism, processes);
    }
    largest = std::max(largest, trees);
  }
  EXPECT_GE(largest, 4);
}

TEST(bae_haug_processes, a_part_has_its_own_slice_and_two_messages) {
  const Mechanism mechanism = catalogued("loop:30,cut=7,springs=5");
  const auto whole = test::make("bae-haug", mechanism, divided(2));
  const test::Evaluation one = disturbed(*whole, 3);
  std::vector<double> xdot(one.x.size());
  const ExchangeCounts counts = on_processes(2, [&](ProcessExchange& exchange) {
    const auto part = make_formulation_part(
        formulation_registry(), *find_formulation(formulation_registry(), "bae-haug"), mechanism, divided(2), exchange);
    std::vector<double> x;
    for (const std::size_t component : part->components()) {
      x.push_back(one.x[component]);
    }
    std::vector<double> own(x.size());
    EXPECT_TRUE(part->rhs(0.3, x, own).ok);
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(part->layout()[i].name, whole->layout()[part->components()[i]].name);
      xdot[part->components()[i]] = own[i];
    }
  });
  EXPECT_TRUE(same_bits(xdot, one.xdot));
  EXPECT_EQ(counts.shares, 2U);
  // Ends of the cut joint, and of the springs between the sub-chains; five rows: 15 + 5 + 5 numbers.
  const std::size_t springs = GroundTrees(mechanism).springs.size();
  EXPECT_EQ(counts.share_bytes, 2U * 8U * (27U + 6U * springs + 25U));
}

TEST(bae_haug_processes, a_failure_of_one_process_is_told_by_both) {
  const Mechanism mechanism = catalogued("loop:9");
  for (const bool velocity : {false, true}) {
    for (const int failing : {0, mechanism.u_size() - 1}) {
      std::array<std::string, 2> messages;
      on_processes(2, [&](ProcessExchange& exchange) {
        const auto formulation = shared(mechanism, exchange);
        Eigen::VectorXd q = mechanism.q0();
        Eigen::VectorXd u = mechanism.u0();
        (velocity ? u : q)[failing] = std::numeric_limits<double>::quiet_NaN();
        messages[index_of(exchange.process())] = test::evaluate_at(*formulation, 0.0, q, u).status.message();
      });
      EXPECT_NE(messages[0].find(velocity ? "velocity is not finite" : "not finite"), std::string::npos) << messages[0];
      EXPECT_EQ(messages[0], messages[1]);
    }
  }
}

// Two chains that share the ground alone, one of them driven by a motion of its first joint and seen by a marker there.
TEST(bae_haug_processes, trees_without_cut_joints_and_with_motions_and_markers_of_the_ground) {
  MechanismDescription description;
  description.name = "two_arms";
  for (const char* const name : {"left", "left_tip", "right", "right_tip"}) {
    description.bodies.push_back({name, 1.2, Vec3(0.4, 0.0, 0.1), Vec3(0.02, 0.15, 0.14).asDiagonal()});
  }
  const auto add = [&](const char* name, const char* a, const char* b, double q0) {
    JointDescription& joint = description.joints.emplace_back();
    joint.name = name;
    joint.a = a;
    joint.b = b;
    joint.frame_a.position = Vec3(0.7, 0.0, 0.0);
    joint.q0 = {q0};
    joint.axis = Vec3::UnitY();
  };
  add("left_root", kGround, "left", 0.3);
  add("left_elbow", "left", "left_tip", 1.1);
  add("right_root", kGround, "right", -0.4);
  add("right_elbow", "right", "right_tip", 0.2);
  description.joints[2].motions = {{0, "0.4*sin(2*t) - 0.4", "0.8*cos(2*t)", "-1.6*sin(2*t)"}};
  description.markers.push_back({"pole", std::string(kGround), Vec3(0.0, 0.0, 1.0)});
  const Mechanism mechanism(description);
  double worst = 0.0;
  expect_like_serial(mechanism, 7, 1e-13, worst);
  expect_the_bits_of_one_process(mechanism, 2);
}

TEST(bae_haug_processes, every_spring_between_the_sub_chains_is_one_end_in_the_message) {
  EXPECT_TRUE(GroundTrees(catalogued("loop:9")).springs.empty());
  EXPECT_EQ(GroundTrees(catalogued("loop:9,springs=4")).springs.size(), 4U);
  // Two of the four pairs lie within the long sub-chain.
  EXPECT_EQ(GroundTrees(catalogued("loop:9,cut=2,springs=4")).springs.size(), 2U);
}

TEST(bae_haug_processes, right_hand_sides_allocate_nothing) {
  const Mechanism mechanism = catalogued("loop:9,springs=3");
  const auto formulation = test::make("bae-haug", mechanism, divided(2));
  const test::Evaluation state = disturbed(*formulation, 1);
  std::vector<double> xdot(state.x.size());
  const AllocationGuard guard;
  EXPECT_TRUE(formulation->rhs(0.0, state.x, xdot).ok);
  EXPECT_EQ(guard.count(), 0U);
}

TEST(bae_haug_processes, reactions_are_those_of_the_whole) {
  const Mechanism mechanism = catalogued("loop:9");
  Reactions divided_ones;
  Reactions whole;
  const auto formulation = test::make("bae-haug", mechanism, divided(2));
  const test::Evaluation state = disturbed(*formulation, 1);
  ASSERT_TRUE(formulation->reactions(0.3, state.x, divided_ones).ok);
  ASSERT_TRUE(test::make("bae-haug", mechanism, kWhole)->reactions(0.3, state.x, whole).ok);
  ASSERT_EQ(divided_ones.cut_joints.size(), 1U);
  EXPECT_EQ(divided_ones.cut_joints.front(), whole.cut_joints.front());
}

TEST(bae_haug_processes, what_trees_on_their_own_cannot_be_is_refused) {
  EXPECT_NE(refuse_ground_trees(catalogued("pendulum:3"), 2).find("1 joint of it at the ground"), std::string::npos);
  EXPECT_NE(refuse_ground_trees(catalogued("loop:9"), 3).find("2 joints of it"), std::string::npos);
  EXPECT_THROW(test::make("bae-haug", catalogued("pendulum:3"), "processes=2"), ModelError);
  EXPECT_THROW(test::make("bae-haug", catalogued("loop:9"), "processes=2,projection=on"), ModelError);
  on_processes(2, [](ProcessExchange& exchange) {
    const Mechanism mechanism = catalogued("loop:9");
    const auto& registry = formulation_registry();
    for (const char* options : {"alpha=3", "alpha=3,processes=3"}) {
      EXPECT_THROW(
          make_formulation_part(registry, *find_formulation(registry, "bae-haug"), mechanism, options, exchange),
          ModelError);
    }
  });

  MechanismDescription geared = catalogued("loop:9").description();
  geared.joint_loads.push_back({"gear", geared.joints.front().name, 0, ExpressionLaw{"q_" + geared.joints[7].name}});
  EXPECT_NE(refuse_ground_trees(Mechanism(geared), 2).find("depends on another one"), std::string::npos);

  MechanismDescription driven = catalogued("loop:9").description();
  driven.joint_loads.push_back({"motor", driven.joints.back().name, 0, ConstantLaw{1.0}});
  EXPECT_NE(refuse_ground_trees(Mechanism(driven), 2).find("'motor' in a cut joint"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench
