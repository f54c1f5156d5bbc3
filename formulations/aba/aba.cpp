/// \file
/// Articulated-body algorithm [Featherstone1983], open chains and trees.
///
/// R. Featherstone: The calculation of robot dynamics using articulated-body inertias, Int. J. Robotics Research 2
/// (1983). LinkAba does it in link frames, PartRecursion where there are screws; reactions go through BodyRecursion, in
/// world axes.
///
/// Cost: O(n); docs/understanding/formulations/recursions.md has the measured times of both paths.
#include "formulations/aba/aba.hpp"

#include "formulations/execution/execution.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/parts/forms/recursive_accelerations.hpp"
#include "formulations/recursion/body_recursion.hpp"

namespace mbdbench {
namespace {

std::unique_ptr<Formulation> make_aba(const Mechanism& mechanism, const Parameters& options,
                                      const Execution& execution) {
  return make_recursive_accelerations(mechanism, {{}, false, options.text("kernel") == "auto", execution.alone()});
}

}  // namespace

FormulationEntry aba_entry() {
  FormulationEntry entry = {"aba",
                            "Featherstone's articulated-body algorithm, the sequential baseline, open chains and trees",
                            "Featherstone1983",
                            StateKind::velocity,
                            kernel_options(),
                            refuse_closed_loops,
                            make_aba,
                            {.per_body = 6e3}};
  entry.takes_massless_bodies = true;
  return entry;
}

}  // namespace mbdbench
