#pragma once
/// \file
/// Which adaptive method does table 3 of [Naudet2005] come from? The paper names "RK45" and the tolerance only. Every
/// candidate makes the table's four runs; how far its evaluations are from the printed ones orders the candidates.
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/naudet2005/published.hpp"
#include "experiments/naudet2005/step_rule.hpp"
#include "experiments/record.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::naudet2005 {

/// Names in the records.
inline constexpr std::string_view kSearch = "naudet2005_search";
inline constexpr std::string_view kFehlberg = "fehlberg";
inline constexpr std::string_view kEvaluationMisfit = "misfit_of_evaluations";
inline constexpr std::string_view kLocalErrorMisfit = "misfit_of_local_errors";

/// A method with its settings.
struct Candidate {
  std::string integrator;  ///< as records name it
  std::string parameters;
  /// \param options with tolerances and mask of a run of table 3
  std::function<OdeResult(const OdeSystem&, std::span<const double> x0, const OdeOptions& options)> solve;
};

/// How Fehlberg's pair passes the intervals between outputs.
enum class Stepping {
  restarted,  ///< every 0.01 s anew
  carried,    ///< meets every 0.01 s and carries the step on
  cut,        ///< the same, but goes on from the step that was cut short to meet the time
  free        ///< from 0 to 0.85 s
};

/// \returns "restarted", "carried", "cut", "free".
std::string to_string(Stepping stepping);

/// \returns Fehlberg's pair with every combination of the ways to measure errors and to choose steps.
/// \param quick a few of them
std::vector<Candidate> fehlberg_candidates(Stepping stepping, bool quick);

/// \returns the adaptive integrators of the registry, with and without restarts, several first steps, absolute and
/// mixed tolerance, error control by component and in the Euclidean norm. \param quick `rkf45` and `ode45` only
std::vector<Candidate> suite_candidates(const Registries& registries, bool quick);

/// The runs of a candidate: full and partial error control, each in the Lagrange and the Hamiltonian form.
struct Score {
  std::array<double, 4> evaluations{};
  std::optional<std::array<double, 4>> local_errors;  ///< of methods that have an estimate of their own
  std::string failure;                                ///< of a run that did not reach its end; empty otherwise

  /// \returns the largest |ours / published - 1|.
  [[nodiscard]] double misfit_of_evaluations() const;
  [[nodiscard]] std::optional<double> misfit_of_local_errors() const;
};

/// \returns the table's numbers in the order of Score.
std::array<double, 4> published_numbers(Pair ErrorControlRow::*column);

/// Makes the table's runs with every candidate.
/// \returns records of the misfits, two a candidate at most, best candidate first; failed candidates last
std::vector<Record> search_records(const Registries& registries, std::span<const Candidate> candidates);

}  // namespace mbdbench::naudet2005
