#include "formulations/parts/forms/lane_formulation.hpp"

#include <utility>

#include "formulations/parts/forms/recursive_accelerations.hpp"
#include "formulations/parts/forms/recursive_momenta.hpp"

namespace mbdbench {

std::unique_ptr<Formulation> make_lane_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                   LaneSolverMaker make_lanes, const LoopRules& rules,
                                                   const InstructionSet& set) {
  const Execution alone = {1, nullptr, set};
  if (rate_kind == StateKind::velocity) {
    return make_recursive_accelerations(mechanism, {{}, rules.projects, true, alone, 0, std::move(make_lanes)});
  }
  return make_recursive_momenta(mechanism, {rules.gauge, rules.leak, 0.0, 0.0, true, alone, 0, std::move(make_lanes)});
}

}  // namespace mbdbench
