#pragma once
/// \file
/// What a study has measured.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/records/provenance/provenance.hpp"
#include "experiments/records/timing/timing.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "formulations/subchains/chains/machine_limits.hpp"

namespace mbdbench::studies {

/// How a number came about, or why there is none.
enum class CellState {
  measured,
  refused,   ///< it does not exist here: the formulation refuses the mechanism, the energy is not kept, ...
  failed,    ///< the run did not reach its end
  disturbed  ///< a time that something else on the machine spoilt: there is a number, and it says nothing
};

/// One cell of a table.
struct Measured {
  CellState state = CellState::measured;
  double value = 0.0;  ///< of measured and disturbed ones
  std::string note;    ///< the reason of everything else

  /// \returns a measured number, a failure where it is not finite.
  static Measured number(double value);
  static Measured refused(std::string note) { return {CellState::refused, 0.0, std::move(note)}; }
  static Measured failed(std::string note) { return {CellState::failed, 0.0, std::move(note)}; }
  static Measured not_measured(std::string note) { return {CellState::disturbed, 0.0, std::move(note)}; }
  [[nodiscard]] bool usable() const { return state == CellState::measured; }
};

/// All numbers of one run.
using CellResult = std::map<Observer, Measured>;

/// Everything, by what it belongs to.
struct StudyResults {
  std::map<CellKey, CellResult> cells;
  std::map<CellKey, RepeatedTimes> times;
  /// Uncertainty of a mechanism's reference: of positions (m), of orientations (rad); or why there is none.
  std::vector<Measured> position_uncertainty;
  std::vector<Measured> orientation_uncertainty;

  /// What a core of the machine can do at most; nothing where no right-hand side is observed.
  std::optional<MachineLimits> machine;

  /// Where shares are merged: what none of them has finished.
  struct Missing {
    std::size_t parts = 0;
    std::map<int, std::size_t> runs_of_shares;  ///< by the number of the share that has them
    int shares = 0;                             ///< into how many the study is divided
    std::vector<std::string> unused;            ///< finished parts that do not fit, in words
  } missing;
  std::vector<ShareProvenance> shares;  ///< that were merged
  /// By the label of a mechanism, the machine that its times are of.
  std::map<std::string, std::string> machines;

  /// \returns whether times are of different machines, and not to be compared from mechanism to mechanism.
  [[nodiscard]] bool several_machines() const;
  /// \returns what an observer says of a run; refused for what was not asked for.
  [[nodiscard]] Measured of(const CellKey& cell, const Observer& observer) const;
};

/// Round trip of a result through the journal.
nlohmann::json to_json(const CellResult& result);
CellResult cell_from_json(const nlohmann::json& json);

}  // namespace mbdbench::studies
