#pragma once
/// \file
/// What the soak asks of every formulation on one mechanism.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/registries/registries.hpp"

namespace mbdbench::soak {

/// One check that did not come out right.
struct Finding {
  std::string formulation;  ///< KEY[options]
  std::string check;        ///< "verify", "balance of momentum", "pack and unpack", "run", "restart", "end state"
  std::string what;         ///< numbers, joints
};

/// What was found on one mechanism.
struct Findings {
  int compared = 0;         ///< formulations that were checked
  int refused = 0;          ///< formulations that do not treat it
  int ill_conditioned = 0;  ///< comparisons that prove nothing
  int unconverged = 0;      ///< formulations that say that their passes have not converged; only `verify` judges these
  int without_run = 0;      ///< runs that prove nothing: the reference itself did not come through
  std::vector<Finding> failures;
  /// Beyond a limit, but by less than what a wrong term makes (1e-7, 1e-6 in differences): what extreme mass ratios
  /// cost.
  std::vector<Finding> imprecise;
  /// Ends that differ, but by no more than ten times what the reference's own do when its tolerance is ten times larger
  /// or smaller: the motion amplifies errors by so much that ends prove nothing. Right-hand sides were compared all the
  /// same.
  std::vector<Finding> sensitive;
  /// Ends that differ, but by a tenth and less of that when both tolerances are a hundred times smaller.
  std::vector<Finding> integration_errors;
  /// Why nothing is known of the mechanism, and no formulation is to blame: the process of the check was killed from
  /// outside, or the system gave it no file, thread or pipe. Empty: it was checked.
  std::string disturbed;
};

/// The lists of findings with the names that reports give them.
inline constexpr std::array<std::pair<std::vector<Finding> Findings::*, const char*>, 4> kFindingLists = {
    {{&Findings::failures, "failures"},
     {&Findings::imprecise, "imprecise"},
     {&Findings::sensitive, "sensitive"},
     {&Findings::integration_errors, "integration_errors"}}};

/// \returns a formulation with the options by which it has the digits that random mechanisms are judged by: those of
/// its key, but that the printed penalties are small enough. At their default of 1e4 they leave alpha^2 eps of the
/// equations of motion (docs/understanding/formulations/dca_alm_printed.md), more beside a body of 1 g.
std::string soaked_formulation(std::string_view key);

/// \returns the formulations of a soak: all, and variants with options of their own code.
std::vector<std::string> soaked_formulations(const Registries& registries);

/// Compares right-hand sides and reactions with `dense` (verify), momentum and angular momentum of the whole with all
/// outer forces (Newton and Euler, independent of every formulation), packs and unpacks, runs 0.25 s with ode45 at
/// 1e-8, judges balance and residuals as `simulate` does, compares the end with that of `dense`, and restarts from a
/// saved state half way.
/// \param formulations as soaked_formulations gives them
Findings check_mechanism(const Registries& registries, const Mechanism& mechanism,
                         const std::vector<std::string>& formulations);

}  // namespace mbdbench::soak
