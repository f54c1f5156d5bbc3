#include "mechanisms/model/description/joint_type.hpp"

#include <cstddef>

namespace mbdbench {
namespace {

struct JointFacts {
  std::string_view name;
  int positions;
  int velocities;
};

// In the order of JointType.
constexpr std::array<JointFacts, 9> kFacts = {{{"revolute", 1, 1},
                                               {"prismatic", 1, 1},
                                               {"universal", 2, 2},
                                               {"cylindrical", 2, 2},
                                               {"spherical", 4, 3},
                                               {"planar", 3, 3},
                                               {"free", 7, 6},
                                               {"fixed", 0, 0},
                                               {"screw", 1, 1}}};

const JointFacts& facts(JointType type) {
  return kFacts.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view to_string(JointType type) {
  return facts(type).name;
}

std::optional<JointType> joint_type_of(std::string_view name) {
  for (const JointType type : kAllJointTypes) {
    if (facts(type).name == name) {
      return type;
    }
  }
  return std::nullopt;
}

int position_count(JointType type) {
  return facts(type).positions;
}

int velocity_count(JointType type) {
  return facts(type).velocities;
}

}  // namespace mbdbench
