#include "benchmarks/simulated_cluster/measured_pieces.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>

#include "experiments/registries/formulation_choice.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kFewest = 15;          // repetitions
constexpr double kLeastTime = 0.04;  // s in all
constexpr double kBatch = 200.0;     // us: long for the clock, short for the scheduler

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void require(const RhsStatus& status, const std::string& what) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("{}: {}", what, status.message()));
  }
}

/// Calls until there are enough of them and enough time has passed.
template <typename Call>
void repeated(const Call& call) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kFewest || microseconds_since(start) < kLeastTime * 1e6; ++i) {
    call();
  }
}

}  // namespace

const FormulationRegistry& serial_registry() {
  static const FormulationRegistry registry = {formulation_registry().entries, Execution{}};
  return registry;
}

std::vector<double> moving_state(const FormulationPart& part, const Mechanism& mechanism) {
  std::vector<double> x(part.state_size());
  const auto coordinates = static_cast<std::size_t>(mechanism.q_size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t component = part.components()[i];
    constexpr double kMotion = 0.01;
    x[i] = component < coordinates ? mechanism.q0()[static_cast<Eigen::Index>(component)] : kMotion;
  }
  return x;
}

const Mechanism& MeasuredPieces::mechanism(const std::string& name) {
  if (name_ != name) {
    mechanism_ = std::make_unique<Mechanism>(make_mechanism(mechanism_registry(), name));
    name_ = name;
  }
  return *mechanism_;
}

double MeasuredPieces::whole(const std::string& formulation, const std::string& mechanism_name) {
  const Mechanism& of = mechanism(mechanism_name);
  const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
  const auto made = make_formulation(serial_registry(), *choice.entry, of, choice.options);
  std::vector<double> x(made->state_size());
  std::vector<double> xdot(x.size());
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(of.u_size());
  require(made->pack(0.0, {of.q0().data(), static_cast<std::size_t>(of.q_size())},
                     {u.data(), static_cast<std::size_t>(u.size())}, x),
          formulation);
  const auto call = [&] { require(made->rhs(0.0, x, xdot), formulation); };
  call();
  const Clock::time_point first = Clock::now();
  call();
  const int calls = std::max(1, static_cast<int>(kBatch / microseconds_since(first)));
  double shortest = std::numeric_limits<double>::infinity();
  repeated([&] {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    shortest = std::min(shortest, microseconds_since(start) / calls);
  });
  passes_ = 0;
  made->diagnostics([this](std::string_view name, double passes) {
    passes_ = name == "acceleration_passes" ? static_cast<int>(passes) : passes_;
  });
  return shortest;
}

std::vector<MirroredProcesses::Piece> MeasuredPieces::part(const std::string& formulation, const std::string& name,
                                                           int nodes) {
  const Mechanism& of = mechanism(name);
  const FormulationChoice choice = choose_formulation(formulation_registry(), formulation);
  MirroredProcesses processes(nodes);
  const auto made = make_formulation_part(serial_registry(), *choice.entry, of, choice.options, processes);
  const std::vector<double> x = moving_state(*made, of);
  std::vector<double> xdot(x.size());
  std::vector<MirroredProcesses::Piece> shortest;
  repeated([&] {
    processes.begin();
    require(made->rhs(0.0, x, xdot), formulation);
    const auto pieces = processes.end();
    if (shortest.empty()) {
      shortest.assign(pieces.begin(), pieces.end());
    }
    for (std::size_t i = 0; i < shortest.size(); ++i) {
      shortest[i].microseconds = std::min(shortest[i].microseconds, pieces[i].microseconds);
    }
  });
  return shortest;
}

}  // namespace mbdbench
