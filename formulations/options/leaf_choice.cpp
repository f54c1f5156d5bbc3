#include "formulations/options/leaf_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "formulations/options/division_options.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"
#include "formulations/subtrees/subtree_plan.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

// From how many bodies on a chain in lanes is faster than one recursion, which needs one sweep less in momenta
// (docs/understanding/formulations/parts.md: Times).
constexpr int kLinksForAccelerations = 56;
constexpr int kLinksForMomenta = 88;
// Where sub-trees side by side cost less than this share of one recursion they are taken: what a plan says of its cost
// was up to 0.15 less than what was measured (docs/understanding/formulations/lanes.md: Sub-trees as leaves).
constexpr double kSubtreesPay = 0.86;
// Of loops, whose recursion carries the columns of the cut joint over every link.
constexpr int kLoopForAccelerations = 20;
constexpr int kLoopForMomenta = 12;
// Where more loops than some three or four go through every joint, as in grids, the assembly tree carries fewer.
constexpr double kCrossingLoops = 12.0;

/// \returns how many loops go through a joint of the tree, squared, on average: what a recursion carries along.
double crossing_loops(const Mechanism& mechanism) {
  std::vector<int> loops(index_of(mechanism.body_count()), 0);
  std::vector<int> seen_by(loops.size(), -1);  // the way of which cut joint has come along
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    // From both ends in turn, so that nobody goes much further than to where they meet.
    const auto number = static_cast<int>(c);
    const std::array<int, 2> ends = {mechanism.cut_joints()[c].a, mechanism.cut_joints()[c].b};
    std::array<int, 2> at = ends;
    int meet = -1;
    for (std::size_t e = 0; meet < 0 && (at[0] >= 0 || at[1] >= 0); e = 1 - e) {
      if (at[e] < 0) {
        continue;
      }
      int& seen = seen_by[index_of(at[e])];
      meet = seen == number ? at[e] : -1;
      seen = number;
      at[e] = mechanism.parent(at[e]);
    }
    for (const int end : ends) {
      for (int body = end; body >= 0 && body != meet; body = mechanism.parent(body)) {
        ++loops[index_of(body)];
      }
    }
  }
  double squares = 0.0;
  for (const int count : loops) {
    squares += static_cast<double>(count) * count;
  }
  return squares / static_cast<double>(std::max<std::size_t>(1, loops.size()));
}

/// \returns whether lanes keep loops closed in the way that the options say, with all that one part offers.
bool lanes_close_loops(StateKind rate_kind, const Parameters& options) {
  if (rate_kind == StateKind::velocity) {
    return options.text("projection") != "off" && options.number("baumgarte_alpha") == 0.0 &&
           options.number("baumgarte_beta") == 0.0;
  }
  return (options.text("gauge") == "auto" || options.text("gauge") == "tangent") && options.number("feedback") == 0.0;
}

Leaf fastest_leaf(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  if (mechanism.constrained()) {
    const int enough = rate_kind == StateKind::velocity ? kLoopForAccelerations : kLoopForMomenta;
    const bool in_lanes = mechanism.body_count() >= enough && lanes_close_loops(rate_kind, options) &&
                          refuse_for_subchains(mechanism).empty();
    return in_lanes ? Leaf::subchain : crossing_loops(mechanism) > kCrossingLoops ? Leaf::body : Leaf::whole;
  }
  if (refuse_for_subchains(mechanism).empty()) {
    const int enough = rate_kind == StateKind::velocity ? kLinksForAccelerations : kLinksForMomenta;
    return mechanism.body_count() < enough ? Leaf::whole : Leaf::subchain;
  }
  return refuse_for_subtrees(mechanism).empty() && SubtreePlan(mechanism).relative_cost() < kSubtreesPay ? Leaf::subtree
                                                                                                         : Leaf::whole;
}

}  // namespace

bool asks_for_bodies(StateKind rate_kind, const Parameters& options) {
  const bool assembles =
      options.text("loops") != "rank" || options.text("ground") != "root" || options.text("kernel") != "auto";
  return assembles || (rate_kind == StateKind::momentum && options.text("cut_axes") != "world");
}

Leaf chosen_leaf(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  const std::string& leaf = options.text("leaf");
  if (leaf == "body") {
    return Leaf::body;
  }
  if (leaf == "subchain") {
    return Leaf::subchain;
  }
  if (leaf == "subtree") {
    return Leaf::subtree;
  }
  const int bodies = section_bodies_in(options);
  if (asks_for_bodies(rate_kind, options)) {
    if (bodies > 0) {
      throw ModelError({},
                       fmt::format("option leaf={}: sections have no loops=proximal, ground=leaf, kernel=general or "
                                   "cut_axes=body, which the assembly of bodies has",
                                   bodies));
    }
    return Leaf::body;
  }
  return bodies > 0 ? Leaf::whole : fastest_leaf(mechanism, rate_kind, options);
}

}  // namespace mbdbench
