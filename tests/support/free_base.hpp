#pragma once
/// \file
/// Random mechanisms whose first body is free: floating robots, as the assembly sees them.
#include "mechanisms/catalogue/trees/random_tree.hpp"

namespace mbdbench::test {

/// \returns a tree of 5 to 30 bodies (draw_tree), the first of them on a free joint, all others outboard of it.
inline MechanismDescription draw_free_base(RandomSource& random) {
  RandomTreeOptions options;
  options.bodies = 5 + static_cast<std::int64_t>(random.index(26));
  MechanismDescription description = draw_tree(random, options);
  JointDescription& base = description.joints.front();
  base.type = JointType::free;
  base.q0 = draw_coordinates(random, base.type);
  base.v0 = {0.3, -0.2, 0.5, 0.1, 0.4, -0.6};
  for (std::size_t k = 1; k < description.joints.size(); ++k) {
    if (description.joints[k].a == kGround) {
      description.joints[k].a = description.bodies.front().name;
    }
  }
  return description;
}

/// \returns a free body with 3 to 10 arms, each a chain of 1 to 3 bodies.
inline MechanismDescription draw_free_star(RandomSource& random) {
  RandomTreeOptions options;
  options.bodies = 31;
  options.branching = 0.0;
  MechanismDescription description = draw_tree(random, options);
  const std::size_t arms = 3 + random.index(8);
  std::size_t next = 1;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    description.joints[next].a = description.bodies.front().name;
    next += 1 + random.index(3);
  }
  description.bodies.resize(next);
  description.joints.resize(next);
  description.markers.front().body = description.bodies.back().name;
  JointDescription& base = description.joints.front();
  base.type = JointType::free;
  base.q0 = draw_coordinates(random, base.type);
  base.v0 = {0.3, -0.2, 0.5, 0.1, 0.4, -0.6};
  return description;
}

}  // namespace mbdbench::test
