// Runs divided among processes (threads of this process here): the steps, counts and bits of one process for every
// integrator that can, what is exchanged a run, and how failures end all processes alike.
#include "experiments/simulation/processes/divided_simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "formulations/execution/thread_processes.hpp"
#include "formulations/registry.hpp"
#include "integrators/ode_partners.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

constexpr const char* kFourBlocks = "leaf=subchain,subchains=32";

/// Keeps all samples.
class Keeper final : public OdeSink {
 public:
  bool sample(double t, std::span<const double> x) override {
    samples.emplace_back(t, std::vector<double>(x.begin(), x.end()));
    return true;
  }
  bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    steps.push_back(t);
    return true;
  }
  std::vector<std::pair<double, std::vector<double>>> samples;
  std::vector<double> steps;
};

void expect_same(const OdeResult& result, const OdeResult& expected, const std::string& where) {
  EXPECT_EQ(result.status, expected.status) << where << ": " << result.message;
  EXPECT_EQ(result.message, expected.message) << where;
  EXPECT_EQ(result.t, expected.t) << where;
  EXPECT_EQ(result.first_step, expected.first_step) << where;
  EXPECT_EQ(result.statistics.nsteps, expected.statistics.nsteps) << where;
  EXPECT_EQ(result.statistics.nfailed, expected.statistics.nfailed) << where;
  EXPECT_EQ(result.statistics.nfevals, expected.statistics.nfevals) << where;
}

std::vector<const OdeEntry*> dividing_integrators() {
  std::vector<const OdeEntry*> entries;
  for (const OdeEntry& entry : integrator_registry()) {
    if (entry.takes_partners) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

TEST(DividedRunThreads, every_integrator_that_can_takes_the_steps_of_one_process) {
  ASSERT_GE(dividing_integrators().size(), 6U);
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:60");
  const FormulationEntry& hdca = *find_formulation(formulation_registry(), "hdca");
  const auto whole = make_formulation(formulation_registry(), hdca, mechanism, kFourBlocks);
  const std::vector<double> x0 = initial_state(*whole, 0.0);
  SimulationOptions options;
  options.ode.relative_tolerance = 1e-5;
  options.ode.record_local_error = true;
  options.absolute_tolerance_of = {{StateKind::momentum, 1e-4}};
  for (const OdeEntry* const integrator : dividing_integrators()) {
    options.ode.fixed_step = integrator->adaptive ? OdeOptions::kUnset : 2e-3;
    for (const std::vector<double>& times : {std::vector{0.0, 0.1}, std::vector{0.0, 0.03, 0.06, 0.1}}) {
      Keeper expected_samples;
      const SimulationResult expected = simulate(*whole, *integrator, times, x0, options, expected_samples);
      ASSERT_TRUE(expected.succeeded()) << integrator->key;
      for (const int size : {2, 4}) {
        const std::string where = fmt::format("{} on {} processes, {} times", integrator->key, size, times.size());
        on_processes(size, [&](ProcessExchange& processes) {
          const auto part = make_formulation_part(formulation_registry(), hdca, mechanism, kFourBlocks, processes);
          Keeper samples;
          Keeper own_steps;
          const bool first = processes.process() == 0;
          const SimulationResult result =
              simulate_part(*part, processes, *integrator, times, first ? std::span(x0) : std::span<const double>(),
                            options, first ? DividedRunSinks{&samples, &own_steps} : DividedRunSinks{});
          expect_same(result.ode, expected.ode, where);
          EXPECT_EQ(result.rhs_calls, expected.rhs_calls) << where;
          if (first) {
            EXPECT_EQ(samples.samples, expected_samples.samples) << where;
            EXPECT_EQ(own_steps.steps, expected_samples.steps) << where;
            EXPECT_EQ(result.ode.x, expected.ode.x) << where;
            EXPECT_EQ(result.ode.statistics.mean_local_error, expected.ode.statistics.mean_local_error) << where;
            // The steps that hold a sample: of two times all, of several the first one and those around the times.
            std::vector<double> with_samples;
            double before = -1.0;
            for (const double t : expected_samples.steps) {
              if (times.size() == 2 || std::any_of(times.begin(), times.end(),
                                                   [&](double sample) { return before < sample && sample <= t; })) {
                with_samples.push_back(t);
              }
              before = t;
            }
            EXPECT_EQ(samples.steps, with_samples) << where;
          }
        });
      }
    }
  }
}

TEST(DividedRunThreads, momenta_meet_once_an_evaluation_and_accelerations_twice) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:60");
  for (const std::string_view key : {"hdca", "dca"}) {
    for (const std::string_view method : {"ode45", "ode113"}) {
      const FormulationEntry& formulation = *find_formulation(formulation_registry(), key);
      const OdeEntry& integrator = *find_integrator(integrator_registry(), method);
      const auto whole = make_formulation(formulation_registry(), formulation, mechanism, kFourBlocks);
      const std::vector<double> x0 = initial_state(*whole, 0.0);
      OdeStatistics statistics;
      const ExchangeCounts counts = on_processes(2, [&](ProcessExchange& processes) {
        const auto part = make_formulation_part(formulation_registry(), formulation, mechanism, kFourBlocks, processes);
        const bool first = processes.process() == 0;
        const SimulationResult result = simulate_part(*part, processes, integrator, std::vector{0.0, 0.1},
                                                      first ? std::span(x0) : std::span<const double>(), {}, {});
        if (first) {
          statistics = result.ode.statistics;
        }
      });
      ASSERT_GT(statistics.nsteps, 5U);
      // One more tells how many components every process has.
      EXPECT_EQ(counts.shares, statistics.nfevals * (key == "hdca" ? 1 : 2) + 1) << key << " " << method;
      // An attempt measures its error; a step asks whether anybody wants to stop. ode113 also asks for the error of a
      // higher order and for its second evaluation.
      const std::size_t attempts = statistics.nsteps + statistics.nfailed;
      EXPECT_LE(counts.reductions, (method == "ode45" ? 1 : 3) * attempts + statistics.nsteps + 5)
          << key << " " << method;
      // Where the components lie, the initial state, the final one: no samples were asked for.
      EXPECT_EQ(counts.collections, 3U) << key << " " << method;
    }
  }
}

/// Eight equations x' = f(x) without a mechanism, neighbouring ones on a process.
class PlainPart final : public FormulationPart {
 public:
  static constexpr std::size_t kSize = 8;
  using Rate = double (*)(double t, std::size_t component, double x);

  PlainPart(ProcessExchange& processes, Rate rate, double fails_from)
      : FormulationPart(layout_of(processes), components_of(processes)),
        processes_(processes),
        rate_(rate),
        fails_from_(fails_from) {}

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    double bad = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      bad = std::isfinite(x[i]) ? bad : 1.0;
      xdot[i] = rate_(t, components()[i], x[i]);
    }
    processes_.take_largest(std::span(&bad, 1));
    return {bad == 0.0 && t < fails_from_, "k3", "there is no value at", t};
  }

 private:
  static std::vector<std::size_t> components_of(const ProcessExchange& processes) {
    const std::size_t count = kSize / static_cast<std::size_t>(processes.size());
    std::vector<std::size_t> components(count);
    for (std::size_t i = 0; i < count; ++i) {
      components[i] = static_cast<std::size_t>(processes.process()) * count + i;
    }
    return components;
  }
  static std::vector<StateComponent> layout_of(const ProcessExchange& processes) {
    return std::vector<StateComponent>(components_of(processes).size());
  }

  ProcessExchange& processes_;
  Rate rate_;
  double fails_from_;
};

/// The same on one process.
OdeResult on_one_process(PlainPart::Rate rate, double fails_from, const OdeEntry& integrator,
                         const std::vector<double>& x0, const OdeOptions& options) {
  OdeSystem system;
  system.size = PlainPart::kSize;
  system.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      xdot[i] = rate(t, i, x[i]);
    }
    return RhsStatus{t < fails_from, "k3", "there is no value at", t}.message();
  };
  NullSink nobody;
  return integrator.solve(system, std::vector{0.0, 1.0}, x0, options, nobody);
}

TEST(DividedRunThreads, numbers_that_become_infinite_and_failures_end_all_processes_as_one) {
  struct Case {
    const char* name = "";
    PlainPart::Rate rate = nullptr;
    double fails_from = std::numeric_limits<double>::infinity();
    OdeStatus fixed = OdeStatus::not_finite;  // of methods with constant steps
    OdeStatus adaptive = OdeStatus::not_finite;
  };
  const std::vector<Case> cases = {
      // Beyond t = 0.5 one component has no derivative: steps shrink towards there.
      {"no derivative", [](double t, std::size_t i, double x) { return i == 5 && t > 0.5 ? std::sqrt(0.5 - t) : -x; }},
      // The derivative alone becomes infinite, and only at the end of a step.
      {"infinite derivative", [](double t, std::size_t i,
                                 double x) { return i == 7 && t > 0.4 ? std::numeric_limits<double>::infinity() : x; }},
      {"too fast", [](double /*t*/, std::size_t i, double x) { return i == 2 ? 1e200 * x * x : 0.0 * x; }},
      {"fails", [](double /*t*/, std::size_t /*i*/, double x) { return -x; }, 0.3, OdeStatus::rhs_failed,
       OdeStatus::rhs_failed}};
  const std::vector<double> x0 = {1.0, 0.5, 1.0, 2.0, -1.0, 0.25, 3.0, 1.0};
  for (const Case& each : cases) {
    for (const OdeEntry* const integrator : dividing_integrators()) {
      SimulationOptions options;
      options.ode.relative_tolerance = 1e-4;
      options.ode.fixed_step = integrator->adaptive ? OdeOptions::kUnset : 0.03;
      OdeOptions ode = options.ode;
      ode.absolute_tolerance = {options.absolute_tolerance};
      const OdeResult expected = on_one_process(each.rate, each.fails_from, *integrator, x0, ode);
      ASSERT_NE(expected.status, OdeStatus::ok) << each.name << " " << integrator->key;
      for (const int size : {2, 4}) {
        const std::string where = fmt::format("{}: {} on {} processes", each.name, integrator->key, size);
        on_processes(size, [&](ProcessExchange& processes) {
          PlainPart part(processes, each.rate, each.fails_from);
          const SimulationResult result =
              simulate_part(part, processes, *integrator, std::vector{0.0, 1.0},
                            processes.process() == 0 ? std::span(x0) : std::span<const double>(), options, {});
          expect_same(result.ode, expected, where);
          if (processes.process() == 0) {
            EXPECT_EQ(result.ode.x, expected.x) << where;
          }
        });
      }
    }
  }
}

TEST(DividedRunThreads, a_sink_that_throws_or_wants_to_stop_stops_all_at_the_same_step) {
  class Stopper final : public OdeSink {
   public:
    explicit Stopper(bool throws) : throws_(throws) {}
    bool sample(double /*t*/, std::span<const double> /*x*/) override {
      if (throws_ && ++samples_ > 9) {
        throw std::runtime_error("the disk is full");
      }
      return true;
    }
    bool step(double /*t*/, std::span<const double> /*x*/, const OdeStatistics& so_far) override {
      return throws_ || so_far.nsteps < 3;
    }

   private:
    bool throws_;
    int samples_ = 0;
  };
  const std::vector<double> x0(PlainPart::kSize, 1.0);
  for (const bool throws : {false, true}) {
    on_processes(2, [&](ProcessExchange& processes) {
      PlainPart part(
          processes, [](double /*t*/, std::size_t i, double x) { return -static_cast<double>(i) * x; },
          std::numeric_limits<double>::infinity());
      Stopper stopper(throws);
      const bool first = processes.process() == 0;
      const SimulationResult result =
          simulate_part(part, processes, *find_integrator(integrator_registry(), "ode45"), std::vector{0.0, 100.0},
                        first ? std::span(x0) : std::span<const double>(), {},
                        first ? DividedRunSinks{&stopper, nullptr} : DividedRunSinks{});
      EXPECT_EQ(result.ode.status, OdeStatus::stopped);
      EXPECT_EQ(result.ode.statistics.nsteps, 3U);  // four samples a step after the first one
      EXPECT_EQ(result.sink_failure, first && throws ? "the disk is full" : "");
    });
  }
}

TEST(DividedRunThreads, what_needs_the_whole_state_is_refused) {
  const auto refusal = [](const auto& change) {
    OdeSystem system;
    system.size = 1;
    system.rhs = [](double, std::span<const double>, std::span<double>) { return std::string(); };
    OdeOptions options;
    class Alone final : public OdePartners {
      void take_largest(std::span<double> /*numbers*/) override {}
      std::string first_text(const std::string& own) override { return own; }
      [[nodiscard]] std::size_t component(std::size_t own) const override { return own; }
    } alone;
    options.partners = &alone;
    change(system, options);
    try {
      validate(system, std::vector{0.0, 1.0}, std::vector{0.0}, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal([](OdeSystem&, OdeOptions&) {}), "accepted");
  EXPECT_NE(refusal([](OdeSystem&, OdeOptions& options) { options.norm_control = true; }).find("norm_control"),
            std::string::npos);
  EXPECT_NE(refusal([](OdeSystem& system, OdeOptions&) {
              system.after_step = [](double, std::span<double>) { return false; };
            }).find("after_step"),
            std::string::npos);
}

}  // namespace
}  // namespace mbdbench
