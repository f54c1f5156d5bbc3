#include "experiments/studies/runner/cells/study_weights.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench::studies {

/// A fifth-order method needs 10^(1/5) times more evaluations a decade of tolerance.
std::uint64_t run_weight(const Study& study, const CellKey& cell) {
  const StudyMechanism& mechanism = study.mechanisms[cell.mechanism];
  const Control& control = study.controls[cell.control];
  const double evaluations = control.kind == ControlKind::tolerance
                                 ? 100.0 * mechanism.end * std::pow(control.value, -0.2)
                                 : 10.0 * mechanism.end / control.value;
  const double limited = std::min(evaluations, static_cast<double>(study.max_evaluations));
  return static_cast<std::uint64_t>(std::ceil(limited * mechanism.mechanism->body_count() / 100.0));
}

std::uint64_t timing_weight(const Study& study, const CellKey& cell, std::size_t variants) {
  return run_weight(study, cell) * variants * static_cast<std::uint64_t>(study.repetitions);
}

/// Batches of a fixed time, and formulations of many bodies to be made.
std::uint64_t right_hand_side_weight(const Study& study, std::size_t mechanism) {
  const auto bodies = static_cast<std::uint64_t>(study.mechanisms[mechanism].mechanism->body_count());
  return study.mechanisms[mechanism].variants.size() * (100 + bodies);
}

}  // namespace mbdbench::studies
