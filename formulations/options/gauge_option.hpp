#pragma once
/// \file
/// The gauge of canonical momenta where constraints are closed by impulses, and its default.
///
/// DEVIATES [Chadaj2017, Eq. (77)]: the default adds to p' what no motion shows (closed_loop_test: the same motion).
/// (p, sigma) and (p + Phi_q^T mu, sigma - mu) are one motion, so p' is free up to Phi_q^T nu. As published,
/// p' = f - (Phi_q^T)' sigma. Next to a singular position, s the smallest singular value of Phi_q, an error e of the
/// positions turns the direction of its constraint by e / s and makes sigma wrong by e / s^2; p' takes that over, along
/// the constraint alone, where the motion does not see it but the step control does. Steps go to zero there, and each
/// passage costs energy. The tangent gauge takes that part out,
///     p' <- M w + kappa (M u - p),   w = P M^-1 p',   P the projection on Phi_q w = 0, orthogonal in M.
/// M w is p' + Phi_q^T nu with the nu of least norm in M^-1, and is formed as that: beside heavy bodies a light one has
/// a w of |p'| over its inertia, and M w rounds by as much of the heavy ones. It is unique also where rows are
/// redundant, and as smooth as the motion. What curvature leaves of p in range(Phi_q^T) turns with the normals of the
/// constraints, at the rate of the motion, and grows where kappa is less than about half of it; so kappa is at least
/// the largest rate of the joints (tangent_leak), and what decays by it is no stiffer than the motion.
#include <span>

#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// What keeps sigma small.
enum class GaugeControl {
  none,    ///< as published
  reset,   ///< p <- J^T M V, sigma <- 0 after steps, `reset_interval` apart; for one-step methods
  leak,    ///< p' += kappa Phi_q^T sigma, so that sigma' = lambda - kappa sigma; smooth, for all methods
  tangent  ///< leak, and p' without what Phi_q^T carries: smooth through singular positions (gauge_option.hpp)
};

/// kappa, 1/s: saved the most evaluations on the closed loops of [Chadaj2017]; 20 costs steps.
inline constexpr double kDefaultLeak = 5.0;

/// \returns kappa of the tangent gauge, 1/s: the leak, at most a hundred times the mechanism's own rate (that of
/// gravity, or of its initial velocities), or the largest rate of the joints where that is more; a leak of 0 stays 0.
/// \param u quasi-velocities of the tree joints
double tangent_leak(double leak, const Mechanism& mechanism, std::span<const double> u);

/// \param fastest the largest rate of the joints (CharacteristicScales::largest_rate), 1/s
double tangent_leak(double leak, const Mechanism& mechanism, double fastest);

/// \returns the same of joints at rest.
double least_tangent_leak(double leak, const Mechanism& mechanism);

/// \returns whether p' is tangent: option gauge=tangent, or gauge=auto where cut joints close loops, unless leaf names
/// sub-chains or sub-trees. False for formulations without the option.
bool gauge_is_tangent(const Mechanism& mechanism, const Parameters& options);

}  // namespace mbdbench
