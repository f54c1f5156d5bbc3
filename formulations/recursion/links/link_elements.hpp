#pragma once
/// \file
/// A mechanism's tree as steps of one kind each: what LinkTree lays out in rows.
///
/// Joints with several scalar coordinates become several steps with massless links between them, in the order of
/// `relative_pose`: universal = two turns, cylindrical = turn and slide along one axis, planar = two slides and a turn.
/// Spherical and free joints are one step. A fixed joint is none: its body becomes part of the link inboard of it, or
/// of the ground. Coordinates, quasi-velocities and so canonical momenta are those of the mechanism, one by one.
#include <vector>

#include "formulations/recursion/links/link_rows.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// A step from an inboard element (-1: the ground) to a link of its own.
struct LinkElement {
  RowKind kind = RowKind::revolute;
  int inboard = -1;
  Vec3 point_a = Vec3::Zero();     ///< the step's origin in the inboard element's axes
  Mat3 axes_a = Mat3::Identity();  ///< the step's axes, columns in the inboard element's axes
  Vec3 point_b = Vec3::Zero();     ///< the same in the own element's axes
  Mat3 axes_b = Mat3::Identity();
  Vec3 axis = Vec3::UnitZ();  ///< of a turn or slide, in the step's axes
  int q = 0;                  ///< first coordinate
  int u = 0;                  ///< first quasi-velocity
  int motion = -1;            ///< which prescribed motion, in the order of PrescribedMotions
  int joint = 0;              ///< the tree joint that it is a part of
};

/// Where a body sits on its element.
struct BodyPlace {
  int element = -1;                  ///< -1: it does not move
  Mat3 rotation = Mat3::Identity();  ///< body axes to the element's
  Vec3 origin = Vec3::Zero();        ///< of the body's frame, in the element's axes
};

/// Elements from the ground outward and the bodies on them.
struct LinkElements {
  std::vector<LinkElement> elements;
  std::vector<BodyPlace> bodies;

  explicit LinkElements(const Mechanism& mechanism);
};

}  // namespace mbdbench
