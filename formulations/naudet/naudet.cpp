/// \file
/// Recursive Hamiltonian equations in canonical momenta [Naudet2005]: the formulations for open chains and trees, and
/// the entries of all four. Closed loops: closed_naudet.hpp.
///
/// paper symbol -> name
///   Omega        -> V = [v; omega] of the link at O_k
///   P*, T*       -> articulated momentum and accumulated force of LinkNaudet (open trees), PartRecursion (loops)
///   E            -> H, the free directions of a row (EliminatedDirection)
///   p = E^T P*   -> the second half of the state [Naudet2005, Eq. (18)]
///
/// Both work in frames of the links; momenta of given velocities and reactions go through BodyRecursion.
///
/// Cost: O(n); docs/understanding/formulations/recursions.md has the measured times of both paths.
#include "formulations/naudet/naudet.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/naudet/closed_naudet.hpp"
#include "formulations/options/kernel_choice.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/parts/forms/recursive_accelerations.hpp"
#include "formulations/parts/forms/recursive_momenta.hpp"
#include "formulations/recursion/body_recursion.hpp"

namespace mbdbench {
namespace {

constexpr std::string_view kSwitching = "switching";
constexpr std::string_view kSwitchAt = "switch_at";
constexpr std::string_view kLoops = "loops";

std::vector<ParameterSpecification> acceleration_options() {
  ParameterSpecification switching;
  switching.name = kSwitching;
  switching.default_value = std::string("on");
  switching.help =
      "closed loops, on: dependent joints change after a step when others are better conditioned, and the state says "
      "which they are; off: those of the start stay";
  switching.choices = {"on", "off"};
  return {kernel_options().front(), switching,
          ParameterSpecification{kSwitchAt, 50.0,
                                 "rate of a dependent joint over that of an independent one beyond which others are "
                                 "looked for",
                                 1.0, 1e12},
          projection_option()};
}

std::vector<ParameterSpecification> momentum_options() {
  ParameterSpecification loops;
  loops.name = kLoops;
  loops.default_value = std::string("impulses");
  loops.help =
      "closed loops, impulses: by impulses of the cut joints, any dependent joints; matrices: by the paper's matrices "
      "C_K, dependent joints next to the cut, which stay (as switching=off)";
  loops.choices = {"impulses", "matrices"};
  std::vector<ParameterSpecification> options = acceleration_options();
  options.insert(options.end() - 1, loops);
  return options;
}

/// \param reduced forms keep the constraints by themselves and have no option `projection`, which stands last
template <StateKind kRateKind>
std::span<const ParameterSpecification> naudet_options(bool reduced) {
  static const std::vector<ParameterSpecification> kOptions =
      kRateKind == StateKind::momentum ? momentum_options() : acceleration_options();
  const std::span<const ParameterSpecification> all = kOptions;
  return reduced ? all.first(all.size() - 1) : all;
}

template <StateKind kRateKind>
bool projects_steps(const Mechanism& mechanism, const Parameters& options) {
  return steps_are_projected(mechanism, options, kRateKind == StateKind::velocity);
}

template <StateKind kRateKind, bool kReduced>
std::unique_ptr<Formulation> make_naudet(const Mechanism& mechanism, const Parameters& options,
                                         const Execution& execution) {
  const bool closed = mechanism.closing_row_count() > 0;
  if (!closed && kRateKind == StateKind::momentum) {
    RecursiveMomentumSettings settings;
    settings.link_frames = options.text("kernel") == "auto";
    settings.execution = execution.alone();
    return make_recursive_momenta(mechanism, settings);
  }
  // On closed loops the state of the acceleration twin has the cut joints' coordinates too: ClosedNaudet.
  if (!closed && kRateKind == StateKind::velocity) {
    return make_recursive_accelerations(mechanism, {{},
                                                    !kReduced && projection_is_on(mechanism, options, true),
                                                    options.text("kernel") == "auto",
                                                    execution.alone()});
  }
  if (closed && kRateKind == StateKind::velocity && !kReduced && options.text("projection") == "velocities") {
    throw ModelError({},
                     "option projection=velocities: on closed loops the right-hand side projects no velocities; take "
                     "on, which projects the ends of steps, or off");
  }
  ClosedStateForm form;
  form.rate_kind = kRateKind;
  form.reduced = closed && kReduced;
  const NaudetLoops closing = kRateKind == StateKind::momentum && options.text(kLoops) == "matrices"
                                  ? NaudetLoops::matrices
                                  : NaudetLoops::impulses;
  form.switching = closed && (kRateKind == StateKind::momentum || kReduced) && options.text(kSwitching) == "on" &&
                   closing == NaudetLoops::impulses;
  return std::make_unique<ClosedNaudet>(mechanism, form, options.number(kSwitchAt), closing, execution.alone());
}

// The recursion, and the dense equations of the cut joints: measured on pendulum, loop and ladder, to 1.5.
constexpr MemoryNeed kNaudetMemory = {.per_body = 1.3e4, .per_row_and_velocity = 48.0};

FormulationEntry with_couplings(FormulationEntry entry) {
  entry.takes_couplings = true;
  entry.takes_massless_bodies = true;
  return entry;
}

}  // namespace

FormulationEntry naudet_entry() {
  return with_couplings(
      {"naudet",
       "recursive Hamiltonian equations, O(n), canonical momenta; closed loops: all coordinates, reduced momenta",
       "Naudet2005", StateKind::momentum, naudet_options<StateKind::momentum>(false), refuse_singular_start,
       make_naudet<StateKind::momentum, false>, kNaudetMemory, projects_steps<StateKind::momentum>});
}

FormulationEntry naudet_reduced_entry() {
  return with_couplings({"naudet-reduced", "naudet with independent coordinates only: dependent ones are solved for",
                         "Naudet2005", StateKind::momentum, naudet_options<StateKind::momentum>(true),
                         refuse_reduced_coordinates, make_naudet<StateKind::momentum, true>, kNaudetMemory});
}

FormulationEntry naudet_acceleration_entry() {
  return with_couplings(
      {"naudet-acc",
       "the acceleration twin of naudet: all coordinates and velocities, constraints at acceleration level",
       "Naudet2005", StateKind::velocity, naudet_options<StateKind::velocity>(false), refuse_singular_start,
       make_naudet<StateKind::velocity, false>, kNaudetMemory, projects_steps<StateKind::velocity>});
}

FormulationEntry naudet_acceleration_reduced_entry() {
  return with_couplings({"naudet-acc-reduced",
                         "the acceleration twin of naudet-reduced: independent coordinates and velocities",
                         "Naudet2005", StateKind::velocity, naudet_options<StateKind::velocity>(true),
                         refuse_reduced_coordinates, make_naudet<StateKind::velocity, true>, kNaudetMemory});
}

}  // namespace mbdbench
