/// \file
/// The rank that constraints have in general, and which mechanisms move by geometry alone.
#include "mechanisms/model/start/generic_rank.hpp"

#include <gtest/gtest.h>

#include "mechanisms/model/validation/model_check.hpp"
#include "tests/support/catalogue_mechanism.hpp"

namespace mbdbench {
namespace {

struct Expected {
  const char* specification;
  int rank;
  bool overconstrained;
};

TEST(generic_rank, is_that_of_closed_positions_near_the_start) {
  // Rows less redundant ones, by the counts of closed_catalogue_test.
  for (const Expected& expected : std::vector<Expected>{{"bricard", 4, true},
                                                        {"bennett", 2, true},
                                                        {"sarrus", 4, true},
                                                        {"n_four_bar:3", 6, false},
                                                        {"squeezer", 6, false},
                                                        {"four_bar", 2, false},
                                                        {"double_loop", 4, false},
                                                        {"coupled_loops", 4, false},
                                                        {"rings:3,links=5", 6, false},
                                                        {"loop:64", 2, false},
                                                        {"ladder:5", 15, false},
                                                        {"slider_crank", 3, false},
                                                        {"pendulum:3", 0, false}}) {
    SCOPED_TRACE(expected.specification);
    const Mechanism mechanism = test::from_catalogue(expected.specification);
    EXPECT_EQ(mechanism.generic_rank().rank, expected.rank);
    EXPECT_EQ(mechanism.generic_rank().overconstrained, expected.overconstrained);
  }
}

TEST(generic_rank, is_not_that_of_a_singular_start) {
  for (const char* specification : {"five_bar:line", "sarrus:angle=0"}) {
    const Mechanism mechanism = test::from_catalogue(specification);
    EXPECT_GT(mechanism.generic_rank().rank, check_model(mechanism).rank) << specification;
  }
}

TEST(generic_rank, belongs_to_copies_too) {
  const Mechanism mechanism = test::from_catalogue("bricard");
  const Mechanism copy = mechanism;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
  EXPECT_EQ(&copy.generic_rank(), &mechanism.generic_rank());
}

}  // namespace
}  // namespace mbdbench
