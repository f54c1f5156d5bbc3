#pragma once
/// \file
/// A state on disk, from which a run can be continued: bit for bit what the integrator had.
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/simulation/run_settings.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// A state and what it belongs to.
struct SavedState {
  double t = 0.0;
  std::vector<std::string> names;  ///< of the components, as the layout has them
  std::vector<double> x;
  /// Coordinates of all joints and their quasi-velocities: formulations whose state holds some of them only search the
  /// others from here. Empty where the state could not be unpacked.
  std::vector<double> q;
  std::vector<double> u;
  /// Of states that `verify` keeps: p = M u + Phi_q^T gauge; empty: zero.
  std::vector<double> gauge;
  std::string mechanism;            ///< its name
  std::string mechanism_digest;     ///< `text_digest` of its TOML text
  std::string formulation;          ///< key
  std::string formulation_options;  ///< "alpha=5,beta=5", may be empty
  std::string integrator;           ///< key
  RunSettings settings;

  bool operator==(const SavedState&) const = default;
};

/// Writes JSON with shortest round-trip numbers; the file is replaced at once. \throws FileError
void write_saved_state(const std::filesystem::path& file, const SavedState& state);

/// \returns what `write_saved_state` writes.
std::string saved_state_text(const SavedState& state);

/// Reads such a text. \param file for messages \throws FileError for anything else, saying what is wrong
SavedState parse_saved_state(std::string_view text, const std::filesystem::path& file);

/// Reads what `write_saved_state` wrote. \throws FileError for anything else, saying what is wrong
SavedState read_saved_state(const std::filesystem::path& file);

/// \param file of the state
/// \returns the file of the mechanism that a state was saved with, which lies beside it.
/// \throws FileError where that has been changed or damaged since
std::string mechanism_beside(const SavedState& state, const std::filesystem::path& file);

/// \param file for messages
/// \throws FileError naming the first component that differs when the state is not one of this layout
void require_layout(const SavedState& state, std::span<const StateComponent> layout, const std::filesystem::path& file);

}  // namespace mbdbench
