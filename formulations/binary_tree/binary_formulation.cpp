#include "formulations/binary_tree/binary_formulation.hpp"

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/binary_tree/binary_lanes.hpp"
#include "formulations/binary_tree/binary_solver.hpp"
#include "formulations/recursion/kernel_choice.hpp"
#include "formulations/subchains/lane_formulation.hpp"
#include "formulations/subchains/subchain_formulation.hpp"

namespace mbdbench {

std::unique_ptr<Formulation> make_binary_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                     const Parameters& options) {
  const std::string refusal = !use_link_frames(mechanism, options) ? "the general path (kernel=general) has one thread"
                              : ground_closure(options) == GroundClosure::leaf
                                  ? "ground=leaf closes joints to the ground on the general path, which has one thread"
                                  : refuse_for_binary_tree(mechanism);
  if (!refusal.empty()) {
    if (options.integer("threads") > 1) {
      throw ModelError(
          {},
          "option threads: bodies as leaves cannot share them here (leaf=subchain or leaf=subtree may): " + refusal);
    }
    return nullptr;
  }
  const auto subchains = static_cast<int>(options.integer("subchains"));
  return make_lane_formulation(
      mechanism, rate_kind,
      [&mechanism, subchains, threads = threads_in(options)] {
        return std::make_unique<BinarySolver>(mechanism, ChainPlan(mechanism, subchains), threads);
      },
      0.0);
}

}  // namespace mbdbench
