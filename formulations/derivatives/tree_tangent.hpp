#pragma once
/// \file
/// The derivative of the right-hand side of one open tree along one direction of the state: its recursion over dual
/// numbers.
///
/// Cost: 2.1 to 3 right-hand sides, whatever the tree. TreeDerivatives would need what all directions share first,
/// which alone costs as much.
#include <span>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/derivatives/tangent_sweeps.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class TreeTangent {
 public:
  /// Parameters as of BatchTree; a mechanism for which `loads_without_lanes` is empty.
  TreeTangent(const Mechanism& mechanism, StateKind kind, const CutReferences* near, const InstructionSet& set);

  /// As Formulation::jacobian_vector. \returns whether it is right for sure: pivots positive, numbers finite
  bool jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                       std::span<double> product);

 private:
  TangentSweeps sweeps_;
  BatchTree tree_;
};

}  // namespace mbdbench
