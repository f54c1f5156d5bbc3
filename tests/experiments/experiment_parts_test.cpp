#include "experiments/experiment_parts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/csv_file.hpp"
#include "experiments/verdict_table.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

Record number_record(const std::string& quantity, double value) {
  Record record;
  record.quantity = quantity;
  record.value = value;
  return record;
}

class ExperimentPartsTest : public testing::Test {
 protected:
  /// Two parts; the second one needs the first one's number_record. Counts in `computed_` how many were computed.
  std::optional<PartResult> run(bool stop_after_first = false) {
    ExperimentContext context{
        .registries = registries_, .output = directory_.path(), .stop_requested = {}, .quiet = true};
    int asked = 0;
    context.stop_requested = [&asked, stop_after_first] { return stop_after_first && ++asked > 1; };
    return run_parts(context, "test",
                     {{"one", 1,
                       [&](const std::vector<Record>& /*before*/) {
                         ++computed_;
                         return PartResult{{number_record("a", 0.1)}, {number_record("time", 3.0)}};
                       }},
                      {"two", 1, [&](const std::vector<Record>& before) {
                         ++computed_;
                         return PartResult{{number_record("b", 2.0 * *before.at(0).value)}, {}};
                       }}});
  }

  Registries registries_;
  TemporaryDirectory directory_;
  int computed_ = 0;
};

TEST_F(ExperimentPartsTest, AnInterruptedRunContinuesWithTheNextPart) {
  EXPECT_FALSE(run(true));
  EXPECT_EQ(computed_, 1);
  const std::optional<PartResult> all = run();
  ASSERT_TRUE(all);
  EXPECT_EQ(computed_, 2);
  EXPECT_EQ(all->records, (std::vector{number_record("a", 0.1), number_record("b", 0.2)}));
  EXPECT_EQ(all->timings, std::vector{number_record("time", 3.0)});
  EXPECT_TRUE(run());
  EXPECT_EQ(computed_, 2);
}

TEST_F(ExperimentPartsTest, PartsOfAnotherBuildAreComputedAgain) {
  ASSERT_TRUE(run());
  replace_file(directory_ / "parts/program", "another build");
  testing::internal::CaptureStderr();
  ASSERT_TRUE(run());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("computed again"), std::string::npos);
  EXPECT_EQ(computed_, 4);
}

TEST_F(ExperimentPartsTest, ADamagedPartIsReported) {
  ASSERT_TRUE(run());
  replace_file(directory_ / "parts/one.csv", "nonsense\n");
  EXPECT_THROW(run(), FileError);
}

TEST(VerdictTableTest, ShowsWhatIsComparedAndWhatFailed) {
  Record compared = number_record("compared", 1.0);
  compared.published_value = 2.0;
  compared.verdict = Verdict::trend_only;
  Record failed = number_record("failed", 0.0);
  failed.value.reset();
  failed.verdict = Verdict::failed;
  const std::string table = verdict_table({number_record("measured", 1.0), compared, failed});
  EXPECT_EQ(table.find("measured"), std::string::npos);
  EXPECT_EQ(table.find("published"), std::string::npos) << "not every expected number_record is one";
  EXPECT_NE(table.find("expected"), std::string::npos);
  EXPECT_NE(table.find("trend only"), std::string::npos);
  EXPECT_NE(table.find("failed"), std::string::npos);
  EXPECT_TRUE(all_reproduced({compared}));
  EXPECT_FALSE(all_reproduced({compared, failed}));
  compared.verdict = Verdict::not_reproduced;
  EXPECT_FALSE(all_reproduced({compared}));
}

}  // namespace
}  // namespace mbdbench
