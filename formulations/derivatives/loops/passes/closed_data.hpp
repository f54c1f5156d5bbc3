#pragma once
/// \file
/// A mechanism with loops, linearised about a state, as plain data: what the passes of this room leave for each other.
///
/// All motions and wrenches are about one point of space R amid the bodies, in world axes, so that nothing moves from
/// joint to joint. With S_k the motion of quasi-velocity k, fixed in the body c(k), and for body b behind body a
///
///   V_b = V_a + sum S_k u_k                      A_b = A_a + sum S_k u_k' + (V_c x S_k) u_k,   A_ground = -g
///   F_b = I A_b + V_b x* I V_b                   ID_k = S_k . (F of all outboard, less D lambda of cut joints)
///
/// and of a direction that displaces the bodies by psi_b = psi_a + sum S_k dtheta_k: dS_k = psi_c x S_k. A link that is
/// longer by dl displaces the joint behind it, and all that hangs there, by e dl, as a slide that is held: e dl among
/// psi_b, and for the axes of the joint among psi_a. Velocities and accelerations have no term of it.
///
/// Loads on bodies count among -D lambda. What they are by displacements and velocities of bodies is in LoopLoad, what
/// laws that depend on joints or on places of others are in LoopLaw.
///
///   M da - Phi_q^T dlambda = -r,   r = dID - dtau at held a and lambda
///   Phi_q da = -s,                 s = d Phi'' at held a
///
/// With Baumgarte's constants Phi'' + 2 alpha Phi' + beta^2 Phi in the place of Phi'', in s too.
///
/// Projected velocities u + w, M w = Phi_q^T sigma, likewise: M dw - Phi_q^T dsigma = -r2, Phi_q du = -s1, with r2 what
/// dID becomes with w for u', sigma for lambda, and nothing that moves; s1 = d Phi' at held u.
///
/// Momenta: with P for I V of all outboard bodies, less D sigma of cut joints, and G for their weights, likewise less
/// D' sigma - D mu,
///
///   p = M u - Phi_q^T sigma = S . P,   p' = tau + S' . P + S . G,   S' = V_c x S
///
/// where Phi_q^T mu is what a gauge adds. M du - Phi_q^T dsigma = dp - r2, Phi_q du = -s1, with u for w; then dp' by
/// the displacements, by du and by dsigma.
#include "formulations/derivatives/loops/passes/cut_motion.hpp"

namespace mbdbench::linear {

struct LoopAxis {
  Screw<double> motion{};     ///< S
  Screw<double> rate{};       ///< V_c x S
  int carrier = -1;           ///< the body in which it is fixed
  double speed = 0.0;         ///< u
  double acceleration = 0.0;  ///< u'
  double change = 0.0;        ///< w
  double stiffness = 0.0;
  double damping = 0.0;
};

struct LoopBody {
  int inboard = -1;
  int first_axis = 0;  ///< axes are numbered as quasi-velocities
  int axis_count = 0;
  RigidBody inertia;
  kernels::LinkVector<double> link{};  ///< where a longer link displaces the joint, and the body with it; zero: nowhere
  Screw<double> velocity{};
  Screw<double> momentum{};
  Screw<double> acceleration{};    ///< momenta: -g, of weights
  Screw<double> force{};           ///< F, of the own body
  Screw<double> carried{};         ///< with everything outboard, less D lambda and what loads do
  Screw<double> change{};          ///< sum of S w
  Screw<double> change_force{};    ///< I times it
  Screw<double> change_carried{};  ///< with everything outboard, less D sigma
};

/// What a cut joint does, and its slopes by displacements of a and of b, then by velocities of a and of b. Those by
/// displacements of the ground say nothing: it does not move.
struct LoopCut {
  static constexpr int kSlopes = 24;
  CutShape shape;
  int first_row = 0;
  CutMotion<double> motion{};
  Screw<double> wrench{};            ///< D lambda; momenta: D mu - D' sigma
  Screw<double> change_wrench{};     ///< D sigma
  double lambda[CutShape::kRows]{};  ///< momenta: mu
  double sigma[CutShape::kRows]{};
  double first_slopes[CutShape::kRows][kSlopes / 2]{};  ///< of Phi', by displacements; with feedback
  double second_slopes[CutShape::kRows][kSlopes]{};     ///< of Phi'', with Baumgarte's terms
  double wrench_slopes[6][kSlopes]{};                   ///< of D lambda, by displacements; momenta: of D mu - D' sigma
  double change_slopes[6][kSlopes / 2]{};               ///< of D sigma
};

/// A load between two bodies, a wrench on b and its opposite on a: slopes of the wrench, as of LoopCut.
struct LoopLoad {
  int body_a = -1;
  int body_b = -1;
  double slopes[6][LoopCut::kSlopes]{};
};

/// What a law's number depends on, with its slope: the turn or the velocity of an axis, or the motion of a body, with
/// its acceleration where that counts (of velocities only).
struct LoopArgument {
  int axis = -1;
  double by_turn = 0.0;
  double by_push = 0.0;
  int body = -1;
  Screw<double> by_displacement{};
  Screw<double> by_velocity{};
  bool accelerates = false;
  Screw<double> by_acceleration{};
};

/// A number that acts along an axis, or as a wrench on a body, and depends on the state.
struct LoopLaw {
  int axis = -1;
  int body = -1;
  int opposite = -1;       ///< body on which the opposite wrench acts
  Screw<double> wrench{};  ///< of one
  int first_argument = 0;
  int argument_count = 0;
};

/// Offsets of the numbers of one body, packs, in `lanes`.
struct LoopLanes {
  static constexpr int kDisplacement = 0, kVelocity = 6, kAcceleration = 12, kForce = 18;
  static constexpr int kChange = 24, kChangeForce = 30;
  static constexpr int kSize = 36;
};

struct ClosedData {
  int body_count = 0;
  int axis_count = 0;
  int cut_count = 0;
  int row_count = 0;     ///< of Phi
  bool momenta = false;  ///< momenta, not accelerations: u is in the place of w, p' in that of r
  bool drifted = false;  ///< whether there is a w
  double damping = 0.0;  ///< 2 alpha, beta^2 of Baumgarte's constants
  double stiffness = 0.0;
  double feedback = 0.0;   ///< momenta: Phi' + feedback Phi in the place of Phi', in s1 too
  Screw<double> ground{};  ///< -g
  LoopBody* bodies = nullptr;
  LoopAxis* axes = nullptr;
  LoopCut* cuts = nullptr;
  int load_count = 0;
  int law_count = 0;
  const LoopLoad* loads = nullptr;
  const LoopLaw* laws = nullptr;
  const LoopArgument* arguments = nullptr;
  double* lanes = nullptr;       ///< LoopLanes::kSize packs a body
  double* axis_lanes = nullptr;  ///< dS, six packs an axis
};

/// Directions side by side, and what they do. Packs.
struct LoopDirections {
  const double* turns = nullptr;        ///< dtheta, by axis
  const double* pushes = nullptr;       ///< du
  const double* multipliers = nullptr;  ///< momenta: dsigma, by row
  double* forces = nullptr;             ///< receives r, by axis; momenta: dp'; nullptr: neither this nor s is wanted
  double* seconds = nullptr;            ///< s, by row of the cut joints; momenta: nothing
  double* change_forces = nullptr;      ///< r2; set where a w is; momenta: by du too
  double* firsts = nullptr;             ///< s1
  const double* lengths = nullptr;      ///< of links, by body; nullptr: they stay
};

/// Weights of r and s, of r2 and s1, of -dp' in momenta, and what they are worth by dtheta, du and dsigma.
struct LoopWeights {
  const double* forces = nullptr;
  const double* seconds = nullptr;
  double* by_turn = nullptr;  ///< receives sums, which are added to
  double* by_push = nullptr;
  double* by_multiplier = nullptr;  ///< momenta: receives what it is
  double* by_length = nullptr;      ///< of links, by body: receives sums; nullptr: not wanted
};

/// The passes of one instruction set.
struct ClosedSweeps {
  int width = 1;  ///< doubles a pack
  /// Slopes of the cut joints, after the bodies' motions and multipliers are set.
  void (*slope_cuts)(const ClosedData&) = nullptr;
  /// Those alone of Phi' and of D sigma, by displacements.
  void (*slope_flow)(const ClosedData&) = nullptr;
  /// One direction a lane.
  void (*directions)(const ClosedData&, const LoopDirections&) = nullptr;
  /// One direction.
  void (*direction)(const ClosedData&, const LoopDirections&) = nullptr;
  void (*weights)(const ClosedData&, const LoopWeights&) = nullptr;
  /// The same of r2 and s1.
  void (*change_weights)(const ClosedData&, const LoopWeights&) = nullptr;
};

/// \tparam W doubles a register: those of an instruction set (closed_sweeps_for_sets.cpp)
template <int W>
ClosedSweeps closed_sweeps();

}  // namespace mbdbench::linear
