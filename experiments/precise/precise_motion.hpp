#pragma once
/// \file
/// Equations of motion of open and closed mechanisms in 113 bits. Loops by their own condition: the twist of a cut
/// joint's bodies against one another stays in the span of its axes. Shares no code with any formulation.
#include <string>

#include "experiments/precise/precise_tree.hpp"

namespace mbdbench::precise {

/// \returns why PreciseMotion does not treat a mechanism: loads that it does not know, prescribed motions, couplings,
/// what rolls and other cut joints without axes; empty where it does.
std::string refuse_precise_motion(const Mechanism& mechanism);

/// u' or p' of one mechanism. With m rows of loops O(n m + m^3).
class PreciseMotion {
 public:
  /// \param mechanism, numbers must outlive this \throws std::invalid_argument what refuse_precise_motion says
  PreciseMotion(const Mechanism& mechanism, const TreeNumbers& numbers);

  /// \returns u' at coordinates and quasi-velocities that satisfy the constraints, or are as near as rounding.
  Reals accelerations(double t, std::span<const Real> q, std::span<const Real> u);
  /// \returns q' = N(q) u. \param u quasi-velocities
  [[nodiscard]] Reals coordinate_rates(std::span<const Real> q, std::span<const Real> u) const {
    return tree_.coordinate_rates(q, u);
  }

  /// q' and p' of canonical momenta p = M u.
  struct MomentumRates {
    Reals q;
    Reals p;
  };
  /// \throws std::logic_error with loops, where momenta hold impulses of constraints
  MomentumRates momentum_rates(double t, std::span<const Real> q, std::span<const Real> p);
  /// \returns p = M u of an open tree.
  Reals momenta(std::span<const Real> q, std::span<const Real> u);
  /// \returns u of such momenta.
  Reals velocities(std::span<const Real> q, std::span<const Real> p);
  /// Sets the positions of `body` alone.
  void place(std::span<const Real> q) { tree_.place(q); }
  [[nodiscard]] const TreeBody& body(int body) const { return tree_.body(body); }

 private:
  /// What a cut joint asks of the accelerations of its bodies.
  struct Cut {
    int a = -1;
    int b = -1;
    Eigen::Index first = 0;  ///< of its rows
    RealMatrix complement;   ///< 6 x rows, normal to the axes
    Spatial bias = Spatial::Zero();
  };
  void set_cuts();
  /// \returns what is missing to the rows: complement^T (A_b - A_a), less `bias` where velocities count.
  [[nodiscard]] RealVector gaps(bool velocities) const;
  /// \returns u' (of the row alone: by a unit multiplier) under multipliers of the rows.
  Reals solution(const RealVector& multipliers, const PreciseTree::Loads& loads);

  PreciseTree tree_;
  std::vector<Cut> cuts_;
  Eigen::Index rows_ = 0;
  Reals no_forces_;
};

}  // namespace mbdbench::precise
