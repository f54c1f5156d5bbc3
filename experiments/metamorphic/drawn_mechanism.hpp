#pragma once
/// \file
/// Mechanisms drawn at random for metamorphic tests: a generator of its own, which closes its loops and finds its
/// velocities by told_motion alone and owes nothing to mechanisms/catalogue or to the suite's model.
#include <string>
#include <vector>

#include "experiments/metamorphic/told_mechanism.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench::metamorphic {

/// What may be drawn.
struct Drawing {
  int bodies = 3;
  int loops = 0;
  bool planar = false;  ///< revolute joints with parallel axes alone: loops have three rows too many
  bool loads = true;
  bool damping = true;
  double drives = 0.0;     ///< how likely a prescribed motion is
  double couplings = 0.0;  ///< how likely a coupling is
  double speed = 1.5;      ///< of the fastest quasi-velocity, 1/s and m/s
  std::vector<std::string> types = {"revolute",  "prismatic", "universal", "cylindrical",
                                    "spherical", "planar",    "free",      "screw"};
};

/// \returns a mechanism with a consistent start and three markers a body (centre of mass; that and a step along x, y).
Told draw_told(RandomSource& random, const Drawing& drawing);

/// A joint of this type between two bodies with frames, axis and coordinates at random; closed by its frame on b where
/// `states` place both bodies.
ToldJoint draw_joint(RandomSource& random, const std::string& type, int a, int b);

/// Velocities that loops and couplings allow, for all joints. \returns false where nothing moves or the rank is not
/// clear
bool draw_velocities(RandomSource& random, double speed, Told& told);

/// Frame on b so that the joint holds where the bodies are now.
void close_joint(const Told& told, ToldJoint& joint);

}  // namespace mbdbench::metamorphic
