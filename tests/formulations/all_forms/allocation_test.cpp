// rhs allocates nothing: malloc itself is watched, in a Release build.
#include <gtest/gtest.h>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

TEST(rhs_allocations, none_for_any_formulation_and_mechanism) {
  if (!AllocationGuard::active()) {
    // Sanitizers replace malloc themselves; the Release build is where this is checked.
    return;
  }
  std::vector<std::string> names = {"pendulum:256",
                                    "pendulum_xyz:64",
                                    "random_tree:seed=5,bodies=40,motions=3",
                                    "random_closed:seed=3,bodies=20,cuts=3",
                                    "random_closed:seed=15,bodies=17,cuts=1",
                                    "balanced_tree:bodies=64,branching=20"};
  for (const MechanismEntry& entry : mechanism_registry()) {
    names.emplace_back(entry.key);
  }
  int evaluated = 0;
  for (const std::string& name : names) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!entry.refusal(mechanism).empty()) {
        continue;
      }
      const auto formulation = test::make(entry.key, mechanism);
      std::vector<double> x(formulation->state_size());
      std::vector<double> xdot(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      const AllocationGuard guard;
      const RhsStatus status = formulation->rhs(0.1, x, xdot);
      EXPECT_EQ(guard.count(), 0U) << entry.key << " on " << name;
      EXPECT_TRUE(status.ok) << entry.key << " on " << name << ": " << status.message();
      ++evaluated;
    }
  }
  EXPECT_GT(evaluated, 20);
}

TEST(rhs_allocations, none_for_closed_loops_by_constraint_matrices) {
  if (!AllocationGuard::active()) {
    return;
  }
  for (const std::string key : {"biped", "double_loop", "rings", "loop:64", "slider_crank", "coupled_loops"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const char* const formulation_key : {"naudet", "naudet-reduced"}) {
      const auto formulation = test::make(formulation_key, mechanism, "loops=matrices");
      std::vector<double> x(formulation->state_size());
      std::vector<double> xdot(x.size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      const AllocationGuard guard;
      const RhsStatus status = formulation->rhs(0.1, x, xdot);
      EXPECT_EQ(guard.count(), 0U) << formulation_key << " on " << key;
      EXPECT_TRUE(status.ok) << status.message();
    }
  }
}

}  // namespace
}  // namespace mbdbench
