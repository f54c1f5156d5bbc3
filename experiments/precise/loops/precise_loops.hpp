#pragma once
/// \file
/// Equations of constraints of a mechanism in 113 bits: Phi(q, t) = 0 of its cut joints, then of the rows over joint
/// coordinates, Phi' = Phi_q u + Phi_t, and what Phi'' has besides Phi_q u'.
#include <Eigen/QR>
#include <vector>

#include "experiments/precise/loops/precise_cut.hpp"
#include "experiments/precise/loops/precise_rows.hpp"

namespace mbdbench::precise {

/// Rows of one tree's constraints, at the positions and velocities of the tree.
class PreciseLoops {
 public:
  /// \param tree must outlive this \throws std::invalid_argument for a factor of a velocity constraint that is not
  /// known
  explicit PreciseLoops(const PreciseTree& tree);

  /// \returns rows of all constraints; those that the tree keeps by itself are zero.
  [[nodiscard]] Eigen::Index rows() const { return cut_rows_ + own_.count(); }
  /// \returns how many of them belong to cut joints, which stand first, in their order.
  [[nodiscard]] Eigen::Index cut_rows() const { return cut_rows_; }
  /// \returns on which pieces of theirs factors of velocity constraints are.
  [[nodiscard]] const Pieces& pieces() const { return own_.pieces(); }
  [[nodiscard]] const std::vector<PreciseCut>& cuts() const { return cuts_; }

  /// Rows at the tree's positions. \param q which the tree has been given
  void place(double t, std::span<const Real> q);
  /// Their rates at its velocities, after that. \param qdot rates of coordinates
  void move(std::span<const Real> u, std::span<const Real> qdot);

  /// \returns Phi_q, rows() x u_size().
  [[nodiscard]] const RealMatrix& jacobian() const { return jacobian_; }
  /// \returns Phi; of a screw without what belongs to its turn, so that only displacements are told.
  [[nodiscard]] RealVector openings() const;
  /// \returns Phi_t: less the prescribed velocities.
  [[nodiscard]] RealVector time_rates() const { return -prescribed(motions_.velocities()); }
  /// \returns Phi' of the tree's velocities.
  [[nodiscard]] RealVector rates() const;
  /// \returns Phi'' at the tree's accelerations. \param udot the same
  [[nodiscard]] RealVector accelerations(std::span<const Real> udot) const;
  /// Wrenches of multipliers of cut joints on all bodies, about the world's origin.
  [[nodiscard]] std::vector<Spatial> wrenches(const RealVector& multipliers) const;
  /// Rates of these at constant multipliers, the world's axes being fixed.
  [[nodiscard]] std::vector<Spatial> wrench_rates(const RealVector& multipliers) const;
  /// \returns (Phi_q^T)' times multipliers of the rows over joint coordinates, u_size() entries.
  [[nodiscard]] RealVector own_force_rates(const RealVector& multipliers) const;

 private:
  void add_end(const PreciseCut& cut, Eigen::Index first, int body, double sign);
  [[nodiscard]] RealVector prescribed(std::span<const double> motions) const;
  [[nodiscard]] std::vector<Spatial> sums(const RealVector& multipliers,
                                          const RealMatrix& (PreciseCut::*columns)() const) const;

  const PreciseTree* tree_;
  std::vector<PreciseCut> cuts_;
  PreciseRows own_;  // over joint coordinates
  PrescribedMotions motions_;
  Eigen::Index cut_rows_ = 0;
  RealMatrix jacobian_;
  RealVector u_;
};

/// Solutions M x - Phi_q^T y = f, Phi_q x = g at one position. Rows that repeat others are taken once.
class LoopSolver {
 public:
  /// \param tree, loops at the position
  void factorise(PreciseTree& tree, const PreciseLoops& loops);

  /// \returns how x changes and what y is where Phi_q x has to become less by `excess`; y of rows that are zero: 0.
  struct Correction {
    Reals x;
    RealVector y;
  };
  [[nodiscard]] Correction remove(const RealVector& excess) const;

 private:
  std::vector<Eigen::Index> kept_;  // rows that are not zero
  Eigen::Index rows_ = 0;
  RealMatrix mobile_;  // M^-1 Phi_q^T
  Eigen::CompleteOrthogonalDecomposition<RealMatrix> mobility_;
};

}  // namespace mbdbench::precise
