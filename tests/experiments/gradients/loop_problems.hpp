#pragma once
// Closed loops for tests of gradients of runs, and starts of theirs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mechanisms/model/description/model_error.hpp"
#include "tests/experiments/gradients/gradient_problem.hpp"
#include "tests/support/random_loops.hpp"

namespace mbdbench::test {

inline MechanismDescription without_loads(MechanismDescription description) {
  description.joint_loads.clear();
  description.joint_springs.clear();
  return description;
}

inline MechanismDescription loop_without_loads(const std::string& word) {
  return without_loads(make_mechanism(mechanism_registry(), word).description());
}

/// Two loops, one of whose joints follows a function of time.
inline MechanismDescription driven_loops() {
  MechanismDescription description = loop_without_loads("double_loop:angle=0.2");
  JointDescription& joint = description.joints.front();
  joint.motions.push_back(
      {0, fmt::format("{} + 0.2 * sin(3 * t)", joint.q0.front()), "0.6 * cos(3 * t)", "-1.8 * sin(3 * t)"});
  joint.v0 = {0.6};
  return description;
}

/// Loops of the catalogue, a slider-crank and a driven one among them, and random ones in space.
inline std::vector<MechanismDescription> loops(std::uint64_t seed) {
  std::vector<MechanismDescription> all = {loop_without_loads("four_bar:angle=0.3"), loop_without_loads("five_bar"),
                                           loop_without_loads("double_loop:angle=0.2"),
                                           loop_without_loads("slider_crank"), driven_loops()};
  for (std::uint64_t s = seed; s < seed + 3; ++s) {
    all.push_back(RandomLoops(static_cast<std::int64_t>(s), {.planar = false, .loops = 1}).take());
    all.push_back(loop_without_loads(fmt::format("random_closed:seed={},bodies=6,cuts=2,loads=0", s)));
  }
  return all;
}

/// Moves start coordinates a little: by a quarter of what keeps the loops closed at least.
inline void move_starts(const gradients::VariedNumbers& numbers, RandomSource& random, std::vector<double>& values) {
  const Eigen::VectorXd drawn = random_vector(static_cast<int>(values.size()), random);
  const auto moved = [&](double size) {
    std::vector<double> all = values;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool moves = numbers.numbers()[i].kind == gradients::VariedKind::start_position;
      all[i] += moves ? size * drawn[static_cast<int>(i)] : 0.0;
    }
    return all;
  };
  for (double size = 0.1; size > 1e-4; size *= 0.5) {
    try {
      (void)numbers.start(moved(size));
      values = moved(0.25 * size);
      return;
    } catch (const ModelError&) {  // no links are that long
    }
  }
  ADD_FAILURE() << "the loops cannot move";
}

}  // namespace mbdbench::test
