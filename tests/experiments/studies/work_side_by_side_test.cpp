/// \file
/// Jobs of a study beside one another: each piece once, what a piece throws, and no threads inside threads.
#include "experiments/studies/runner/parts/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "formulations/execution/thread_team.hpp"

namespace mbdbench::studies {
namespace {

TEST(SideBySide, EveryPieceOnceOnSomeThread) {
  for (const int jobs : {1, 2, 7}) {
    std::vector<std::atomic<int>> calls(20);
    side_by_side(calls.size(), jobs, {}, [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& count : calls) {
      EXPECT_EQ(count, 1) << jobs;
    }
  }
}

TEST(SideBySide, ThrowsWhatAPieceOnAThreadThrows) {
  for (const int jobs : {1, 3}) {
    EXPECT_THROW(side_by_side(5, jobs, {},
                              [](std::size_t i) {
                                if (i == 2) {
                                  throw std::out_of_range("piece 2");
                                }
                              }),
                 std::out_of_range);
  }
}

TEST(SideBySide, JobsAndThreadsDoNotMultiply) {
  const auto most_members = [](int jobs) {
    std::atomic<int> most = 0;
    side_by_side(4, jobs, {}, [&](std::size_t /*piece*/) {
      ThreadTeam(3).run([&](const TeamMember& member) {
        if (member.index == 0) {
          most = member.count;
        }
      });
    });
    return most.load();
  };
  EXPECT_EQ(most_members(1), 3);
  EXPECT_EQ(most_members(2), 1);
}

}  // namespace
}  // namespace mbdbench::studies
