// Cost of one right-hand side per body: every formulation of the registry on serial chains, balanced trees and loops.
//
// Names: rhs/FORMULATION/MECHANISM/N; the counter ns_per_body is wall time over bodies, passes is how often a
// formulation that iterates went over its multipliers. Dense formulations stop at n = 256. For a figure:
// benchmark_right_hand_side --benchmark_out=rhs.json --benchmark_out_format=json, then plots/rhs_cost.py rhs.json.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "experiments/terminal/standard_descriptors.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

void right_hand_side(benchmark::State& state, const FormulationRegistry& registry, const FormulationEntry& entry,
                     const std::string& mechanism_name, std::string_view options = {}) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), mechanism_name);
  const auto formulation = make_formulation(registry, entry, mechanism, options);
  std::vector<double> x(formulation->state_size());
  std::vector<double> xdot(x.size());
  // A moving state: at rest all velocity terms vanish and might be skipped.
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(mechanism.u_size(), -0.5, 0.5);
  const Eigen::VectorXd q =
      mechanism.constrained() ? mechanism.q0() : Eigen::VectorXd::LinSpaced(mechanism.q_size(), 0.3, 1.1);
  const RhsStatus packed = formulation->pack(0.0, {q.data(), static_cast<std::size_t>(q.size())},
                                             {u.data(), static_cast<std::size_t>(u.size())}, x);
  if (!packed.ok) {
    state.SkipWithError(packed.message().c_str());
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  while (state.KeepRunning()) {
    const RhsStatus status = formulation->rhs(0.0, x, xdot);
    if (!status.ok) {
      state.SkipWithError(status.message().c_str());
      break;
    }
    benchmark::DoNotOptimize(xdot.data());
    benchmark::ClobberMemory();
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  state.counters["ns_per_body"] =
      elapsed.count() / (static_cast<double>(state.iterations()) * static_cast<double>(mechanism.body_count()));
  formulation->diagnostics([&](std::string_view name, double passes) {
    if (name == "acceleration_passes") {
      state.counters["passes"] = passes;
    }
  });
}

void register_all() {
  constexpr int kLargestDense = 256;
  constexpr int kLargest = 16384;
  for (const FormulationEntry& entry : formulation_registry()) {
    const bool cubic = entry.key.starts_with("dense");
    for (const std::string_view mechanism : {"pendulum", "pendulum_xyz", "balanced_tree", "loop"}) {
      if (mechanism == "loop" && !entry.refusal(make_mechanism(mechanism_registry(), mechanism)).empty()) {
        continue;
      }
      for (int n = 4; n <= (cubic ? kLargestDense : kLargest); n *= 4) {
        const std::string name = fmt::format("rhs/{}/{}/{}", entry.key, mechanism, n);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&entry, label = fmt::format("{}:{}", mechanism, n)](benchmark::State& state) {
                                       right_hand_side(state, formulation_registry(), entry, label);
                                     });
      }
    }
  }
}

struct SubchainCase {
  std::string_view simd;
  std::string_view key;
  std::string_view mechanism;
  int threads = 1;
  int bodies = 1;
  std::string_view leaf = "subchain";
};

void register_subchain(const SubchainCase& each) {
  const std::string name = fmt::format("rhs/{}[leaf={}]/{}/threads:{}/{}/{}", each.key, each.leaf, each.simd,
                                       each.threads, each.mechanism, each.bodies);
  benchmark::RegisterBenchmark(name.c_str(), [each](benchmark::State& state) {
    FormulationRegistry registry = formulation_registry();
    registry.execution.instruction_set = instruction_set_named(each.simd);
    const bool loop = each.mechanism == "loop";  // one of its links is the ground
    right_hand_side(state, registry, *find_formulation(registry, each.key),
                    fmt::format("{}:{}", each.mechanism, loop ? each.bodies + 1 : each.bodies),
                    fmt::format("leaf={},threads={}{}", each.leaf, each.threads,
                                loop && each.key == "dca" ? ",projection=off" : ""));
  });
}

/// Sub-chains and sub-trees as leaves, in every instruction set of this machine and on one and two threads, beside the
/// recursions.
void register_subchains() {
  constexpr int kLargestLoop = 16384;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    for (const std::string_view key : {"dca", "hdca"}) {
      for (const std::string_view mechanism : {"pendulum", "pendulum_xyz", "loop"}) {
        for (const int threads : {1, 2}) {
          for (int n = 8; n <= 1 << 20; n *= 2) {
            if (mechanism == "loop" && n > kLargestLoop) {
              break;
            }
            register_subchain({set.name, key, mechanism, threads, n});
          }
        }
      }
      for (const int threads : {1, 2}) {
        for (const int n : {127, 1023, 8191, 65535}) {
          register_subchain({set.name, key, "balanced_tree", threads, n, "subtree"});
        }
      }
    }
  }
}

/// Closed loops by the matrices of [Naudet2005], beside the default of the same formulations.
void register_constraint_matrices() {
  constexpr int kLargest = 256;  // longer ones are refused: two neighbouring links are too nearly in line
  for (const std::string_view key : {"naudet", "naudet-reduced"}) {
    for (int n = 4; n <= kLargest; n *= 4) {
      const std::string name = fmt::format("rhs/{}[loops=matrices]/loop/{}", key, n);
      benchmark::RegisterBenchmark(name.c_str(), [key, label = fmt::format("loop:{}", n)](benchmark::State& state) {
        right_hand_side(state, formulation_registry(), *find_formulation(formulation_registry(), key), label,
                        "loops=matrices");
      });
    }
  }
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
  mbdbench::register_all();
  mbdbench::register_constraint_matrices();
  mbdbench::register_subchains();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
