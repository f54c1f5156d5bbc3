#pragma once
/// \file
/// Passes over the multipliers, which formulations with an augmented Lagrangian tell among their diagnostics.
#include <algorithm>
#include <array>
#include <optional>

#include "formulations/formulation.hpp"

namespace mbdbench::studies {

/// Of the last solution for positions, velocities and accelerations.
using MultiplierPasses = std::array<int, 3>;

/// \returns nothing where a formulation makes none.
inline std::optional<MultiplierPasses> multiplier_passes(const Formulation& formulation) {
  constexpr std::array<std::string_view, 3> kNames = {"position_passes", "velocity_passes", "acceleration_passes"};
  std::optional<MultiplierPasses> passes;
  formulation.diagnostics([&](std::string_view name, double value) {
    const auto* const level = std::find(kNames.begin(), kNames.end(), name);
    if (level != kNames.end()) {
      passes = passes.value_or(MultiplierPasses{});
      (*passes)[static_cast<std::size_t>(level - kNames.begin())] = static_cast<int>(value);
    }
  });
  return passes;
}

}  // namespace mbdbench::studies
