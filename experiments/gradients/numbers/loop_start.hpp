#pragma once
/// \file
/// Starts of mechanisms whose joints are tied to one another, by loops or couplings: which start values follow from
/// those that are varied, and with which derivatives.
///
/// A varied coordinate has no derivative alone: the loops would open. As many other components as the constraints have
/// independent rows follow it, and the rest stays as it is; the same of velocities. Those that follow are chosen once,
/// at the mechanism's own start, among joints that closing may change (`dependent`), by the largest pivots of Phi_q.
/// The three turns of a ball follow together or stay: where one of them stayed, what it is would depend on the way
/// there.
///
///   Phi(q) = 0:                 Phi_D dq_D = -Phi_V dq_V
///   Phi_q u + Phi_t = 0:        Phi_D du_D = -Phi_V du_V - (dPhi_q) u
///
/// Cost: a dense factorisation of Phi_q and, for every varied coordinate, its rate along it.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/loop_closure.hpp"

namespace mbdbench::gradients {

/// A component of u whose start coordinate or start velocity is varied.
struct VariedComponent {
  std::string name;
  int q = 0;  ///< its place in q
  int u = 0;
  double offset = 0.0;  ///< what its number is more than the coordinate
};

class LoopStart {
 public:
  /// \param positions, velocities what is varied of both
  /// \throws std::invalid_argument where they are more than the constraints leave free, or tied to one another
  LoopStart(const Mechanism& mechanism, std::vector<VariedComponent> positions,
            std::vector<VariedComponent> velocities);

  /// \returns the components of u whose coordinates, and whose velocities, follow.
  [[nodiscard]] const ChangeableComponents& following() const { return following_; }
  /// Closes a start, with what is varied and what stays held. \throws ModelError where it cannot be closed
  void close(Eigen::VectorXd& q, Eigen::VectorXd& u) const;
  /// \returns the derivatives of a closed start, q and u one below the other, by varied coordinates, then by varied
  /// velocities, a column each. \throws std::invalid_argument at a singular position
  [[nodiscard]] Eigen::MatrixXd derivatives(const Eigen::VectorXd& q, const Eigen::VectorXd& u) const;

 private:
  [[nodiscard]] std::vector<int> followers_of(const std::vector<VariedComponent>& varied, const Eigen::MatrixXd& scaled,
                                              bool of_positions) const;
  /// \throws std::invalid_argument: what is varied leaves too few to follow. \param in_part a ball, empty: none
  [[noreturn]] void refuse(const std::vector<VariedComponent>& varied, Eigen::Index rank,
                           const std::string& in_part) const;

  Mechanism mechanism_;
  std::vector<VariedComponent> positions_;
  std::vector<VariedComponent> velocities_;
  ChangeableComponents following_;
};

}  // namespace mbdbench::gradients
