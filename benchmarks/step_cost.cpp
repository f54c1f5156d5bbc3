// What a step costs beyond the right-hand side: the integrators' own vector operations, a whole run, and its output.
//
// Names: vectors/INTEGRATOR/N on N / 2 oscillators, in the counter ns_per_component the time beyond the right-hand
// sides over (components x evaluations); run/FORMULATION/INTEGRATOR/MECHANISM, ten seconds at 1e-6 without any output,
// with evaluations and the share of the right-hand sides; numbers/csv, writing a row, per number.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_stream.hpp"
#include "experiments/simulation/simulation.hpp"
#include "experiments/terminal/standard_descriptors.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// x'' = -x in pairs (x, x'), all with phases of their own: as cheap a right-hand side as there is.
OdeSystem oscillators(std::size_t size) {
  OdeSystem system;
  system.size = size;
  system.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    const std::size_t half = x.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      xdot[i] = x[half + i];
      xdot[half + i] = -x[i];
    }
    return std::string();
  };
  return system;
}

/// \returns the time of one evaluation, s.
double evaluation_time(const OdeSystem& system, std::span<const double> x, std::size_t repetitions) {
  std::vector<double> xdot(system.size);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repetitions; ++i) {
    benchmark::DoNotOptimize(system.rhs(0.0, x, xdot));
    benchmark::ClobberMemory();
  }
  return seconds_since(start) / static_cast<double>(repetitions);
}

void vector_operations(benchmark::State& state, const OdeEntry& integrator, std::size_t size) {
  const OdeSystem system = oscillators(size);
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double phase = 0.1 * static_cast<double>(i % (size / 2));
    x[i] = i < size / 2 ? std::sin(phase) : std::cos(phase);
  }
  OdeOptions options;
  options.relative_tolerance = 1e-6;
  NullSink sink;
  double own = 0.0;
  double evaluations = 0.0;
  while (state.KeepRunning()) {
    const auto start = std::chrono::steady_clock::now();
    const OdeResult result = integrator.solve(system, std::vector{0.0, 20.0}, x, options, sink);
    const double whole = seconds_since(start);
    if (result.status != OdeStatus::ok) {
      state.SkipWithError(result.message.c_str());
      break;
    }
    const auto count = static_cast<double>(result.statistics.nfevals);
    own += whole - count * evaluation_time(system, x, result.statistics.nfevals);
    evaluations += count;
  }
  state.counters["ns_per_component"] = 1e9 * own / (evaluations * static_cast<double>(size));
}

void whole_run(benchmark::State& state, const FormulationEntry& entry, const OdeEntry& integrator,
               const std::string& mechanism_name) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), mechanism_name);
  const auto formulation = make_formulation(formulation_registry(), entry, mechanism, {});
  const std::vector<double> x0 = initial_state(*formulation, 0.0);
  SimulationOptions options;
  options.ode.relative_tolerance = 1e-6;
  NullSink sink;
  SimulationResult result;
  while (state.KeepRunning()) {
    result = simulate(*formulation, integrator, std::vector{0.0, 10.0}, x0, options, sink);
    if (!result.succeeded()) {
      state.SkipWithError(result.message().c_str());
      return;
    }
  }
  const auto evaluations = static_cast<double>(result.ode.statistics.nfevals);
  state.counters["evaluations"] = evaluations;
  state.counters["ms"] = 1e3 * result.time.wall;
  state.counters["rhs_share"] =
      evaluations * evaluation_time(ode_system(*formulation), x0, result.ode.statistics.nfevals) / result.time.wall;
}

void csv_rows(benchmark::State& state) {
  constexpr std::size_t kColumns = 40;
  constexpr std::size_t kRows = 1000;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "mbdbench_step_cost.csv";
  std::vector<std::string> names;
  std::vector<double> row(kColumns);
  for (std::size_t i = 0; i < kColumns; ++i) {
    names.push_back(fmt::format("column{}", i));
    row[i] = std::sin(static_cast<double>(i + 1));
  }
  double elapsed = 0.0;
  while (state.KeepRunning()) {
    CsvStream stream(file, {}, names);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kRows; ++i) {
      row[0] = 0.01 * static_cast<double>(i);
      stream.write(row);
    }
    elapsed += seconds_since(start);
    stream.finish();
  }
  std::filesystem::remove(file);
  state.counters["ns_per_number"] = 1e9 * elapsed / static_cast<double>(state.iterations() * kRows * kColumns);
}

void register_step_costs() {
  for (const std::string_view key : {"ode45", "ode23", "ode113", "rkf45"}) {
    const OdeEntry* const integrator = find_integrator(integrator_registry(), key);
    for (const std::size_t size : {32U, 256U, 2048U}) {
      benchmark::RegisterBenchmark(
          fmt::format("vectors/{}/{}", key, size).c_str(),
          [integrator, size](benchmark::State& state) { vector_operations(state, *integrator, size); });
    }
  }
  for (const std::string_view formulation_key : {"aba", "hdca"}) {
    const FormulationEntry* const formulation = find_formulation(formulation_registry(), formulation_key);
    for (const std::string_view key : {"ode45", "ode113"}) {
      const OdeEntry* const integrator = find_integrator(integrator_registry(), key);
      benchmark::RegisterBenchmark(fmt::format("run/{}/{}/pendulum:16", formulation_key, key).c_str(),
                                   [formulation, integrator](benchmark::State& state) {
                                     whole_run(state, *formulation, *integrator, "pendulum:16");
                                   })
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RegisterBenchmark("numbers/csv", csv_rows);
}

}  // namespace
}  // namespace mbdbench

int main(int argument_count, char** arguments) {
  if (!mbdbench::open_standard_descriptors()) {
    return 3;
  }
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) {
    return 2;
  }
  mbdbench::register_step_costs();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
