#pragma once
/// \file
/// Builder of planar linkages: straight links from pivot to pivot in the x-y plane, all joints revolute about z.
#include <Eigen/Core>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/description/description.hpp"
#include "mechanisms/model/description/parameters.hpp"

namespace mbdbench {

/// A pivot in the x-y plane of the world, m.
using Pivot = Eigen::Vector2d;

/// What the links of a linkage have in common; the centre of mass is at half the length.
struct LinkProperties {
  double mass = 1.0;                ///< kg
  Mat3 inertia = Mat3::Identity();  ///< about the centre of mass, x along the link, kg m^2
};

/// Collects links and joints. Gravity is 9.81 m/s^2 along -y; bodies are body1.. and joints joint1.. in the order in
/// which they are added. A link's frame has its origin at its first pivot and x along the link; joint coordinates are
/// relative angles in (-pi, pi].
class PlanarLinkage {
 public:
  PlanarLinkage(std::string name, LinkProperties properties);

  /// Adds a link from `start` to `end`, hung by a joint at `start` on `inboard` (a body or the ground). \returns its
  /// name
  std::string add_link(const std::string& inboard, const Pivot& start, const Pivot& end);

  /// The same with the joint at `joint`, which need not be an end of the link.
  std::string add_link(const std::string& inboard, const Pivot& joint, const Pivot& start, const Pivot& end);

  /// Adds links in series along the pivots, the first hung on `inboard`. \returns their names
  std::vector<std::string> add_chain(const std::string& inboard, std::span<const Pivot> pivots);

  /// Adds links in series along an odd number of pivots from ground to ground, and closes the loop by a cut joint at
  /// the last pivot, or at the middle one. \returns their names, along the pivots
  std::vector<std::string> add_loop(std::span<const Pivot> pivots, bool cut_in_the_middle);

  /// Closes a loop by a cut joint that leads from `a` to `b`; either may be the ground.
  void close(const std::string& a, const std::string& b, const Pivot& pivot);

  /// Adds a marker on a body.
  void mark(const std::string& marker, const std::string& body, const Pivot& point);

  /// \returns the description; the builder is empty afterwards.
  [[nodiscard]] MechanismDescription take() { return std::move(description_); }

 private:
  struct Placement {
    std::string body;
    Pivot origin = Pivot::Zero();
    Pivot direction = Pivot::UnitX();  ///< of the link's x axis, unit
  };

  [[nodiscard]] const Placement& placement(const std::string& body) const;
  JointDescription joint(const std::string& a, const std::string& b, const Pivot& pivot);

  LinkProperties properties_;
  MechanismDescription description_;
  std::vector<Placement> placements_;
};

/// \returns the parameter `angle` of linkages whose outer links can start turned towards each other.
ParameterSpecification inward_angle_parameter();
/// \returns the parameter `cut` = ground or middle.
ParameterSpecification cut_parameter();

}  // namespace mbdbench
