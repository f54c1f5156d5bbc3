// Many states at a time (Formulation::rhs_batch, StateBatch): the answers of one state at a time in every instruction
// set, bits that depend on neither place, number nor threads, and states that fail alone.
#include "formulations/batches/state_batch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formulations/execution/thread_processes.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Random states of a mechanism in rows, and the largest rounding that right-hand sides at them may have.
struct States {
  std::vector<double> rows;
  double rounding = 1e-12;

  States(Formulation& formulation, std::size_t count, std::uint64_t seed) {
    const Mechanism& mechanism = formulation.mechanism();
    const std::size_t size = formulation.state_size();
    RandomSource random(static_cast<std::int64_t>(seed));
    rows.resize(count * size);
    for (std::size_t k = 0; k < count; ++k) {
      const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
      const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
      EXPECT_TRUE(formulation.pack(0.3, view(q), view(u), std::span(rows).subspan(k * size, size)).ok);
      // Both sides lose about n eps cond(M).
      rounding = std::max(
          rounding, std::numeric_limits<double>::epsilon() * mechanism.u_size() * test::mass_condition(mechanism, q));
    }
  }
};

struct Answers {
  std::vector<double> rates;
  std::vector<RhsStatus> statuses;
};

Answers one_by_one(Formulation& formulation, std::span<const double> states) {
  const std::size_t size = formulation.state_size();
  Answers answers{std::vector<double>(states.size()), std::vector<RhsStatus>(states.size() / size)};
  for (std::size_t k = 0; k < answers.statuses.size(); ++k) {
    answers.statuses[k] =
        formulation.rhs(0.3, states.subspan(k * size, size), std::span(answers.rates).subspan(k * size, size));
  }
  return answers;
}

Answers at_once(Formulation& formulation, std::span<const double> states, int threads = 1) {
  Answers answers{std::vector<double>(states.size(), kNan),
                  std::vector<RhsStatus>(states.size() / formulation.state_size(), {false, {}, "not asked"})};
  StateBatch(formulation, threads).rhs(0.3, states, answers.rates, answers.statuses);
  return answers;
}

/// Largest difference between the halves of x' (coordinates, and rates of u or p), in units of `rounding`.
double difference(const Formulation& formulation, const Answers& got, const Answers& expected, double rounding) {
  const std::size_t size = formulation.state_size();
  const auto split = static_cast<std::size_t>(formulation.mechanism().q_size());
  double worst = 0.0;
  for (std::size_t k = 0; k < got.statuses.size(); ++k) {
    EXPECT_TRUE(got.statuses[k].ok) << got.statuses[k].message();
    const std::span<const double> a = std::span(got.rates).subspan(k * size, size);
    const std::span<const double> b = std::span(expected.rates).subspan(k * size, size);
    worst = std::max({worst, test::block_error(a.first(split), b.first(split)) / rounding,
                      test::block_error(a.subspan(split), b.subspan(split)) / rounding});
  }
  return worst;
}

void expect_the_answers_of_one_state(const std::string& name, const char* key, std::size_t count) {
  const Mechanism mechanism = test::from_catalogue(name);
  const auto formulation = test::make(key, mechanism);
  const States states(*formulation, count, count);
  const Answers expected = one_by_one(*formulation, states.rows);
  const Answers got = at_once(*formulation, states.rows);
  EXPECT_LT(difference(*formulation, got, expected, states.rounding), 1.0)
      << key << " on " << name << ", " << count << " states in " << formulation->batch_lanes() << " lanes";
}

TEST(state_batch, random_trees_of_all_joints_and_loads_give_the_answers_of_one_state_at_a_time) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + test::extent(60) - 1);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (std::uint64_t seed = first; seed < first + test::extent(60); ++seed) {
      const std::uint64_t bodies = 1 + seed * 7 % 24;
      const std::uint64_t motions = bodies > 2 ? seed % 3 : 0;
      const std::string name =
          fmt::format("random_tree:seed={},bodies={},motions={},loads={}", seed, bodies, motions, seed % 2);
      for (const char* key : {"aba", "naudet"}) {
        expect_the_answers_of_one_state(name, key, 1 + seed % 19);
      }
    }
  }
}

TEST(state_batch, chains_and_robots_give_the_answers_of_one_state_at_a_time) {
  for (const char* name : {"pendulum:9", "pendulum_xyz:17", "balanced_tree:bodies=40,branching=3", "caterpillar",
                           "robot_arm", "humanoid", "quadruped"}) {
    for (const char* key : {"aba", "naudet", "naudet-acc", "bae-haug"}) {
      expect_the_answers_of_one_state(name, key, 13);
    }
  }
}

TEST(state_batch, every_formulation_takes_many_states_of_open_trees_and_of_loops) {
  for (const char* name : {"random_tree:seed=11,bodies=9", "five_bar", "pendulum:20"}) {
    const Mechanism mechanism = test::from_catalogue(name);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!refusal_of(entry, mechanism).empty()) {
        continue;
      }
      const auto formulation = test::make(entry.key, mechanism);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok) << entry.key;
      std::vector<double> rows;
      for (int k = 0; k < 3; ++k) {
        rows.insert(rows.end(), x.begin(), x.end());
      }
      const Answers expected = one_by_one(*formulation, rows);
      const std::size_t calls = formulation->rhs_calls();
      const Answers got = at_once(*formulation, rows);
      EXPECT_EQ(formulation->rhs_calls(), calls + 3) << entry.key;
      EXPECT_LT(difference(*formulation, got, expected, 1e-10), 1.0) << entry.key << " on " << name;
    }
  }
}

TEST(state_batch, bits_depend_on_neither_place_nor_number_nor_threads) {
  for (const char* name : {"humanoid", "random_tree:seed=4,bodies=20", "five_bar"}) {
    const Mechanism mechanism = test::from_catalogue(name);
    for (const char* key : {"bae-haug", "naudet"}) {
      const auto formulation = test::make(key, mechanism);
      const std::size_t size = formulation->state_size();
      constexpr std::size_t kCount = 37;
      std::vector<double> rows;
      if (mechanism.cut_joints().empty()) {
        rows = States(*formulation, kCount, 5).rows;
      } else {
        std::vector<double> x(size);
        ASSERT_TRUE(formulation->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
        for (std::size_t k = 0; k < kCount; ++k) {
          rows.insert(rows.end(), x.begin(), x.end());
        }
      }
      const Answers all = at_once(*formulation, rows);
      for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(at_once(*formulation, rows, threads).rates, all.rates) << key << " on " << name;
      }
      for (const std::size_t first : {std::size_t{1}, std::size_t{7}, kCount - 1}) {
        const Answers some = at_once(*formulation, std::span(rows).subspan(first * size));
        EXPECT_TRUE(std::equal(some.rates.begin(), some.rates.end(),
                               all.rates.begin() + static_cast<std::ptrdiff_t>(first * size)))
            << key << " on " << name << " from state " << first;
      }
    }
  }
}

// What fails: a coordinate that is not a number, and an angle that is not finite. Huge angles are left to the standard
// library and do not fail.
TEST(state_batch, a_state_that_fails_does_so_alone_and_names_its_joint) {
  const Mechanism mechanism = test::from_catalogue("humanoid");
  for (const char* key : {"aba", "naudet"}) {
    const auto formulation = test::make(key, mechanism);
    const std::size_t size = formulation->state_size();
    constexpr std::size_t kCount = 21;
    const States states(*formulation, kCount, 8);
    const Answers sound = at_once(*formulation, states.rows);
    for (std::size_t spoiled = 0; spoiled < kCount; ++spoiled) {
      std::vector<double> rows = states.rows;
      rows[spoiled * size + 9] = kNan;
      const RhsStatus alone = one_by_one(*formulation, rows).statuses[spoiled];
      ASSERT_FALSE(alone.ok);
      ASSERT_FALSE(alone.joint.empty());
      const Answers got = at_once(*formulation, rows);
      for (std::size_t k = 0; k < kCount; ++k) {
        if (k == spoiled) {
          EXPECT_FALSE(got.statuses[k].ok);
          EXPECT_EQ(got.statuses[k].joint, alone.joint);
          continue;
        }
        EXPECT_TRUE(got.statuses[k].ok) << "state " << k << " beside " << spoiled;
        for (std::size_t i = k * size; i < (k + 1) * size; ++i) {
          EXPECT_EQ(got.rates[i], sound.rates[i]) << "state " << k << " beside " << spoiled;
        }
      }
    }
    std::vector<double> rows = states.rows;
    rows[3 * size + 9] += 1e6;
    const Answers expected = one_by_one(*formulation, rows);
    EXPECT_LT(difference(*formulation, at_once(*formulation, rows), expected, states.rounding), 1.0) << key;
  }
}

// Formulations that pass a velocity on which is none, or a number on which no rate depends.
TEST(state_batch, numbers_that_are_none_fail_where_states_go_one_after_another) {
  const Mechanism mechanism = test::from_catalogue("pendulum_xyz:3");
  for (const char* key : {"dense", "dense-momentum", "dca-alm"}) {
    SCOPED_TRACE(key);
    const auto formulation = test::make(key, mechanism);
    const std::size_t size = formulation->state_size();
    std::vector<double> x(size);
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    std::vector<double> rows;
    for (std::size_t k = 0; k < size; ++k) {  // one number spoiled in each
      rows.insert(rows.end(), x.begin(), x.end());
      rows[k * size + k] = kNan;
    }
    rows.insert(rows.end(), x.begin(), x.end());
    for (const int threads : {1, 3}) {
      StateBatch batch(*formulation, threads);
      std::vector<double> rates(rows.size());
      std::vector<RhsStatus> statuses(size + 1);
      batch.rhs(0.0, rows, rates, statuses);
      for (std::size_t k = 0; k < size; ++k) {
        EXPECT_FALSE(statuses[k].ok) << formulation->layout()[k].name;
        EXPECT_FALSE(statuses[k].joint.empty()) << statuses[k].message();
      }
      EXPECT_TRUE(statuses[size].ok) << statuses[size].message();
    }
  }
}

TEST(state_batch, no_states_are_no_work) {
  const Mechanism mechanism = test::from_catalogue("pendulum:3");
  const auto formulation = test::make("aba", mechanism);
  const Answers none = at_once(*formulation, {}, 2);
  EXPECT_TRUE(none.rates.empty());
  EXPECT_EQ(formulation->rhs_calls(), 0U);
}

// Any number of states, processes and threads; one state that fails, whose reason every process knows.
TEST(state_batch, processes_have_the_bits_of_one_everywhere_or_of_their_own_states) {
  for (const auto& both : {std::pair{"humanoid", "aba"}, {"double_loop", "naudet"}, {"four_bar", "dca-alm"}}) {
    const char* const name = both.first;
    const Mechanism mechanism = test::from_catalogue(name);
    const auto original = test::make(both.second, mechanism);
    const std::size_t size = original->state_size();
    std::vector<double> x(size);
    ASSERT_TRUE(original->pack(0.3, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{13}, std::size_t{40}}) {
      std::vector<double> rows;
      for (std::size_t k = 0; k < count; ++k) {
        rows.insert(rows.end(), x.begin(), x.end());
        rows.back() += 1e-3 * static_cast<double>(k);
      }
      if (count > 2) {
        rows[2 * size] = kNan;
      }
      const Answers alone = at_once(*original, rows);
      for (const int processes : {2, 3}) {
        for (const BatchRates wanted : {BatchRates::everywhere, BatchRates::own}) {
          on_processes(processes, [&](ProcessExchange& exchange) {
            const auto formulation = original->clone();
            StateBatch batch(*formulation, 2, &exchange, wanted);
            const RhsStatus not_asked = {false, {}, "not asked"};
            Answers got{std::vector<double>(rows.size(), kNan), std::vector<RhsStatus>(count, not_asked)};
            batch.rhs(0.3, rows, got.rates, got.statuses);
            const std::vector<std::size_t> bounds = batch.shares(count);
            const auto own = static_cast<std::size_t>(exchange.process());
            for (std::size_t k = 0; k < count; ++k) {
              if (wanted == BatchRates::own && (k < bounds[own] || k >= bounds[own + 1])) {
                EXPECT_EQ(got.statuses[k].reason, "not asked");
                EXPECT_TRUE(std::isnan(got.rates[k * size]));
                continue;
              }
              EXPECT_EQ(got.statuses[k].message(), alone.statuses[k].message()) << name << ", state " << k;
              if (got.statuses[k].ok) {
                EXPECT_TRUE(std::equal(got.rates.begin() + static_cast<std::ptrdiff_t>(k * size),
                                       got.rates.begin() + static_cast<std::ptrdiff_t>((k + 1) * size),
                                       alone.rates.begin() + static_cast<std::ptrdiff_t>(k * size)))
                    << name << ", state " << k << " of " << count << " on " << processes << " processes";
              }
            }
          });
        }
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
