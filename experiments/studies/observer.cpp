#include "experiments/studies/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "mechanisms/model/name_suggestion.hpp"

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
    QuantityEntry{Quantity::position_drift, "position_drift", "m, rad", "position drift",
                  "max |Phi| at accepted steps"},
    QuantityEntry{Quantity::velocity_drift, "velocity_drift", "m/s, rad/s", "velocity drift",
                  "max |Phi'| at accepted steps"},
    QuantityEntry{Quantity::largest_sigma, "largest_sigma", "N s, N m s", "largest sigma",
                  "max |sigma| of the cut joints at accepted steps"},
    QuantityEntry{Quantity::inaccuracies, "inaccuracies", "1", "inaccuracies",
                  "limits of simulate's status ok that the run exceeds; 0: ok"},
    QuantityEntry{Quantity::position_error, "position_error", "m", "position error",
                  "largest error of a body's centre of mass at the sample times"},
    QuantityEntry{Quantity::orientation_error, "orientation_error", "rad", "orientation error",
                  "largest error of a body's orientation at the sample times"},
    QuantityEntry{Quantity::marker_error, "error", "m", "error",
                  "of a marker, error(MARKER): largest distance from the reference at the sample times"},
    QuantityEntry{Quantity::bodies, "bodies", "1", "bodies", "of the mechanism"},
    QuantityEntry{Quantity::operations, "operations", "1", "operations",
                  "multiplications and additions of a right-hand side, about, as the formulation states them"},
    QuantityEntry{Quantity::stages, "stages", "1", "stages", "of a right-hand side that wait for one another"},
    QuantityEntry{Quantity::critical_path, "critical_path", "operations", "critical path",
                  "operations that must follow one another, however many workers there are"},
    QuantityEntry{Quantity::exchanges, "exchanges", "1", "exchanges", "of two ranks in one right-hand side"},
    QuantityEntry{Quantity::exchange_bytes, "exchange_bytes", "B", "exchanged bytes",
                  "that two ranks together send in one right-hand side"},
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
        "the measured latency between two threads"},
    QuantityEntry{Quantity::memory_per_body, "memory_per_body", "B", "memory a body",
                  "that the formulation holds when it has been made"},
};

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
  return marker.empty() ? std::string(entry().name) : fmt::format("{}({})", entry().name, marker);
}

std::string Observer::record_name() const {
  if (workers > 0) {
    return fmt::format("{}_{}", entry().name, workers);
  }
  return marker.empty() ? std::string(entry().name) : fmt::format("{}_{}", entry().name, marker);
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
  if (observer.quantity == Quantity::modelled_speedup) {
    observer.workers = workers_in(text, bracket);
    return observer;
  }
  const bool wants_marker = observer.quantity == Quantity::marker_error;
  if (wants_marker != (bracket != std::string_view::npos)) {
    throw std::invalid_argument(wants_marker ? "observer 'error' needs the name of a marker: error(tip)"
                                             : fmt::format("observer '{}' takes nothing in brackets", name));
  }
  if (wants_marker) {
    if (text.back() != ')' || text.size() < bracket + 3) {
      throw std::invalid_argument(fmt::format("'{}' should read error(MARKER)", text));
    }
    observer.marker = text.substr(bracket + 1, text.size() - bracket - 2);
  }
  return observer;
}

}  // namespace mbdbench::studies
