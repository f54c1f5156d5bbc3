#pragma once
/// \file
/// Serial chains of revolute joints for tests of what goes in lanes.
#include <fmt/format.h>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// A serial chain of revolute joints with random links and skew axes; they cross their links, so that all frames of the
/// recursion follow one another without a slide along an axis.
inline Mechanism random_chain(std::uint64_t seed, int bodies) {
  const std::string key = fmt::format("random_tree:seed={},bodies={},branching=0,loads=0", seed, bodies);
  MechanismDescription description = make_mechanism(mechanism_registry(), key).description();
  RandomSource random(static_cast<std::int64_t>(seed));
  for (JointDescription& joint : description.joints) {
    joint.type = JointType::revolute;
    joint.q0 = {random.uniform(-3.0, 3.0)};
    joint.v0 = {random.uniform(-1.0, 1.0)};
  }
  return Mechanism(description);
}

}  // namespace mbdbench::test
