#pragma once
/// \file
/// What formulations and integrators will need, before they are made.
#include <optional>
#include <string>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"
#include "mechanisms/model/available_memory.hpp"

namespace mbdbench {

/// Several things that will exist at the same time.
class MemoryDemand {
 public:
  /// \param copies of the formulation; a share of one where processes divide it
  void add(const FormulationEntry& formulation, const Mechanism& mechanism, double copies = 1.0);
  /// The matrices of an integrator, of a state of positions and velocities. \param newton_stages as OdeOptions says
  void add(const OdeEntry& integrator, const Mechanism& mechanism, bool newton_stages);
  /// Another demand at the same time.
  void add(const MemoryDemand& other);
  /// \throws MemoryRefusal naming the largest part, what all need and what there is
  void require() const;
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  void add(double bytes, const std::string& what);

  double bytes_ = 0.0;
  double largest_ = 0.0;
  std::string what_;  ///< the largest part
};

/// \param copies formulations of this kind that will exist at the same time
/// \throws MemoryRefusal naming mechanism, formulation, what they need and what there is
void require_memory(const FormulationEntry& formulation, const Mechanism& mechanism, double copies = 1.0);

}  // namespace mbdbench
