/// \file
/// Times only, without limits: the paper prints none by the number of bodies.
#include <fmt/format.h>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/records/timed_turns.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::chadaj2015 {
namespace {

constexpr int kBatches = 9;
// Long against the clock's resolution and short enough that most batches are not interrupted, s.
constexpr double kBatchTime = 4e-3;

}  // namespace

PartResult cost_part(const Registries& registries) {
  PartResult part;
  for (const int bodies : kTimedChains) {
    for (const char* const key : {"dca", "hdca"}) {
      const std::string name = fmt::format("pendulum:{}", bodies);
      const Mechanism mechanism = make_mechanism(registries.mechanisms, name);
      const auto formulation = make_published_formulation(registries, "chadaj2015", key, mechanism);
      const std::vector<double> x0 = initial_state(*formulation, 0.0);
      const RecordMaker maker({.experiment = "chadaj2015",
                               .mechanism = name,
                               .formulation = key,
                               .integrator = "",
                               .parameters = fmt::format("bodies={}", bodies)});
      const auto times = time_in_turns({right_hand_side_call(*formulation, 0.0, x0)}, kBatches, kBatchTime).front();
      part.timings.push_back(times.count() == kBatches
                                 ? maker.timed("time_per_evaluation", times.fastest())
                                 : maker.failed("time_per_evaluation", "s", "the right-hand side failed"));
    }
  }
  return part;
}

}  // namespace mbdbench::chadaj2015
