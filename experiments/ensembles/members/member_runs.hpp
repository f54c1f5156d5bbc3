#pragma once
/// \file
/// Runs of members: one as `simulate` makes it, or several side by side in lanes.
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/ensembles/ensemble_progress.hpp"
#include "experiments/ensembles/members/ensemble_members.hpp"
#include "experiments/ensembles/members/member_record.hpp"
#include "experiments/simulation/output/trajectory_writer.hpp"
#include "experiments/simulation/simulate_setup.hpp"

namespace mbdbench {

/// What all members of an ensemble share.
struct SharedRun {
  const Registries& registries;
  const SimulateRequest& request;
  const EnsembleMembers& members;
  const std::vector<std::string>& quantities;
  std::filesystem::path trajectories;  ///< folder of their trajectories; empty: none are written
  TrajectoryContent content;
};

/// \returns whether members go side by side: the method acts on every component alike with steps of one size, the
/// formulation has lanes, and the members are one mechanism.
bool go_in_lanes(const SimulateSetup& base, const SimulateRequest& request, const EnsembleMembers& members);

/// Runs one member as `mbdbench simulate` does, bit for bit. \returns nothing where the user interrupts
/// \throws WriteError
std::optional<MemberRecord> run_member(const SharedRun& shared, std::size_t member, EnsembleProgress& progress);

/// Runs some members side by side, as one system of all their states: an explicit method with fixed steps does the same
/// with every component. Right-hand sides differ from those of one state by rounding alone, and neither on a member's
/// place nor on its neighbours depends what it gets. One that fails is run again alone, and so fails as there.
/// \returns those that are over: all, or where the user interrupts none \throws WriteError
std::vector<MemberRecord> run_in_lanes(const SharedRun& shared, std::span<const std::size_t> members,
                                       EnsembleProgress& progress);

}  // namespace mbdbench
