/// \file
/// The study of [Naudet2005] as it is shipped: its tables, what of them was fitted, and the known verdicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr const char* kLagrange = "naudet-acc[projection=off]";
constexpr const char* kHamilton = "naudet[projection=off,switching=off]";
constexpr const char* kMatrices = "naudet[loops=matrices,projection=off]";
constexpr const char* kEndError = "end_error_ankle1+knee1+torso";
constexpr const char* kLocalError = "local_error_q.ankle1+q.knee1+q.torso";

/// The whole study, run once.
class Naudet2005RunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory = std::make_unique<TemporaryDirectory>();
    const CommandLineCall call = call_program({"run", "naudet2005", "--quiet", "-o", directory->path().string()});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
    records = read_records(*directory / "records.csv");
  }
  static void TearDownTestSuite() { directory.reset(); }

  static const Record& find(const std::string& formulation, const std::string& integrator,
                            const std::string& parameters, const std::string& quantity) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.formulation == formulation && record.integrator == integrator && record.parameters == parameters &&
             record.quantity == quantity;
    });
    static const Record none;
    EXPECT_NE(found, records.end()) << formulation << ' ' << integrator << ' ' << parameters << ' ' << quantity;
    return found == records.end() ? none : *found;
  }
  static double value(const std::string& formulation, const std::string& integrator, const std::string& parameters,
                      const std::string& quantity) {
    return find(formulation, integrator, parameters, quantity).value.value_or(std::nan(""));
  }
  static CsvTable printed(const char* name) {
    return read_csv(std::filesystem::path(MBDBENCH_SOURCE_DIR) / "results" / "published" / name);
  }

  static inline std::unique_ptr<TemporaryDirectory> directory;
  static inline std::vector<Record> records;
};

TEST_F(Naudet2005RunTest, WhatIsExpectedIsWhatIsPrinted) {
  const auto same = [](const Record& record, const std::string& text) {
    EXPECT_EQ(record.published_value, std::stod(text)) << record.formulation << ' ' << record.parameters;
  };
  for (const auto& row : printed("naudet2005_table1.csv").rows) {
    const std::string run = "step=" + row[0] + ";end=0.85;samples=2";
    same(find(kLagrange, "rkf45-fixed", run, kEndError), row[1]);
    same(find(kHamilton, "rkf45-fixed", run, kEndError), row[2]);
    same(find(kLagrange, "rkf45-fixed", run, kLocalError), row[3]);
    same(find(kHamilton, "rkf45-fixed", run, kLocalError), row[4]);
  }
  for (const auto& row : printed("naudet2005_table2.csv").rows) {
    const std::map<std::string, std::string> tolerances = {{"1e-04", "0.0001"}, {"1e-03", "0.001"}};
    const std::string run = "tolerance=" + (tolerances.contains(row[0]) ? tolerances.at(row[0]) : row[0]) + ";end=0.85";
    same(find(kLagrange, row[1], run, "rhs_calls"), row[3]);
    same(find(kHamilton, row[1], run, "rhs_calls"), row[4]);
    if (!row[2].empty()) {
      same(find(kLagrange, row[1], run, kEndError), row[2]);
    }
  }
  for (const auto& row : printed("naudet2005_table3.csv").rows) {
    const std::string run =
        std::string("tolerance=1e-06;end=0.85") + (row[0] == "partial" ? ";controlled=position" : "") + ";samples=85";
    const std::array quantities = {kLocalError, kEndError, "rhs_calls"};
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      same(find(kLagrange, "rkf45-restarted", run, quantities[k]), row[1 + 2 * k]);
      same(find(kHamilton, "rkf45-restarted", run, quantities[k]), row[2 + 2 * k]);
    }
  }
  const CsvTable text = printed("naudet2005_text.csv");
  same(find(kLagrange, "rkf45-fixed", "step=0.001;end=0.85;samples=2", "local_error_v.ankle1+v.knee1+v.torso"),
       text.rows[0][1]);
  same(find(kHamilton, "rkf45-fixed", "step=0.001;end=0.85;samples=2", "local_error_p.ankle1+p.knee1+p.torso"),
       text.rows[2][1]);
}

TEST_F(Naudet2005RunTest, EveryAssertedVerdictComesOutRight) {
  std::map<Verdict, int> counts;
  for (const Record& record : records) {
    EXPECT_NE(record.verdict, Verdict::failed) << record.formulation << ' ' << record.parameters << ' ' << record.note;
    // Nothing that the paper does not print of its reference stands under its name.
    EXPECT_FALSE(record.parameters.find("position_tolerance") != std::string::npos && record.published_value);
    ++counts[record.verdict];
  }
  // ode45: six counts of the Hamiltonian form, six with matrices C_K and three of the Lagrange form.
  EXPECT_EQ(counts[Verdict::exact], 15);
  // Table 1: 18 of 20 and two of the text; table 2: three counts of ode45, seven of ode15s; with matrices C_K nine of
  // table 1, one of the text, three of ode15s.
  EXPECT_EQ(counts[Verdict::within_limit], 18 + 2 + 3 + 7 + 13);
  // End errors that the paper's reference limits: two of table 1, four of table 2, whatever the processor rounds; with
  // matrices C_K one and two.
  EXPECT_EQ(counts[Verdict::below_published_error], 2 + 4 + 3);
  // Table 3: four counts and four local errors, which the method was chosen to meet; table 2: four end errors; with
  // matrices C_K four and three.
  EXPECT_EQ(counts[Verdict::fitted], 4 + 4 + 4 + 7);
}

TEST_F(Naudet2005RunTest, MatricesOfThePaperStandInAllItsTables) {
  std::size_t compared = 0;
  for (const Record& record : records) {
    if (record.formulation == kHamilton && record.published_value &&
        record.parameters.find("=position+") == std::string::npos &&
        (record.integrator == "rkf45-fixed" || record.integrator == "ode15s" ||
         record.integrator == "rkf45-restarted")) {
      const bool of_a_table =
          record.integrator != "ode15s" || record.parameters.find("controlled") == std::string::npos;
      if (of_a_table) {
        const Record& other = find(kMatrices, record.integrator, record.parameters, record.quantity);
        EXPECT_EQ(other.published_value, record.published_value) << record.quantity << ' ' << record.parameters;
        EXPECT_EQ(other.verdict, record.verdict) << record.quantity << ' ' << record.parameters;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 10U + 1U + 4U + 6U) << "table 1, its text, ode15s of table 2, table 3";
  const CsvTable claims = read_csv(*directory / "claims.csv");
  EXPECT_EQ(claim_field(claims, "own matrices C_K", "verdict"), "holds")
      << claim_field(claims, "own matrices C_K", "measured");
}

TEST_F(Naudet2005RunTest, WhatWasFittedStaysWhereTheSearchFoundIt) {
  for (const Record& record : records) {
    if (record.verdict != Verdict::fitted) {
      continue;
    }
    const double printed_value = record.published_value.value_or(0.0);
    // A unit of the one digit printed of table 2's end errors; as the search prints it, 2.2 % and 6 %, of table 3.
    const double unit = std::pow(10.0, std::floor(std::log10(printed_value)));
    const double limit = record.quantity.starts_with("largest_end_error") ? 1.0 * unit
                         : record.quantity == "rhs_calls"                 ? 0.023 * printed_value
                                                                          : 0.06 * printed_value;
    EXPECT_NEAR(*record.value, printed_value, limit) << record.quantity << ' ' << record.parameters;
  }
}

TEST_F(Naudet2005RunTest, Table1IsThePrototypesToItsThreeDigits) {
  struct Expected {
    const char* form;
    const char* quantity;
    std::array<double, 5> values;  // at the steps of the table; 0: not compared
    double digits;                 // half a unit of the last known one, relative
  };
  const std::array expected = {
      Expected{kLagrange, kEndError, {2.84e-3, 1.87e-4, 4.546e-8, 1.054e-9, 0.0}, 2e-3},
      Expected{kHamilton, kEndError, {1.245e-3, 5.43e-5, 1.248e-8, 3.93e-10, 0.0}, 2e-3},
      Expected{kLagrange, kLocalError, {1.635e-6, 4.29e-8, 1.404e-11, 4.397e-13, 1.41e-16}, 1.5e-3},
      Expected{kHamilton, kLocalError, {9.72e-7, 3.89e-8, 1.342e-11, 4.21e-13, 1.349e-16}, 1.5e-3},
  };
  constexpr std::array kSteps = {"0.01", "0.005", "0.001", "0.0005", "0.0001"};
  // Rad: 1700 steps of 5e-4 s round coordinates of some radians by eps each. The two forms of `naudet`, and this
  // program and `mbdbench` with the same library but other copies of inline functions, differ by 6e-13 there.
  constexpr double kRoundingOfEnds = 1e-12;
  for (const Expected& row : expected) {
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      if (row.values[i] > 0.0) {
        const std::string run = std::string("step=") + kSteps[i] + ";end=0.85;samples=2";
        EXPECT_NEAR(value(row.form, "rkf45-fixed", run, row.quantity), row.values[i],
                    row.digits * row.values[i] +
                        (i == 3 && std::string_view(row.quantity) == kEndError ? kRoundingOfEnds : 0.0))
            << row.form << ' ' << row.quantity << ' ' << run;
      }
    }
  }
}

TEST_F(Naudet2005RunTest, ConstraintsHoldAsTheFormsPromise) {
  constexpr const char* kRun = "step=0.001;end=0.85;samples=2";
  EXPECT_GT(value(kLagrange, "rkf45-fixed", kRun, "position_drift"), 1e-10);
  EXPECT_LT(value(kHamilton, "rkf45-fixed", kRun, "velocity_drift"), 1e-12);
  for (const char* const form : {"naudet-acc-reduced[switching=off]", "naudet-reduced[switching=off]"}) {
    EXPECT_LT(value(form, "rkf45-fixed", kRun, "position_drift"), 1e-13);
    EXPECT_LT(value(form, "rkf45-fixed", kRun, "velocity_drift"), 1e-12);
  }
}

TEST_F(Naudet2005RunTest, AttemptsOfTheFiguresAddUpToTheEvaluations) {
  for (const std::string control : {"full", "partial"}) {
    for (const std::string form : {"Lagrange", "Hamilton"}) {
      const CsvTable file = read_csv(
          *directory / ("trajectories/table_3_" + control + "_control_" + form + "_rkf45_restarted_1e_06.csv"));
      const auto steps = static_cast<double>(file.rows.size() - 1);
      const double attempts = std::stod(file.rows.back()[1]);
      const std::string run = std::string("tolerance=1e-06;end=0.85") +
                              (control == "partial" ? ";controlled=position" : "") + ";samples=85";
      // Five evaluations an attempt and one more for each that was accepted; one at the start, and the paper's.
      const double before = form == "Hamilton" ? 2.0 : 1.0;
      EXPECT_EQ(value(form == "Lagrange" ? kLagrange : kHamilton, "rkf45-restarted", run, "rhs_calls"),
                before + 5.0 * attempts + steps);
    }
  }
}

TEST_F(Naudet2005RunTest, ClaimsComeToTheKnownVerdicts) {
  const CsvTable claims = read_csv(*directory / "claims.csv");
  std::map<std::string, int> verdicts;
  for (const auto& row : claims.rows) {
    ++verdicts[row[9]];
  }
  // Mostly: the reduced pair saves less at 1e-4, more with ode15s at 1e-3; without error control of the velocities
  // ode113's error grows 53 times, ode15s's 12 times, and so on. Those of the frozen results.
  EXPECT_EQ(verdicts["mostly holds"], 5);
  EXPECT_EQ(claim_outcome(claims, "Relaxing the tolerance on the velocities"), "4 of 4, holds");
  EXPECT_EQ(verdicts["not measured"], 1);
  // Fixed steps do make a difference, in the paper's own table too.
  EXPECT_EQ(verdicts["does not hold"], 1);
  EXPECT_EQ(claim_field(claims, "no significant difference", "verdict"), "does not hold");
  constexpr const char* kRun = "tolerance=1e-09;end=1;samples=2";
  EXPECT_EQ(value("naudet[projection=off]", "ode45", kRun, "time_reached"), 1.0);
  EXPECT_NEAR(value(kHamilton, "ode45", kRun, "time_reached"), 0.8936, 5e-4);
}

}  // namespace
}  // namespace mbdbench
