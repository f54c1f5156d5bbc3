#pragma once
/// \file
/// What a study can observe of a run, by the name that its declaration uses.
#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mbdbench::studies {

/// One quantity.
enum class Quantity {
  evaluations,
  steps,
  failed_attempts,
  jacobians,
  iterations,
  first_step,
  rhs_calls,
  initial_rate,
  steps_limited,
  time_reached,
  local_error,
  energy_error,
  position_drift,
  velocity_drift,
  acceleration_drift,
  smallest_singular_value,
  mean_passes,
  passes_within_four,
  most_regular_passes,
  most_singular_passes,
  final_energy_error,
  growth,
  excursion,
  coordinate,
  velocity,
  kinetic_energy,
  potential_energy,
  total_energy,
  state,
  attempts,
  largest_rate,
  largest_sigma,
  inaccuracies,
  energy_imbalance,
  redundant_rows,
  fewest_redundant_rows,
  mobility,
  degrees_of_freedom,
  sigma_difference_error,
  position_error,
  orientation_error,
  marker_error,
  joint_error,
  end_error,
  largest_end_error,
  ratio,
  order,
  // Of a right-hand side alone.
  bodies,
  components,
  operations,
  stages,
  critical_path,
  exchanges,
  exchange_bytes,
  acceleration_error,
  velocity_error,
  jacobian_error,
  gradient_error,
  passes,
  // Times and what depends on the moment.
  wall_time,
  speedup,
  process_difference,
  // Both.
  time_per_evaluation,
  time_per_body,
  evaluation_speedup,
  operation_rate,
  modelled_speedup,
  memory_per_body,
  reactions_cost,
  projection_time_per_body,
  exchange_time,
  message_speedup,
  time_per_state,
  jacobian_time,
  jacobian_cost,
  direction_cost,
  weights_cost,
  gradient_cost
};

/// What stands in a quantity's brackets.
enum class Subject {
  none,
  marker,
  workers,
  level,
  marker_axis,
  observer,
  component,
  kind,
  time,
  joints,
  message,
  states
};

/// States of one mechanism that are evaluated at a time, and the threads that share them.
struct StateCount {
  int states = 1;
  int threads = 1;
};

/// What a quantity is.
struct QuantityEntry {
  Quantity quantity;
  std::string_view name;   ///< in declarations
  std::string_view unit;   ///< "1" for pure numbers
  std::string_view title;  ///< in tables and figures
  std::string_view help;   ///< one line
  Subject subject = Subject::none;
};

/// \returns all quantities.
std::span<const QuantityEntry> quantity_registry();

/// A quantity, of a marker, of another observer, on so many workers, ... where it needs a subject: "error(tip)",
/// "coordinate(tip.x)", "growth(energy_error)", "modelled_speedup(64)", "passes(position)".
struct Observer {
  Quantity quantity = Quantity::evaluations;
  std::string subject;  ///< what stands in the brackets
  int workers = 0;

  /// \returns "error(tip)".
  [[nodiscard]] std::string name() const;
  /// \returns the name as records have it: "error_tip".
  [[nodiscard]] std::string record_name() const;
  [[nodiscard]] const QuantityEntry& entry() const;
  /// \returns the quantity's unit; of components of the state, by their kind: "rad, m" of "q.joint1".
  /// observer_unit.hpp has the one on a mechanism.
  [[nodiscard]] std::string_view unit() const;
  [[nodiscard]] bool timed() const { return quantity >= Quantity::wall_time || (compares_runs() && inner().timed()); }
  /// \returns how many messages a right-hand side needs and how many numbers each has: 3 and 27 of
  /// "message_speedup(3x27)", 1 and 27 of "exchange_time(27)". \throws std::invalid_argument
  [[nodiscard]] std::pair<int, int> messages() const;
  /// \returns how many states and threads: 4096 and 2 of "time_per_state(4096x2)". \throws std::invalid_argument
  [[nodiscard]] StateCount state_count() const;
  /// \returns the observer that growth, ratio and order are of. \throws std::invalid_argument where there is none
  [[nodiscard]] Observer inner() const;
  /// \returns the names in a subject such as "q.ankle+q.knee".
  [[nodiscard]] std::vector<std::string> names() const;
  /// \returns the marker of the subject: all of it, or what stands before the axis.
  [[nodiscard]] std::string marker() const;
  /// \returns 0, 1, 2 of a subject such as "tip.x".
  [[nodiscard]] int axis() const { return subject.back() - 'x'; }
  /// \returns whether a run tells it by itself, without a clock and without other runs.
  [[nodiscard]] bool of_one_run() const { return !timed() && !of_right_hand_side() && !compares_runs(); }
  /// \returns whether it is made of the numbers of several runs.
  [[nodiscard]] bool compares_runs() const { return quantity == Quantity::ratio || quantity == Quantity::order; }
  /// \returns whether it is followed at the accepted steps of a run.
  [[nodiscard]] bool at_steps() const {
    return quantity >= Quantity::energy_error && quantity <= Quantity::largest_sigma;
  }
  [[nodiscard]] bool needs_reference() const {
    return quantity >= Quantity::position_error && quantity <= Quantity::largest_end_error;
  }
  /// \returns whether it says of which places a sentence speaks, not whether it holds there: the size of a mechanism is
  /// no result, and whether a run is right by its own limits is what the run says of itself.
  [[nodiscard]] bool selects() const { return quantity == Quantity::bodies || quantity == Quantity::inaccuracies; }
  /// \returns whether a formulation states it of itself, or it is computed from what one states: no run shows it.
  [[nodiscard]] bool of_model() const;
  /// \returns whether there is one number for all integrators and controls.
  [[nodiscard]] bool of_right_hand_side() const {
    return (quantity >= Quantity::bodies && quantity <= Quantity::passes) || quantity >= Quantity::time_per_evaluation;
  }
  // clang-tidy 14 takes the 0 of a comparison that the compiler makes for a pointer.
  auto operator<=>(const Observer&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Reads "evaluations", "error(tip)", "modelled_speedup(64)". \throws std::invalid_argument naming the nearest right
/// one
Observer parse_observer(std::string_view text);

}  // namespace mbdbench::studies
