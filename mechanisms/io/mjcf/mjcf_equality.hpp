#pragma once
/// \file
/// Loops and couplings of an MJCF file. There they are soft; here they hold.
#include <map>
#include <string>

#include "mechanisms/io/mjcf/mjcf_joints.hpp"

namespace mbdbench::mjcf {

/// A frame of the file on one of our bodies.
struct PlacedBody {
  std::string body;
  Pose pose;   ///< in our body
  Pose world;  ///< where all of MuJoCo's joints are at their references
};

/// What equality constraints may name.
struct NamedParts {
  const std::map<std::string, PlacedBody>& bodies;  ///< by the file's names
  const std::map<std::string, PlacedBody>& sites;
  const Defaults& defaults;
  const JointReader& joints;
};

/// Writes connect (a spherical cut joint), weld (a fixed one) and joint (a coupling of degree one).
void read_equality(const XMLElement& model, const NamedParts& parts, MechanismDescription& description,
                   SourceLines& lines, Findings& findings);

}  // namespace mbdbench::mjcf
