/// \file
/// Closed mechanisms of thousands of loops: what starts closed is built without a matrix of all constraints, and one
/// that cannot be decomposed is refused instead of growing until the system ends the program.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/grids/spherical_grid.hpp"
#include "mechanisms/model/available_memory.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/validation/model_check.hpp"

namespace mbdbench {
namespace {

/// \returns by how many bytes a process grows that builds this mechanism.
double growth_of_building(const std::string& word) {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  const pid_t child = fork();
  if (child == 0) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), word);
    _exit(mechanism.cut_joints().empty() ? 1 : 0);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << word;
  return 1024.0 * static_cast<double>(used.ru_maxrss - own.ru_maxrss);
}

TEST(LargeMechanisms, ThatStartClosedAreBuiltWithoutAMatrixOfAllConstraints) {
  // Phi_q alone: 15000 x 6001 and 6000 x 12006 numbers, 0.7 and 0.6 GB.
  EXPECT_LT(growth_of_building("n_four_bar:3000"), 2e8);
  EXPECT_LT(growth_of_building("ladder:2000"), 2e8);
}

TEST(LargeMechanisms, WhatCannotBeDecomposedIsRefusedWithTheNumbers) {
  // 3e5 x 6e5 numbers: terabytes.
  const Mechanism ladder(spherical_grid("ladder", 2, 100'001));
  try {
    static_cast<void>(ladder.generic_rank());
    FAIL() << "more than any machine has";
  } catch (const MemoryRefusal& refusal) {
    EXPECT_NE(std::string(refusal.what())
                  .find("the constraint Jacobian of mechanism 'ladder', 300000 x 600006, with "
                        "its decomposition, needs about 5.76e+03 GB of memory"),
              std::string::npos)
        << refusal.what();
  }
  EXPECT_THROW(static_cast<void>(check_model(ladder)), MemoryRefusal);
}

}  // namespace
}  // namespace mbdbench
