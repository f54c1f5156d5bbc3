#include "experiments/records/record.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

std::vector<Record> varied_records() {
  Record plain{
      "table1", "pendulum:16",           "hdca",       "ode45", "tolerance=1e-06",   "function_evaluations", "1", 487.0,
      481.0,    "Chadaj2015, sect. III", std::nullopt, "",      Limit::within(0.02), Verdict::within_limit,  ""};
  Record awkward = plain;
  awkward.mechanism = "random_tree:seed=7,bodies=12";
  awkward.note = "said \"no\", twice\nand stopped; # not a comment";
  awkward.value = std::nullopt;
  awkward.published_value = std::nullopt;
  awkward.verdict = Verdict::failed;
  Record exact_numbers = plain;
  exact_numbers.experiment = "#first";
  exact_numbers.value = 0.1 + 0.2;
  exact_numbers.published_value = std::numeric_limits<double>::denorm_min();
  exact_numbers.verdict = Verdict::not_reproduced;
  Record infinite = plain;
  infinite.value = std::numeric_limits<double>::infinity();
  infinite.verdict = Verdict::trend_only;
  Record expected = plain;
  expected.published_value = std::nullopt;
  expected.expected_value = 0.1;
  expected.expected_from = "a prototype, by another method";
  expected.limit = Limit::within(1e-3);
  expected.verdict = Verdict::fitted;
  Record finding = plain;
  finding.limit = {LimitKind::finding, 0.0625};
  finding.verdict = Verdict::not_reproduced;
  Record below = plain;
  below.limit = {LimitKind::below, 0.0};
  below.verdict = Verdict::below_published_error;
  Record time = plain;
  time.limit = {LimitKind::trend, 0.0};
  time.verdict = Verdict::direction_only;
  return {plain, expected, awkward, exact_numbers, infinite, finding, below, time};
}

TEST(Records, RoundTripBitForBit) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "records.csv";
  write_records(file, varied_records());
  EXPECT_EQ(read_records(file), varied_records());
  write_records(file, {});
  EXPECT_TRUE(read_records(file).empty());
}

void expect_error(const std::string& content, std::size_t line, const std::string& part) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "records.csv";
  std::ofstream(file) << content;
  try {
    read_records(file);
    FAIL() << "accepted: " << content;
  } catch (const FileError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Records, AnErrorBelowThatOfAPaperSReferenceIsNoDifference) {
  EXPECT_EQ(judge_error(7e-13, 2e-11), Verdict::below_published_error) << "30 times smaller: more cannot be asked";
  EXPECT_EQ(judge_error(2.1e-11, 2e-11), Verdict::not_reproduced);
  EXPECT_EQ(judge_error(std::numeric_limits<double>::quiet_NaN(), 2e-11), Verdict::not_reproduced);
  EXPECT_FALSE((Limit{LimitKind::finding, 0.1}.asserted()));
  EXPECT_TRUE((Limit{LimitKind::below, 0.0}.asserted()));
}

TEST(Records, ReaderNamesLineAndWhatWouldBeRight) {
  const std::string header =
      "experiment,mechanism,formulation,integrator,parameters,quantity,unit,value,published_value,source,"
      "expected_value,expected_from,limit,verdict,note\n";
  expect_error("", 1, "column names");
  expect_error("a,b\n", 1, "columns should be experiment,");
  expect_error(header + "e,m,f,i,p,q,1,1,,s,,,,exact\n", 2, "14 fields where the header has 15");
  expect_error(header + "e,m,f,i,p,q,1,1x,,s,,,,exact,\n", 2, "value should be a number or empty, not '1x'");
  expect_error(header + "e,m,f,i,p,q,1,1,,s,,,,exact,\"two\nlines\"\ne,m,f,i,p,q,1,1,,s,,,,great,\n", 4, "trend only");
  expect_error(header + "e,m,f,i,p,q,1,1,,s,,,,exact,a\"b\n", 2, "quote");
  expect_error(header + "e,m,f,i,p,q,1,1,,s,2,prototype,relative x,exact,\n", 2, "relative NUMBER");
  EXPECT_THROW(read_records("/no/such/file.csv"), FileError);
  EXPECT_THROW(write_records("/no/such/file.csv", {}), FileError);
}

TEST(Judge, ComparesWithThePublishedValue) {
  EXPECT_EQ(judge(481.0, 481.0, 0.0), Verdict::exact);
  EXPECT_EQ(judge(482.0, 481.0, 0.0), Verdict::not_reproduced);
  EXPECT_EQ(judge(482.0, 481.0, 0.01), Verdict::within_limit);
  EXPECT_EQ(judge(-99.0, -100.0, 0.01), Verdict::within_limit);
  EXPECT_EQ(judge(-98.0, -100.0, 0.01), Verdict::not_reproduced);
  EXPECT_EQ(judge(1.0, std::nullopt, 0.01), Verdict::no_published_value);
  EXPECT_EQ(judge(std::nullopt, 1.0, 0.01), Verdict::failed);
  EXPECT_EQ(judge(std::numeric_limits<double>::quiet_NaN(), 1.0, 0.01), Verdict::failed);
}

}  // namespace
}  // namespace mbdbench
