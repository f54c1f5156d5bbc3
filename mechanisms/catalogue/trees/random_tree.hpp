#pragma once
/// \file
/// Random trees with all joint types, and random loads on them.
#include <cstdint>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// What a random tree is drawn with.
struct RandomTreeOptions {
  std::int64_t bodies = 8;
  /// Probability that a body hangs on any earlier body or the ground, instead of on the last one: 0 is a chain.
  double branching = 0.5;
  /// Prescribed joint motions, fewer than bodies: one component of each of the first joints, which then are of a type
  /// with scalar coordinates.
  std::int64_t motions = 0;
  bool screws = false;  ///< revolute joints are screws
};

/// \returns bodies body1.., joints joint1.. and a marker `tip` on the last body. Masses 0.5 to 2 kg, centres of mass
/// and
///          joints within 0.5 m of the body's origin, physical inertias in random axes, random frames, oblique
///          universal axes, random initial state (angles and displacements up to 1 rad and m, rates up to 1),
///          gravity 9.81 m/s^2 in a random direction. At least one joint that is not prescribed is not `fixed`.
MechanismDescription draw_tree(RandomSource& random, const RandomTreeOptions& options);

/// A revolute joint becomes a screw; others stay what they are.
void make_screw(JointDescription& joint);

/// \returns random coordinates of a joint type: unit quaternions, other coordinates in [-1, 1).
std::vector<double> draw_coordinates(RandomSource& random, JointType type);

/// Draws type-independent data of a joint: frame on a, axes (universal: at least 37 deg apart).
void draw_geometry(RandomSource& random, JointDescription& joint);

/// Adds loads of every kind to the bodies and joints, cut joints included: constants, tables over t, q and v, formulas
/// with joint and marker variables; joint springs and point springs with dampers. Joint loads of at most a few N m,
/// dampers only that take energy out.
void add_random_loads(RandomSource& random, MechanismDescription& description);

}  // namespace mbdbench
