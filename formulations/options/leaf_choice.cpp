#include "formulations/options/leaf_choice.hpp"

#include <fmt/format.h>

#include "formulations/options/division_options.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"
#include "formulations/subtrees/subtree_plan.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

// From how many bodies on a chain in lanes is faster than one recursion, which needs one sweep less in momenta
// (docs/understanding/formulations/parts.md: Times), and from how many equal sub-trees are.
constexpr int kLinksForAccelerations = 56;
constexpr int kLinksForMomenta = 88;
constexpr int kBodiesForSubtrees = 48;

/// \returns whether an option asks for what only the assembly of bodies has.
bool asks_for_bodies(StateKind rate_kind, const Parameters& options) {
  const bool assembles =
      options.text("loops") != "rank" || options.text("ground") != "root" || options.text("kernel") != "auto";
  return assembles || (rate_kind == StateKind::momentum && options.text("cut_axes") != "world");
}

Leaf fastest_leaf(const Mechanism& mechanism, StateKind rate_kind) {
  // Lanes close a loop as published, without the projection and the gauge that carry a motion through singular
  // positions: loops are one piece.
  if (mechanism.constrained()) {
    return Leaf::whole;
  }
  if (refuse_for_subchains(mechanism).empty()) {
    const int enough = rate_kind == StateKind::velocity ? kLinksForAccelerations : kLinksForMomenta;
    return mechanism.body_count() < enough ? Leaf::whole : Leaf::subchain;
  }
  return mechanism.body_count() >= kBodiesForSubtrees && refuse_for_subtrees(mechanism).empty() ? Leaf::subtree
                                                                                                : Leaf::whole;
}

}  // namespace

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
  return bodies > 0 ? Leaf::whole : fastest_leaf(mechanism, rate_kind);
}

}  // namespace mbdbench
