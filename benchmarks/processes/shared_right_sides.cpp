// Times of one right-hand side on one process and on all, for formulations whose branches processes share:
//
//   mpirun -n 2 benchmark_shared_right_sides COPIES MECHANISM FORMULATION...
//   mpirun -n 2 benchmark_shared_right_sides 8 rings:16 bae-haug dca hdca
//
// MECHANISM is one of the catalogue; COPIES of it hang on the ground beside one another (1: itself, with its loads).
// Both take turns, one batch each, so that whatever else the machine does meets both; the fastest batches are told.
// While process 0 computes alone the others sleep. All processes are checked to have the bits of one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "experiments/mpi/mpi_session.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/description/model_error.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

constexpr int kRounds = 200;
constexpr double kBatchSeconds = 0.002;

std::string copied(const std::string& name, int copy) {
  return name == kGround ? name : fmt::format("{}_{}", name, copy);
}

MechanismDescription beside_one_another(int copies, const std::string& key) {
  MechanismDescription one = make_mechanism(mechanism_registry(), key).description();
  if (copies == 1) {
    return one;
  }
  MechanismDescription all;
  all.name = fmt::format("{} x {}", copies, key);
  all.gravity = one.gravity;
  for (int copy = 0; copy < copies; ++copy) {
    for (BodyDescription body : one.bodies) {
      body.name = copied(body.name, copy);
      all.bodies.push_back(body);
    }
    for (JointDescription joint : one.joints) {
      joint.name = copied(joint.name, copy);
      joint.a = copied(joint.a, copy);
      joint.b = copied(joint.b, copy);
      all.joints.push_back(joint);
    }
  }
  return all;
}

double seconds_of(int calls, const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) {
    call();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void time_formulation(const Mechanism& mechanism, const std::string& key, ProcessExchange& processes) {
  const FormulationEntry* const entry = find_formulation(formulation_registry(), key);
  if (entry == nullptr) {
    throw ModelError({}, fmt::format("there is no formulation '{}'", key));
  }
  const auto alone = make_formulation(formulation_registry(), *entry, mechanism, "");
  const auto shared = make_process_formulation(formulation_registry(), *entry, mechanism, "", true, processes).whole;
  std::vector<double> x(alone->state_size());
  std::vector<double> expected(x.size());
  std::vector<double> found(x.size());
  if (!alone->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok || !alone->rhs(0.0, x, expected).ok ||
      !shared->rhs(0.0, x, found).ok) {
    throw ModelError({}, "the right-hand side at the start fails");
  }
  double differs = found != expected ? 1.0 : 0.0;
  processes.take_largest(std::span(&differs, 1));  // or those that find nothing would wait for the others
  if (differs > 0.0) {
    throw ModelError({}, "processes do not have the bits of one");
  }
  const auto one = [&] { alone->rhs(0.0, x, expected); };
  const auto together = [&] { shared->rhs(0.0, x, found); };
  double first = seconds_of(4, one);
  processes.take_largest(std::span(&first, 1));
  const int calls = std::max(1, static_cast<int>(4.0 * kBatchSeconds / first));
  double fastest_alone = std::numeric_limits<double>::infinity();
  double fastest_together = fastest_alone;
  for (int round = 0; round < kRounds; ++round) {
    if (processes.process() == 0) {
      fastest_alone = std::min(fastest_alone, seconds_of(calls, one));
    }
    processes.rest_until_all();
    seconds_of(2, together);  // all are awake
    double longest = seconds_of(calls, together);
    processes.take_largest(std::span(&longest, 1));
    fastest_together = std::min(fastest_together, longest);
    processes.rest_until_all();
  }
  fmt::print("{:32} {:10} {:9.1f} us on one process {:9.1f} us on {} ({:.2f}){}\n", mechanism.name(), key,
             1e6 * fastest_alone / calls, 1e6 * fastest_together / calls, processes.size(),
             fastest_alone / fastest_together, shared->is_divided() ? "" : ", not divided");
  std::fflush(stdout);
}

int time_all(std::span<char*> arguments) {
  ProcessExchange* const processes = processes_in_use();
  if (processes == nullptr || arguments.size() < 4) {
    fmt::print(stderr, "mpirun -n 2 {} COPIES MECHANISM FORMULATION...\n", arguments.front());
    return 2;
  }
  try {
    const Mechanism mechanism(beside_one_another(std::stoi(arguments[1]), arguments[2]));
    for (const char* const key : arguments.subspan(3)) {
      time_formulation(mechanism, key, *processes);
    }
  } catch (const std::exception& error) {  // the same on all processes
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace mbdbench

int main(int argument_count, char** arguments) {
  mbdbench::MpiSession session(argument_count, arguments);
  return session.end(mbdbench::time_all(std::span(arguments, static_cast<std::size_t>(argument_count))));
}
