#include "mechanisms/model/description/joint_type.hpp"

#include <algorithm>
#include <cstddef>

namespace mbdbench {
namespace {

struct JointFacts {
  std::string_view name;
  int positions;
  int velocities;
  int constraints;
};

// In the order of JointType.
constexpr std::array<JointFacts, 15> kFacts = {{{"revolute", 1, 1, 5},
                                                {"prismatic", 1, 1, 5},
                                                {"universal", 2, 2, 4},
                                                {"cylindrical", 2, 2, 4},
                                                {"spherical", 4, 3, 3},
                                                {"planar", 3, 3, 3},
                                                {"free", 7, 6, 0},
                                                {"fixed", 0, 0, 6},
                                                {"screw", 1, 1, 5},
                                                {"distance", 0, 0, 1},
                                                {"revolute_spherical", 0, 0, 2},
                                                {"point_on_line", 0, 0, 2},
                                                {"point_on_plane", 0, 0, 1},
                                                {"rolling_ball", 0, 0, 3},
                                                {"rolling_disc", 0, 0, 3}}};

const JointFacts& facts(JointType type) {
  return kFacts.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view to_string(JointType type) {
  return facts(type).name;
}

std::optional<JointType> joint_type_of(std::string_view name) {
  const auto* const found =
      std::find_if(kFacts.begin(), kFacts.end(), [&](const JointFacts& type) { return type.name == name; });
  return found == kFacts.end() ? std::nullopt : std::optional(static_cast<JointType>(found - kFacts.begin()));
}

int position_count(JointType type) {
  return facts(type).positions;
}

int velocity_count(JointType type) {
  return facts(type).velocities;
}

int constraint_count(JointType type) {
  return facts(type).constraints;
}

bool is_cut_only(JointType type) {
  return rolls(type) || std::find(kCutOnlyTypes.begin(), kCutOnlyTypes.end(), type) != kCutOnlyTypes.end();
}

}  // namespace mbdbench
