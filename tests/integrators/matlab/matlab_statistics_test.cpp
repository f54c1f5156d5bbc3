/// \file
/// The counts of MATLAB's solvers in results/published/matlab_solver_statistics.csv, for every method that the registry
/// has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "integrators/registry.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

struct PublishedRow {
  std::string problem;
  std::string integrator;
  std::optional<double> nsteps;
  std::optional<double> nfailed;
  std::optional<double> nfevals;
  std::optional<double> final_y1;
  /// The first number of the note, where that counts Jacobians.
  std::optional<double> npds;

  friend void PrintTo(const PublishedRow& row, std::ostream* output) {
    *output << row.problem << ", " << row.integrator;
  }
};

/// \returns 45 for "45 Jacobians; ...".
std::optional<double> jacobians(const std::string& note) {
  return note.find(" Jacobians;") == std::string::npos ? std::nullopt : std::optional(std::stod(note));
}

std::optional<double> number(const std::string& field) {
  return field.empty() ? std::nullopt : std::optional(std::stod(field));
}

/// The rows of the methods in the registry.
std::vector<PublishedRow> published_rows() {
  std::ifstream file(MBDBENCH_SOURCE_DIR "/results/published/matlab_solver_statistics.csv");
  std::vector<PublishedRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("problem,", 0) == 0) {
      continue;
    }
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) {
      fields.push_back(field);
    }
    fields.resize(7);
    if (find_integrator(integrator_registry(), fields[1]) != nullptr) {
      rows.push_back({fields[0], fields[1], number(fields[2]), number(fields[3]), number(fields[4]), number(fields[5]),
                      jacobians(fields[6])});
    }
  }
  return rows;
}

class MatlabStatistics : public testing::TestWithParam<PublishedRow> {};

TEST_P(MatlabStatistics, AreMetExactly) {
  const PublishedRow& row = GetParam();
  OdeSystem system;
  std::vector<double> x0;
  double tf = 0.0;
  if (row.problem == "vdp1") {
    system = van_der_pol(1.0), x0 = {2.0, 0.0}, tf = 20.0;
  } else if (row.problem == "vdp1000") {
    system = van_der_pol(1000.0), x0 = {2.0, 0.0}, tf = 3000.0;
  } else if (row.problem == "lorenz") {
    system = lorenz(), x0 = {1.0, 1.0, 1.0}, tf = 20.0;
  } else if (row.problem == "linear") {
    system = linear_with_input(), x0 = {0.0}, tf = 10.0;
  } else {
    FAIL() << "unknown problem " << row.problem;
  }
  NullSink sink;
  const std::vector<double> tspan = {0.0, tf};
  const OdeResult result =
      find_integrator(integrator_registry(), row.integrator)->solve(system, tspan, x0, OdeOptions{}, sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  const auto expect_count = [](std::size_t value, const std::optional<double>& published) {
    if (published) {
      EXPECT_EQ(static_cast<double>(value), *published);
    }
  };
  expect_count(result.statistics.nsteps, row.nsteps);
  expect_count(result.statistics.nfailed, row.nfailed);
  expect_count(result.statistics.nfevals, row.nfevals);
  expect_count(result.statistics.npds, row.npds);
  if (row.final_y1) {
    // The same formulas in another order of operations: rounding differences of 1e-16 a step, amplified by the step
    // sizes that depend on them, reach 1e-13. The method's own error here is 1e-2, so that 1e-11 proves the same steps.
    EXPECT_NEAR(result.x[0], *row.final_y1, 1e-11 * std::abs(*row.final_y1));
  }
}

INSTANTIATE_TEST_SUITE_P(Published, MatlabStatistics, testing::ValuesIn(published_rows()),
                         [](const testing::TestParamInfo<PublishedRow>& test) {
                           return test.param.problem + "_" + test.param.integrator;
                         });

TEST(MatlabStatisticsFile, HasTheRowsOfEveryMethod) {
  const std::vector<PublishedRow> rows = published_rows();
  const auto rows_of = [&](const std::string& key) {
    return std::count_if(rows.begin(), rows.end(), [&](const PublishedRow& row) { return row.integrator == key; });
  };
  EXPECT_EQ(rows_of("ode45"), 3);
  EXPECT_EQ(rows_of("ode23"), 2);
  EXPECT_EQ(rows_of("ode113"), 2);
  EXPECT_EQ(rows_of("ode15s"), 1);
}

}  // namespace
}  // namespace mbdbench::test
