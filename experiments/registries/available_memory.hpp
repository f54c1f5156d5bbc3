#pragma once
/// \file
/// How much memory there is, so that what cannot fit is refused with a number instead of being killed.
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// \param root "/", or another directory for tests
/// \returns bytes that may still be allocated: the machine's available memory (proc/meminfo), or what the control group
///          of this process, or one around it, leaves (sys/fs/cgroup, versions 1 and 2), whichever is less; nothing
///          where neither says so.
std::optional<double> available_memory(const std::filesystem::path& root = "/");

/// Thrown for what cannot fit.
class MemoryRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Several things that will exist at the same time.
class MemoryDemand {
 public:
  /// \param copies of the formulation; a share of one where ranks divide it
  void add(const FormulationEntry& formulation, const Mechanism& mechanism, double copies = 1.0);
  /// The matrices of an integrator, of a state of positions and velocities.
  void add(const OdeEntry& integrator, const Mechanism& mechanism, double copies = 1.0);
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
