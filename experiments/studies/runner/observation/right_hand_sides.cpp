#include "experiments/studies/runner/observation/right_hand_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "experiments/engines/engine_formulation.hpp"
#include "experiments/records/timing/derivative_calls.hpp"
#include "experiments/records/timing/timed_turns.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/observation/multiplier_passes.hpp"
#include "experiments/studies/runner/observation/rounding_errors.hpp"
#include "experiments/studies/runner/observation/run_gradients.hpp"
#include "experiments/studies/runner/study_times.hpp"
#include "formulations/batches/state_batch.hpp"
#include "formulations/execution/thread_processes.hpp"
#include "formulations/registry.hpp"
#include "formulations/work_stage.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::studies {
namespace {

constexpr int kBatches = 9;
constexpr double kBatchTime = 2e-3;  // s, a thousand times the clock's resolution
// The system counts the processor time of other threads by ticks of up to 4 ms.
constexpr double kThreadedBatchTime = 2e-2;  // s
// Many calls also on one thread: the rows of a call fill a cache that the formulation before has used.
constexpr double kStatesTime = kThreadedBatchTime;

/// \returns bytes that the program has asked for so far, where the C library tells.
std::optional<double> allocated_bytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 info = mallinfo2();
  // Nothing at all: a sanitizer has its own allocator.
  return info.uordblks == 0 ? std::nullopt : std::optional(static_cast<double>(info.uordblks + info.hblkhd));
#else
  return std::nullopt;
#endif
}

/// A variant's formulation with what was found out about it.
struct RhsCase {
  const StudyVariant* variant = nullptr;
  std::unique_ptr<StudyCase> prepared;
  std::optional<double> bytes;  // that the formulation holds
  std::vector<WorkStage> stages;
  Measured time = Measured::failed("not timed");             // s
  bool own_clock = false;                                    // it is an engine's, by its own clock
  Measured projection_time = Measured::failed("not timed");  // s
  Measured reactions_time = Measured::failed("not timed");   // s
  Measured jacobian_time = Measured::failed("not timed");    // s
  Measured direction_time = Measured::failed("not timed");   // s
  Measured weights_time = Measured::failed("not timed");     // s
  std::map<std::string, Measured> state_times = {};          // s, by what stands in the observer's brackets

  [[nodiscard]] const Mechanism& mechanism() const { return prepared->formulation().mechanism(); }
};

RhsCase make_case(const Registries& registries, const StudyMechanism& mechanism, const StudyVariant& variant) {
  RhsCase made;
  made.variant = &variant;
  made.prepared = std::make_unique<StudyCase>(registries, mechanism, variant);
  if (made.prepared->can_run()) {
    // A fresh one: that of the case has packed the initial state, for which some make more than for right-hand sides.
    const auto before = allocated_bytes();
    const std::unique_ptr<Formulation> fresh = made.prepared->formulation().clone();
    if (const auto after = allocated_bytes(); before && after) {
      made.bytes = *after - *before;
    }
    std::vector<double> xdot(made.prepared->x0().size());
    static_cast<void>(made.prepared->formulation().rhs(0.0, made.prepared->x0(), xdot));  // tells how many passes
    made.stages = made.prepared->formulation().stages();
  }
  return made;
}

// A step's error in positions, m and 1: what a projection has to take back.
constexpr double kDisplacement = 1e-6;

/// \returns the initial state with every position off by about kDisplacement.
std::vector<double> displaced(StudyCase& prepared) {
  std::vector<double> x = prepared.x0();
  double sign = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const StateKind kind = prepared.formulation().layout()[i].kind;
    if (kind == StateKind::position || kind == StateKind::quaternion) {
      x[i] += sign * kDisplacement;
      sign = -sign;
    }
  }
  return x;
}

TimedCall projection_call(StudyCase& prepared) {
  return [&prepared, start = displaced(prepared), x = prepared.x0()]() mutable {
    x = start;
    static_cast<void>(prepared.formulation().after_step(0.0, x));
    return true;
  };
}

TimedCall reactions_call(StudyCase& prepared) {
  return [&prepared, reactions = Reactions()]() mutable {
    return prepared.formulation().reactions(0.0, prepared.x0(), reactions).ok;
  };
}

/// Passes of a projection of the displaced state and of a right-hand side at the start.
Measured passes(StudyCase& prepared, const std::string& level) {
  Formulation& formulation = prepared.formulation();
  if (!multiplier_passes(formulation)) {
    return Measured::refused("the formulation makes no passes over multipliers");
  }
  std::vector<double> x(prepared.x0().size());
  formulation.rhs(0.0, prepared.x0(), x);
  x = displaced(prepared);
  formulation.after_step(0.0, x);
  return Measured::number((*multiplier_passes(formulation))[level == "position" ? 0 : level == "velocity" ? 1 : 2]);
}

/// The fastest of several batches each, in turns.
void time_cases(std::vector<RhsCase>& cases, bool projections, bool reactions) {
  std::vector<TimedCall> calls;
  const auto add = [&](const auto& call_of) {
    for (RhsCase& each : cases) {
      calls.push_back(each.prepared->can_run() && processes_of(*each.variant) == 1 ? call_of(*each.prepared)
                                                                                   : TimedCall([] { return false; }));
    }
  };
  add([](StudyCase& prepared) { return right_hand_side_call(prepared.formulation(), 0.0, prepared.x0()); });
  if (projections) {
    add(projection_call);
  }
  if (reactions) {
    add(reactions_call);
  }
  const bool threaded =
      std::any_of(cases.begin(), cases.end(), [](const RhsCase& each) { return each.variant->threads > 1; });
  const std::vector<RepeatedTimes> times = time_in_turns(calls, kBatches, threaded ? kThreadedBatchTime : kBatchTime);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (processes_of(*cases[i].variant) > 1) {
      continue;
    }
    if (times[i].count() == 0) {
      cases[i].time = Measured::failed("the right-hand side at the start fails");
      continue;
    }
    cases[i].time = measured_time(times[i].fastest().of_threads(cases[i].prepared->formulation().threads()));
    cases[i].prepared->formulation().diagnostics([&](std::string_view name, double seconds) {
      if (name == "engine_seconds" && seconds > 0.0) {
        // Ours would be that of two programs talking.
        cases[i].time = Measured::number(seconds);
        cases[i].time.note = "fastest call by the engine's own clock";
        cases[i].own_clock = true;
      }
    });
    if (projections) {
      cases[i].projection_time = measured_time(times[cases.size() + i].fastest());
    }
    const RepeatedTimes& of_reactions = times[calls.size() - cases.size() + i];
    if (reactions && of_reactions.count() > 0) {
      cases[i].reactions_time = measured_time(of_reactions.fastest());
    }
  }
}

/// Times that not every variant has, in turns. \param fill takes the variant's times, none where the call fails
void time_where(std::vector<RhsCase>& cases, const std::function<std::optional<TimedCall>(RhsCase&)>& call_of,
                double shortest, const std::function<void(RhsCase&, const RepeatedTimes&)>& fill) {
  std::vector<TimedCall> calls;
  std::vector<RhsCase*> timed;
  for (RhsCase& each : cases) {
    if (each.prepared->can_run() && processes_of(*each.variant) == 1) {
      if (auto call = call_of(each)) {
        calls.push_back(std::move(*call));
        timed.push_back(&each);
      }
    }
  }
  const std::vector<RepeatedTimes> times = time_in_turns(calls, kBatches, shortest);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    fill(*timed[i], times[i]);
  }
}

/// Of exact derivatives. \param call_of what is timed \param time where it goes
void time_derivatives(std::vector<RhsCase>& cases,
                      TimedCall (*call_of)(Formulation& formulation, double t, std::vector<double> x),
                      Measured RhsCase::*time) {
  const bool whole = time == &RhsCase::jacobian_time;
  time_where(
      cases,
      [&](RhsCase& each) -> std::optional<TimedCall> {
        std::string why = each.prepared->formulation().without_jacobian();
        if (why.empty() && each.own_clock && !whole) {
          why = "engines give all derivatives at once";
        }
        if (!why.empty()) {
          each.*time = Measured::refused(why);
          return std::nullopt;
        }
        return call_of(each.prepared->formulation(), 0.0, each.prepared->x0());
      },
      kBatchTime,
      [&](RhsCase& each, const RepeatedTimes& times) {
        each.*time =
            times.count() == 0 ? Measured::failed("the derivatives at the start fail") : measured_time(times.fastest());
        each.prepared->formulation().diagnostics([&](std::string_view name, double seconds) {
          if (name == "engine_derivative_seconds" && seconds > 0.0) {
            each.*time = Measured::number(seconds);
            (each.*time).note = "fastest call by the engine's own clock";
          }
        });
      });
}

/// Of so many states at a time by an engine: the fastest of several calls that take a second together, by its own
/// clock; its time of one where it takes one after another.
Measured engine_state_time(RhsCase& each, const StateCount& count) {
  EngineBatches* const engine = engine_batches(each.prepared->formulation());
  if (engine == nullptr) {
    return count.threads == 1 ? each.time : Measured::refused("one process, one thread");
  }
  constexpr double kLongest = 1.0;  // s
  double fastest = std::numeric_limits<double>::infinity();
  double spent = 0.0;
  for (int k = 0; k < kBatches && spent < kLongest; ++k) {
    double seconds = 0.0;
    const RhsStatus status = engine->time_batch(0.0, each.prepared->x0(), count.states, count.threads, seconds);
    if (!status.ok || seconds <= 0.0) {
      return Measured::failed(status.ok ? "the engine does not tell its time" : status.message());
    }
    fastest = std::min(fastest, seconds);
    spent += seconds;
  }
  Measured time = Measured::number(fastest / count.states);
  time.note = "fastest call by the engine's own clock";
  return time;
}

/// Of so many states at a time.
void time_states(std::vector<RhsCase>& cases, const std::string& subject, const StateCount& count) {
  std::map<const RhsCase*, std::unique_ptr<StateBatch>> batches;
  time_where(
      cases,
      [&](RhsCase& each) -> std::optional<TimedCall> {
        if (each.own_clock) {
          each.state_times[subject] = engine_state_time(each, count);
          return std::nullopt;
        }
        auto& batch = batches[&each];
        batch = std::make_unique<StateBatch>(each.prepared->formulation(), count.threads);
        return batch_call(*batch, 0.0, each.prepared->x0(), static_cast<std::size_t>(count.states));
      },
      kStatesTime,
      [&](RhsCase& each, const RepeatedTimes& times) {
        Measured time = times.count() == 0 ? Measured::failed("the right-hand side at the start fails")
                                           : measured_time(times.fastest().of_threads(count.threads));
        time.value /= count.states;
        each.state_times[subject] = time;
      });
}

/// Of the variants that are divided among processes.
void time_team(std::vector<RhsCase>& cases, std::size_t mechanism, const Study& study, ProcessTeam& team) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const StudyVariant& variant = *cases[i].variant;
    if (processes_of(variant) > 1 && team.has_processes_of(variant)) {
      const TeamRun run = team.right_hand_side(mechanism, study.mechanisms[mechanism].variants[i]);
      cases[i].time = !run.refusal.empty()    ? Measured::refused(run.refusal)
                      : run.times.count() > 0 ? measured_time(run.times.fastest())
                                              : Measured::failed("the right-hand side at the start fails");
    } else if (processes_of(variant) > 1) {
      cases[i].time = without_processes(variant);
    }
  }
}

/// What two processes exchange in one right-hand side; or why they cannot share it.
class TwoProcesses {
 public:
  TwoProcesses(const Registries& registries, RhsCase& of) {
    ThreadProcesses processes(2);
    ThreadProcessExchange exchanges[2] = {{processes, 0}, {processes, 1}};
    std::unique_ptr<FormulationPart> parts[2];
    try {
      for (int r = 0; r < 2; ++r) {
        parts[r] = make_formulation_part(registries.formulations, *of.variant->entry, of.mechanism(),
                                         of.variant->options, exchanges[r]);
      }
    } catch (const ModelError& error) {
      refusal_ = error.what();
      return;
    }
    const auto evaluate = [&](int r) {
      std::vector<double> x;
      for (const std::size_t component : parts[r]->components()) {
        x.push_back(of.prepared->x0()[component]);
      }
      std::vector<double> xdot(x.size());
      parts[r]->rhs(0.0, x, xdot);
    };
    std::thread other(evaluate, 1);
    evaluate(0);
    other.join();
    counts_ = exchanges[0].counts();
  }

  [[nodiscard]] Measured meetings() const { return told(static_cast<double>(counts_.shares + counts_.reductions)); }
  [[nodiscard]] Measured bytes() const { return told(static_cast<double>(counts_.share_bytes)); }

 private:
  [[nodiscard]] Measured told(double value) const {
    return refusal_.empty() ? Measured::number(value) : Measured::refused(refusal_);
  }

  ExchangeCounts counts_;
  std::string refusal_;
};

/// Answers one mechanism's observers after its variants have been timed.
class RhsObserver {
 public:
  RhsObserver(const Registries& registries, const Study& study, const MachineLimits& machine,
              const Mechanism& mechanism, std::vector<RhsCase>& cases, ProcessTeam& team)
      : registries_(registries), study_(study), machine_(machine), rounding_(mechanism), cases_(cases), team_(team) {}

  CellResult observe(RhsCase& of) {
    CellResult result;
    for (const Observer& observer : study_.observers) {
      if (observer.of_right_hand_side()) {
        result[observer] = of.prepared->can_run() ? measured(of, observer) : of.prepared->obstacle();
      }
    }
    return result;
  }

 private:
  Measured measured(RhsCase& of, const Observer& observer) {
    const double bodies = of.mechanism().body_count();
    switch (observer.quantity) {
      case Quantity::bodies:
        return Measured::number(bodies);
      case Quantity::components:
        return Measured::number(varying_components(of.prepared->formulation()));
      case Quantity::operations:
        return of_stages(of, [&] { return Measured::number(arithmetic(of.stages)); });
      case Quantity::operation_rate:
        return of_stages(of, [&] {
          Measured rate = of.time;
          rate.value = rate.value > 0.0 ? arithmetic(of.stages) / rate.value : 0.0;
          return rate;
        });
      case Quantity::stages:
        return of_stages(of, [&] { return Measured::number(static_cast<double>(of.stages.size())); });
      case Quantity::critical_path:
        return of_stages(
            of, [&] { return Measured::number(longest_work(of.stages, std::numeric_limits<double>::infinity())); });
      case Quantity::acceleration_error:
        return rounding_.acceleration(of.prepared->formulation());
      case Quantity::velocity_error:
        return rounding_.velocity(of.prepared->formulation());
      case Quantity::jacobian_error:
        return rounding_.jacobian(of.prepared->formulation(),
                                  parse_parameters(of.variant->entry->options, of.variant->options, "options"));
      case Quantity::gradient_error:
        return RunGradients(registries_, of.mechanism(), *of.variant).error();
      case Quantity::gradient_cost:
        return RunGradients(registries_, of.mechanism(), *of.variant).cost();
      case Quantity::exchanges:
        return TwoProcesses(registries_, of).meetings();
      case Quantity::exchange_bytes:
        return TwoProcesses(registries_, of).bytes();
      case Quantity::time_per_evaluation:
        return of.time;
      case Quantity::time_per_body:
        return scaled(of.time, 1.0 / bodies);
      case Quantity::evaluation_speedup:
        return speedup_of(of.time);
      case Quantity::modelled_speedup:
        return of_stages(of, [&] { return modelled(of, observer.workers); });
      case Quantity::passes:
        return passes(*of.prepared, observer.subject);
      case Quantity::projection_time_per_body:
        return scaled(of.projection_time, 1.0 / bodies);
      case Quantity::reactions_cost:
        return in_right_hand_sides(of, of.reactions_time, -1.0);
      case Quantity::time_per_state:
        return state_time(of, observer.subject);
      case Quantity::jacobian_time:
        return of.jacobian_time;
      case Quantity::jacobian_cost:
        return in_right_hand_sides(of, of.jacobian_time);
      case Quantity::direction_cost:
        return in_right_hand_sides(of, of.direction_time);
      case Quantity::weights_cost:
        return in_right_hand_sides(of, of.weights_time);
      case Quantity::memory_per_body:
        return of.bytes ? Measured::number(*of.bytes / bodies) : Measured::refused("the C library does not tell");
      case Quantity::exchange_time:
        return exchange_time(of, observer.messages().second);
      case Quantity::message_speedup:
        return message_speedup(of, observer.messages().first, observer.messages().second);
      default:
        return Measured::refused("not observed");
    }
  }

  static Measured state_time(const RhsCase& of, const std::string& subject) {
    const auto found = of.state_times.find(subject);
    return found == of.state_times.end() ? Measured::refused("a variant on processes takes one state at a time")
                                         : found->second;
  }

  static Measured scaled(Measured measured, double factor, double added = 0.0) {
    measured.value = measured.value * factor + (measured.usable() ? added : 0.0);
    return measured;
  }

  static Measured in_right_hand_sides(const RhsCase& of, const Measured& time, double added = 0.0) {
    Measured cost = scaled(time, of.time.value > 0.0 ? 1.0 / of.time.value : 0.0, added);
    if (cost.usable() && of.time.state == CellState::disturbed) {
      cost.state = CellState::disturbed;
      cost.note = of.time.note;
    }
    return cost;
  }

  static double varying_components(const Formulation& formulation) {
    const std::span<const StateComponent> layout = formulation.layout();
    return static_cast<double>(
        std::count_if(layout.begin(), layout.end(), [](const StateComponent& one) { return !one.constant; }));
  }

  template <class Answer>
  static Measured of_stages(const RhsCase& of, const Answer& answer) {
    return of.stages.empty() ? Measured::refused("the formulation does not say how its work divides") : answer();
  }

  /// Of messages of so many numbers between the processes of a variant.
  [[nodiscard]] Measured exchange_time(const RhsCase& of, int numbers) {
    if (processes_of(*of.variant) == 1) {
      return Measured::refused("on one process");
    }
    if (!team_.has_processes_of(*of.variant)) {
      return without_processes(*of.variant);
    }
    const auto known = exchanges_.find(numbers);
    return known != exchanges_.end() ? known->second
                                     : exchanges_[numbers] = measured_time(team_.exchange(numbers).fastest());
  }

  /// A right-hand side on two processes taken for half of the sequential one and its exchanges: what both do counts
  /// not.
  [[nodiscard]] Measured message_speedup(const RhsCase& of, int messages, int numbers) {
    const Measured ratio = speedup_of(scaled(exchange_time(of, numbers), messages));  // t1 / (messages t_exchange)
    return ratio.usable() ? Measured::number(1.0 / (0.5 + 1.0 / ratio.value)) : ratio;
  }

  [[nodiscard]] Measured speedup_of(const Measured& time) const {
    std::optional<double> best;
    for (const RhsCase& other : cases_) {
      if (is_sequential(*other.variant) && other.time.state == CellState::disturbed) {
        return {CellState::disturbed, 0.0, fmt::format("disturbed: variant '{}'", other.variant->label)};
      }
      if (is_sequential(*other.variant) && other.time.usable()) {
        best = std::min(best.value_or(other.time.value), other.time.value);
      }
    }
    if (!best) {
      return Measured::refused("no sequential variant to compare with");
    }
    Measured result = time;
    result.value = result.value > 0.0 ? *best / result.value : 0.0;
    return result;
  }

  /// Against itself on one worker.
  [[nodiscard]] Measured modelled(const RhsCase& of, int workers) const {
    if (of.variant->threads > 1) {
      return Measured::refused("the model divides what one thread does");
    }
    if (!std::isfinite(machine_.latency)) {
      return Measured::refused("one processor alone: there is no latency to measure");
    }
    Measured result = of.time;  // disturbed as the time is
    if (result.value > 0.0) {
      const WorkerModel machine{of.time.value / longest_work(of.stages, 1.0), machine_.latency};
      result.value = of.time.value / modelled_time(of.stages, machine, workers);
    }
    return result;
  }

  const Registries& registries_;
  const Study& study_;
  const MachineLimits& machine_;
  RoundingErrors rounding_;
  std::vector<RhsCase>& cases_;
  ProcessTeam& team_;
  std::map<int, Measured> exchanges_;  // by numbers
};

}  // namespace

std::vector<CellResult> observe_right_hand_sides(const Registries& registries, const Study& study,
                                                 std::size_t mechanism, const MachineLimits& machine,
                                                 ProcessTeam& team) {
  std::vector<RhsCase> cases;
  for (const std::size_t v : study.mechanisms[mechanism].variants) {
    cases.push_back(make_case(registries, study.mechanisms[mechanism], study.variants[v]));
  }
  const auto observes = [&](Quantity quantity) {
    return std::any_of(study.observers.begin(), study.observers.end(),
                       [&](const Observer& observer) { return observer.quantity == quantity; });
  };
  time_cases(cases, observes(Quantity::projection_time_per_body), observes(Quantity::reactions_cost));
  time_team(cases, mechanism, study, team);
  if (observes(Quantity::jacobian_time) || observes(Quantity::jacobian_cost)) {
    time_derivatives(cases, jacobian_call, &RhsCase::jacobian_time);
  }
  if (observes(Quantity::direction_cost)) {
    time_derivatives(cases, direction_call, &RhsCase::direction_time);
  }
  if (observes(Quantity::weights_cost)) {
    time_derivatives(cases, weights_call, &RhsCase::weights_time);
  }
  for (const Observer& observer : study.observers) {
    if (observer.quantity == Quantity::time_per_state) {
      time_states(cases, observer.subject, observer.state_count());
    }
  }
  RhsObserver observer(registries, study, machine, *study.mechanisms[mechanism].mechanism, cases, team);
  std::vector<CellResult> results;
  results.reserve(cases.size());
  for (RhsCase& each : cases) {
    results.push_back(observer.observe(each));
  }
  return results;
}

}  // namespace mbdbench::studies
