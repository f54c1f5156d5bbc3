#pragma once
/// \file
/// The forms of the equations of motion that the experiment compares.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "experiments/naudet2005/published.hpp"

namespace mbdbench::naudet2005 {

inline constexpr std::string_view kExperiment = "naudet2005";
inline constexpr std::string_view kMechanism = "biped";

/// A formulation with its options.
struct Form {
  std::string_view name;  ///< of files and in words
  std::string_view key;
  std::string_view options;         ///< as the command line takes them
  double Pair::*published;          ///< which of the paper's two forms this one is; null for the reduced pair, ours
  std::size_t rates_begin;          ///< of the independent velocities or momenta in the state
  std::size_t calls_before_solver;  ///< the paper's program calls the Hamiltonian equations once before the solver
  /// \returns the formulation as records name it: "naudet[switching=off]".
  [[nodiscard]] std::string label() const {
    return options.empty() ? std::string(key) : std::string(key) + "[" + std::string(options) + "]";
  }
};

/// The paper's: all six coordinates with all six velocities, or with the three reduced momenta. The choice of dependent
/// joints stays as it is at the start, so that the state has the paper's entries and no others.
inline constexpr Form kLagrange = {"lagrange", "naudet-acc", "", &Pair::lagrange, 6, 0};
inline constexpr Form kHamilton = {"hamilton", "naudet", "switching=off", &Pair::hamilton, 6, 1};
/// The paper's own way to close the loop, its matrices C_K [Naudet2005, Eq. (22)-(27)]; kHamilton does it by impulses.
inline constexpr Form kHamiltonMatrices = {"hamilton_matrices", "naudet", "loops=matrices", &Pair::hamilton, 6, 1};
/// kHamilton with another choice of dependent joints where it becomes singular: ours.
inline constexpr Form kHamiltonSwitching = {"hamilton_switching", "naudet", "", nullptr, 6, 0};
/// Ours: three coordinates with three velocities or momenta; the loop is closed at every evaluation.
inline constexpr Form kLagrangeReduced = {"lagrange_reduced", "naudet-acc-reduced", "switching=off", nullptr, 3, 0};
inline constexpr Form kHamiltonReduced = {"hamilton_reduced", "naudet-reduced", "switching=off", nullptr, 3, 0};

inline constexpr std::array kPaperForms = {kLagrange, kHamilton};
inline constexpr std::array kForms = {kLagrange, kHamilton, kLagrangeReduced, kHamiltonReduced};

}  // namespace mbdbench::naudet2005
