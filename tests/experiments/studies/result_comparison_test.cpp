#include "experiments/studies/verdicts/comparison/result_comparison.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "experiments/records/record_maker.hpp"
#include "experiments/studies/verdicts/comparison/mann_whitney.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

class ResultComparisonTest : public testing::Test {
 protected:
  static std::vector<Record> numbers(double count, double error) {
    const RecordMaker maker({"e", "four_bar", "dca", "ode45", "tolerance=1e-06"});
    return {maker.measured("evaluations", "1", count), maker.measured("energy_error", "J", error)};
  }

  /// Times scattered about `centre` by up to a hundredth.
  static std::vector<Record> times(double centre, int repetitions) {
    std::vector<Record> records;
    for (int k = 0; k < repetitions; ++k) {
      const RecordMaker maker({"e", "four_bar", "dca", "ode45", "tolerance=1e-06;repetition=" + std::to_string(k + 1)});
      records.push_back(maker.measured("wall_time", "s", centre * (1.0 + 0.001 * ((7 * k) % 10))));
    }
    return records;
  }

  std::filesystem::path write(const std::string& name, const std::vector<Record>& records,
                              const std::vector<Record>& timings = {}, const std::string& curve = "1\n") const {
    auto directory = directory_.path() / name;
    std::filesystem::create_directories(directory / "trajectories");
    write_records(directory / "records.csv", records);
    write_records(directory / "timings.csv", timings);
    std::ofstream(directory / "trajectories" / "curve.csv") << curve;
    return directory;
  }

  TemporaryDirectory directory_;
};

TEST_F(ResultComparisonTest, EqualResultsAreEqual) {
  const auto a = write("a", numbers(805, 1e-5), times(1.0, 9));
  const ResultComparison same = compare_results(a, a, {});
  EXPECT_TRUE(same.differences.empty());
  EXPECT_EQ(same.equal, 2U + 1U + 1U);
}

TEST_F(ResultComparisonTest, CountsAndFilesAreExactAndErrorsAreRatios) {
  const auto a = write("a", numbers(805, 1e-5));
  EXPECT_EQ(compare_results(a, write("fewer", numbers(799, 1e-5)), {}).count(Change::worse), 1U) << "a count changed";
  EXPECT_EQ(compare_results(a, write("curve", numbers(805, 1e-5), {}, "2\n"), {}).count(Change::worse), 1U);
  EXPECT_EQ(compare_results(a, write("same", numbers(805, 1.05e-5)), {}).count(Change::worse), 0U);
  EXPECT_EQ(compare_results(a, write("double", numbers(805, 2e-5)), {}).count(Change::worse), 1U);
  EXPECT_EQ(compare_results(a, write("half", numbers(805, 0.5e-5)), {}).count(Change::better), 1U);
  EXPECT_EQ(compare_results(write("tiny", numbers(805, 1e-15)), write("small", numbers(805, 9e-13)), {}).equal, 3U)
      << "rounding";
  EXPECT_EQ(compare_results(a, write("gone", {numbers(805, 1e-5)[0]}), {}).count(Change::worse), 1U);
}

TEST_F(ResultComparisonTest, NumbersThatDependOnRoundingMustBeInTheirRange) {
  const auto a = write("reference", numbers(805, 1e-5));
  std::ofstream(a / "rounding.csv")
      << "# GCC and others\nmechanism,formulation,integrator,parameters,quantity,lowest,highest,samples,missing\n"
      << "four_bar,dca,ode45,tolerance=1e-06,evaluations,799,811,3,no\n";
  const ResultComparison other = compare_results(a, write("other", numbers(811, 1e-5)), {});
  EXPECT_EQ(other.count(Change::worse), 0U) << "what another processor gives";
  EXPECT_EQ(other.within_ranges, 1U);
  EXPECT_EQ(compare_results(a, write("edge", numbers(823, 1e-5)), {}).count(Change::worse), 0U)
      << "its own width beyond";
  EXPECT_EQ(compare_results(a, write("far", numbers(824, 1e-5)), {}).count(Change::worse), 1U);
  EXPECT_EQ(compare_results(a, write("drift", numbers(805, 2e-5)), {}).count(Change::worse), 1U)
      << "a number that is not listed";
  std::ofstream(a / "rounding.csv")
      << "mechanism,formulation,integrator,parameters,quantity,lowest,highest,samples,missing\n"
      << "four_bar,dca,ode45,tolerance=1e-06,energy_error,1e-06,1e-04,3,no\n";
  EXPECT_EQ(compare_results(a, write("wide", numbers(805, 9e-3)), {}).count(Change::worse), 0U) << "as far again";
  EXPECT_EQ(compare_results(a, write("wider", numbers(805, 1.1e-2)), {}).count(Change::worse), 1U);
  std::ofstream(a / "rounding.csv") << "mechanism,formulation\n";
  EXPECT_THROW(compare_results(a, a, {}), FileError);
}

TEST_F(ResultComparisonTest, TimesAreTestedFromNineRepetitionsOn) {
  const auto a = write("a", numbers(805, 1e-5), times(1.0, 9));
  EXPECT_EQ(compare_results(a, write("slow", numbers(805, 1e-5), times(1.3, 9)), {}).count(Change::worse), 1U);
  EXPECT_EQ(compare_results(a, write("fast", numbers(805, 1e-5), times(0.7, 9)), {}).count(Change::better), 1U);
  EXPECT_EQ(compare_results(a, write("level", numbers(805, 1e-5), times(1.0, 12)), {}).equal, 4U);
  const ResultComparison few = compare_results(a, write("few", numbers(805, 1e-5), times(1.3, 8)), {});
  EXPECT_EQ(few.count(Change::refused), 1U);
  EXPECT_EQ(few.count(Change::worse), 0U);
}

TEST(MannWhitney, AgreesWithExactProbabilities) {
  std::vector<double> a;
  std::vector<double> b;
  for (int k = 0; k < 10; ++k) {
    a.push_back(k);
    b.push_back(k + 100.0);
  }
  // U = 0 or 100 of 10 against 10: exactly 2 / binomial(20, 10) = 1.08e-5; the normal approximation gives 1.8e-4, on
  // the safe side.
  MannWhitneyResult result = mann_whitney(a, b);
  EXPECT_EQ(result.effect, 1.0);
  EXPECT_GT(result.probability, 1.08e-5);
  EXPECT_LT(result.probability, 2e-4);
  EXPECT_EQ(mann_whitney(b, a).effect, 0.0);
  result = mann_whitney(a, a);
  EXPECT_EQ(result.effect, 0.5);
  EXPECT_EQ(result.probability, 1.0);
  EXPECT_THROW(mann_whitney(std::vector<double>(8, 1.0), a), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench::studies
