#pragma once
/// \file
/// The words of `mbdbench simulate --ensemble`, not yet checked.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/simulation/simulate_run.hpp"

namespace mbdbench {

/// The most that an ensemble has.
inline constexpr std::int64_t kMostMembers = 10'000'000;

/// Many runs of one mechanism, each from a start or with parameters of its own.
struct EnsembleRequest {
  SimulateRequest run;                 ///< what all members share
  std::optional<std::int64_t> count;   ///< of members; with a table at most its rows, all of them where it is left out
  std::optional<std::string> members;  ///< name of a table; nothing: members are drawn
  std::vector<std::string> spread;     ///< "positions=0.05", "mass=uniform:0.02"
  std::optional<std::int64_t> seed;
  std::vector<std::string> quantities;  ///< of which statistics are made; empty: see default_quantities
  bool trajectories = false;            ///< also write trajectories/member_K.csv

  /// \returns whether the words ask for an ensemble at all.
  [[nodiscard]] bool asked_for() const { return count.has_value() || members.has_value(); }
};

}  // namespace mbdbench
