#include "benchmarks/simulated_cluster/two_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "benchmarks/simulated_cluster/measured_pieces.hpp"
#include "benchmarks/simulated_cluster/schedule_file.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#if MBDBENCH_WITH_MPI
#include "experiments/mpi/mpi_session.hpp"
#endif

namespace mbdbench {

#if MBDBENCH_WITH_MPI
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kBatches = 150;
constexpr int kCalls = 8;  // of a batch: some ten to some hundred us, shorter than a slice of the scheduler

/// \returns the shortest mean of a batch, us, on the process that took longest.
template <typename Call>
double shortest_batch(ProcessExchange& processes, const Call& call) {
  double shortest = std::numeric_limits<double>::infinity();
  std::array<double, 1> meeting{};
  for (int batch = 0; batch < kBatches; ++batch) {
    processes.take_largest(meeting);
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kCalls; ++i) {
      call();
    }
    std::array<double, 1> took = {std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kCalls};
    processes.take_largest(took);
    shortest = std::min(shortest, took[0]);
  }
  return shortest;
}

/// \returns the time of an exchange of so many bytes, us.
double exchange_time(ProcessExchange& processes, std::size_t bytes) {
  std::vector<std::byte> all(2 * bytes);
  const std::array<std::size_t, 3> bounds = {0, bytes, 2 * bytes};
  return shortest_batch(processes, [&] { processes.share(all, bounds); });
}

}  // namespace

int measure_two_processes(const std::filesystem::path& folder, int& argument_count, char**& arguments) {
  MpiSession session(argument_count, arguments);
  ProcessExchange* const processes = processes_in_use();
  if (processes == nullptr || processes->size() != 2) {
    tell("--two-processes needs two of them: mpirun -n 2 benchmark_piece_costs DIR --two-processes\n");
    return session.end(kExitBadInput);
  }
  CsvTable measured;
  measured.columns = {"formulation", "family", "bodies", "measured_us"};
  std::vector<Schedule> schedules;
  constexpr std::size_t kSmallMessage = 88;
  constexpr std::size_t kLargeMessage = 11264;
  MeasuredPieces pieces;
  for (const std::string key : {"hdca", "dca"}) {
    for (const std::string family : {"chain", "loop"}) {
      for (const long bodies : {1024L, 4096L, 16384L}) {
        const std::string loop = family == "chain" ? "" : key == "dca" ? ",projection=off" : ",gauge=none";
        const std::string word =
            fmt::format("{}[leaf=subchain,subchains={}{}]", key, std::max(16L, bodies / 512), loop);
        const std::string name =
            fmt::format("{}:{}", family == "chain" ? "pendulum" : "loop", family == "chain" ? bodies : bodies + 1);
        const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
        const FormulationChoice choice = choose_formulation(serial_registry(), word);
        const auto part =
            make_formulation_part(serial_registry(), *choice.entry, mechanism, choice.options, *processes);
        const std::vector<double> x = moving_state(*part, mechanism);
        std::vector<double> xdot(x.size());
        const double real = shortest_batch(*processes, [&] { static_cast<void>(part->rhs(0.0, x, xdot)); });
        measured.rows.push_back(
            {key + "[leaf=subchain]", family, fmt::format("{}", bodies), fmt::format("{:.4g}", real)});
        if (processes->process() == 0) {
          Schedule next{key + "[leaf=subchain]", family, "all to all", bodies, 2, {}};
          for (const auto& piece : pieces.part(word, name, 2)) {
            next.steps.push_back({StepKind::compute, 0, piece.microseconds});
            if (piece.bytes > 0) {
              next.steps.push_back({StepKind::all_gather, piece.bytes, 0.0});
            }
          }
          schedules.push_back(std::move(next));
        }
        processes->rest_until_all();
      }
    }
  }
  const double small = exchange_time(*processes, kSmallMessage);
  const double large = exchange_time(*processes, kLargeMessage);
  if (processes->process() == 0) {
    constexpr double kNanoseconds = 1e3;
    const double per_byte = std::max(0.0, (large - small) / static_cast<double>(kLargeMessage - kSmallMessage));
    CsvTable network;
    network.columns = {"latency_us", "overhead_us", "per_byte_ns"};
    network.rows = {
        {fmt::format("{:.4g}", small - per_byte * kSmallMessage), "0", fmt::format("{:.4g}", kNanoseconds * per_byte)}};
    write_csv(folder / "network.csv", network);
    write_csv(folder / "measured.csv", measured);
    write_schedules(folder / "schedules.csv", schedules);
  }
  return session.end(kExitOk);
}

#else

int measure_two_processes(const std::filesystem::path& /*folder*/, int& /*argument_count*/, char**& /*arguments*/) {
  tell("benchmark_piece_costs was built without MPI (libopenmpi-dev): two processes cannot be measured\n");
  return kExitBadInput;
}

#endif

}  // namespace mbdbench
