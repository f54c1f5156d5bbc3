#pragma once
/// \file
/// Pieces of right-hand sides on one core: always the shortest of many, since whatever else a machine does makes work
/// slower.
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/simulated_cluster/mirrored_processes.hpp"
#include "formulations/formulation_part.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns the suite's formulations on one thread, whatever the environment says.
const FormulationRegistry& serial_registry();

/// Mechanisms by their names, and what was timed on them; the last mechanism is kept, for large ones take seconds.
class MeasuredPieces {
 public:
  /// \returns the time of a right-hand side of one process, us. \param formulation "hdca[leaf=body]"
  double whole(const std::string& formulation, const std::string& mechanism);
  /// \returns the pieces of process 0 of so many.
  std::vector<MirroredProcesses::Piece> part(const std::string& formulation, const std::string& mechanism, int nodes);
  /// \returns how often the last `whole` went over its multipliers; 0 where it does not.
  [[nodiscard]] int passes() const { return passes_; }

 private:
  const Mechanism& mechanism(const std::string& name);

  std::string name_;
  std::unique_ptr<Mechanism> mechanism_;
  int passes_ = 0;
};

/// \returns a state that moves: velocities or momenta are not zero.
std::vector<double> moving_state(const FormulationPart& part, const Mechanism& mechanism);

}  // namespace mbdbench
