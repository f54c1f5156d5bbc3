#include "experiments/experiment_parts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/csv_file.hpp"
#include "experiments/records/verdict_table.hpp"
#include "experiments/registries/registries.hpp"
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

TEST_F(ExperimentPartsTest, ADamagedPartIsComputedAgainWithAWord) {
  ASSERT_TRUE(run());
  const std::filesystem::path file = directory_ / "parts/one.csv";
  const std::string whole = content_of(file);
  const std::string check = content_of(directory_ / "parts/one.check");
  int expected = 2;
  // Without its last row, empty, of another format, one digit changed.
  std::string changed = whole;
  changed[changed.find("0.1")] = '9';
  for (const std::string& damaged :
       {whole.substr(0, whole.find('\n') + 1), std::string(), std::string("nonsense\n"), changed}) {
    replace_file(file, damaged);
    testing::internal::CaptureStderr();
    const std::optional<PartResult> all = run();
    const std::string word = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(all) << damaged;
    EXPECT_EQ(all->records, (std::vector{number_record("a", 0.1), number_record("b", 0.2)}));
    EXPECT_NE(word.find("part 'one' is computed again"), std::string::npos) << word;
    EXPECT_EQ(computed_, ++expected) << "the second part was whole";
    EXPECT_EQ(content_of(file), whole);
    EXPECT_EQ(content_of(directory_ / "parts/one.check"), check);
  }
}

TEST_F(ExperimentPartsTest, APartWhoseFileIsMissingIsComputedAgain) {
  ExperimentContext context{
      .registries = registries_, .output = directory_.path(), .stop_requested = {}, .quiet = true};
  const std::vector<ExperimentPart> parts = {{"curve", 1, [&](const std::vector<Record>& /*before*/) {
                                                ++computed_;
                                                std::filesystem::create_directories(directory_ / "trajectories");
                                                replace_file(directory_ / "trajectories/curve.csv", "t\n0\n");
                                                return PartResult{};
                                              }}};
  ASSERT_TRUE(run_parts(context, "test", parts));
  ASSERT_TRUE(run_parts(context, "test", parts));
  EXPECT_EQ(computed_, 1);
  std::filesystem::remove(directory_ / "trajectories/curve.csv");
  ASSERT_TRUE(run_parts(context, "test", parts));
  EXPECT_EQ(computed_, 2);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "trajectories/curve.csv"));
}

TEST_F(ExperimentPartsTest, AFailedPartIsTriedAgainAndWhatWasMadeFromItToo) {
  ExperimentContext context{
      .registries = registries_, .output = directory_.path(), .stop_requested = {}, .quiet = true};
  bool works = false;
  int claims = 0;
  const std::vector<ExperimentPart> parts = {
      {"numbers", 1,
       [&](const std::vector<Record>& /*before*/) {
         ++computed_;
         Record record = number_record("a", 1.0);
         if (!works) {
           record.value.reset();
           record.verdict = Verdict::failed;
         }
         return PartResult{{record}, {}};
       }},
      {"claims", 1, [&](const std::vector<Record>& before) {
         ++claims;
         return PartResult{{number_record("known", before.at(0).value ? 1.0 : 0.0)}, {}};
       }}};
  ASSERT_TRUE(run_parts(context, "test", parts));
  works = true;
  const std::optional<PartResult> all = run_parts(context, "test", parts);
  ASSERT_TRUE(all);
  EXPECT_EQ(computed_, 2);
  EXPECT_EQ(claims, 2);
  EXPECT_EQ(all->records.back().value, 1.0);
  ASSERT_TRUE(run_parts(context, "test", parts));
  EXPECT_EQ(computed_, 2);
  EXPECT_EQ(claims, 2);
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
