#include "experiments/studies/declaration/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "formulations/execution/openmp_settings.hpp"
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
    QuantityEntry{Quantity::rhs_calls, "rhs_calls", "1", "right-hand sides", "that the formulation evaluated"},
    QuantityEntry{Quantity::initial_rate, "initial_rate", "of the component per s", "initial rate",
                  "of a component of the state at the start, initial_rate(v.joint1)", Subject::component},
    QuantityEntry{Quantity::steps_limited, "steps_limited", "1", "share of limited steps",
                  "accepted steps of ode45 in which a component of this kind had the largest error, "
                  "steps_limited(position)",
                  Subject::kind},
    QuantityEntry{Quantity::time_reached, "time_reached", "s", "time reached",
                  "also by a run that fails before its end"},
    QuantityEntry{Quantity::local_error, "local_error", "of the component", "local error",
                  "mean of the integrator's own estimates over the steps, the exact start counted as one, and over "
                  "components of the state: local_error(q.ankle+q.knee)",
                  Subject::component},
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
    QuantityEntry{Quantity::final_energy_error, "final_energy_error", "J", "final energy error",
                  "E - E0 at the end, where energy is kept"},
    QuantityEntry{Quantity::growth, "growth", "1", "growth",
                  "growth(OBSERVER): exponent of t, fitted to the running maximum from 1 s on", Subject::observer},
    QuantityEntry{Quantity::excursion, "excursion", "m", "excursion",
                  "of a marker from where it starts, excursion(MARKER.x): the largest at accepted steps",
                  Subject::marker_axis},
    QuantityEntry{Quantity::coordinate, "coordinate", "m", "coordinate",
                  "of a marker, coordinate(MARKER.x); its number is that at the end", Subject::marker_axis},
    QuantityEntry{Quantity::velocity, "velocity", "m/s", "velocity",
                  "of a marker, velocity(MARKER.x); its number is that at the end", Subject::marker_axis},
    QuantityEntry{Quantity::kinetic_energy, "kinetic_energy", "J", "kinetic energy",
                  "its number is the largest at accepted steps"},
    QuantityEntry{Quantity::potential_energy, "potential_energy", "J", "potential energy",
                  "its number is the largest at accepted steps"},
    QuantityEntry{Quantity::total_energy, "total_energy", "J", "total energy",
                  "kinetic and potential; its number is the largest at accepted steps"},
    QuantityEntry{Quantity::state, "state", "of the component", "state",
                  "a component of the state, state(q.ankle); its number is that at the end", Subject::component},
    QuantityEntry{Quantity::attempts, "attempts", "1", "attempts", "at a step, accepted or not, from the start on"},
    QuantityEntry{Quantity::largest_rate, "largest_rate", "of the component", "largest rate",
                  "max |u| or max |p| of the state at accepted steps"},
    QuantityEntry{Quantity::largest_sigma, "largest_sigma", "N s, N m s", "largest sigma",
                  "max |sigma| of the cut joints at accepted steps"},
    QuantityEntry{Quantity::inaccuracies, "inaccuracies", "1", "inaccuracies",
                  "limits of simulate's status ok that the run exceeds; 0: ok"},
    QuantityEntry{Quantity::energy_imbalance, "energy_imbalance", "J", "energy imbalance",
                  "max |E - E0 - W| at accepted steps, W the work of loads, dampers and prescribed motions"},
    QuantityEntry{Quantity::redundant_rows, "redundant_rows", "1", "redundant rows found",
                  "constraints that others repeat, as the formulation finds them: the most at an accepted step"},
    QuantityEntry{Quantity::fewest_redundant_rows, "fewest_redundant_rows", "1", "fewest redundant rows found",
                  "the fewest at an accepted step"},
    QuantityEntry{Quantity::mobility, "mobility", "1", "mobility",
                  "degrees of freedom if no constraint repeated others: six a body less the constraints of all joints"},
    QuantityEntry{Quantity::degrees_of_freedom, "degrees_of_freedom", "1", "degrees of freedom",
                  "mobility and the fewest redundant rows that the formulation finds at an accepted step"},
    QuantityEntry{
        Quantity::sigma_difference_error, "sigma_difference_error", "1", "error of differences of sigma",
        "of central differences over an interval, sigma_difference_error(SECONDS), from lambda of dense at the "
        "sample times, over the largest |lambda|: sigma and lambda of the cut joints",
        Subject::time},
    QuantityEntry{Quantity::position_error, "position_error", "m", "position error",
                  "largest error of a body's centre of mass at the sample times"},
    QuantityEntry{Quantity::orientation_error, "orientation_error", "rad", "orientation error",
                  "largest error of a body's orientation at the sample times"},
    QuantityEntry{Quantity::marker_error, "error", "m", "error",
                  "of a marker, error(MARKER): largest distance from the reference at the sample times",
                  Subject::marker},
    QuantityEntry{Quantity::joint_error, "joint_error", "m, rad", "joint error",
                  "largest error of a joint coordinate at a sample time, joint_error(SECONDS)", Subject::time},
    QuantityEntry{Quantity::end_error, "end_error", "m, rad", "end error",
                  "mean error of joint coordinates at the end, end_error(JOINT+JOINT)", Subject::joints},
    QuantityEntry{Quantity::largest_end_error, "largest_end_error", "m, rad", "largest end error",
                  "largest error of joint coordinates at the end, largest_end_error(JOINT+JOINT)", Subject::joints},
    QuantityEntry{Quantity::ratio, "ratio", "1", "ratio",
                  "ratio(OBSERVER): that of the study's baseline over this one's; above 1 this one has less",
                  Subject::observer},
    QuantityEntry{Quantity::order, "order", "1", "order",
                  "order(ERROR): exponent of the step or tolerance, fitted to this run and the coarser ones",
                  Subject::observer},
    QuantityEntry{Quantity::bodies, "bodies", "1", "bodies", "of the mechanism"},
    QuantityEntry{Quantity::components, "components", "1", "components", "of the state that vary"},
    QuantityEntry{Quantity::operations, "operations", "1", "operations",
                  "multiplications and additions of a right-hand side, about, as the formulation states them"},
    QuantityEntry{Quantity::stages, "stages", "1", "stages", "of a right-hand side that wait for one another"},
    QuantityEntry{Quantity::critical_path, "critical_path", "operations", "critical path",
                  "operations that must follow one another, however many workers there are"},
    QuantityEntry{Quantity::exchanges, "exchanges", "1", "exchanges", "of two processes in one right-hand side"},
    QuantityEntry{Quantity::exchange_bytes, "exchange_bytes", "B", "exchanged bytes",
                  "that two processes together send in one right-hand side"},
    QuantityEntry{Quantity::acceleration_error, "acceleration_error", "1", "error of u'",
                  "largest difference of u' from numbers of 113 bits over the largest u', at a state near the start"},
    QuantityEntry{
        Quantity::velocity_error, "velocity_error", "1", "error of u",
        "largest difference of u after packing and unpacking the state over the largest u, at the same state"},
    QuantityEntry{
        Quantity::jacobian_error, "jacobian_error", "1", "error of derivatives",
        "largest difference of derivatives times directions from those of 113 bits over the largest of these, "
        "at the same state"},
    QuantityEntry{Quantity::gradient_error, "gradient_error", "1", "error of a gradient",
                  "of a run of 1 s by all masses, springs, start speeds and controls, along two directions: largest "
                  "difference from differences of the run in 113 bits over the sum of absolute terms"},
    QuantityEntry{
        Quantity::passes, "passes", "1", "passes",
        "over the multipliers at the start, passes(LEVEL): in a projection of a state that is off by 1e-6, in a "
        "right-hand side",
        Subject::level},
    QuantityEntry{Quantity::wall_time, "wall_time", "s", "wall time",
                  "of a run without output, the fastest repetition"},
    QuantityEntry{
        Quantity::speedup, "speedup", "1", "speedup",
        "wall time of the fastest variant on one thread and process over this one's, same integrator and control"},
    QuantityEntry{Quantity::process_difference, "process_difference", "of the component",
                  "difference between processes and one",
                  "largest difference of a component of the state at the end of the run on processes from that in one "
                  "process; 0: the same bits"},
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
    QuantityEntry{Quantity::reactions_cost, "reactions_cost", "1", "cost of reactions",
                  "time that the reactions of all joints take beyond a right-hand side, over that of the right-hand "
                  "side"},
    QuantityEntry{Quantity::projection_time_per_body, "projection_time_per_body", "s", "time per projection and body",
                  "of what follows a step, at a state whose positions are off by 1e-6; the fastest of nine batches"},
    QuantityEntry{Quantity::exchange_time, "exchange_time", "s", "time of an exchange",
                  "of so many numbers between the processes, exchange_time(27)", Subject::message},
    QuantityEntry{Quantity::message_speedup, "message_speedup", "1", "speedup by messages",
                  "message_speedup(3x27): a model, half of the sequential right-hand side and three exchanges of 27 "
                  "numbers, as measured",
                  Subject::message},
    QuantityEntry{Quantity::time_per_state, "time_per_state", "s", "time per state",
                  "of one of so many states that are evaluated at a time, time_per_state(4096), or on so many threads, "
                  "time_per_state(4096x2)",
                  Subject::states},
    QuantityEntry{Quantity::jacobian_time, "jacobian_time", "s", "time of a Jacobian",
                  "of all exact derivatives of x' by x at the start, the fastest of nine batches"},
    QuantityEntry{Quantity::jacobian_cost, "jacobian_cost", "right-hand sides", "cost of a Jacobian",
                  "the same over the time of a right-hand side; forward differences take as many as the state has "
                  "components, and one"},
    QuantityEntry{Quantity::direction_cost, "direction_cost", "right-hand sides", "cost of one direction",
                  "time of the derivatives of x' times one direction over that of a right-hand side"},
    QuantityEntry{Quantity::weights_cost, "weights_cost", "right-hand sides", "cost of weights",
                  "time of weights times the derivatives of x' over that of a right-hand side"},
    QuantityEntry{
        Quantity::gradient_cost, "gradient_cost", "runs", "cost of a gradient",
        "time of the gradient of a run of 1 s by all masses, springs, start speeds and controls, over that of "
        "the run"},
};

// Deprecated, still read.
constexpr std::string_view kFormerProcessDifference = "rank_difference";
constexpr std::array<std::string_view, 3> kLevels = {"position", "velocity", "acceleration"};
constexpr std::array<std::string_view, 3> kKinds = {"position", "velocity", "momentum"};
constexpr std::array kGrowing = {Quantity::energy_error, Quantity::position_drift, Quantity::velocity_drift,
                                 Quantity::acceleration_drift, Quantity::largest_sigma};

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

void require_one_of(std::string_view text, const std::string& subject, std::span<const std::string_view> known,
                    std::string_view noun) {
  if (std::find(known.begin(), known.end(), subject) == known.end()) {
    throw std::invalid_argument(
        fmt::format("'{}': {}", text, suggest_name(subject, {known.begin(), known.end()}, noun)));
  }
}

/// \throws std::invalid_argument for a subject that cannot be one
void require_subject(std::string_view text, const QuantityEntry& entry, const Observer& observer) {
  const std::string& subject = observer.subject;
  const auto refuse = [&](std::string_view wanted) {
    throw std::invalid_argument(fmt::format("'{}' should read {}", text, wanted));
  };
  if (entry.subject == Subject::level) {
    require_one_of(text, subject, kLevels, "levels");
  } else if (entry.subject == Subject::kind) {
    require_one_of(text, subject, kKinds, "kinds");
  } else if (entry.subject == Subject::marker_axis) {
    const std::size_t point = subject.rfind('.');
    if (point == std::string::npos || point == 0 || point + 2 != subject.size() || subject.back() < 'x' ||
        subject.back() > 'z') {
      refuse(fmt::format("{}(MARKER.x), MARKER.y or MARKER.z", entry.name));
    }
  } else if (entry.subject == Subject::time) {
    double seconds = 0.0;
    const char* const end = subject.data() + subject.size();
    const auto [rest, error] = std::from_chars(subject.data(), end, seconds);
    if (error != std::errc() || rest != end || !(seconds >= 0.0)) {
      refuse(fmt::format("{}(2.5), in seconds", entry.name));
    }
    if (entry.quantity == Quantity::sigma_difference_error && seconds == 0.0) {
      refuse("sigma_difference_error(0.001), an interval above zero");
    }
  } else if (entry.subject == Subject::message) {
    static_cast<void>(observer.messages());
  } else if (entry.subject == Subject::states) {
    static_cast<void>(observer.state_count());
  } else if (entry.subject == Subject::observer) {
    const Observer inner = observer.inner();
    const bool grows = std::find(kGrowing.begin(), kGrowing.end(), inner.quantity) != kGrowing.end();
    if (entry.quantity == Quantity::growth && !grows) {
      refuse("growth(energy_error), or of a drift or largest_sigma");
    }
    if (entry.quantity == Quantity::ratio && (inner.of_right_hand_side() || inner.compares_runs())) {
      refuse("ratio(evaluations), or of another observer of runs");
    }
    if (entry.quantity == Quantity::order && !inner.needs_reference() && inner.quantity != Quantity::energy_error) {
      refuse("order(position_error), or of another error");
    }
  }
}

}  // namespace

std::span<const QuantityEntry> quantity_registry() {
  return kQuantities;
}

const QuantityEntry& Observer::entry() const {
  return kQuantities[static_cast<std::size_t>(quantity)];
}

std::string_view Observer::unit() const {
  if (entry().subject == Subject::component && quantity != Quantity::initial_rate) {
    return subject.starts_with("q.")   ? "rad, m"
           : subject.starts_with("v.") ? "rad/s, m/s"
           : subject.starts_with("p.") ? "kg m^2/s, kg m/s"
                                       : entry().unit;
  }
  return entry().unit;
}

bool Observer::of_model() const {
  constexpr std::array kModels = {Quantity::operations, Quantity::stages, Quantity::critical_path,
                                  Quantity::modelled_speedup, Quantity::message_speedup};
  return std::find(kModels.begin(), kModels.end(), quantity) != kModels.end();
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
  if (entry().subject == Subject::observer) {
    return fmt::format("{}_{}", entry().name, inner().record_name());
  }
  return subject.empty() ? std::string(entry().name) : fmt::format("{}_{}", entry().name, subject);
}

Observer Observer::inner() const {
  return parse_observer(subject);
}

std::vector<std::string> Observer::names() const {
  std::vector<std::string> found(1);
  for (const char letter : subject) {
    if (letter == '+') {
      found.emplace_back();
    } else {
      found.back() += letter;
    }
  }
  return found;
}

std::pair<int, int> Observer::messages() const {
  int messages = 1;
  int numbers = 0;
  const char* place = subject.data();
  const char* const end = place + subject.size();
  if (quantity == Quantity::message_speedup) {
    place = std::from_chars(place, end, messages).ptr;
    place += place != end && *place == 'x' ? 1 : 0;
  }
  place = std::from_chars(place, end, numbers).ptr;
  constexpr int kMost = 1 << 20;
  if (place != end || messages < 1 || messages > kMost || numbers < 1 || numbers > kMost) {
    throw std::invalid_argument(fmt::format("'{}' should read {}", name(),
                                            quantity == Quantity::message_speedup
                                                ? "message_speedup(3x27), messages and numbers of each"
                                                : "exchange_time(27), numbers of a message"));
  }
  return {messages, numbers};
}

StateCount Observer::state_count() const {
  constexpr int kMostStates = 1 << 20;
  StateCount count{.states = 0, .threads = 1};  // what has no digits, or too many, stays zero
  const char* const end = subject.data() + subject.size();
  const char* place = std::from_chars(subject.data(), end, count.states).ptr;
  if (place != end && *place == 'x') {
    count.threads = 0;
    place = std::from_chars(place + 1, end, count.threads).ptr;
  }
  if (place != end || count.states < 1 || count.states > kMostStates || count.threads < 1 ||
      count.threads > kMostThreads) {
    throw std::invalid_argument(
        fmt::format("'{}' should read time_per_state(4096), states at a time, or "
                    "time_per_state(4096x2), states and threads that share them; at most {} and {}",
                    name(), kMostStates, kMostThreads));
  }
  return count;
}

std::string Observer::marker() const {
  return entry().subject == Subject::marker_axis ? subject.substr(0, subject.rfind('.')) : subject;
}

Observer parse_observer(std::string_view text) {
  const std::size_t bracket = text.find('(');
  const std::string_view written = text.substr(0, bracket);
  const std::string_view name = written == kFormerProcessDifference ? "process_difference" : written;
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
    throw std::invalid_argument(wants_subject ? fmt::format("observer '{}' needs brackets: {}", name, found->help)
                                              : fmt::format("observer '{}' takes nothing in brackets", name));
  }
  if (wants_subject) {
    if (text.back() != ')' || text.size() < bracket + 3) {
      throw std::invalid_argument(fmt::format("'{}' should read {}(NAME)", text, name));
    }
    observer.subject = text.substr(bracket + 1, text.size() - bracket - 2);
    require_subject(text, *found, observer);
  }
  return observer;
}

}  // namespace mbdbench::studies
