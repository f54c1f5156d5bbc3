#pragma once
/// \file
/// Linearised motions as tables and files.
#include <filesystem>
#include <span>
#include <string>

#include "experiments/verification/derivatives/linear_motion.hpp"

namespace mbdbench {

// Of the largest eigenvalue: rounding of a double eigenvalue is the square root of eps.
inline constexpr double kNoFrequency = 1e-7;

/// \returns "this is no equilibrium: v.joint1 changes by 3.2 a second"; empty at rest and in a
/// steady motion, in which velocities stay as they are.
std::string no_equilibrium_text(const LinearMotion& motion, std::span<const StateComponent> layout);

/// Prints eigenvalues, one of each conjugate pair. \param layout of the modes
void print_eigenvalues(const LinearMotion& motion, std::span<const StateComponent> layout);

/// Writes derivatives.npy, eigenvalues.csv, modes_real.npy, modes_imaginary.npy and names.json.
void write_motion(const std::filesystem::path& directory, const LinearMotion& motion,
                  std::span<const StateComponent> layout);

}  // namespace mbdbench
