// What the processes of a right-hand side do, from pieces that are timed here on one core: the input of
// benchmark_simulated_cluster.
//
//   benchmark_piece_costs DIR [--quick]                     DIR/schedules.csv
//   mpirun -n 2 benchmark_piece_costs DIR --two-processes   the same of two processes, beside DIR/measured.csv
//
// Sub-chains are the program's own parts of a right-hand side (formulation_part.hpp), with what others would send
// mirrored. Their exchange is all to all, or along a tree, in which each level closes a handle. Bodies as leaves and
// dca-alm exchange along the assembly tree of the papers; a level of it costs what a body and its node cost.
// docs/understanding/simulated_cluster.md
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/simulated_cluster/measured_pieces.hpp"
#include "benchmarks/simulated_cluster/schedule_file.hpp"
#include "benchmarks/simulated_cluster/two_processes.hpp"
#include "experiments/files/write_error.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/terminal/exit_code.hpp"
#include "experiments/terminal/message.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/subchains/segments/segment_closing.hpp"

namespace mbdbench {
namespace {

constexpr int kMostNodes = 1024;
constexpr std::size_t kNumber = sizeof(double);
constexpr std::size_t kTurn = 12 * kNumber;   // a rotation and an angular velocity
constexpr std::size_t kWrench = 6 * kNumber;  // or a motion
constexpr std::size_t kAnswer = sizeof(ClosingVerdict) + sizeof(StretchAnswer);
constexpr std::size_t kInertia = 27 * kNumber;  // articulated inertia and bias

constexpr long kLongestLoop = 1L << 16;  // the catalogue's have at most 100000 joints

constexpr long kLargestTree = 1000000;

/// Of closing a handle inward and outward, by operations: 2100 and 290 (kernels/closing.hpp, tip_columns.hpp).
constexpr double kInward = 0.88;

/// A chain or a loop of so many bodies.
std::string named(const std::string& family, long bodies) {
  return family == "loop" ? fmt::format("loop:{}", bodies + 1)  // one of its links is the ground
                          : fmt::format("pendulum:{}", bodies);
}

/// Sub-chains as the program divides them among processes: at least one block of eight for each.
std::string subchains(const std::string& key, const std::string& family, long bodies, int nodes) {
  constexpr long kLongest = 4096;  // links of a block
  const long blocks = std::max<long>(nodes, bodies / kLongest);
  const std::string loop = family != "loop" ? "" : key == "dca" ? ",projection=off" : ",gauge=none";
  return fmt::format("{}[leaf=subchain,exchange=all,subchains={}{}]", key, 8 * blocks, loop);
}

class Schedules {
 public:
  Schedules(std::vector<long> sizes, int most_nodes) : sizes_(std::move(sizes)), most_nodes_(most_nodes) {}

  std::vector<Schedule> all() {
    for (const std::string family : {"chain", "loop"}) {
      for (const std::string key : {"hdca", "dca"}) {
        set_closings(key, family);
      }
      for (const long bodies : sizes_) {
        const long held = family == "loop" ? std::min(bodies, kLongestLoop) : bodies;
        for (const std::string key : {"hdca", "dca"}) {
          all_to_all(key, family, held);
        }
        for (const std::string key : {"hdca", "dca"}) {
          along_tree(key, family, held);
        }
        if (held < bodies) {
          break;
        }
      }
    }
    for (const long bodies : sizes_) {
      sub_trees(bodies);
    }
    for (const std::string family : {"chain", "loop", "ladder"}) {
      assembled("hdca", family);
      assembled("dca", family);
      assembled("dca-alm", family);
    }
    std::stable_sort(schedules_.begin(), schedules_.end(), [](const Schedule& a, const Schedule& b) {
      return std::tie(a.formulation, a.family, a.exchange, a.bodies, a.nodes) <
             std::tie(b.formulation, b.family, b.exchange, b.bodies, b.nodes);
    });
    return std::move(schedules_);
  }

 private:
  /// What closing one more segment costs after each exchange: in all to all everybody closes all of them.
  void set_closings(const std::string& key, const std::string& family) {
    constexpr int kFew = 2;
    constexpr int kMany = 256;
    constexpr long kBodies = 64;  // of a node
    const auto few = pieces_.part(subchains(key, family, kFew * kBodies, kFew), named(family, kFew * kBodies), kFew);
    const auto many =
        pieces_.part(subchains(key, family, kMany * kBodies, kMany), named(family, kMany * kBodies), kMany);
    std::vector<double>& closings = closings_[key + family];
    for (std::size_t i = 1; i < few.size(); ++i) {
      closings.push_back(std::max(0.0, (many[i].microseconds - few[i].microseconds) / (kMany - kFew)));
    }
  }

  void all_to_all(const std::string& key, const std::string& family, long bodies) {
    for (int nodes = 1; nodes <= most_nodes_; nodes *= 2) {
      Schedule next{key + "[leaf=subchain]", family, "all to all", bodies, nodes, {}};
      for (const auto& piece : pieces_.part(subchains(key, family, bodies, nodes), named(family, bodies), nodes)) {
        next.steps.push_back({StepKind::compute, 0, piece.microseconds});
        if (piece.bytes > 0) {
          next.steps.push_back({StepKind::all_gather, piece.bytes, 0.0});
        }
      }
      schedules_.push_back(std::move(next));
    }
  }

  /// The pieces are those of one of two processes with as many bodies each.
  void along_tree(const std::string& key, const std::string& family, long bodies) {
    for (int nodes = 1; nodes <= most_nodes_; nodes *= 2) {
      const int measured = std::min(nodes, 2);
      const long held = bodies / nodes * measured;
      Schedule next{key + "[leaf=subchain]", family, "tree", bodies, nodes, {}};
      const auto& closings = closings_.at(key + family);
      const auto own = pieces_.part(subchains(key, family, held, measured), named(family, held), measured);
      for (std::size_t i = 0; i < own.size(); ++i) {
        next.steps.push_back({StepKind::compute, 0, own[i].microseconds});
        if (own[i].bytes > 0) {
          const double closing = closings[i];
          const std::size_t node = node_bytes(key, own[i].bytes, i);
          next.steps.push_back({StepKind::up, node, kInward * closing});
          next.steps.push_back({StepKind::down, kAnswer, (1.0 - kInward) * closing});
        }
      }
      schedules_.push_back(std::move(next));
    }
  }

  /// One report, however many a process holds: its own segments are closed before it tells.
  static std::size_t node_bytes(const std::string& key, std::size_t bytes, std::size_t exchange) {
    constexpr std::size_t kTurnReport = 88;
    constexpr std::size_t kReport = 1408;
    return std::min(bytes, key == "dca" && exchange == 0 ? kTurnReport : kReport);
  }

  /// A balanced tree: every process a sub-tree, and of the trunk the body where two of them meet. No columns.
  void sub_trees(long bodies) {
    constexpr int kTrunk = 127;
    const double trunk = pieces_.whole("aba", fmt::format("balanced_tree:{}", kTrunk)) / kTrunk;
    for (const std::string key : {"hdca", "dca"}) {
      for (int nodes = bodies > kLargestTree ? 2 : 1; nodes <= most_nodes_; nodes *= 2) {
        const double own = pieces_.whole(key, fmt::format("balanced_tree:{}", bodies / nodes - 1));
        Schedule next{key, "tree", "tree", bodies, nodes, {{StepKind::compute, 0, own}}};
        const std::size_t sweeps = key == "dca" ? 3 : 4;
        const double each = trunk / static_cast<double>(sweeps);
        next.steps.insert(next.steps.begin(), {StepKind::down, kTurn, each});
        next.steps.push_back({StepKind::up, kInertia, each});
        next.steps.push_back({StepKind::down, key == "dca" ? 2 * kWrench : kWrench, each});
        if (key == "hdca") {
          next.steps.push_back({StepKind::up, kWrench, each});  // p' is summed inward
        }
        schedules_.push_back(std::move(next));
      }
    }
  }

  /// Bodies as leaves: the papers' algorithms, with as many bodies on a node as there are, and with one.
  void assembled(const std::string& key, const std::string& family) {
    for (const long bodies : sizes_) {
      for (int nodes = 1; nodes <= most_nodes_; nodes *= 2) {
        assembled(key, family, bodies, nodes);
      }
    }
    for (int nodes = 2; nodes <= most_nodes_; nodes *= 2) {
      assembled(key, family, nodes, nodes);
    }
  }

  void assembled(const std::string& key, const std::string& family, long bodies, int nodes) {
    const bool iterates = key == "dca-alm";
    const std::string published = key == "dca" ? ",projection=off" : ",gauge=none,projection=off";
    const std::string word =
        iterates ? key : key + "[leaf=body" + (family == "chain" ? ",kernel=general]" : published + "]");
    const long held = bodies / nodes;
    const double node = a_body(word, family, kSmall);
    const double own = static_cast<double>(held) * (held == 1 ? node : a_body(word, family, held));
    const int passes = passes_;
    const std::size_t rows = family == "ladder" ? 12 : 10;  // of the widest node's external handles (inspect)
    const std::size_t matrix = kNumber * rows * (rows + 1) / 2;
    const std::size_t vector = kNumber * rows;
    Schedule next{iterates ? key : key + "[leaf=body]", family, "tree", bodies, nodes, {}};
    const double sweeps = iterates ? 1.0 + 2.0 * passes : 1.0;
    if (!iterates) {
      next.steps = {{StepKind::up, kTurn, 0.0}, {StepKind::down, kTurn, 0.0}};
    }
    next.steps.push_back({StepKind::compute, 0, own});
    if (iterates) {
      next.steps.push_back({StepKind::up, matrix, node / sweeps});
      for (int pass = 0; pass < passes; ++pass) {
        next.steps.push_back({StepKind::up, vector, node / sweeps});
        next.steps.push_back({StepKind::down, vector, node / sweeps});
      }
    } else {
      next.steps.push_back({StepKind::up, matrix + vector + kTurn, kInward * node});
      next.steps.push_back({StepKind::down, vector, (1.0 - kInward) * node});
      next.steps.push_back({StepKind::neighbour, kNumber, 0.0});
    }
    next.steps.push_back({StepKind::compute, 0, node});  // the ground is closed at the root
    schedules_.push_back(std::move(next));
  }

  /// \returns the time of a body and its node, us. Of larger mechanisms it is that of the largest one timed.
  double a_body(const std::string& word, const std::string& family, long bodies) {
    const long size = std::clamp(bodies, kSmall, family == "chain" ? kLarge : kLargeClosed);
    const std::string mechanism = family == "ladder" ? fmt::format("ladder:{}", size / 2 - 1) : named(family, size);
    const auto [found, is_new] = body_times_.try_emplace(word + mechanism);
    if (is_new) {
      const double time = pieces_.whole(word, mechanism) / static_cast<double>(size);
      found->second = {time, pieces_.passes()};
    }
    passes_ = found->second.second;
    return found->second.first;
  }

  static constexpr long kSmall = 64;
  static constexpr long kLarge = 4096;
  static constexpr long kLargeClosed = 512;  // the rank of closed mechanisms is settled by a dense matrix
  std::vector<long> sizes_;
  int most_nodes_;
  MeasuredPieces pieces_;
  std::map<std::string, std::vector<double>> closings_;
  std::map<std::string, std::pair<double, int>> body_times_;
  int passes_ = 0;
  std::vector<Schedule> schedules_;
};

int run(int argument_count, char** arguments) {
  CLI::App program("Times the pieces of right-hand sides, for benchmark_simulated_cluster.");
  std::string folder;
  bool quick = false;
  bool two_processes = false;
  program.add_option("folder", folder, "where schedules.csv goes")->required();
  program.add_flag("--quick", quick, "few and small mechanisms");
  program.add_flag("--two-processes", two_processes, "measure two processes: mpirun -n 2 ...");
  try {
    program.parse(argument_count, arguments);
    std::filesystem::create_directories(folder);
    if (two_processes) {
      return measure_two_processes(folder, argument_count, arguments);
    }
    constexpr long kSmallest = 1L << 14;
    const std::vector<long> sizes = quick ? std::vector<long>{256} : std::vector<long>{kSmallest, 1L << 17, 1L << 20};
    write_schedules(std::filesystem::path(folder) / "schedules.csv", Schedules(sizes, quick ? 4 : kMostNodes).all());
    write_provenance(std::filesystem::path(folder) / "provenance.json", capture_provenance(Execution{}));
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kExitOk : kExitBadInput;
  } catch (const std::exception& error) {
    tell("benchmark_piece_costs: {}\n", error.what());
    return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace
}  // namespace mbdbench

int main(int argument_count, char** arguments) {
  return mbdbench::run(argument_count, arguments);
}
