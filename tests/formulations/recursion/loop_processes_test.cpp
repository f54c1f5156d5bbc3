// Processes that share the branches of mechanisms with loops and couplings (PartRecursion), all with the whole state:
// the bits of one process whatever their number, how often they exchange, and failures that all tell alike. What other
// processes' branches hold is no number from the start (PartRecursion::forget_others): what is read and was never sent
// shows in the results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include "formulations/execution/thread_processes.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/recursion/side_by_side.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

struct SharedWay {
  const char* key;
  const char* options;
};

constexpr std::array kSharedWays = {SharedWay{"dca", ""},
                                    SharedWay{"dca", "threads=2"},
                                    SharedWay{"hdca", ""},
                                    SharedWay{"hdca", "gauge=tangent,leak=3,feedback=2"},
                                    SharedWay{"hdca", "gauge=leak,leak=3,threads=2"},
                                    SharedWay{"hdca", "gauge=none"},
                                    SharedWay{"hdca", "gauge=reset,reset_interval=0"},
                                    SharedWay{"bae-haug", "projection=on"},
                                    SharedWay{"bae-haug", "projection=off,alpha=2,beta=3"}};

/// All that processes compute together, and what each looks at alone.
std::vector<double> shared_run(Formulation& formulation, const Mechanism& mechanism) {
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.2, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> all = x;
  // A run is watched from its start, before the first right-hand side.
  formulation.diagnostics([&all](std::string_view /*name*/, double value) { all.push_back(value); });
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<double> xdot(x.size());
    const RhsStatus status = formulation.rhs(0.2 + 0.1 * repetition, x, xdot);
    EXPECT_TRUE(status.ok) << status.message();
    all.insert(all.end(), xdot.begin(), xdot.end());
    formulation.diagnostics([&all](std::string_view /*name*/, double value) { all.push_back(value); });
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += 1e-6 * (static_cast<double>((37 * i + 5 * static_cast<std::size_t>(repetition)) % 11) - 5.0);
    }
    formulation.after_step(0.2 + 0.1 * repetition, x);
    all.insert(all.end(), x.begin(), x.end());
  }
  return all;
}

/// unpack and reactions: process 0 alone asks, as who watches a run does.
std::vector<double> look(Formulation& formulation, const Mechanism& mechanism, std::span<const double> x) {
  std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
  EXPECT_TRUE(formulation.unpack(0.2, x, q, u).ok);
  std::vector<double> all = q;
  all.insert(all.end(), u.begin(), u.end());
  all.push_back(formulation.largest_sigma());
  Reactions reactions;
  EXPECT_TRUE(formulation.reactions(0.2, x, reactions).ok);
  for (const std::vector<Vec6>* wrenches : {&reactions.tree_joints, &reactions.cut_joints}) {
    for (const Vec6& wrench : *wrenches) {
      all.insert(all.end(), wrench.begin(), wrench.end());
    }
  }
  return all;
}

std::unique_ptr<Formulation> made_on(ProcessExchange& processes, const Mechanism& mechanism, const SharedWay& way) {
  return make_process_formulation(formulation_registry(), *find_formulation(formulation_registry(), way.key), mechanism,
                                  way.options, true, processes)
      .whole;
}

/// \returns whether processes have shared the work.
bool expect_the_bits_of_one(const Mechanism& mechanism, const SharedWay& way, std::initializer_list<int> sizes) {
  // With the angles of cut joints that laws know, as processes have them.
  const auto alone = make_formulation(formulation_registry(), *find_formulation(formulation_registry(), way.key),
                                      mechanism, way.options);
  const std::vector<double> expected = shared_run(*alone, mechanism);
  const auto x = std::span(expected).first(alone->state_size());
  const std::vector<double> seen = look(*alone, mechanism, x);
  bool divided = false;
  for (const int size : sizes) {
    std::vector<std::vector<double>> found(index_of(size));
    std::vector<double> seen_by_first;
    on_processes(size, [&](ProcessExchange& processes) {
      const auto made = made_on(processes, mechanism, way);
      found[index_of(processes.process())] = shared_run(*made, mechanism);
      if (processes.process() == 0) {
        divided = divided || (size > 1 && made->is_divided());
        seen_by_first = look(*made, mechanism, x);
      }
    });
    for (const std::vector<double>& each : found) {
      EXPECT_EQ(each, expected) << way.key << '[' << way.options << "] on " << mechanism.name() << ", " << size
                                << " processes";
    }
    EXPECT_EQ(seen_by_first, seen) << way.key << '[' << way.options << "] on " << mechanism.name();
  }
  return divided;
}

/// That what one process computes is right: the recursion in world axes shares no code with it and closes all loops at
/// the ground.
void expect_like_world_axes(const Mechanism& mechanism) {
  RandomSource random(1);
  const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
  const test::Evaluation links =
      test::evaluate_at(*test::make("bae-haug", mechanism, "projection=on"), 0.3, mechanism.q0(), u);
  const test::Evaluation world =
      test::evaluate_at(*test::make("bae-haug", mechanism, "projection=on,kernel=general"), 0.3, mechanism.q0(), u);
  ASSERT_TRUE(links.status.ok && world.status.ok) << links.status.message() << world.status.message();
  const double error = test::block_error(links.xdot, world.xdot);
  fmt::print("{}: {:.1e} beside world axes\n", mechanism.name(), error);
  // Chains of 80 links: eps times conditions of 1e4 or so, and two orders of summation.
  EXPECT_LT(error, 1e-11) << mechanism.name();
}

// One loop through the ground: both its chains are branches, and the trunk is empty. In lanes (dca, and hdca in
// the tangent gauge without feedback) it has two blocks.
TEST(loop_processes, a_loop_through_the_ground_has_the_bits_of_one_process) {
  // With springs between links every process places all bodies, and there are no lanes.
  for (const char* const name : {"loop:1101", "loop:401,springs=3"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const SharedWay& way : kSharedWays) {
      EXPECT_TRUE(expect_the_bits_of_one(mechanism, way, {1, 2, 3})) << way.key << " on " << name;
    }
  }
}

TEST(loop_processes, random_loops_have_the_bits_of_one_process) {
  const std::uint64_t first_seed = test::seed_of_run(4700U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  int divided = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Mechanism mechanism =
        make_mechanism(mechanism_registry(),
                       fmt::format("random_closed:seed={},bodies={},cuts={},branching={},loads={},screws={}",
                                   first_seed + i, 260 + 20 * i, 3 + 2 * i, i == 2 ? 0.9 : 0.5, i % 2, i == 2 ? 1 : 0));
    for (const SharedWay& way : kSharedWays) {
      divided += expect_the_bits_of_one(mechanism, way, {2, 4}) ? 1 : 0;
    }
  }
  fmt::print("{} of 27 divided\n", divided);
  EXPECT_GT(divided, 13) << "all of them with the first seed 4700, most with any";
}

// Chains of loops that hang on the ground or on a hub: every loop is closed in its branch. Springs need no poses.
TEST(loop_processes, stars_of_loops_have_the_bits_of_one_process) {
  for (const test::Hung& hung : {test::Hung{"rings:6", 5, true}, test::Hung{"ladder:12", 4, false}}) {
    MechanismDescription description = test::side_by_side(hung);
    test::add_springs(description);
    const Mechanism mechanism(description);
    expect_like_world_axes(mechanism);
    for (const SharedWay& way : kSharedWays) {
      EXPECT_TRUE(expect_the_bits_of_one(mechanism, way, {2, 3})) << way.key << " on " << mechanism.name();
    }
  }
}

// A second hinge in the axis of the first one closes a loop that nothing is felt by: all its rows are left out.
TEST(loop_processes, second_hinges_have_the_bits_of_one_process) {
  MechanismDescription description = test::side_by_side({"rings:6", 5, true});
  const std::size_t joints = description.joints.size();
  for (std::size_t j = 1; j < joints; j += 7) {
    JointDescription second = description.joints[j];
    if (!second.cut) {
      ASSERT_EQ(second.type, JointType::revolute);
      second.name += "_second";
      second.cut = true;
      second.q0.clear();
      second.v0.clear();
      second.frame_a.position += 0.2 * second.axis;  // the rings' joints lie in their bodies' axes
      second.frame_b.position += 0.2 * second.axis;
      description.joints.push_back(second);
    }
  }
  ASSERT_GT(description.joints.size(), joints + 5);
  const Mechanism mechanism(description);
  expect_like_world_axes(mechanism);
  for (const SharedWay& way : kSharedWays) {
    EXPECT_TRUE(expect_the_bits_of_one(mechanism, way, {2, 3})) << way.key << " on " << mechanism.name();
  }
}

// Couplings within branches and between them, with prescribed motions, in trees and beside loops.
TEST(loop_processes, couplings_and_prescribed_motions_have_the_bits_of_one_process) {
  for (const test::Hung& hung : {test::Hung{"pendulum_xyz:80", 6, true}, test::Hung{"rings:7", 5, false}}) {
    MechanismDescription description = test::side_by_side(hung);
    if (hung.on_hub) {
      description.joints.front().v0 = {0.3};
      description.joints.front().motions.push_back({0, "0.3 * sin(t)", "0.3 * cos(t)", "-0.3 * sin(t)"});
    }
    const auto joints = make_mechanism(mechanism_registry(), hung.part).description().joints;
    test::add_gears(description, hung, joints[1].name, joints[5].name);
    const Mechanism mechanism(description);
    expect_like_world_axes(mechanism);
    for (const SharedWay& way : kSharedWays) {
      EXPECT_TRUE(expect_the_bits_of_one(mechanism, way, {2, 4})) << way.key << " on " << mechanism.name();
    }
  }
}

/// \returns how often processes exchange in one right-hand side.
std::size_t exchanges_of(const Mechanism& mechanism, const SharedWay& way) {
  const auto counted = [&](int evaluations) {
    return on_processes(2,
                        [&](ProcessExchange& processes) {
                          const auto made = made_on(processes, mechanism, way);
                          std::vector<double> x(made->state_size());
                          std::vector<double> xdot(x.size());
                          EXPECT_TRUE(made->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
                          for (int i = 0; i < evaluations; ++i) {
                            EXPECT_TRUE(made->rhs(0.0, x, xdot).ok);
                          }
                        })
        .shares;
  };
  return counted(2) - counted(1);
}

TEST(loop_processes, exchange_as_often_as_something_leaves_a_branch) {
  const Mechanism through_ground = make_mechanism(mechanism_registry(), "loop:401");
  // Ends of the loop; matrices and what branches leave of the right side; accelerations.
  EXPECT_EQ(exchanges_of(through_ground, {"bae-haug", "projection=off"}), 3U);
  // Projected velocities: another right side, whose results come with the ends that move with them.
  EXPECT_EQ(exchanges_of(through_ground, {"bae-haug", "projection=on"}), 5U);
  // Ends; matrices and momenta; velocities, with the ends'; momentum rates. No branch leaves anything on the ground.
  EXPECT_EQ(exchanges_of(through_ground, {"hdca", "gauge=none"}), 4U);
  // The tangent gauge has another right side, and its multipliers' momenta.
  EXPECT_EQ(exchanges_of(through_ground, {"hdca", "gauge=tangent,feedback=1"}), 6U);
  // Two blocks of sub-chains: theirs (subchain_processes_test), and that of all rates.
  const Mechanism in_lanes = make_mechanism(mechanism_registry(), "loop:1101");
  EXPECT_EQ(exchanges_of(in_lanes, {"dca", "projection=on"}), 4U);
  EXPECT_EQ(exchanges_of(in_lanes, {"hdca", "gauge=tangent"}), 3U);
  // Loops that are closed in their branch have no ends elsewhere. (Of five arms one would be cut through a loop.)
  const Mechanism star(test::side_by_side({"rings:4", 8, true}));
  EXPECT_EQ(exchanges_of(star, {"bae-haug", "projection=off"}), 2U);
  EXPECT_EQ(exchanges_of(star, {"bae-haug", "projection=on"}), 4U);
  // Momenta and loads that branches leave on the hub are one more.
  EXPECT_EQ(exchanges_of(star, {"hdca", "gauge=none"}), 4U);
  EXPECT_EQ(exchanges_of(star, {"hdca", "gauge=tangent"}), 8U);
}

// A branch's coordinate that is no number, and one of the trunk: the joint's name is that which one process tells.
TEST(loop_processes, a_branch_that_fails_is_told_by_all_as_by_one) {
  const Mechanism star(test::side_by_side({"rings:6", 5, true}));
  for (const SharedWay& way : {kSharedWays[0], kSharedWays[2], kSharedWays[6]}) {
    const auto alone = test::make(way.key, star, way.options);
    std::vector<double> x(alone->state_size());
    ASSERT_TRUE(alone->pack(0.0, view(star.q0()), view(star.u0()), x).ok);
    std::vector<double> xdot(x.size());
    std::set<std::string> told;
    for (int place = 0; place < star.q_size(); place += 37) {
      std::vector<double> lost = x;
      lost[index_of(place)] = std::numeric_limits<double>::quiet_NaN();
      const std::string expected = alone->rhs(0.0, lost, xdot).message();
      EXPECT_FALSE(expected.empty()) << way.key << ", coordinate " << place;
      told.insert(expected);
      std::vector<std::string> messages(3);
      on_processes(3, [&](ProcessExchange& processes) {
        const auto made = made_on(processes, star, way);
        std::vector<double> rates(lost.size());
        std::string& message = messages[index_of(processes.process())];
        message = made->rhs(0.0, lost, rates).message();
        EXPECT_TRUE(made->rhs(0.0, x, rates).ok) << "what was lost once is found again";
      });
      for (const std::string& message : messages) {
        EXPECT_EQ(message, expected) << way.key << ", coordinate " << place;
      }
    }
    EXPECT_GT(told.size(), 2U) << "different joints";
  }
}

// Its state is finite, and so are the inertias: that squares of its velocities are not shows in one block alone.
TEST(loop_processes, a_block_of_a_loop_in_lanes_that_overflows_is_told_by_all) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop:1101");
  for (const SharedWay& way : {kSharedWays[0], kSharedWays[2]}) {
    const auto alone = test::make(way.key, mechanism, way.options);
    std::vector<double> x(alone->state_size());
    ASSERT_TRUE(alone->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    x[index_of(mechanism.q_size()) + 7] = 1e200;
    std::vector<double> xdot(x.size());
    EXPECT_FALSE(alone->rhs(0.0, x, xdot).ok) << way.key;
    on_processes(2, [&](ProcessExchange& processes) {
      const auto made = made_on(processes, mechanism, way);
      std::vector<double> rates(x.size());
      const RhsStatus status = made->rhs(0.0, x, rates);
      EXPECT_FALSE(status.ok) << way.key;
      EXPECT_FALSE(status.joint.empty()) << way.key;
    });
  }
}

TEST(loop_processes, allocate_nothing) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop:401");
  for (const SharedWay& way : {kSharedWays[3], kSharedWays[6]}) {
    on_processes(2, [&](ProcessExchange& processes) {
      const auto made = made_on(processes, mechanism, way);
      std::vector<double> x(made->state_size());
      std::vector<double> xdot(x.size());
      EXPECT_TRUE(made->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      EXPECT_TRUE(made->rhs(0.0, x, xdot).ok);
      const AllocationGuard guard;
      EXPECT_TRUE(made->rhs(0.0, x, xdot).ok);
      EXPECT_EQ(guard.count(), 0U) << way.key;
    });
  }
}

// Sections of a line are branches that hang on one another: processes tell what each leaves at its base.
TEST(loop_processes, sections_have_the_bits_of_one) {
  for (const char* const name : {"ladder:30", "rings:9", "random_closed:seed=11,bodies=70,cuts=9"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const SharedWay& way :
         {SharedWay{"dca", "leaf=9"}, SharedWay{"dca", "leaf=9,threads=2"}, SharedWay{"hdca", "leaf=9"},
          SharedWay{"hdca", "leaf=9,gauge=tangent,leak=3,feedback=2"}, SharedWay{"hdca", "leaf=9,gauge=none"},
          SharedWay{"bae-haug", "leaf=9,projection=on"},
          SharedWay{"bae-haug", "leaf=9,projection=off,alpha=2,beta=3"}}) {
      EXPECT_TRUE(expect_the_bits_of_one(mechanism, way, {2, 3})) << way.key << " on " << name;
    }
  }
}

// Where nothing branches every process computes all.
TEST(loop_processes, one_chain_of_loops_is_not_divided) {
  for (const char* const name : {"ladder:120", "rings:40"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const SharedWay& way : {kSharedWays[0], kSharedWays[2], kSharedWays[6]}) {
      EXPECT_FALSE(expect_the_bits_of_one(mechanism, way, {2})) << way.key << " on " << name;
    }
  }
}

}  // namespace
}  // namespace mbdbench
