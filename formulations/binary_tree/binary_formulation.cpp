#include "formulations/binary_tree/binary_formulation.hpp"

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/binary_tree/binary_lanes.hpp"
#include "formulations/binary_tree/binary_solver.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/options/leaf_choice.hpp"
#include "formulations/parts/forms/lane_formulation.hpp"
#include "formulations/subchains/lane_part.hpp"
#include "formulations/subchains/subchain_formulation.hpp"

namespace mbdbench {
namespace {

std::string refuse_lanes(const Mechanism& mechanism, const Parameters& options) {
  return !use_link_frames(mechanism, options) ? "the general path (kernel=general) has one thread"
         : ground_closure(options) == GroundClosure::leaf
             ? "ground=leaf closes joints to the ground on the general path, which has one thread"
             : refuse_for_binary_tree(mechanism);
}

}  // namespace

std::unique_ptr<Formulation> make_binary_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                     const Parameters& options, const Execution& execution) {
  const std::string refusal = refuse_lanes(mechanism, options);
  if (!refusal.empty()) {
    if (options.integer("threads") > 1 && (options.text("leaf") == "body" || asks_for_bodies(rate_kind, options))) {
      throw ModelError(
          {},
          "option threads: bodies as leaves cannot share them here (leaf=subchain or leaf=subtree may): " + refusal);
    }
    return nullptr;
  }
  const auto subchains = subchains_in(options);
  const Execution chosen = execution_in(options, execution.on_this_process());
  return make_lane_formulation(
      mechanism, rate_kind,
      [&mechanism, subchains, chosen] {
        return std::make_unique<BinarySolver>(mechanism, ChainPlan(mechanism, subchains), chosen);
      },
      {}, chosen.instruction_set);
}

std::unique_ptr<FormulationPart> make_chain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                 const Parameters& options, const Execution& execution) {
  const std::string refusal = refuse_lanes(mechanism, options);
  if (!refusal.empty()) {
    throw ModelError({}, "bodies as leaves run on one process here (leaf=subchain may be divided): " + refusal);
  }
  const ChainPlan plan = divisible_plan(mechanism, subchains_in(options), execution.processes->size());
  const ChainRange held = plan.share_of(execution.processes->process(), execution.processes->size()).positions;
  return make_lane_part(mechanism, rate_kind, plan, held,
                        std::make_unique<BinarySolver>(mechanism, plan, execution_in(options, execution)));
}

}  // namespace mbdbench
