// Strong scaling beyond this machine: right-hand sides on a simulated cluster (SimGrid's SMPI).
//
//   benchmark_simulated_cluster SCHEDULES --latency US --overhead US --per-byte NS > scaling.csv
//
// SCHEDULES (benchmark_piece_costs writes it) says what every process does: work whose length was measured on a real
// core, and messages of the sizes that the program sends. Here nothing is measured: SMPI would mis-measure pieces of
// 20 us, so their lengths are entered (`smpi_execute`), and the network is one link a node with the given latency and
// bandwidth and a switch that nobody waits for. docs/understanding/simulated_cluster.md
#include <fmt/format.h>
#include <smpi/smpi.h>
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "benchmarks/simulated_cluster/schedule.hpp"
#include "benchmarks/simulated_cluster/schedule_file.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

constexpr double kStart = 1e-3;  // s, simulated: longer than to agree on when to begin
constexpr double kMicro = 1e-6;
constexpr double kFlops = 1e9;  // a node's; only times count

struct Simulation {
  Network network;
  std::vector<Schedule> schedules;
  int nodes = 1;
  std::vector<double> microseconds;  // of each schedule
  std::vector<char> buffer;          // of all messages of all processes: what is in them does not matter
};

Simulation& simulation() {
  static Simulation the_simulation;
  return the_simulation;
}

class Process {
 public:
  Process(int process, int nodes, MPI_Comm group) : process_(process), nodes_(nodes), group_(group) {}

  void run(const Schedule& schedule) const {
    for (const Step& step : schedule.steps) {
      run(step);
    }
  }

 private:
  void run(const Step& step) const {
    switch (step.kind) {
      case StepKind::compute:
        return work(step);
      case StepKind::all_gather:
        return all_gather(step);
      case StepKind::up:
        return up(step);
      case StepKind::down:
        return down(step);
      case StepKind::neighbour:
        return neighbour(step);
    }
  }

  static void work(const Step& step) {
    if (step.microseconds > 0.0) {
      smpi_execute(step.microseconds * kMicro);
    }
  }

  static char* bytes() { return simulation().buffer.data(); }

  void send(std::size_t size, int to) const { MPI_Send(bytes(), static_cast<int>(size), MPI_BYTE, to, 0, group_); }

  void receive(std::size_t size, int from) const {
    MPI_Recv(bytes(), static_cast<int>(size), MPI_BYTE, from, 0, group_, MPI_STATUS_IGNORE);
  }

  void all_gather(const Step& step) const {
    std::size_t size = step.bytes;
    for (int distance = 1; distance < nodes_; distance *= 2, size *= 2) {
      const int partner = process_ ^ distance;
      MPI_Sendrecv(bytes(), static_cast<int>(size), MPI_BYTE, partner, 0, bytes(), static_cast<int>(size), MPI_BYTE,
                   partner, 0, group_, MPI_STATUS_IGNORE);
    }
  }

  // Of two neighbouring groups the second one's first process tells the first one's: a binomial tree.
  void up(const Step& step) const {
    for (int distance = 1; distance < nodes_; distance *= 2) {
      if (process_ % (2 * distance) != 0) {
        return send(step.bytes, process_ - distance);
      }
      receive(step.bytes, process_ + distance);
      work(step);
    }
  }

  // The first process of a group opens its node, which is work of its own, while the second one's is under way.
  void down(const Step& step) const {
    for (int distance = nodes_ / 2; distance > 0; distance /= 2) {
      if (process_ % (2 * distance) == 0) {
        send(step.bytes, process_ + distance);
      } else if (process_ % distance == 0) {
        receive(step.bytes, process_ - distance);
      }
      if (process_ % distance == 0) {
        work(step);
      }
    }
  }

  void neighbour(const Step& step) const {
    if (process_ + 1 < nodes_) {
      send(step.bytes, process_ + 1);
    }
    if (process_ > 0) {
      receive(step.bytes, process_ - 1);
    }
    if (nodes_ > 1) {
      work(step);
    }
  }

  int process_;
  int nodes_;
  MPI_Comm group_;
};

/// \returns the time of a right-hand side, us: from when all processes begin at once to when the last one ends. One is
/// enough: nothing varies. Several in a row would overlap, since the root of a tree can go on before the leaves end.
double timed(const Schedule& schedule, int index, MPI_Comm group) {
  const Process process(index, schedule.nodes, group);
  const auto last = [group](double own) {
    double all = 0.0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, group);
    return all;
  };
  const double start = last(MPI_Wtime()) + kStart;
  smpi_execute(start - MPI_Wtime());
  process.run(schedule);
  return (last(MPI_Wtime()) - start) / kMicro;
}

/// Every process: all schedules that it takes part in, one after another.
void run_process() {
  MPI_Init(nullptr, nullptr);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  Simulation& all = simulation();
  MPI_Comm group = MPI_COMM_NULL;
  for (int nodes = 1; nodes <= all.nodes; nodes *= 2) {
    MPI_Comm_split(MPI_COMM_WORLD, process < nodes ? 0 : MPI_UNDEFINED, process, &group);
    for (std::size_t i = 0; i < all.schedules.size() && process < nodes; ++i) {
      if (all.schedules[i].nodes == nodes) {
        all.microseconds[i] = timed(all.schedules[i], process, group);
      }
    }
    if (group != MPI_COMM_NULL) {
      MPI_Comm_free(&group);
    }
  }
  MPI_Finalize();
}

/// One link a node; the switch costs nothing. A message passes two links.
std::vector<simgrid::s4u::Host*> make_hosts(int nodes, const Network& network) {
  namespace s4u = simgrid::s4u;
  s4u::NetZone* const zone = s4u::create_star_zone("cluster");
  std::vector<s4u::Host*> hosts;
  constexpr double kBytesPerSecond = 1e18;  // where a byte costs nothing
  const double bandwidth = network.per_byte > 0.0 ? 1.0 / (network.per_byte * kMicro) : kBytesPerSecond;
  for (int i = 0; i < nodes; ++i) {
    s4u::Host* const host = zone->create_host(fmt::format("node-{}", i), kFlops)->seal();
    s4u::SplitDuplexLink* const link = zone->create_split_duplex_link(fmt::format("link-{}", i), bandwidth);
    link->set_latency(network.latency * kMicro / 2.0)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {s4u::LinkInRoute(link, s4u::LinkInRoute::Direction::UP)}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

/// LogGP as it is: SMPI's own factors are those of one cluster of 2011, and its measuring of computations is off.
/// Work below a microsecond, which it leaves out unless told otherwise, counts.
void configure(const Network& network) {
  using simgrid::s4u::Engine;
  for (const char* const setting :
       {"surf/precision:1e-12", "network/model:CM02", "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/TCP-gamma:0", "network/weight-S:0", "network/crosstraffic:0", "smpi/simulate-computation:no",
        "smpi/cpu-threshold:0", "smpi/wtime:0", "contexts/stack-size:256", "smpi/async-small-thresh:2000000000",
        "smpi/send-is-detached-thresh:2000000000"}) {
    Engine::set_config(setting);
  }
  Engine::set_config(fmt::format("smpi/os:0:{}:0", network.overhead * kMicro));
  Engine::set_config(fmt::format("smpi/or:0:{}:0", network.overhead * kMicro));
}

void simulate(char** arguments) {
  Simulation& all = simulation();
  int argument_count = 1;  // the program's name: its options are not SimGrid's
  simgrid::s4u::Engine engine(&argument_count, arguments);
  xbt_log_control_set("xbt_cfg.thresh:warning");
  xbt_log_control_set("smpi_config.thresh:warning");
  simgrid::s4u::Engine::set_config(fmt::format("smpi/host-speed:{}f", kFlops));
  SMPI_init();
  configure(all.network);
  const std::vector<simgrid::s4u::Host*> hosts = make_hosts(all.nodes, all.network);
  const char* const instance = "right_hand_sides";
  SMPI_app_instance_register(instance, nullptr, all.nodes);
  for (int index = 0; index < all.nodes; ++index) {
    const simgrid::s4u::ActorPtr process =
        simgrid::s4u::Actor::init(fmt::format("process-{}", index), hosts[static_cast<std::size_t>(index)]);
    process->set_property("instance_id", instance);
    process->set_property("rank", fmt::format("{}", index));
    process->start(run_process);
  }
  engine.run();
  SMPI_finalize();
}

int run(int argument_count, char** arguments) {
  CLI::App program("Right-hand sides on a simulated cluster: log-log scaling beyond this machine.");
  Simulation& all = simulation();
  std::string file;
  double per_byte = 0.0;
  program.add_option("schedules", file, "what processes do (benchmark_piece_costs)")->required();
  program.add_option("--latency", all.network.latency, "L of LogGP, us")->required()->check(CLI::NonNegativeNumber);
  program.add_option("--overhead", all.network.overhead, "o, us at either end")
      ->required()
      ->check(CLI::NonNegativeNumber);
  program.add_option("--per-byte", per_byte, "G, ns a byte")->required()->check(CLI::NonNegativeNumber);
  try {
    program.parse(argument_count, arguments);
    all.schedules = read_schedules(file);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kExitOk : kExitBadInput;
  } catch (const FileError& error) {
    tell("{}\n", error.what());
    return kExitBadInput;
  }
  constexpr double kNanosecond = 1e-3;  // us
  all.network.per_byte = per_byte * kNanosecond;
  std::size_t largest = 1;
  for (const Schedule& each : all.schedules) {
    all.nodes = std::max(all.nodes, each.nodes);
    for (const Step& step : each.steps) {
      const auto copies = static_cast<std::size_t>(step.kind == StepKind::all_gather ? each.nodes : 1);
      largest = std::max(largest, step.bytes * copies);
    }
  }
  all.buffer.resize(largest);
  all.microseconds.resize(all.schedules.size());
  simulate(arguments);
  say("formulation,family,exchange,bodies,nodes,simulated_us,estimated_us\n");
  for (std::size_t i = 0; i < all.schedules.size(); ++i) {
    const Schedule& each = all.schedules[i];
    say("{},{:.6g},{:.6g}\n",
        csv_line({each.formulation, each.family, each.exchange, fmt::format("{}", each.bodies),
                  fmt::format("{}", each.nodes)}),
        all.microseconds[i], estimated(each, all.network));
  }
  return kExitOk;
}

}  // namespace
}  // namespace mbdbench

int main(int argument_count, char** arguments) {
  return mbdbench::run(argument_count, arguments);
}
