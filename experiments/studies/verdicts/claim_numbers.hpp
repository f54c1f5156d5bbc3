#pragma once
/// \file
/// What the conditions of a claim look at, number by number.
#include <compare>
#include <cstddef>
#include <set>
#include <string>

#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// A place on the axes that a claim runs through.
struct ClaimPlace {
  std::size_t mechanism = 0;
  std::size_t variant = 0;
  std::size_t integrator = 0;
  std::size_t control = 0;
  std::size_t ranking = 0;
  auto operator<=>(const ClaimPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The numbers that one claim needs; all that it is given must outlive it.
class ClaimNumbers {
 public:
  ClaimNumbers(const Study& study, const StudyResults& results, const StudyClaim& claim)
      : study_(study), results_(results), claim_(claim) {}

  /// \returns whether the study runs what is looked at.
  [[nodiscard]] bool is_run(const ObserverReference& reference, const ClaimPlace& place) const;
  /// \returns the number at a place: of one run, of work at equal error, or of the law over the claim's mechanisms.
  [[nodiscard]] Measured at(const ObserverReference& reference, const ClaimPlace& place) const;
  /// \returns the machines whose times the number depends on.
  [[nodiscard]] std::set<std::string> machines(const ObserverReference& reference, const ClaimPlace& place) const;

 private:
  [[nodiscard]] CellKey cell_of(const ObserverReference& reference, const ClaimPlace& place) const;
  [[nodiscard]] Measured value(const ObserverReference& reference, const ClaimPlace& place) const;
  /// \returns the machine of a mechanism's times; empty where it has none.
  [[nodiscard]] std::string machine_of(std::size_t mechanism) const;
  /// The fitted power of the number of bodies over the claim's mechanisms.
  [[nodiscard]] Measured exponent(const ObserverReference& reference, ClaimPlace place) const;
  /// The number of bodies at which a number passes 1 for the last time, between the claim's mechanisms; of those that
  /// were not measured nothing is taken.
  [[nodiscard]] Measured crossover(const ObserverReference& reference, ClaimPlace place) const;

  const Study& study_;
  const StudyResults& results_;
  const StudyClaim& claim_;
};

}  // namespace mbdbench::studies
