#include "experiments/studies/runner/cells/study_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "formulations/registry.hpp"

namespace mbdbench::studies {
namespace {

double copies_of(const Mechanism& mechanism) {
  return mechanism.exchanges_energy() ? 2.0 : 1.0;
}

/// \returns what each reference run and each run of the study needs by itself.
std::vector<MemoryDemand> runs_of(const Registries& registries, const Study& study) {
  std::vector<MemoryDemand> runs;
  for (const StudyMechanism& each : study.mechanisms) {
    const Mechanism& mechanism = *each.mechanism;
    for (const ReferenceRun& run : study.references) {
      if (!each.integrators.empty() && study.needs_reference(each) && each.reference == nullptr) {
        MemoryDemand demand;
        const FormulationEntry& entry = *choose_formulation(registries.formulations, run.formulation).entry;
        demand.add(entry, mechanism, refusal_of(entry, mechanism).empty() ? copies_of(mechanism) : 0.0);
        demand.add(needed_integrator(registries, study.name, run.integrator), mechanism, false);
        runs.push_back(demand);
      }
    }
    for (const std::size_t v : each.variants) {
      const FormulationEntry& entry = *study.variants[v].entry;
      if (!refusal_of(entry, mechanism).empty()) {
        continue;
      }
      for (const std::size_t i : each.integrators) {
        MemoryDemand demand;
        demand.add(entry, mechanism, copies_of(mechanism));
        demand.add(*study.integrators[i], mechanism, each.jacobian == JacobianChoice::exact);
        runs.push_back(demand);
      }
    }
  }
  return runs;
}

}  // namespace

void require_memory(const Registries& registries, const Study& study, int jobs) {
  std::vector<MemoryDemand> runs = runs_of(registries, study);
  std::sort(runs.begin(), runs.end(),
            [](const MemoryDemand& a, const MemoryDemand& b) { return a.bytes() > b.bytes(); });
  if (!runs.empty()) {
    runs.front().require();
    MemoryDemand together;
    for (std::size_t k = 0; k < std::min(runs.size(), static_cast<std::size_t>(std::max(jobs, 1))); ++k) {
      together.add(runs[k]);
    }
    try {
      together.require();
    } catch (const MemoryRefusal& refusal) {
      throw MemoryRefusal(fmt::format("{} runs side by side do not fit (--jobs 1 does): {}", jobs, refusal.what()));
    }
  }
  for (std::size_t m = 0; m < study.mechanisms.size(); ++m) {
    if (!study.times_right_hand_sides(m)) {
      continue;
    }
    const Mechanism& mechanism = *study.mechanisms[m].mechanism;
    MemoryDemand in_turns;
    for (const std::size_t v : study.mechanisms[m].variants) {
      if (refusal_of(*study.variants[v].entry, mechanism).empty()) {
        in_turns.add(*study.variants[v].entry, mechanism);
      }
    }
    in_turns.require();
  }
}

}  // namespace mbdbench::studies
