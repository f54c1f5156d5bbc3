/// \file
/// Singular initial positions are recognised and named; redundant constraints and regular positions are not.
#include "mechanisms/model/start/singular_start.hpp"

#include <gtest/gtest.h>

#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

TEST(singular_start, the_stretched_five_bar_is_singular_at_its_loop) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "five_bar:line");
  const std::string text = singular_start_warning(mechanism);
  EXPECT_NE(text.find("rank 1 here and 2 nearby"), std::string::npos) << text;
  EXPECT_NE(text.find("'joint5'"), std::string::npos) << text;
}

TEST(singular_start, regular_positions_with_and_without_redundant_constraints_are_not) {
  for (const char* key :
       {"pendulum:3", "four_bar", "loop8", "double_loop", "five_bar:rect", "five_bar:rhombus", "coupled_loops",
        "slider_crank", "biped", "random_closed", "rings", "ladder", "grid", "random_closed:seed=5,bodies=7,cuts=3"}) {
    EXPECT_EQ(singular_start_warning(make_mechanism(mechanism_registry(), key)), "") << key;
  }
}

TEST(singular_start, ranks_nearby_are_those_of_the_mechanism_in_general) {
  const auto nearby = ranks_nearby(make_mechanism(mechanism_registry(), "double_loop"));
  ASSERT_TRUE(nearby.has_value());
  EXPECT_EQ(nearby->rank, 4);
  EXPECT_EQ(nearby->loops, (std::vector<int>{2, 2}));
}

}  // namespace
}  // namespace mbdbench
