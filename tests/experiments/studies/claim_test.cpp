#include "experiments/records/claim.hpp"

#include <gtest/gtest.h>

#include "experiments/files/formats/csv_file.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(Claim, HoldsWhenAllPartsDoAndMostlyWhenHalfOfThemDo) {
  EXPECT_EQ(judge_claim({2, 2, 0}), ClaimVerdict::holds);
  EXPECT_EQ(judge_claim({34, 35, 0}), ClaimVerdict::mostly_holds);
  EXPECT_EQ(judge_claim({1, 2, 0}), ClaimVerdict::mostly_holds) << "half is enough";
  EXPECT_EQ(judge_claim({17, 35, 0}), ClaimVerdict::mostly_does_not);
  EXPECT_EQ(judge_claim({1, 37, 0}), ClaimVerdict::mostly_does_not);
  EXPECT_EQ(judge_claim({0, 2, 0}), ClaimVerdict::does_not_hold);
  EXPECT_EQ(judge_claim({0, 0, 3}), ClaimVerdict::not_measured);
}

TEST(Claim, SaysKOfN) {
  EXPECT_EQ(count_text({1, 2, 0}), "1 of 2");
  EXPECT_EQ(count_text({1, 1, 16}), "1 of 1, 16 not measured");
  EXPECT_EQ(count_text({}), "") << "a claim that nothing here can measure has no parts";
}

TEST(Claim, IsWrittenAsOneRow) {
  const TemporaryDirectory directory;
  Claim claim;
  claim.experiment = "an_experiment";
  claim.source = "Paper, sect. 2";
  claim.statement = "A is smaller than \"B\".";
  claim.criterion = "A < B";
  claim.baseline = "the fastest B";
  claim.count = {3, 4, 1};
  claim.measured = "A = 1, B = 2";
  claim.verdict = ClaimVerdict::by_model;
  claim.basis = ClaimBasis::model;
  write_claims(directory / "claims.csv", {claim});
  const CsvTable table = read_csv(directory / "claims.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"experiment", "source", "statement", "criterion", "baseline",
                                                     "held", "parts", "not_tested", "measured", "verdict", "by"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"an_experiment", "Paper, sect. 2", "A is smaller than \"B\".", "A < B",
                                      "the fastest B", "3", "4", "1", "A = 1, B = 2", "by model", "model"}));
  const std::string text = claim_table({claim});
  for (const char* part : {"by model", "3 of 4, 1 not measured", "Paper, sect. 2", "A is smaller", "A = 1, B = 2",
                           "A < B", "the fastest B"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace mbdbench
