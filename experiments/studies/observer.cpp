#include "experiments/studies/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    QuantityEntry{Quantity::wall_time, "wall_time", "s", "wall time",
                  "of a run without output, the fastest repetition"},
    QuantityEntry{Quantity::time_per_evaluation, "time_per_evaluation", "s", "time per evaluation",
                  "of one right-hand side at the start, the fastest of nine batches"},
    QuantityEntry{
        Quantity::speedup, "speedup", "1", "speedup",
        "wall time of the fastest variant on one thread and rank over this one's, same integrator and control"},
};

}  // namespace

std::span<const QuantityEntry> quantity_registry() {
  return kQuantities;
}

const QuantityEntry& Observer::entry() const {
  return kQuantities[static_cast<std::size_t>(quantity)];
}

std::string Observer::name() const {
  return marker.empty() ? std::string(entry().name) : fmt::format("{}({})", entry().name, marker);
}

std::string Observer::record_name() const {
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
  Observer observer{found->quantity, {}};
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
