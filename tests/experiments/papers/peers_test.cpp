/// \file
/// The study `peers`: cases out of other projects' tests, and the numbers that stand there.
#include <gtest/gtest.h>

#include <string>

#include "experiments/records/record.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(PeersRunTest, MeetsTheNumbersOfOtherProjects) {
  const TemporaryDirectory directory;
  const std::string declaration = std::string(MBDBENCH_SOURCE_DIR) + "/experiments/studies/peers.toml";
  const CommandLineCall call =
      call_program({"study", declaration, "--no-report", "--quiet", "-o", directory.path().string()});
  EXPECT_EQ(call.exit_code, 0) << call.output << call.errors;
  std::size_t expected = 0;
  for (const Record& record : read_records(directory / "records.csv")) {
    if (record.compared_value()) {
      ++expected;
      EXPECT_TRUE(record.verdict == Verdict::within_limit || record.verdict == Verdict::exact)
          << record.mechanism << ' ' << record.formulation << ' ' << record.quantity;
    }
    if (record.quantity == "inaccuracies") {
      EXPECT_EQ(record.value, 0.0) << record.mechanism << ' ' << record.formulation;
    }
  }
  EXPECT_GE(expected, 200U);
}

}  // namespace
}  // namespace mbdbench
