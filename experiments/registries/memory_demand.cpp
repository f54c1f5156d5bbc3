#include "experiments/registries/memory_demand.hpp"

#include <fmt/format.h>

#include <string>

namespace mbdbench {

void MemoryDemand::add(double bytes, const std::string& what) {
  bytes_ += bytes;
  if (bytes > largest_) {
    largest_ = bytes;
    what_ = what;
  }
}

void MemoryDemand::add(const FormulationEntry& formulation, const Mechanism& mechanism, double copies) {
  add(copies * formulation.memory.bytes(mechanism),
      fmt::format("mechanism '{}' in formulation '{}'", mechanism.name(), formulation.key));
}

void MemoryDemand::add(const OdeEntry& integrator, const Mechanism& mechanism, bool newton_stages) {
  const double matrices = integrator.matrices + (newton_stages ? integrator.stage_matrices : 0.0);
  const auto size = static_cast<double>(mechanism.q_size() + mechanism.u_size());
  add(matrices * sizeof(double) * size * size,
      fmt::format("mechanism '{}' with integrator '{}', which keeps matrices of the size of the state,",
                  mechanism.name(), integrator.key));
}

void MemoryDemand::add(const MemoryDemand& other) {
  const double rest = other.bytes_ - other.largest_;
  add(other.largest_, other.what_);
  bytes_ += rest;
}

void MemoryDemand::require() const {
  const std::optional<double> available = available_memory();
  if (available && bytes_ > *available) {
    const std::string rest =
        bytes_ > 1.001 * largest_ ? fmt::format(", with all that stands beside it {:.3g} GB", 1e-9 * bytes_) : "";
    throw MemoryRefusal(
        fmt::format("{} needs about {:.3g} GB of memory{}, and {:.3g} GB can be had; take a smaller one, a recursive "
                    "formulation or an explicit integrator",
                    what_, 1e-9 * largest_, rest, 1e-9 * *available));
  }
}

void require_memory(const FormulationEntry& formulation, const Mechanism& mechanism, double copies) {
  MemoryDemand demand;
  demand.add(formulation, mechanism, copies);
  demand.require();
}

}  // namespace mbdbench
