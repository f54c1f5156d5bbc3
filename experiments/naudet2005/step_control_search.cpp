#include "experiments/naudet2005/step_control_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/record_maker.hpp"

namespace mbdbench::naudet2005 {
namespace {

// More than twice the table's largest count: who needs more has lost, and some would need millions.
constexpr std::size_t kMostEvaluations = 4000;

double largest_deviation(const std::array<double, 4>& ours, const std::array<double, 4>& published) {
  double largest = 0.0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::abs(ours[i] / published[i] - 1.0));
  }
  return largest;
}

/// One run of the table. \returns evaluations and, where the method estimates it, the mean local error; throws what the
/// method throws for options that it does not take
std::pair<double, std::optional<double>> run(const Candidate& candidate, BipedCase& biped, const ErrorControlRow& row) {
  SimulationOptions options = with_tolerance(kErrorControlTolerance);
  options.ode.record_local_error = true;
  options.ode.max_evaluations = kMostEvaluations;
  if (row.control == "partial") {
    options.controlled = {StateKind::position};
  }
  const OdeOptions ode = ode_options(options, biped.formulation().layout());
  const std::size_t before = biped.formulation().rhs_calls();
  const OdeResult result = candidate.solve(ode_system(biped.formulation()), biped.x0(), ode);
  if (result.status != OdeStatus::ok) {
    throw std::runtime_error(result.message);
  }
  const auto calls = static_cast<double>(biped.formulation().rhs_calls() - before + biped.form().calls_before_solver);
  if (result.statistics.mean_local_error.empty()) {
    return {calls, std::nullopt};
  }
  return {calls, mean_local_error(result.statistics, 0)};
}

/// \param forms Lagrange, Hamilton
Score score(const Candidate& candidate, std::array<BipedCase, 2>& forms) {
  Score result;
  std::array<double, 4> local_errors{};
  bool estimated = true;
  std::size_t place = 0;
  for (const ErrorControlRow& row : kErrorControlRows) {
    for (BipedCase& form : forms) {
      try {
        const auto [calls, local_error] = run(candidate, form, row);
        result.evaluations[place] = calls;
        local_errors[place] = local_error.value_or(0.0);
        estimated = estimated && local_error;
        ++place;
      } catch (const std::exception& error) {
        result.failure = error.what();
        return result;
      }
    }
  }
  if (estimated) {
    result.local_errors = local_errors;
  }
  return result;
}

std::vector<Record> records_of(const Candidate& candidate, const Score& score) {
  const RecordMaker maker({.experiment = std::string(kSearch),
                           .mechanism = std::string(kMechanism),
                           .formulation = "",
                           .integrator = candidate.integrator,
                           .parameters = candidate.parameters});
  if (!score.failure.empty()) {
    return {maker.failed(std::string(kEvaluationMisfit), "1", score.failure)};
  }
  std::vector<Record> records = {maker.measured(std::string(kEvaluationMisfit), "1", score.misfit_of_evaluations(),
                                                fmt::format("evaluations {}", fmt::join(score.evaluations, ", ")))};
  if (const auto misfit = score.misfit_of_local_errors()) {
    records.push_back(maker.measured(std::string(kLocalErrorMisfit), "1", *misfit,
                                     fmt::format("local errors {:.2g}", fmt::join(*score.local_errors, ", "))));
  }
  return records;
}

}  // namespace

std::array<double, 4> published_numbers(Pair ErrorControlRow::*column) {
  std::array<double, 4> numbers{};
  std::size_t place = 0;
  for (const ErrorControlRow& row : kErrorControlRows) {
    numbers[place++] = (row.*column).lagrange;
    numbers[place++] = (row.*column).hamilton;
  }
  return numbers;
}

double Score::misfit_of_evaluations() const {
  return largest_deviation(evaluations, published_numbers(&ErrorControlRow::evaluations));
}

std::optional<double> Score::misfit_of_local_errors() const {
  if (!local_errors) {
    return std::nullopt;
  }
  return largest_deviation(*local_errors, published_numbers(&ErrorControlRow::local_error));
}

std::vector<Record> search_records(const Registries& registries, std::span<const Candidate> candidates) {
  std::array<BipedCase, 2> forms = {BipedCase(registries, kLagrange), BipedCase(registries, kHamilton)};
  std::vector<std::pair<double, std::vector<Record>>> found;
  for (const Candidate& candidate : candidates) {
    const Score result = score(candidate, forms);
    found.emplace_back(result.failure.empty() ? result.misfit_of_evaluations() : HUGE_VAL,
                       records_of(candidate, result));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Record> records;
  for (auto& [misfit, of_candidate] : found) {
    std::move(of_candidate.begin(), of_candidate.end(), std::back_inserter(records));
  }
  return records;
}

}  // namespace mbdbench::naudet2005
