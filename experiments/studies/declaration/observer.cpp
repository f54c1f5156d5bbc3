#include "experiments/studies/declaration/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {
namespace {

constexpr std::array kQuantities = {
    QuantityEntry{Quantity::evaluations, "evaluations", "1", "evaluations",
                  "right-hand sides that the method asked for"},
    QuantityEntry{Quantity::steps, "steps", "1", "steps", "accepted steps"},
    QuantityEntry{Quantity::failed_attempts, "failed_attempts", "1", "failed attempts", "rejected steps"},
    QuantityEntry{Quantity::jacobians, "jacobians", "1", "Jacobians", "Jacobians formed by implicit methods"},
    QuantityEntry{Quantity::iterations, "iterations", "1", "iterations", "in which implicit methods solved"},
    QuantityEntry{Quantity::first_step, "first_step", "s", "first step", "first step tried"},
    QuantityEntry{Quantity::energy_error, "energy_error", "J", "energy error",
                  "max |E - E0| at accepted steps, where energy is kept"},
    QuantityEntry{
        Quantity::position_drift, "position_drift", "m, rad", "position drift",
        "max |Phi| at accepted steps, of all joints where coordinates are absolute, of the cut ones otherwise"},
    QuantityEntry{Quantity::velocity_drift, "velocity_drift", "m/s, rad/s", "velocity drift",
                  "max |Phi'| at accepted steps, of the same joints"},
    QuantityEntry{Quantity::acceleration_drift, "acceleration_drift", "m/s^2, rad/s^2", "acceleration drift",
                  "max |Phi''| at accepted steps, of the same joints, where accelerations are solved for"},
    QuantityEntry{Quantity::smallest_singular_value, "smallest_singular_value", "m", "smallest singular value",
                  "least at accepted steps, of Phi_q of the cut joints: the last that is not zero in general"},
    QuantityEntry{Quantity::mean_passes, "mean_passes", "1", "mean passes",
                  "over the multipliers at accepted steps, mean_passes(LEVEL)", Subject::level},
    QuantityEntry{Quantity::passes_within_four, "passes_within_four", "1", "share within four passes",
                  "of the accepted steps, passes_within_four(LEVEL)", Subject::level},
    QuantityEntry{Quantity::most_regular_passes, "most_regular_passes", "1", "most passes elsewhere",
                  "at accepted steps that are not near singular positions", Subject::level},
    QuantityEntry{Quantity::most_singular_passes, "most_singular_passes", "1", "most passes near singular positions",
                  "at accepted steps where the smallest singular value is below a hundredth of its largest in the run",
                  Subject::level},
    QuantityEntry{Quantity::largest_sigma, "largest_sigma", "N s, N m s", "largest sigma",
                  "max |sigma| of the cut joints at accepted steps"},
    QuantityEntry{Quantity::inaccuracies, "inaccuracies", "1", "inaccuracies",
                  "limits of simulate's status ok that the run exceeds; 0: ok"},
    QuantityEntry{Quantity::position_error, "position_error", "m", "position error",
                  "largest error of a body's centre of mass at the sample times"},
    QuantityEntry{Quantity::orientation_error, "orientation_error", "rad", "orientation error",
                  "largest error of a body's orientation at the sample times"},
    QuantityEntry{Quantity::marker_error, "error", "m", "error",
                  "of a marker, error(MARKER): largest distance from the reference at the sample times",
                  Subject::marker},
    QuantityEntry{Quantity::bodies, "bodies", "1", "bodies", "of the mechanism"},
    QuantityEntry{Quantity::operations, "operations", "1", "operations",
                  "multiplications and additions of a right-hand side, about, as the formulation states them"},
    QuantityEntry{Quantity::stages, "stages", "1", "stages", "of a right-hand side that wait for one another"},
    QuantityEntry{Quantity::critical_path, "critical_path", "operations", "critical path",
                  "operations that must follow one another, however many workers there are"},
    QuantityEntry{Quantity::exchanges, "exchanges", "1", "exchanges", "of two ranks in one right-hand side"},
    QuantityEntry{Quantity::exchange_bytes, "exchange_bytes", "B", "exchanged bytes",
                  "that two ranks together send in one right-hand side"},
    QuantityEntry{
        Quantity::passes, "passes", "1", "passes",
        "over the multipliers at the start, passes(LEVEL): in a projection of a state that is off by 1e-6, in a "
        "right-hand side",
        Subject::level},
    QuantityEntry{Quantity::wall_time, "wall_time", "s", "wall time",
                  "of a run without output, the fastest repetition"},
    QuantityEntry{
        Quantity::speedup, "speedup", "1", "speedup",
        "wall time of the fastest variant on one thread and rank over this one's, same integrator and control"},
    QuantityEntry{Quantity::time_per_evaluation, "time_per_evaluation", "s", "time per evaluation",
                  "of one right-hand side at the start, wall time of the fastest of nine batches"},
    QuantityEntry{Quantity::time_per_body, "time_per_body", "s", "time per evaluation and body",
                  "of one right-hand side at the start, wall time of the fastest of nine batches"},
    QuantityEntry{Quantity::evaluation_speedup, "evaluation_speedup", "1", "speedup of an evaluation",
                  "time of a right-hand side of the fastest variant on one thread over this one's"},
    QuantityEntry{
        Quantity::operation_rate, "operation_rate", "1/s", "operations a second",
        "operations over the time of an evaluation: under the roofs of machine_operations and machine_bandwidth"},
    QuantityEntry{
        Quantity::modelled_speedup, "modelled_speedup", "1", "modelled speedup",
        "modelled_speedup(WORKERS): a model, of the measured time on one worker, the formulation's stages and "
        "the measured latency between two threads",
        Subject::workers},
    QuantityEntry{Quantity::memory_per_body, "memory_per_body", "B", "memory a body",
                  "that the formulation holds when it has been made"},
    QuantityEntry{Quantity::projection_time_per_body, "projection_time_per_body", "s", "time per projection and body",
                  "of what follows a step, at a state whose positions are off by 1e-6; the fastest of nine batches"},
};

constexpr std::array<std::string_view, 3> kLevels = {"position", "velocity", "acceleration"};

/// \returns N of "modelled_speedup(N)". \param bracket where it opens \throws std::invalid_argument
int workers_in(std::string_view text, std::size_t bracket) {
  constexpr int kMostWorkers = 1 << 20;
  int workers = 0;
  const std::string inside(bracket == std::string_view::npos ? "" : text.substr(bracket + 1));
  const char* const end = inside.data() + inside.size();
  const auto [rest, error] = std::from_chars(inside.data(), end, workers);
  if (error != std::errc() || std::string_view(rest, static_cast<std::size_t>(end - rest)) != ")" || workers < 1 ||
      workers > kMostWorkers) {
    throw std::invalid_argument(fmt::format(
        "'{}' should read modelled_speedup(WORKERS), such as modelled_speedup(64), at most {}", text, kMostWorkers));
  }
  return workers;
}

}  // namespace

std::span<const QuantityEntry> quantity_registry() {
  return kQuantities;
}

const QuantityEntry& Observer::entry() const {
  return kQuantities[static_cast<std::size_t>(quantity)];
}

std::string Observer::name() const {
  if (workers > 0) {
    return fmt::format("{}({})", entry().name, workers);
  }
  return subject.empty() ? std::string(entry().name) : fmt::format("{}({})", entry().name, subject);
}

std::string Observer::record_name() const {
  if (workers > 0) {
    return fmt::format("{}_{}", entry().name, workers);
  }
  return subject.empty() ? std::string(entry().name) : fmt::format("{}_{}", entry().name, subject);
}

Observer parse_observer(std::string_view text) {
  const std::size_t bracket = text.find('(');
  const std::string_view name = text.substr(0, bracket);
  const auto* const found = std::find_if(kQuantities.begin(), kQuantities.end(),
                                         [&](const QuantityEntry& entry) { return entry.name == name; });
  if (found == kQuantities.end()) {
    std::vector<std::string> names;
    names.reserve(kQuantities.size());
    for (const QuantityEntry& entry : kQuantities) {
      names.emplace_back(entry.name);
    }
    throw std::invalid_argument(
        fmt::format("there is no observer '{}'; {}", name, suggest_name(name, names, "observers")));
  }
  Observer observer;
  observer.quantity = found->quantity;
  if (found->subject == Subject::workers) {
    observer.workers = workers_in(text, bracket);
    return observer;
  }
  const bool wants_subject = found->subject != Subject::none;
  if (wants_subject != (bracket != std::string_view::npos)) {
    throw std::invalid_argument(
        found->subject == Subject::marker  ? "observer 'error' needs the name of a marker: error(tip)"
        : found->subject == Subject::level ? fmt::format("observer '{0}' needs a level: {0}(position)", name)
                                           : fmt::format("observer '{}' takes nothing in brackets", name));
  }
  if (wants_subject) {
    if (text.back() != ')' || text.size() < bracket + 3) {
      throw std::invalid_argument(fmt::format("'{}' should read {}(NAME)", text, name));
    }
    observer.subject = text.substr(bracket + 1, text.size() - bracket - 2);
  }
  if (found->subject == Subject::level &&
      std::find(kLevels.begin(), kLevels.end(), observer.subject) == kLevels.end()) {
    throw std::invalid_argument(
        fmt::format("'{}': {}", text, suggest_name(observer.subject, {kLevels.begin(), kLevels.end()}, "levels")));
  }
  return observer;
}

}  // namespace mbdbench::studies
