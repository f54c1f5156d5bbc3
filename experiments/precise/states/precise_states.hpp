#pragma once
/// \file
/// x' of formulations with states of the tree's joints in 113 bits, as documents state what their options do.
#include <span>
#include <string>
#include <vector>

#include "experiments/precise/motion/precise_motion.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::precise {

/// What a state is, and what a formulation's options make of it.
struct StateRules {
  bool momenta = false;              ///< x = (q, p), otherwise (q, u)
  std::vector<FollowedAngle> turns;  ///< of cut joints, which stand behind these
  VelocityRules velocities;          ///< options projection=velocities, alpha and beta
  MomentumGauge gauge;               ///< options gauge and leak
};

/// \returns whether states are those of the tree's joints, followed by angles of cut joints that loads know; others are
/// functions of these (precise_state_map.hpp).
bool begins_with_joint_states(const Formulation& formulation);

/// \returns why there is no x' in 113 bits: the mechanism is one that PreciseMotion does not treat, states have
/// components that are not known, or momenta of loops have a gauge that changes states after steps, other velocities
/// than those on the constraints, axes other than the world's, or parts that nothing determines. \param options of the
/// formulation, complete; of open mechanisms they do not matter. Without an option `gauge` it is the published one.
std::string refuse_precise_states(const Formulation& formulation, const Parameters& options);

/// \returns why x' is not known where constraints are open a little, as those of runs are: of cut screws, where rows
/// repeat others, unless they are zero everywhere, as of planar loops, of what is prescribed, coupled or rolls, and of
/// loads in cut joints; empty where it is.
std::string refuse_open_loops(const Mechanism& mechanism);

/// \param formulation of a mechanism with the start of the run, where there is one \param options as above
StateRules state_rules(const Formulation& formulation, const Parameters& options);

/// \returns x'
Reals state_rates(PreciseMotion& motion, const StateRules& rules, double t, std::span<const Real> x);

}  // namespace mbdbench::precise
