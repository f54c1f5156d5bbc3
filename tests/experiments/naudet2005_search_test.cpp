#include "experiments/naudet2005/naudet2005_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/naudet2005/restarted_fehlberg.hpp"
#include "experiments/naudet2005/step_control_search.hpp"
#include "experiments/time_span.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"

namespace mbdbench::naudet2005 {
namespace {

TEST(Naudet2005StepRule, MeasuresErrorsAsItsNamesSay) {
  const std::vector<double> error = {3e-6, -4e-6, 1.0};
  const std::vector<double> x = {2.0, 0.0, 1.0};
  const std::vector<bool> mask = {true, true, false};
  StepRule rule;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), 4e-6);
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, {}), 1.0);
  rule.sum = ErrorSum::euclidean;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), 5e-6);
  rule.sum = ErrorSum::mean_square;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), 5e-6 / std::sqrt(2.0));
  rule.sum = ErrorSum::euclidean;
  rule.measure = ErrorMeasure::mixed;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), std::hypot(1.5e-6, 4e-6));
  rule.measure = ErrorMeasure::relative;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), std::hypot(1.5e-6, 4e-3));
  rule.per_unit_step = true;
  EXPECT_DOUBLE_EQ(measured_error(rule, error, x, 0.5, mask), std::hypot(1.5e-6, 4e-3) / 0.5);
}

TEST(Naudet2005StepRule, ChoosesSteps) {
  StepRule rule;
  EXPECT_DOUBLE_EQ(step_factor(rule, 1.0 / 32.0), 1.8);
  EXPECT_DOUBLE_EQ(step_factor(rule, 1e20), 0.1);
  EXPECT_EQ(step_factor(rule, 0.0), std::numeric_limits<double>::infinity());
  rule.largest_growth = 1.5;
  rule.exponent = 0.25;
  EXPECT_DOUBLE_EQ(step_factor(rule, 1.0 / 32.0), 1.5);
  EXPECT_DOUBLE_EQ(step_factor(rule, 16.0), 0.45);
  rule.halving = true;
  EXPECT_EQ(step_factor(rule, 1.1), 0.5);
  EXPECT_EQ(step_factor(rule, 0.9), 1.0);
  EXPECT_EQ(step_factor(rule, 0.03), 2.0);
}

TEST(Naudet2005StepRule, OnlyARestartForgetsTheStep) {
  OdeSystem system;
  system.size = 1;
  system.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -x[0];
    return std::string();
  };
  OdeOptions options;
  options.absolute_tolerance = {1e-6};
  options.initial_step = 1e-4;
  const std::vector<double> times = {0.0, 1.0, 2.0, 3.0};
  const std::array<double, 1> x0 = {1.0};
  NullSink sink;
  StepRule rule;
  const OdeResult restarted = controlled_fehlberg(rule, system, times, x0, options, sink);
  rule.restarts = false;
  const OdeResult carried = controlled_fehlberg(rule, system, times, x0, options, sink);
  const OdeResult free = controlled_fehlberg(rule, system, std::array{0.0, 3.0}, x0, options, sink);
  for (const OdeResult* result : {&restarted, &carried, &free}) {
    EXPECT_EQ(result->t, 3.0);
    EXPECT_NEAR(result->x.front(), std::exp(-3.0), 1e-5);
  }
  EXPECT_GT(restarted.statistics.nsteps, carried.statistics.nsteps);
  // The last step before a time is cut to about nothing or less than the others: the way back costs steps.
  rule.keeps_uncut_step = false;
  const OdeResult cut = controlled_fehlberg(rule, system, times, x0, options, sink);
  EXPECT_GE(cut.statistics.nsteps, carried.statistics.nsteps);
  // Meeting two times costs a step each, not a new start.
  EXPECT_LE(carried.statistics.nsteps, free.statistics.nsteps + 2);
}

Candidate failing() {
  return {"failing", "", [](const OdeSystem&, std::span<const double>, const OdeOptions&) -> OdeResult {
            throw std::invalid_argument("does not work");
          }};
}

TEST(Naudet2005Search, OrdersCandidatesByTheirDistanceFromTheTable) {
  const Registries registries = default_registries();
  std::vector<Candidate> candidates = {failing()};
  for (const StepRule& rule : {StepRule{.safety = 0.5}, StepRule{}, StepRule{.safety = 0.8}}) {
    candidates.push_back({"fehlberg", rule_text(rule),
                          [rule](const OdeSystem& system, std::span<const double> x0, const OdeOptions& options) {
                            OdeOptions with_step = options;
                            with_step.initial_step = 0.001;
                            NullSink sink;
                            return controlled_fehlberg(rule, system, times_of({0.0, kEnd, 0.01}), x0, with_step, sink);
                          }});
  }
  const std::vector<Record> records = search_records(registries, candidates);
  ASSERT_EQ(records.size(), 7U);
  EXPECT_EQ(records[0].parameters, rule_text({}));
  EXPECT_EQ(records[2].parameters, rule_text({.safety = 0.8}));
  EXPECT_EQ(records[4].parameters, rule_text({.safety = 0.5}));
  EXPECT_EQ(records[6].verdict, Verdict::failed);
  EXPECT_EQ(records[6].note, "does not work");
  // The best one's misfit, from the method as the experiment runs it.
  double misfit = 0.0;
  for (const ErrorControlRow& row : kErrorControlRows) {
    for (const Form& form : kPaperForms) {
      BipedCase biped(registries, form);
      SimulationOptions options = with_tolerance(kErrorControlTolerance);
      options.ode.initial_step = 0.001;
      if (row.control == "partial") {
        options.controlled = {StateKind::position};
      }
      NullSink sink;
      const auto calls = static_cast<double>(
          biped.run(restarted_fehlberg_entry(), times_of({0.0, kEnd, 0.01}), options, sink).rhs_calls);
      misfit = std::max(misfit, std::abs(calls / row.evaluations.*form.published - 1.0));
    }
  }
  EXPECT_EQ(records[0].quantity, kEvaluationMisfit);
  EXPECT_DOUBLE_EQ(records[0].value.value_or(0.0), misfit);
  EXPECT_LT(misfit, 0.03);
  EXPECT_EQ(records[1].quantity, kLocalErrorMisfit);
  EXPECT_LT(records[1].value.value_or(1.0), 0.15);
}

// The numbers that docs/results.md and the README (the sum, 5772) name. Only restarted ones vary the first step, over
// seven values.
TEST(Naudet2005Search, HasAsManyCandidatesAsTheDocumentsSay) {
  const auto count_with = [](const std::vector<Candidate>& candidates, const std::string& first_step) {
    return std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
      return candidate.parameters.find(";first_step=" + first_step + ";") != std::string::npos;
    });
  };
  const std::vector<Candidate> restarted = fehlberg_candidates(Stepping::restarted, false);
  EXPECT_EQ(restarted.size(), 3906U);
  EXPECT_EQ(count_with(restarted, "0.001"), 558);
  for (const Stepping stepping : {Stepping::carried, Stepping::cut, Stepping::free}) {
    const std::vector<Candidate> candidates = fehlberg_candidates(stepping, false);
    EXPECT_EQ(candidates.size(), 558U) << to_string(stepping);
    EXPECT_EQ(count_with(candidates, "0.001"), 558) << to_string(stepping);
  }
  EXPECT_EQ(suite_candidates(default_registries(), false).size(), 192U);
}

TEST(Naudet2005Search, RestartsAnIntegratorOfTheSuite) {
  const Registries registries = default_registries();
  const std::vector<Candidate> candidates = suite_candidates(registries, true);
  const auto found = std::find_if(candidates.begin(), candidates.end(), [](const Candidate& candidate) {
    return candidate.integrator == "rkf45" && candidate.parameters.starts_with("stepping=restarted;first_step=0.001");
  });
  ASSERT_NE(found, candidates.end());
  int calls = 0;
  OdeSystem system;
  system.size = 3;
  system.rhs = [&](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    ++calls;
    std::transform(x.begin(), x.end(), xdot.begin(), [](double value) { return -value; });
    return std::string();
  };
  OdeOptions options;
  options.record_local_error = true;
  const OdeResult result = found->solve(system, std::array{1.0, 2.0, 3.0}, options);
  EXPECT_NEAR(result.t, kEnd, 1e-15);
  EXPECT_NEAR(result.x[1], 2.0 * std::exp(-kEnd), 1e-6);
  EXPECT_EQ(result.statistics.nfevals, calls);
  // At least two steps in each of the 85 intervals, since the first is a tenth of it.
  EXPECT_GE(result.statistics.nsteps, 2 * 85U);
  ASSERT_EQ(result.statistics.mean_local_error.size(), 3U);
  // Local errors of a linear equation go with the state.
  EXPECT_NEAR(result.statistics.mean_local_error[1] / result.statistics.mean_local_error[0], 2.0, 1e-3);
}

TEST(Naudet2005Search, QuickRunFindsTheInferredMethodFirst) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(run_experiment(run_naudet2005_search, directory));
  const std::vector<Record> records = read_records(directory / "records.csv");
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front().parameters, "stepping=restarted;first_step=0.001;" + rule_text({}));
  for (const Record& record : records) {
    EXPECT_GE(record.quantity == kEvaluationMisfit ? record.value.value_or(0.0) : 1.0, *records.front().value)
        << record.integrator << " " << record.parameters;
  }
  for (const char* const kind : {"restarted", "carried", "cut", "free", "suite"}) {
    EXPECT_FALSE(read_records(directory / ("candidates_" + std::string(kind) + ".csv")).empty()) << kind;
  }
}

}  // namespace
}  // namespace mbdbench::naudet2005
