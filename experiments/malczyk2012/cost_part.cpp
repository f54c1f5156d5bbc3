/// \file
/// Times only, without limits: the paper gives none.
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "experiments/malczyk2012/parts.hpp"
#include "experiments/malczyk2012/run_case.hpp"
#include "experiments/timed_turns.hpp"
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"

namespace mbdbench::malczyk2012 {
namespace {

constexpr int kBatches = 9;
// Long against the clock's resolution and short enough that most batches are not interrupted, s.
constexpr double kBatchTime = 4e-3;
// A step's error in positions, m and 1: what a projection has to take back.
constexpr double kDisplacement = 1e-6;

constexpr std::array kTimed = {kDca, kDcaProximal, kHdca, kPlainPenalty, kProjected};

/// \returns the state with every position off by about kDisplacement.
std::vector<double> displaced(const Formulation& formulation, std::vector<double> x) {
  double sign = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const StateKind kind = formulation.layout()[i].kind;
    if (kind == StateKind::position || kind == StateKind::quaternion) {
      x[i] += sign * kDisplacement;
      sign = -sign;
    }
  }
  return x;
}

}  // namespace

PartResult cost_part(const Registries& registries, bool quick) {
  PartResult part;
  const int largest = quick ? 64 : 1024;
  for (int bodies = 4; bodies <= largest; bodies *= 4) {
    std::vector<RunCase> cases;
    cases.reserve(kTimed.size());
    for (const Variant& variant : kTimed) {
      // The ground is one of the links.
      cases.emplace_back(registries, fmt::format("loop:{}", bodies + 1), variant);
    }
    std::vector<TimedCall> calls;
    calls.reserve(cases.size() + 1);
    for (RunCase& timed : cases) {
      calls.push_back(right_hand_side_call(timed.formulation(), 0.0, timed.x0()));
    }
    // The projections of a step, of the last case.
    Formulation& projected = cases.back().formulation();
    calls.emplace_back([&projected, start = displaced(projected, cases.back().x0()), x = cases.back().x0()]() mutable {
      x = start;
      static_cast<void>(projected.after_step(0.0, x));
      return true;
    });
    const std::vector<RepeatedTimes> times = time_in_turns(calls, kBatches, kBatchTime);
    const std::string parameters = fmt::format("bodies={}", bodies);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const RecordMaker maker = cases[i].records("", parameters);
      part.timings.push_back(times[i].count() == 0
                                 ? maker.failed("time_per_evaluation_and_body", "s", "the right-hand side fails")
                                 : maker.timed("time_per_evaluation_and_body", times[i].fastest().per(bodies)));
    }
    const RecordMaker maker = cases.back().records("", parameters);
    part.timings.push_back(maker.timed("time_per_projection_and_body", times.back().fastest().per(bodies)));
    const auto& augmented = dynamic_cast<AugmentedLagrangianFormulation&>(projected);
    part.records.push_back(maker.measured("position_iterations", "1", augmented.iterations().position.last));
    part.records.push_back(maker.measured("velocity_iterations", "1", augmented.iterations().velocity.last));
    part.records.push_back(maker.measured("acceleration_iterations", "1", augmented.iterations().acceleration.last));
  }
  return part;
}

}  // namespace mbdbench::malczyk2012
