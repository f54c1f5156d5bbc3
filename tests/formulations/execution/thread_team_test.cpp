// The OpenMP region that right-hand sides are shared in: its members, its barrier, regions inside regions, the bits of
// any number of members, no allocation, and threads that rest.
#include "formulations/execution/thread_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "formulations/execution/openmp_settings.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

/// \returns how many members a region of a team has.
int members_of(const ThreadTeam& team) {
  std::atomic<int> members = 0;
  team.run([&](const TeamMember& /*member*/) { ++members; });
  return members;
}

/// x' of a state with different values everywhere.
std::vector<double> some_rates(Formulation& formulation) {
  std::vector<double> x(formulation.state_size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
  }
  std::vector<double> xdot(x.size());
  EXPECT_TRUE(formulation.rhs(0.0, x, xdot).ok);
  return xdot;
}

TEST(ThreadTeam, every_member_works_once_and_the_caller_is_the_first) {
  for (const int size : {1, 2, 5}) {
    const ThreadTeam team(size);
    EXPECT_EQ(team.size(), size);
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(size));
    std::atomic<bool> first_is_the_caller = false;
    const std::thread::id caller = std::this_thread::get_id();
    team.run([&](const TeamMember& member) {
      EXPECT_EQ(member.count, size);
      ++calls[static_cast<std::size_t>(member.index)];
      if (member.index == 0) {
        first_is_the_caller = std::this_thread::get_id() == caller;
      }
    });
    for (const std::atomic<int>& count : calls) {
      EXPECT_EQ(count, 1);
    }
    EXPECT_TRUE(first_is_the_caller);
  }
}

TEST(ThreadTeam, a_barrier_shows_all_what_all_have_written) {
  constexpr int kMembers = 3;
  std::array<int, kMembers> written{};
  std::atomic<int> wrong = 0;
  ThreadTeam(kMembers).run([&](const TeamMember& member) {
    for (int round = 1; round <= 100; ++round) {
      written[static_cast<std::size_t>(member.index)] = round;
      member.barrier();
      for (const int each : written) {
        wrong += each != round ? 1 : 0;
      }
      member.barrier();
    }
  });
  EXPECT_EQ(wrong, 0);
}

// Jobs of a study are members of a region: threads of a right-hand side inside would be jobs times threads.
TEST(ThreadTeam, a_region_inside_a_region_has_one_member_and_the_same_bits_and_allocates_nothing) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:200");
  for (const std::string options : {"leaf=subchain,subchains=32,threads=2", "subchains=32,threads=2"}) {
    const auto formulation = test::make("hdca", mechanism, options);
    const std::vector<double> expected = some_rates(*formulation);
    std::vector<std::unique_ptr<Formulation>> clones;
    clones.push_back(formulation->clone());
    clones.push_back(formulation->clone());
    std::array<std::vector<double>, 2> rates;
    std::array<int, 2> inner_members{};
    std::array<std::size_t, 2> allocated{};
    ThreadTeam(2).run([&](const TeamMember& member) {
      const auto i = static_cast<std::size_t>(member.index);
      inner_members[i] = members_of(ThreadTeam(3));
      rates[i] = some_rates(*clones[i]);
      std::vector<double> xdot(rates[i].size());
      const AllocationGuard guard;
      static_cast<void>(clones[i]->rhs(0.0, rates[i], xdot));
      allocated[i] = guard.count();
    });
    EXPECT_EQ(inner_members, (std::array{1, 1}));
    EXPECT_EQ(rates[0], expected) << options;
    EXPECT_EQ(rates[1], expected) << options;
    EXPECT_EQ(allocated, (std::array<std::size_t, 2>{}));
  }
}

TEST(ThreadTeam, teams_of_different_sizes_and_callers_take_turns) {
  std::atomic<int> wrong = 0;
  const auto work = [&wrong] {
    for (int round = 0; round < 20; ++round) {
      for (const int size : {2, 4, 1, 3}) {
        wrong += members_of(ThreadTeam(size)) != size ? 1 : 0;
      }
      if (round % 5 == 0) {
        ThreadTeam::rest();
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(wrong, 0);
}

#if !defined(__clang__)  // whose library takes it as a hint
TEST(ThreadTeam, threads_that_rest_take_no_processor) {
  const auto processor_time = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const ThreadTeam team(2);
  double least = 1.0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    ASSERT_EQ(members_of(team), 2);
    ThreadTeam::rest();
    const double start = processor_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    least = std::min(least, processor_time() - start);
  }
  // A thread that spins takes 4 ms or more of the 20; the sleep of the other takes less than 0.1 ms.
  EXPECT_LT(least, 1e-3);
}
#endif

/// OMP_NUM_THREADS in one scope.
class ThreadVariable {
 public:
  explicit ThreadVariable(const char* value) {
    if (const char* const before = std::getenv("OMP_NUM_THREADS"); before != nullptr) {
      before_ = before;
    }
    value == nullptr ? unsetenv("OMP_NUM_THREADS") : setenv("OMP_NUM_THREADS", value, 1);
  }
  ThreadVariable(const ThreadVariable&) = delete;
  ThreadVariable& operator=(const ThreadVariable&) = delete;
  ThreadVariable(ThreadVariable&&) = delete;
  ThreadVariable& operator=(ThreadVariable&&) = delete;
  ~ThreadVariable() { before_ ? setenv("OMP_NUM_THREADS", before_->c_str(), 1) : unsetenv("OMP_NUM_THREADS"); }

 private:
  std::optional<std::string> before_;
};

TEST(OpenmpSettings, threads_are_those_of_the_variable_or_one) {
  const auto threads = [](const char* value) {
    const ThreadVariable variable(value);
    EXPECT_EQ(refuse_thread_environment(), "") << (value == nullptr ? "unset" : value);
    return threads_of_environment();
  };
  EXPECT_EQ(threads(nullptr), 1);
  EXPECT_EQ(threads("3"), 3);
  EXPECT_EQ(threads(" 4 "), 4);
  EXPECT_EQ(threads("6,2"), 6);
  EXPECT_EQ(threads("1024"), 1024);
  for (const char* const wrong : {"", "0", "-1", "two", "4x", "2,", "2,none", "2.5", "1025", "99999999999"}) {
    const ThreadVariable variable(wrong);
    EXPECT_NE(refuse_thread_environment().find(std::string("OMP_NUM_THREADS is '") + wrong + "'; it must be a number"),
              std::string::npos)
        << wrong;
    EXPECT_EQ(threads_of_environment(), 1) << wrong;
  }
}

TEST(OpenmpSettings, tell_what_a_region_of_threads_really_has) {
  const OpenmpSettings settings = openmp_settings(2);
  EXPECT_EQ(settings.members, members_of(ThreadTeam(2)));
  EXPECT_GE(settings.version, 201511);  // 4.5, of GCC 6 and Clang 14
  EXPECT_GE(settings.max_threads, 1);
  EXPECT_GE(settings.thread_limit, 1);
  EXPECT_FALSE(settings.proc_bind.empty());
  EXPECT_FALSE(settings.wait_policy.empty());
  int inside = 0;
  ThreadTeam(2).run([&](const TeamMember& member) {
    if (member.index == 1) {
      inside = openmp_settings(2).members;
    }
  });
  EXPECT_EQ(inside, 1);
}

}  // namespace
}  // namespace mbdbench
