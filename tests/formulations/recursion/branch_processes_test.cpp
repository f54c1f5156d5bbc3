// Processes that share the branches of a tree, all with the whole state (make_process_formulation): the bits of one
// process, whatever their number, and how often they exchange.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "formulations/execution/thread_processes.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

struct RankedWay {
  const char* key;
  const char* options;
};

Mechanism catalogue_mechanism(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// What a run asks of a formulation: a right-hand side, twice, and what follows an accepted step.
std::vector<double> run_of(Formulation& formulation, const Mechanism& mechanism) {
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.2, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> all = x;
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::vector<double> xdot(x.size());
    const RhsStatus status = formulation.rhs(0.2, x, xdot);
    EXPECT_TRUE(status.ok) << status.message();
    all.insert(all.end(), xdot.begin(), xdot.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += 1e-6 * (static_cast<double>(37 * i % 11) - 5.0);  // off the constraints: projections move it back
    }
    formulation.after_step(0.2, x);
    all.insert(all.end(), x.begin(), x.end());
  }
  return all;
}

/// \returns whether processes have shared the work.
bool expect_the_same_bits(const std::string& name, const RankedWay& way) {
  const Mechanism mechanism = catalogue_mechanism(name);
  const auto alone = make_formulation(formulation_registry(), *find_formulation(formulation_registry(), way.key),
                                      mechanism, way.options);
  const std::vector<double> expected = run_of(*alone, mechanism);
  bool divided = false;
  for (const int size : {1, 2, 3, 5}) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(size));
    on_processes(size, [&](ProcessExchange& processes) {
      const ProcessFormulation made =
          make_process_formulation(formulation_registry(), *find_formulation(formulation_registry(), way.key),
                                   mechanism, way.options, true, processes);
      ASSERT_NE(made.whole, nullptr);
      found[static_cast<std::size_t>(processes.process())] = run_of(*made.whole, mechanism);
      if (processes.process() == 0) {
        divided = divided || made.whole->is_divided();
      }
    });
    for (const std::vector<double>& each : found) {
      EXPECT_EQ(each, expected) << way.key << '[' << way.options << "] on " << name << ", " << size << " processes";
    }
  }
  return divided;
}

TEST(branch_processes, trees_have_the_bits_of_one_process) {
  const std::uint64_t first_seed = test::seed_of_run(4600U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  constexpr std::array kWays = {RankedWay{"dca", ""}, RankedWay{"dca", "threads=2"}, RankedWay{"hdca", ""},
                                RankedWay{"bae-haug", ""}};
  for (const RankedWay& way : kWays) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::string name = fmt::format("random_tree:seed={},bodies={},branching={},loads={},motions={}",
                                           first_seed + i, 280 + 20 * i, i % 2 == 0 ? 0.5 : 1.0, i, 2 * i);
      expect_the_same_bits(name, way);
    }
    EXPECT_TRUE(expect_the_same_bits("random_tree:seed=4,bodies=400,loads=0", way)) << way.key;
  }
}

// Sub-trees side by side: blocks of lanes are what processes share.
TEST(branch_processes, sub_trees_in_lanes_have_the_bits_of_one_process) {
  for (const RankedWay& way : {RankedWay{"dca", "leaf=subtree"}, RankedWay{"dca", "leaf=subtree,threads=2"},
                               RankedWay{"hdca", "leaf=subtree"}}) {
    EXPECT_TRUE(expect_the_same_bits("balanced_tree:1023", way)) << way.key;
    EXPECT_TRUE(expect_the_same_bits("random_tree:seed=4,bodies=400,loads=0", way)) << way.key;  // quaternions
    EXPECT_FALSE(expect_the_same_bits("quadruped", way)) << way.key << ": less than 20 us";
  }
}

// An assembly has branches whatever the mechanism is.
TEST(branch_processes, assemblies_have_the_bits_of_one_process) {
  for (const RankedWay& way :
       {RankedWay{"dca-alm", ""}, RankedWay{"dca-alm", "threads=2"}, RankedWay{"dca-alm-proj", ""}}) {
    for (const char* const name : {"ladder:90", "rings:20", "loop:161", "random_tree:seed=9,bodies=200,loads=1"}) {
      expect_the_same_bits(name, way);
    }
    EXPECT_TRUE(expect_the_same_bits("pendulum:200", way)) << way.key;
  }
}

// Where there is nothing to share, every process computes the same.
TEST(branch_processes, everything_is_accepted) {
  for (const RankedWay& way :
       {RankedWay{"dca", ""}, RankedWay{"hdca", ""}, RankedWay{"bae-haug", ""}, RankedWay{"naudet", ""},
        RankedWay{"dense", ""}, RankedWay{"dca-alm", ""}, RankedWay{"dca-alm-proj", ""}}) {
    for (const char* const name : {"double_loop", "pendulum_xyz:5", "random_closed:seed=7,bodies=9,cuts=2"}) {
      EXPECT_FALSE(expect_the_same_bits(name, way)) << way.key << " on " << name;
    }
  }
}

TEST(branch_processes, a_branch_that_fails_is_told_by_all) {
  const Mechanism mechanism = catalogue_mechanism("random_tree:seed=4,bodies=400,loads=0");
  for (const char* const key : {"dca", "hdca", "dca-alm"}) {
    std::vector<std::string> messages(3);
    on_processes(3, [&](ProcessExchange& processes) {
      const ProcessFormulation made = make_process_formulation(
          formulation_registry(), *find_formulation(formulation_registry(), key), mechanism, "", true, processes);
      std::vector<double> x(made.whole->state_size());
      EXPECT_TRUE(made.whole->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      x.front() = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> xdot(x.size());
      messages[static_cast<std::size_t>(processes.process())] = made.whole->rhs(0.0, x, xdot).message();
    });
    EXPECT_FALSE(messages[0].empty()) << key;
    EXPECT_EQ(messages[1], messages[0]) << key;
    EXPECT_EQ(messages[2], messages[0]) << key;
  }
}

}  // namespace
}  // namespace mbdbench
