// Sub-chains divided among processes (threads of this process here, processes in tests/experiments): the bits of one
// process for any number of processes and threads, what is exchanged, what fails and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "formulations/execution/thread_processes.hpp"
#include "formulations/registry.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"
#include "formulations/subchains/node_chain.hpp"
#include "formulations/subchains/subchain_solver.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

constexpr int kBlocks = 4;
constexpr const char* kFourBlocks = "leaf=subchain,subchains=32";
constexpr const char* kBodies = "leaf=body,subchains=32";

std::string with_threads(const char* options, int threads) {
  return fmt::format("{},threads={}", options, threads);
}

std::unique_ptr<FormulationPart> part(std::string_view key, const Mechanism& mechanism, std::string_view options,
                                      ProcessExchange& processes) {
  return make_formulation_part(formulation_registry(), *find_formulation(formulation_registry(), key), mechanism,
                               options, processes);
}

/// A state with different values everywhere.
std::vector<double> some_state(const Mechanism& mechanism) {
  std::vector<double> x(static_cast<std::size_t>(mechanism.q_size() + mechanism.u_size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
  }
  return x;
}

/// Evaluates the parts and puts them together. \param counts receives what the processes exchanged
std::vector<double> rhs_of_parts(std::string_view key, const Mechanism& mechanism, int processes,
                                 std::size_t evaluations, const std::vector<double>& x, ExchangeCounts& counts,
                                 const std::string& options = kFourBlocks) {
  std::vector<double> xdot(x.size(), std::numeric_limits<double>::quiet_NaN());
  counts = on_processes(processes, [&](ProcessExchange& exchange) {
    const auto own = part(key, mechanism, options, exchange);
    std::vector<double> own_x;
    for (const std::size_t component : own->components()) {
      own_x.push_back(x[component]);
    }
    std::vector<double> own_xdot(own_x.size());
    for (std::size_t i = 0; i < evaluations; ++i) {
      EXPECT_TRUE(own->rhs(0.0, own_x, own_xdot).ok);
    }
    for (std::size_t i = 0; i < own_x.size(); ++i) {
      xdot[own->components()[i]] = own_xdot[i];
    }
  });
  return xdot;
}

/// Laws of all kinds, springs and dampers in a third of the joints.
MechanismDescription with_loads(std::string_view key) {
  MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
  for (std::size_t k = 0; k < description.joints.size(); ++k) {
    const std::string& joint = description.joints[k].name;
    if (description.joints[k].cut || k % 3 != 0) {
      continue;
    }
    const auto i = static_cast<double>(k);
    description.joint_springs.push_back({"spring_" + joint, joint, 0, 2.0 + i, 0.3, 0.1 * i});
    description.joint_loads.push_back({"motor_" + joint, joint, 0, ExpressionLaw{"sin(t) - 0.2 * v + 0.1 * q"}});
    description.joint_loads.push_back({"constant_" + joint, joint, 0, ConstantLaw{0.5 - 0.01 * i}});
  }
  return description;
}

TEST(SubchainProcessesThreads, any_number_of_processes_and_threads_gives_the_bits_of_one) {
  // 37 links: two a sub-chain, so that the last block holds five and most of its sub-chains none. The loop's cut joint
  // is solved on every process.
  for (const char* name : {"pendulum_xyz:200", "pendulum:37", "loop:90"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const std::vector<double> x = some_state(mechanism);
    for (const std::string_view key : {"dca", "hdca"}) {
      std::vector<double> expected(x.size());
      ASSERT_TRUE(test::make(key, mechanism, kFourBlocks)->rhs(0.0, x, expected).ok);
      for (const int processes : {1, 2, 3}) {
        for (const int threads : {1, 2}) {
          ExchangeCounts counts;
          EXPECT_EQ(rhs_of_parts(key, mechanism, processes, 3, x, counts, with_threads(kFourBlocks, threads)), expected)
              << key << " " << name << " processes=" << processes << " threads=" << threads;
        }
      }
    }
  }
}

TEST(SubchainProcessesThreads, bodies_as_leaves_have_the_bits_of_one_process_with_three_exchanges) {
  for (const Mechanism& mechanism :
       {make_mechanism(mechanism_registry(), "pendulum_xyz:200"), make_mechanism(mechanism_registry(), "pendulum:37"),
        Mechanism(with_loads("pendulum_xyz:64"))}) {
    const std::vector<double> x = some_state(mechanism);
    for (const std::string_view key : {"dca", "hdca"}) {
      std::vector<double> expected(x.size());
      ASSERT_TRUE(test::make(key, mechanism, kBodies)->rhs(0.0, x, expected).ok);
      for (const auto& [processes, threads] : {std::pair(1, 2), {2, 1}, {2, 2}, {3, 1}}) {
        ExchangeCounts counts;
        EXPECT_EQ(rhs_of_parts(key, mechanism, processes, 3, x, counts, with_threads(kBodies, threads)), expected)
            << key << " " << mechanism.name() << " processes=" << processes << " threads=" << threads;
        EXPECT_EQ(counts.shares, 9U);
      }
    }
  }
}

TEST(SubchainProcessesThreads, every_process_evaluates_the_loads_in_its_own_joints) {
  for (const char* name : {"pendulum_xyz:200", "loop:90"}) {
    const Mechanism mechanism(with_loads(name));
    const std::vector<double> x = some_state(mechanism);
    for (const std::string_view key : {"dca", "hdca"}) {
      std::vector<double> expected(x.size());
      ASSERT_TRUE(test::make(key, mechanism, kFourBlocks)->rhs(0.0, x, expected).ok);
      std::vector<double> unloaded(x.size());
      const Mechanism bare = make_mechanism(mechanism_registry(), name);
      ASSERT_TRUE(test::make(key, bare, kFourBlocks)->rhs(0.0, x, unloaded).ok);
      EXPECT_NE(expected, unloaded);
      for (const int processes : {2, 4}) {
        ExchangeCounts counts;
        EXPECT_EQ(rhs_of_parts(key, mechanism, processes, 2, x, counts), expected)
            << key << " " << name << " " << processes;
        EXPECT_EQ(counts.shares, key == "dca" ? 4U : 2U) << "no exchange for loads";
      }
    }
  }
}

TEST(SubchainProcessesThreads, momenta_need_one_exchange_a_right_hand_side_and_accelerations_two) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:400");
  const std::vector<double> x = some_state(mechanism);
  for (const int processes : {2, 4}) {
    ExchangeCounts momenta;
    rhs_of_parts("hdca", mechanism, processes, 10, x, momenta);
    EXPECT_EQ(momenta.shares, 10U);
    EXPECT_EQ(momenta.share_bytes, 10 * kBlocks * sizeof(SegmentReport));
    ExchangeCounts accelerations;
    rhs_of_parts("dca", mechanism, processes, 10, x, accelerations);
    EXPECT_EQ(accelerations.shares, 20U);
    EXPECT_EQ(accelerations.share_bytes, 10 * kBlocks * (sizeof(SegmentReport) + sizeof(SegmentScan)));
    for (const ExchangeCounts& counts : {momenta, accelerations}) {
      EXPECT_EQ(counts.reductions, 0U);
      EXPECT_EQ(counts.collections, 0U);
    }
  }
}

/// Loads are those of projected velocities; the leak of the tangent gauge follows the fastest joint of all processes.
TEST(SubchainProcessesThreads, projected_velocities_and_the_tangent_gauge_take_one_exchange_more) {
  const Mechanism mechanism(with_loads("loop:90"));
  const std::vector<double> x = some_state(mechanism);
  for (const auto& [key, extra, shares] : std::vector<std::tuple<std::string_view, std::string_view, std::size_t>>{
           {"dca", ",projection=velocities", 3}, {"hdca", ",gauge=tangent", 2}}) {
    const std::string options = std::string(kFourBlocks) + std::string(extra);
    std::vector<double> expected(x.size());
    ASSERT_TRUE(test::make(key, mechanism, options)->rhs(0.0, x, expected).ok);
    std::vector<double> published(x.size());
    ASSERT_TRUE(test::make(key, mechanism, kFourBlocks)->rhs(0.0, x, published).ok);
    EXPECT_NE(expected, published);
    for (const auto& [processes, threads] : {std::pair(1, 2), {2, 1}, {2, 2}, {3, 1}}) {
      ExchangeCounts counts;
      EXPECT_EQ(rhs_of_parts(key, mechanism, processes, 3, x, counts, with_threads(options.c_str(), threads)), expected)
          << key << " processes=" << processes << " threads=" << threads;
      EXPECT_EQ(counts.shares, 3 * shares);
    }
  }
}

/// Arms of 32 segments and more are closed by halves, others one segment after another; processes end within halves
/// where their number is no power of two.
TEST(SubchainProcessesThreads, messages_along_a_tree_give_the_bits_of_one_process) {
  struct Case {
    const char* mechanism;
    int subchains;
  };
  constexpr std::array<Case, 5> kCases = {{{"pendulum_xyz:300", 304},
                                           {"pendulum_xyz:230", 104},
                                           {"loop:530", 544},
                                           {"loop:300", 104},
                                           {"pendulum:60", 64}}};
  for (const auto& [name, subchains] : kCases) {
    const Mechanism mechanism(with_loads(name));
    const std::vector<double> x = some_state(mechanism);
    const int blocks = ChainPlan(mechanism, subchains).most_processes();
    for (const auto& [key, extra] :
         std::vector<std::pair<std::string_view, std::string_view>>{{"dca", ""},
                                                                    {"dca", ",projection=velocities"},
                                                                    {"hdca", ""},
                                                                    {"hdca", ",gauge=leak"},
                                                                    {"hdca", ",gauge=tangent"}}) {
      if (mechanism.cut_joints().empty() && !extra.empty()) {
        continue;
      }
      const std::string options = fmt::format("leaf=subchain,subchains={}{}", subchains, extra);
      std::vector<double> expected(x.size());
      ASSERT_TRUE(test::make(key, mechanism, options)->rhs(0.0, x, expected).ok);
      for (const auto& [processes, threads] : {std::pair(1, 2), {2, 1}, {3, 2}, {7, 1}, {13, 1}}) {
        if (processes > blocks) {
          continue;
        }
        ExchangeCounts counts;
        EXPECT_EQ(rhs_of_parts(key, mechanism, processes, 2, x, counts,
                               with_threads((options + ",exchange=tree").c_str(), threads)),
                  expected)
            << key << extra << " " << name << " subchains=" << subchains << " processes=" << processes;
        const bool momenta = key == "hdca";
        const bool again = extra == ",projection=velocities" || extra == ",gauge=tangent";
        const std::size_t exchanges = (momenta ? 1U : 2U) + (again ? 1U : 0U);
        EXPECT_EQ(counts.shares, 0U);
        EXPECT_EQ(counts.messages, 2 * exchanges * 2 * static_cast<std::size_t>(processes - 1))
            << "one inward and one outward between any two groups, in each exchange of two right-hand sides";
      }
    }
  }
}

TEST(SubchainProcessesThreads, along_a_tree_a_state_that_is_no_number_fails_on_all) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop:120");
  for (const std::string_view key : {"dca", "hdca"}) {
    for (const std::size_t component : {0U, 60U, 118U, 150U}) {
      std::vector<double> x = some_state(mechanism);
      x[component] = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> whole(x.size());
      const RhsStatus expected = test::make(key, mechanism, kFourBlocks)->rhs(0.0, x, whole);
      const std::vector<double> good = some_state(mechanism);
      std::vector<double> expected_rates(x.size());
      ASSERT_TRUE(test::make(key, mechanism, kFourBlocks)->rhs(0.0, good, expected_rates).ok);
      std::vector<double> rates(x.size());
      std::vector<double> redundant_rows(4, -1.0);
      std::vector<std::string> messages(4);
      on_processes(4, [&](ProcessExchange& exchange) {
        const auto own = part(key, mechanism, std::string(kFourBlocks) + ",exchange=tree", exchange);
        std::vector<double> own_x;
        std::vector<double> own_good;
        for (const std::size_t i : own->components()) {
          own_x.push_back(x[i]);
          own_good.push_back(good[i]);
        }
        std::vector<double> own_xdot(own_x.size());
        messages[static_cast<std::size_t>(exchange.process())] = own->rhs(0.0, own_x, own_xdot).message();
        EXPECT_TRUE(own->rhs(0.0, own_good, own_xdot).ok);
        for (std::size_t i = 0; i < own_x.size(); ++i) {
          rates[own->components()[i]] = own_xdot[i];
        }
        own->diagnostics([&](std::string_view, double value) {
          redundant_rows[static_cast<std::size_t>(exchange.process())] = value;
        });
      });
      EXPECT_EQ(rates, expected_rates) << "nothing is left of the state before";
      EXPECT_EQ(redundant_rows, std::vector<double>(4, 3.0)) << "of a planar loop";
      for (const std::string& message : messages) {
        EXPECT_EQ(message, expected.message()) << key << " " << component;
        EXPECT_FALSE(message.empty());
      }
    }
  }
}

TEST(SubchainProcesses, many_processes_exchange_along_a_tree_by_themselves) {
  EXPECT_FALSE(goes_along_tree(SegmentExchange::automatic, 63));
  EXPECT_TRUE(goes_along_tree(SegmentExchange::automatic, 64));
  EXPECT_FALSE(goes_along_tree(SegmentExchange::all, 1024));
  EXPECT_TRUE(goes_along_tree(SegmentExchange::tree, 2));
}

TEST(SubchainProcessesThreads, a_process_holds_its_slice_of_the_state) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:300");
  on_processes(2, [&](ProcessExchange& exchange) {
    const auto own = part("hdca", mechanism, kFourBlocks, exchange);
    // Sub-chains of ten links: two blocks of 80 for process 0, the other 140 links for process 1.
    EXPECT_EQ(own->state_size(), exchange.process() == 0 ? 320U : 280U);
    EXPECT_EQ(own->layout().front().name, exchange.process() == 0 ? "q.joint1" : "q.joint161");
    EXPECT_EQ(own->layout().back().name, exchange.process() == 0 ? "p.joint160" : "p.joint300");
    EXPECT_EQ(own->layout().back().kind, StateKind::momentum);
  });
}

TEST(SubchainProcessesThreads, components_of_parts_have_the_names_and_kinds_of_the_whole) {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum_xyz:40").description();
  description.joints[20].type = JointType::fixed;
  description.joints[20].q0.clear();
  description.joints[20].v0.clear();
  const Mechanism mechanism(description);
  for (const std::string_view key : {"dca", "hdca"}) {
    const auto whole = test::make(key, mechanism, kFourBlocks);
    std::vector<int> held(whole->state_size(), 0);
    for (const int process : {0, 1}) {
      ThreadProcesses connection(2);
      ThreadProcessExchange exchange(connection, process);
      const auto own = part(key, mechanism, kFourBlocks, exchange);
      for (std::size_t i = 0; i < own->state_size(); ++i) {
        const std::size_t component = own->components()[i];
        ++held[component];
        EXPECT_EQ(own->layout()[i].name, whole->layout()[component].name);
        EXPECT_EQ(own->layout()[i].kind, whole->layout()[component].kind);
        EXPECT_EQ(own->layout()[i].joint, whole->layout()[component].joint);
      }
    }
    EXPECT_EQ(held, std::vector<int>(held.size(), 1)) << "every component belongs to one process";
  }
}

TEST(SubchainProcessesThreads, bodies_as_leaves_fail_on_all_processes_alike) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100");
  for (const std::string_view key : {"dca", "hdca"}) {
    for (const std::size_t component : {0U, 99U, 130U}) {
      std::vector<double> x = some_state(mechanism);
      x[component] = std::numeric_limits<double>::quiet_NaN();
      std::vector<std::string> messages(4);
      on_processes(4, [&](ProcessExchange& exchange) {
        const auto own = part(key, mechanism, kBodies, exchange);
        std::vector<double> own_x;
        for (const std::size_t i : own->components()) {
          own_x.push_back(x[i]);
        }
        std::vector<double> own_xdot(own_x.size());
        messages[static_cast<std::size_t>(exchange.process())] = own->rhs(0.0, own_x, own_xdot).message();
      });
      for (const std::string& message : messages) {
        EXPECT_NE(message.find("NaN inboard"), std::string::npos) << message;
        EXPECT_EQ(message, messages.front());
      }
    }
  }
}

TEST(SubchainProcessesThreads, a_state_that_is_no_number_on_one_process_fails_on_all) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100");
  for (const std::string_view key : {"dca", "hdca"}) {
    for (const std::size_t component : {0U, 99U, 100U, 130U, 199U}) {
      std::vector<double> x = some_state(mechanism);
      x[component] = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> whole(x.size());
      const RhsStatus expected = test::make(key, mechanism, kFourBlocks)->rhs(0.0, x, whole);
      std::vector<std::string> messages(4);
      on_processes(4, [&](ProcessExchange& exchange) {
        const auto own = part(key, mechanism, kFourBlocks, exchange);
        std::vector<double> own_x;
        for (const std::size_t i : own->components()) {
          own_x.push_back(x[i]);
        }
        std::vector<double> own_xdot(own_x.size());
        messages[static_cast<std::size_t>(exchange.process())] = own->rhs(0.0, own_x, own_xdot).message();
      });
      for (const std::string& message : messages) {
        EXPECT_EQ(message, expected.message()) << key << " " << component;
        EXPECT_FALSE(message.empty());
      }
    }
  }
}

TEST(SubchainProcessesThreads, what_cannot_be_divided_is_said_with_what_can) {
  const auto message = [](std::string_view key, std::string_view name, std::string_view options, int processes) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    ThreadProcesses connection(processes);
    ThreadProcessExchange exchange(connection, 0);
    try {
      part(key, mechanism, options, exchange);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("hdca", "pendulum:64", "leaf=subchain,subchains=16", 2), "accepted");
  EXPECT_NE(message("hdca", "pendulum:64", "leaf=subchain", 2).find("option subchains=16 makes it 2 blocks"),
            std::string::npos);
  // Forty sub-chains of two links each: from the 22nd on they hold none, which leaves three blocks.
  EXPECT_NE(message("hdca", "pendulum:41", "leaf=subchain,subchains=40", 5).find("subchains=48 makes it 6 blocks"),
            std::string::npos);
  EXPECT_NE(message("hdca", "pendulum:20", "leaf=subchain", 4).find("too few for so many processes, 3 is the most"),
            std::string::npos);
  EXPECT_NE(message("hdca", "pendulum:64", "", 2).find("leaf=subchain"), std::string::npos);
  EXPECT_NE(message("aba", "pendulum:64", "", 2).find("dca[leaf=subchain]"), std::string::npos);
  EXPECT_NE(message("bae-haug", "loop:9", "alpha=1", 2).find("option processes=2"), std::string::npos);
  EXPECT_NE(message("hdca", "balanced_tree:64", "", 2).find("need the whole state"), std::string::npos);
  EXPECT_NE(message("dca", "balanced_tree:64", "leaf=subtree", 2).find("need the whole state"), std::string::npos);
  EXPECT_NE(message("dca", "bricard", "leaf=subchain", 1).find("projection=off"), std::string::npos);
  EXPECT_NE(message("dca", "balanced_tree:7", "leaf=subchain", 2).find("without branches"), std::string::npos);
}

TEST(SubchainProcessesThreads, a_load_that_depends_on_a_joint_of_another_process_is_refused) {
  const auto accepted = [](const std::string& formula) {
    MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:64").description();
    description.joint_loads.push_back({"gear", "joint3", 0, ExpressionLaw{formula}});
    const Mechanism mechanism(description);
    ThreadProcesses connection(2);
    ThreadProcessExchange exchange(connection, 1);  // not the process of the joint: all say the same
    try {
      part("hdca", mechanism, "leaf=subchain,subchains=16", exchange);
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("depends on another one: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("gear"), std::string::npos) << error.what();
      return false;
    }
    return true;
  };
  EXPECT_TRUE(accepted("2 * q_joint5"));
  EXPECT_FALSE(accepted("2 * q_joint50"));
}

}  // namespace
}  // namespace mbdbench
