#include "experiments/simulation/processes/divided_simulation.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "experiments/simulation/processes/sink_barrier.hpp"
#include "experiments/terminal/interruption.hpp"
#include "integrators/ode_partners.hpp"

namespace mbdbench {
namespace {

/// The processes as integrators see them.
class ProcessPartners final : public OdePartners {
 public:
  ProcessPartners(ProcessExchange& processes, const FormulationPart& part) : processes_(processes), part_(part) {}

  void take_largest(std::span<double> numbers) override { processes_.take_largest(numbers); }
  std::string first_text(const std::string& own) override {
    constexpr std::size_t kLongest = 1000;
    const auto size = static_cast<std::size_t>(processes_.size());
    std::vector<char> texts(size * kLongest, '\0');
    std::vector<std::size_t> bounds(size + 1);
    for (std::size_t r = 0; r <= size; ++r) {
      bounds[r] = r * kLongest;
    }
    own.copy(&texts[static_cast<std::size_t>(processes_.process()) * kLongest], kLongest - 1);
    processes_.share(std::as_writable_bytes(std::span(texts)), bounds);
    for (std::size_t r = 0; r < size; ++r) {
      if (texts[bounds[r]] != '\0') {
        return &texts[bounds[r]];
      }
    }
    return {};
  }
  [[nodiscard]] std::size_t component(std::size_t own) const override { return part_.components()[own]; }

 private:
  ProcessExchange& processes_;
  const FormulationPart& part_;
};

/// Collects samples, and takes everybody's wish to stop to all.
class CollectingSink final : public OdeSink {
 public:
  /// \param reached on process 0; told the end of every step where it is not empty
  CollectingSink(ProcessExchange& processes, WholeState& state, OdeSink& whole, OdeSink& part,
                 std::function<void(double, std::span<const double>)> reached)
      : processes_(processes),
        state_(state),
        whole_(whole),
        part_(part),
        reached_(std::move(reached)),
        x_(state.size()) {
    const bool first = processes.process() == 0;
    std::array wanted = {first && whole.wants_samples() ? 1.0 : 0.0, first && reached_ ? 1.0 : 0.0};
    processes_.take_largest(wanted);
    wants_samples_ = wanted[0] > 0.0;
    wants_steps_ = wanted[1] > 0.0;
  }

  [[nodiscard]] bool wants_samples() const override { return wants_samples_; }

  bool sample(double t, std::span<const double> x) override {
    state_.collect(x, x_);
    sampled_ = t;
    holds_sample_ = true;
    if (processes_.process() == 0 && !stop_) {
      if (first_) {
        stop_ = !part_.sample(t, x);
      }
      stop_ = !whole_.sample(t, x_) || stop_;
    }
    first_ = false;
    return true;  // processes stop together, at the end of a step
  }

  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
    const bool told = holds_sample_ || wants_steps_;
    if (told) {
      tell_step(t, x, so_far);
    }
    if (processes_.process() == 0 && !stop_) {
      stop_ = !part_.step(t, x, so_far);
    }
    double stop = stop_ || interruption_requested() ? 1.0 : 0.0;
    processes_.take_largest(std::span(&stop, 1));
    if (stop > 0.0 && !told) {
      tell_step(t, x, so_far);  // what the run is left with
    }
    return stop == 0.0;
  }

 private:
  void tell_step(double t, std::span<const double> x, const OdeStatistics& so_far) {
    holds_sample_ = false;
    if (sampled_ != t) {
      state_.collect(x, x_);
    }
    if (processes_.process() == 0 && !stop_) {
      if (reached_) {
        reached_(t, x_);
      }
      stop_ = !whole_.step(t, x_, so_far);
    }
  }

  ProcessExchange& processes_;
  WholeState& state_;
  OdeSink& whole_;
  OdeSink& part_;
  std::function<void(double, std::span<const double>)> reached_;
  std::vector<double> x_;
  double sampled_ = std::numeric_limits<double>::quiet_NaN();
  bool holds_sample_ = false;  // the present step
  bool wants_samples_ = false;
  bool wants_steps_ = false;
  bool first_ = true;
  bool stop_ = false;
};

}  // namespace

WholeState::WholeState(const FormulationPart& part, ProcessExchange& processes) : processes_(&processes) {
  const auto process = static_cast<std::size_t>(processes.process());
  const auto size = static_cast<std::size_t>(processes.size());
  std::vector<std::size_t> counts(size);
  counts[process] = part.state_size();
  std::vector<std::size_t> places(size + 1);
  for (std::size_t r = 0; r <= size; ++r) {
    places[r] = r * sizeof(std::size_t);
  }
  processes.share(std::as_writable_bytes(std::span(counts)), places);
  bounds_.assign(1, 0);
  for (const std::size_t count : counts) {
    bounds_.push_back(bounds_.back() + count);
  }
  if (process == 0) {
    ordered_.resize(bounds_.back());
  }
  // Numbers of components are exact as doubles.
  const std::vector<double> own(part.components().begin(), part.components().end());
  processes.collect(own, ordered_, bounds_);
  order_.reserve(ordered_.size());
  for (const double component : ordered_) {
    order_.push_back(static_cast<std::size_t>(component));
  }
}

void WholeState::collect(std::span<const double> own, std::span<double> whole) {
  processes_->collect(own, ordered_, bounds_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    whole[order_[i]] = ordered_[i];
  }
}

void WholeState::deal(std::span<const double> whole, std::span<double> own) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    ordered_[i] = whole[order_[i]];
  }
  processes_->deal(ordered_, own, bounds_);
}

SimulationResult simulate_part(FormulationPart& part, ProcessExchange& processes, const OdeEntry& integrator,
                               std::span<const double> tspan, std::span<const double> x0,
                               const SimulationOptions& options, const DividedRunSinks& sinks) {
  require_for_mechanisms(integrator);
  ProcessPartners partners(processes, part);
  OdeOptions ode = ode_options(options, part.layout());
  ode.partners = &partners;
  OdeSystem system;
  system.size = part.state_size();
  system.rhs = [&part](double t, std::span<const double> x, std::span<double> xdot) {
    return part.rhs(t, x, xdot).message();
  };
  WholeState state(part, processes);
  std::vector<double> own_x0(part.state_size());
  state.deal(x0, own_x0);

  NullSink nobody;
  SinkBarrier whole(sinks.whole != nullptr ? *sinks.whole : nobody);
  SinkBarrier local(sinks.part != nullptr ? *sinks.part : nobody);
  CollectingSink sink(processes, state, whole, local, options.step_reached);
  SimulationResult result;
  const std::size_t calls_before = part.rhs_calls();
  const Stopwatch stopwatch;
  result.ode = integrator.solve(system, tspan, own_x0, ode, sink);
  result.time = stopwatch.elapsed();
  result.rhs_calls = part.rhs_calls() - calls_before;
  result.sink_failure = whole.failure().empty() ? local.failure() : whole.failure();
  result.write_failed = whole.write_failed() || local.write_failed();

  const auto collected = [&](std::vector<double>& own) {
    std::vector<double> all(state.size());
    state.collect(own, all);
    if (processes.process() == 0) {
      own = std::move(all);
    }
  };
  collected(result.ode.x);
  if (!result.ode.statistics.mean_local_error.empty()) {
    collected(result.ode.statistics.mean_local_error);
  }
  return result;
}

}  // namespace mbdbench
