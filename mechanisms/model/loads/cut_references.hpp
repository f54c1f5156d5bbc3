#pragma once
/// \file
/// From which turn the angles of cut joints are counted. The positions of two bodies tell such an angle to whole turns
/// only, while that of a tree joint is a coordinate of its own: where a law or a spring knows the angle of a cut joint,
/// somebody has to follow it (formulations/followed_cuts.hpp).
#include <array>
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// An angle of a cut joint that a law or a spring knows.
struct FollowedAngle {
  int cut = 0;
  int component = 0;
};

/// \returns in the order of the cut joints. Screws tell their turns by the displacement.
std::vector<FollowedAngle> followed_angles(const Mechanism& mechanism);

/// Coordinates of cut joints, within half a turn of which loads, springs and energies look for their angles. Whoever
/// evaluates loads is given them: a formulation owns some (Formulation::cut_references) and hands them down.
class CutReferences {
 public:
  /// All at q0.
  explicit CutReferences(const Mechanism& mechanism);

  void set(const FollowedAngle& angle, double value);
  void reset();

  /// \returns the coordinates of a cut joint, nq entries.
  [[nodiscard]] std::span<const double> of(int cut) const;

 private:
  std::span<const Joint> joints_;
  std::vector<std::array<double, 7>> coordinates_;  // of every cut joint
};

}  // namespace mbdbench
