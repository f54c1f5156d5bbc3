#include "experiments/records/claim.hpp"

#include <gtest/gtest.h>

#include "experiments/files/csv_file.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(Claim, HoldsWhenAllPartsDo) {
  EXPECT_EQ(judge_claim({true, true}), ClaimVerdict::holds);
  EXPECT_EQ(judge_claim({true, false}), ClaimVerdict::holds_in_part);
  EXPECT_EQ(judge_claim({false, false}), ClaimVerdict::does_not_hold);
  EXPECT_EQ(judge_claim({}), ClaimVerdict::not_measured);
}

TEST(Claim, SaysKOfNAndIsNotMeasuredBelowHalf) {
  Claim claim;
  claim.measured = "words";
  conclude_claim(claim, {true, false}, 2);
  EXPECT_EQ(claim.measured, "1 of 2, 2 not measured; words");
  EXPECT_EQ(claim.verdict, ClaimVerdict::holds_in_part) << "half is enough";
  // One right-hand side alone must not make "in any case" hold with none of 16 rows measured.
  claim.measured.clear();
  conclude_claim(claim, {true}, 16);
  EXPECT_EQ(claim.measured, "1 of 1, 16 not measured");
  EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured);
}

TEST(Claim, IsWrittenAsOneRow) {
  const TemporaryDirectory directory;
  const Claim claim = {"an_experiment", "Paper, sect. 2", "A is smaller than \"B\".",
                       "A < B",         "A = 1, B = 2",   ClaimVerdict::holds};
  write_claims(directory / "claims.csv", {claim});
  const CsvTable table = read_csv(directory / "claims.csv");
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"experiment", "source", "statement", "criterion", "measured", "verdict"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"an_experiment", "Paper, sect. 2", "A is smaller than \"B\".",
                                                     "A < B", "A = 1, B = 2", "holds"}));
  const std::string text = claim_table({claim});
  for (const char* part : {"holds", "Paper, sect. 2", "A is smaller", "A = 1, B = 2", "A < B"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace mbdbench
