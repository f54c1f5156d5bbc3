#include "formulations/subtrees/subtree_formulation.hpp"

#include "formulations/options/division_options.hpp"
#include "formulations/parts/forms/lane_formulation.hpp"
#include "formulations/subtrees/subtree_solver.hpp"

namespace mbdbench {

std::unique_ptr<Formulation> make_subtree_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                      const Parameters& options, const Execution& execution) {
  const std::string refusal = refuse_for_subtrees(mechanism);
  if (!refusal.empty()) {
    throw ModelError({}, "option leaf=subtree: " + refusal);
  }
  if (options.text("leaf") == "subtree" && options.integer("subchains") != 0) {
    throw ModelError({}, "option subchains: sub-trees are those of equal form; it goes with leaf=subchain");
  }
  const Execution chosen = execution_in(options, execution);
  return make_lane_formulation(
      mechanism, rate_kind,
      [&mechanism, rate_kind, chosen] { return std::make_unique<SubtreeSolver>(mechanism, rate_kind, chosen); }, {},
      chosen.instruction_set);
}

}  // namespace mbdbench
