#pragma once
/// \file
/// One run of a study's product.
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/studies/runner/study_reference.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// A formulation of a mechanism, ready to run, or why there is none.
class StudyCase {
 public:
  /// \param processes that evaluate right-hand sides together, all of them make the case; nullptr: this process alone
  StudyCase(const Registries& registries, const StudyMechanism& mechanism, const StudyVariant& variant,
            ProcessExchange* processes = nullptr);

  /// \returns the reason and state of every cell of this case; measured where it can run.
  [[nodiscard]] const Measured& obstacle() const { return obstacle_; }
  [[nodiscard]] bool can_run() const { return obstacle_.state == CellState::measured; }
  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }
  /// Runs from the initial state with the study's settings. \throws as the integrator does
  /// \param step_reached told every accepted state before it is projected; may be empty
  SimulationResult run(const Study& study, const CellKey& cell, OdeSink& sink,
                       const std::function<void(double, std::span<const double>)>& step_reached = {});
  /// \returns shares of the steps by the kind of state that limited them; of ode45 alone. \throws std::runtime_error
  std::map<StateKind, double> limited_shares(const Study& study, const CellKey& cell);

 private:
  [[nodiscard]] SimulationOptions options_of(const Study& study, const CellKey& cell) const;
  /// \returns how many right-hand sides were evaluated because a published program does so before its solver.
  std::size_t evaluate_before(const Study& study, const CellKey& cell);
  /// With the mechanism's outputs or restarts.
  SimulationResult integrate(const StudyMechanism& mechanism, const OdeEntry& integrator,
                             const SimulationOptions& options, OdeSink& sink);

  std::unique_ptr<Formulation> formulation_;
  std::vector<double> x0_;
  Measured obstacle_;
};

/// Runs one cell for all that is not a time. Never throws what the run throws: that is the cell's failure.
/// \param reference of its mechanism, nullptr where none is needed
/// \param output directory of the study, for curves over time \throws WriteError when these cannot be written
CellResult run_cell(const Registries& registries, const Study& study, const CellKey& cell,
                    const StudyReference* reference, const std::filesystem::path& output);

}  // namespace mbdbench::studies
