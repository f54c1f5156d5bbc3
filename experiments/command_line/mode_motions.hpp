#pragma once
/// \file
/// How a mechanism moves in its modes, as coordinates over a cycle: what pictures of modes are drawn from.
#include <filesystem>
#include <vector>

#include "experiments/drawing/mode_shapes.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"

namespace mbdbench {

/// The modes that the table of eigenvalues has (one of each conjugate pair), the first twelve that move anything. An
/// oscillation goes once around without its decay, what does not oscillate goes out and back. Modes have no size: each
/// is drawn as large as can be seen well.
/// \param x the state at which the motion was linearised, with the state's components as of `motion`
std::vector<DrawnMode> drawn_modes(Formulation& formulation, double t, const std::vector<double>& x,
                                   const LinearMotion& motion);

/// Writes mode_shapes.csv and modes.html; of no modes neither.
void write_mode_pictures(const std::filesystem::path& directory, Formulation& formulation, double t,
                         const std::vector<double>& x, const LinearMotion& motion);

}  // namespace mbdbench
