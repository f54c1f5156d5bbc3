#include "experiments/simulation/processes/shared_simulation.hpp"

#include "experiments/terminal/interruption.hpp"

namespace mbdbench {
namespace {

/// Takes everybody's wish to stop to all. Exceptions of the sink are kept until all have stopped.
class AgreeingSink final : public OdeSink {
 public:
  AgreeingSink(ProcessExchange& processes, OdeSink* sink) : processes_(processes), sink_(sink) {
    double wants = sink != nullptr && sink->wants_samples() ? 1.0 : 0.0;
    processes.take_largest(std::span(&wants, 1));
    wants_samples_ = wants > 0.0;
  }

  [[nodiscard]] bool wants_samples() const override { return wants_samples_; }

  bool sample(double t, std::span<const double> x) override {
    guarded([&] { return sink_->sample(t, x); });
    return true;  // processes stop together, at the end of a step
  }

  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
    guarded([&] { return sink_->step(t, x, so_far); });
    double stop = stop_ || interruption_requested() ? 1.0 : 0.0;
    processes_.take_largest(std::span(&stop, 1));
    if (stop > 0.0 && failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
    return stop == 0.0;
  }

 private:
  template <class Call>
  void guarded(const Call& call) {
    if (sink_ == nullptr || stop_) {
      return;
    }
    try {
      stop_ = !call();
    } catch (...) {
      failure_ = std::current_exception();
      stop_ = true;
    }
  }

  ProcessExchange& processes_;
  OdeSink* sink_;
  std::exception_ptr failure_;
  bool wants_samples_ = false;
  bool stop_ = false;
};

}  // namespace

SimulationResult simulate_shared(Formulation& shared, ProcessExchange& processes, const OdeEntry& integrator,
                                 std::span<const double> tspan, std::span<const double> x0,
                                 const SimulationOptions& options, OdeSink* sink) {
  AgreeingSink agreeing(processes, sink);
  return simulate(shared, integrator, tspan, x0, options, agreeing);
}

}  // namespace mbdbench
