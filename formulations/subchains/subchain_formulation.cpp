/// \file
/// Divide and conquer with sub-chains as leaves: accelerations [Featherstone1999], canonical momenta [Chadaj2015],
/// [Chadaj2017].
///
/// paper symbol                -> name
///   xi_11 .. xi_20, Phi_11 .. -> K, X, C, f, v of a sub-chain (kernels/chain_links.hpp, wrench_columns.hpp)
///   W, C, beta                -> E, L, g (kernels/closing.hpp)
///   Pbar_k (momentum at O_k)  -> `momentum` of sweep_momentum_rates
///
/// Cost for each body: 890 operations (accelerations), 730 (momenta), eight sub-chains side by side; O(log n) with as
/// many blocks as processors. Momenta need one exchange between sub-chains, accelerations two.
#include "formulations/subchains/subchain_formulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/lanes/lane_formulation.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/subchains/chains/chain_loads.hpp"
#include "formulations/subchains/lane_part.hpp"
#include "formulations/subchains/subchain_solver.hpp"

namespace mbdbench {
namespace {

/// \returns which of the other options has no meaning here, empty if none: they speak of the assembly of bodies.
std::string foreign_option(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  if (options.text("loops") != "rank") {
    return "loops";
  }
  if (rate_kind == StateKind::velocity) {
    return options.number("baumgarte_alpha") != 0.0  ? "baumgarte_alpha"
           : options.number("baumgarte_beta") != 0.0 ? "baumgarte_beta"
                                                     : "";
  }
  return options.text("gauge") == "reset"      ? "gauge=reset"
         : options.text("gauge") == "tangent"  ? "gauge=tangent"
         : options.text("cut_axes") != "world" ? "cut_axes"
         : options.number("feedback") != 0.0   ? "feedback"
                                               : "";
}

/// \throws ModelError where sub-chains cannot treat the mechanism, or not with these options
void require_subchains(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  const std::string refusal = refuse_for_subchains(mechanism);
  if (!refusal.empty()) {
    throw ModelError({}, "option leaf=subchain: " + refusal);
  }
  const std::string foreign = foreign_option(mechanism, rate_kind, options);
  if (!foreign.empty()) {
    throw ModelError({}, fmt::format("option {}: not offered with leaf=subchain, which closes a loop by its rank and "
                                     "keeps Phi' = 0 (Phi'' = 0) as published",
                                     foreign));
  }
  if (rate_kind == StateKind::velocity && projection_is_on(mechanism, options, false)) {
    throw ModelError({},
                     "option leaf=subchain: velocities of this mechanism are projected inside the right-hand side "
                     "(option projection), which sub-chains do not do; hdca needs no projection");
  }
}

/// How sub-chains are made and run.
struct SubchainSettings {
  int subchains = 0;  // 0: chosen from the numbers of links
  Execution execution;
  double leak = 0.0;  // kappa, 1/s (momenta)
};

SubchainSettings settings_of(StateKind rate_kind, const Parameters& options, const Execution& execution) {
  SubchainSettings settings;
  settings.subchains = subchains_in(options);
  settings.execution = execution_in(options, execution);
  if (rate_kind == StateKind::momentum && options.text("gauge") == "leak") {
    settings.leak = options.number("leak");
  }
  return settings;
}

}  // namespace

std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options, const Execution& execution) {
  require_subchains(mechanism, rate_kind, options);
  const SubchainSettings settings = settings_of(rate_kind, options, execution.on_this_process());
  return make_lane_formulation(
      mechanism, rate_kind,
      [&mechanism, settings] {
        return std::make_unique<SubchainSolver>(mechanism, ChainPlan(mechanism, settings.subchains),
                                                settings.execution);
      },
      settings.leak, settings.execution.instruction_set);
}

ChainPlan divisible_plan(const Mechanism& mechanism, int subchains, int processes) {
  ChainPlan plan(mechanism, subchains);
  std::string refusal = plan.refuse_processes(processes);
  if (refusal.empty()) {
    refusal = refuse_divided_loads(mechanism, plan, processes);
  }
  if (!refusal.empty()) {
    throw ModelError({}, refusal);
  }
  return plan;
}

std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, const Execution& execution) {
  if (options.text("leaf") == "subtree") {
    throw ModelError({}, "sub-trees run on one process so far");
  }
  require_subchains(mechanism, rate_kind, options);
  const SubchainSettings settings = settings_of(rate_kind, options, execution);
  const ChainPlan plan = divisible_plan(mechanism, settings.subchains, execution.processes->size());
  const ChainRange held = plan.share_of(execution.processes->process(), execution.processes->size()).positions;
  return make_lane_part(mechanism, rate_kind, plan, held,
                        std::make_unique<SubchainSolver>(mechanism, plan, settings.execution), settings.leak);
}

}  // namespace mbdbench
