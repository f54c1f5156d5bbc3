#include "experiments/studies/declaration/observer_unit.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace mbdbench::studies {
namespace {

enum class Coordinates { angles, displacements, both };

Coordinates coordinates_of(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::universal:
    case JointType::screw:
      return Coordinates::angles;
    case JointType::prismatic:
      return Coordinates::displacements;
    default:  // a spherical joint's coordinates are a quaternion
      return Coordinates::both;
  }
}

/// \param text "hip", "q.hip", "q.hip.2" for a component of several
std::optional<JointReference> joint_named(const Mechanism& mechanism, std::string text, bool is_component) {
  if (is_component) {
    const std::size_t point = text.find('.');
    text = point == std::string::npos ? text : text.substr(point + 1);
  }
  if (const auto joint = mechanism.find_joint(text)) {
    return joint;
  }
  return mechanism.find_joint(text.substr(0, text.rfind('.')));
}

/// \returns the joints that it speaks of; none where one of them is not there.
std::vector<JointType> joints_of(const Mechanism& mechanism, const Observer& observer) {
  std::vector<JointType> types;
  if (observer.quantity == Quantity::joint_error) {
    for (const Joint& joint : mechanism.tree_joints()) {
      if (joint.nu > 0) {
        types.push_back(joint.type);
      }
    }
    return types;
  }
  const bool is_component = observer.entry().subject == Subject::component;
  if (!is_component && observer.entry().subject != Subject::joints) {
    return {};
  }
  for (const std::string& name : observer.names()) {
    const auto joint = joint_named(mechanism, name, is_component);
    if (!joint) {
      return {};
    }
    types.push_back(mechanism.joint(*joint).type);
  }
  return types;
}

/// \returns the angles' or the displacements' unit of "m, rad" and of "rad, m".
std::string chosen(std::string_view units, Coordinates coordinates) {
  const std::size_t comma = units.find(", ");
  if (coordinates == Coordinates::both || comma == std::string_view::npos) {
    return std::string(units);
  }
  const std::string_view first = units.substr(0, comma);
  const std::string_view second = units.substr(comma + 2);
  const bool angles_first = first.starts_with("rad") || first.starts_with("kg m^2");
  return std::string((coordinates == Coordinates::angles) == angles_first ? first : second);
}

}  // namespace

std::string unit_on(const Mechanism& mechanism, const Observer& observer) {
  const std::vector<JointType> types = joints_of(mechanism, observer);
  if (types.empty()) {
    return std::string(observer.unit());
  }
  const Coordinates first = coordinates_of(types.front());
  const bool alike =
      std::all_of(types.begin(), types.end(), [&](JointType type) { return coordinates_of(type) == first; });
  return chosen(observer.unit(), alike ? first : Coordinates::both);
}

std::string unit_in(const Study& study, const Observer& observer) {
  std::set<std::string> units;
  for (const StudyMechanism& mechanism : study.mechanisms) {
    if (!joints_of(*mechanism.mechanism, observer).empty()) {
      units.insert(unit_on(*mechanism.mechanism, observer));
    }
  }
  return units.size() == 1 ? *units.begin() : std::string(observer.unit());
}

}  // namespace mbdbench::studies
