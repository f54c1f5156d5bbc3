#pragma once
/// \file
/// The rank that the constraints have in general: at closed positions near the start, where it is largest.
///
/// A row can be redundant where the loops are closed only (bricard, bennett, sarrus: mobile by geometry alone). In an
/// integration the loops are open by some drift; such rows are then independent by as much, and a rank that is decided
/// there locks the mechanism or tears it. The generic rank is settled on closed positions and never exceeded
/// afterwards; at singular positions the rank may fall below it.
#include <Eigen/Core>
#include <vector>

namespace mbdbench {

class Mechanism;

/// What is known of the rank of Phi_q.
struct GenericRank {
  int rank = 0;  ///< of all rows of Phi; their number where no position but the start could be closed
  /// Whether rows that are redundant at closed positions become independent where the loops are open. Rows of planar
  /// loops, which are zero everywhere, do not.
  bool overconstrained = false;
  /// Closed positions q, the start first; alone where all rows are independent there.
  std::vector<Eigen::VectorXd> positions;
};

/// Moves the mechanism from its start along four directions that leave its loops closed, closes them to rounding, and
/// takes the largest rank. Cost: O(m^2 n) for m rows and n velocities where all rows are independent at the start,
/// otherwise some thirty times as much.
GenericRank find_generic_rank(const Mechanism& mechanism);

}  // namespace mbdbench
