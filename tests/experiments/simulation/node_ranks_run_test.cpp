// Momenta along a whole run: p' of hdca has no jumps where the rank of one node of the assembly is rounding.
#include <gtest/gtest.h>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class NodeRanksRunTest : public SimulateCommandTest {};

TEST_F(NodeRanksRunTest, HdcaTakesAboutAsManyEvaluationsAsNaudet) {
  // hdca once took 20000 evaluations for the first 5 ms.
  for (const std::string key : {"hdca", "hdca[gauge=leak]", "naudet"}) {
    const CommandLineCall run =
        simulate(key, {"-m", "random_closed:seed=750307,bodies=6,cuts=3", "-f", key, "-t", "1.0"});
    EXPECT_EQ(run.exit_code, 0) << key << run.errors;
    EXPECT_LT(statistics(key).at("nfevals").get<int>(), 600) << key;  // 398, 398, 404
  }
}

}  // namespace
}  // namespace mbdbench
