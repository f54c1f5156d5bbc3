#include "experiments/simulation/output/trajectory_content.hpp"

#include <algorithm>

namespace mbdbench {

TrajectoryContent trajectory_content(const SimulateRequest& request) {
  const auto asks = [&](const char* column) {
    return std::find(request.columns.begin(), request.columns.end(), column) != request.columns.end();
  };
  return {.reactions = request.reactions || asks("reactions"),
          .reactions_about_a = request.reaction_point == "a",
          .motion = {.velocities = asks("velocities"),
                     .accelerations = asks("accelerations"),
                     .loads = asks("loads"),
                     .poses = asks("poses")},
          .comments = {}};
}

}  // namespace mbdbench
