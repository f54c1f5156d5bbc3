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

#include <utility>

#include "formulations/options/division_options.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/parts/forms/lane_formulation.hpp"
#include "formulations/shared_formulation.hpp"
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
                                     "keeps Phi' = 0 (Phi'' = 0) by velocities or the gauge",
                                     foreign));
  }
}

/// \returns why so many processes cannot share the plan, empty if they can.
std::string refuse_division(const Mechanism& mechanism, const ChainPlan& plan, int processes) {
  const std::string refusal = plan.refuse_processes(processes);
  return refusal.empty() ? refuse_divided_loads(mechanism, plan, processes) : refusal;
}

/// What sub-chains do besides what is published: nothing where the option asks for them by name, unless others do.
LoopRules rules_of(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  LoopRules rules;
  if (rate_kind == StateKind::velocity) {
    rules.projects = projection_is_on(mechanism, options, !asks_for_lanes(options));
    return rules;
  }
  rules.gauge = gauge_is_tangent(mechanism, options) ? GaugeControl::tangent
                : options.text("gauge") == "leak"    ? GaugeControl::leak
                                                     : GaugeControl::none;
  rules.leak = options.number("leak");
  return rules;
}

}  // namespace

std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options, const Execution& execution) {
  require_subchains(mechanism, rate_kind, options);
  const int subchains = subchains_in(options);
  const Execution chosen = execution_in(options, execution.on_this_process());
  const LoopRules rules = rules_of(mechanism, rate_kind, options);
  auto here = make_lane_formulation(
      mechanism, rate_kind,
      [&mechanism, subchains, chosen, rules] {
        return std::make_unique<SubchainSolver>(mechanism, ChainPlan(mechanism, subchains), chosen, rules);
      },
      rules, chosen.instruction_set);
  if (execution.processes == nullptr ||
      !refuse_division(mechanism, ChainPlan(mechanism, subchains), execution.processes->size()).empty()) {
    return here;
  }
  return std::make_unique<SharedFormulation>(
      std::move(here),
      [&mechanism, rate_kind, options, execution] {
        return make_subchain_part(mechanism, rate_kind, options, execution);
      },
      execution.processes);
}

ChainPlan divisible_plan(const Mechanism& mechanism, int subchains, int processes) {
  ChainPlan plan(mechanism, subchains);
  if (const std::string refusal = refuse_division(mechanism, plan, processes); !refusal.empty()) {
    throw ModelError({}, refusal);
  }
  return plan;
}

std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, const Execution& execution) {
  require_subchains(mechanism, rate_kind, options);
  const ChainPlan plan = divisible_plan(mechanism, subchains_in(options), execution.processes->size());
  const ChainRange held = plan.share_of(execution.processes->process(), execution.processes->size()).positions;
  return make_lane_part(
      mechanism, rate_kind, plan, held,
      std::make_unique<SubchainSolver>(mechanism, plan, execution_in(options, execution),
                                       rules_of(mechanism, rate_kind, options), exchange_in(options)));
}

}  // namespace mbdbench
