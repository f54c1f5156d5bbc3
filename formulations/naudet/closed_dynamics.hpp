#pragma once
/// \file
/// Equations of motion of closed loops in independent quasi-velocities and reduced canonical momenta [Naudet2005].
///
///   p_i = B^T M u,   u = B u_i,   p_i' = B^T (Q^ + ...) + B'^T M u
///
/// DEVIATES [Naudet2005, Eq. (22)-(27)]: the paper reduces the dependent links' momenta by matrices C_K along the loop,
/// for dependent joints that stand next to the cut (constrained_momenta.hpp). Here the same p_i come out for any
/// dependent joints: among all momenta p = M u - Phi_q^T sigma of one motion the ones with p_d = 0 have p_i for the
/// others. So the recursion over the part (parts/part_recursion.hpp) takes [p_i; 0], the impulses sigma of the cut
/// joints close the loops, and p_i' = B^T p' with p' of the part, sigma held (constrained_momenta_test: both ways
/// agree).
///
/// Cost: O(n) where loops are closed at links; B costs O(m n_path + m b^2), m rows of the cut joints over b dependent
/// columns each.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/naudet/dependents/dependent_joints.hpp"
#include "formulations/parts/forms/closed_accelerations.hpp"
#include "formulations/parts/forms/closed_momenta.hpp"
#include "formulations/parts/world_recursion.hpp"

namespace mbdbench {

/// What a formulation of closed loops computes with.
struct ClosedSettings {
  StateKind rate_kind = StateKind::momentum;
  std::vector<bool> allowed;            ///< components of u that may depend, see `dependent_candidates`
  DependentChoice choice;               ///< the components that depend at first
  Execution execution;                  ///< one process, one thread
  const CutReferences* near = nullptr;  ///< as of LoadEvaluator
};

/// Workspace of the equations. Allocates nothing after construction but in `reduced_momenta`, `reactions` and
/// `better_choice`.
class ClosedDynamics {
 public:
  ClosedDynamics(const Mechanism& mechanism, const ClosedSettings& settings);

  /// All of B at q. \returns why not: a singular choice
  RhsStatus set_positions(std::span<const double> q);
  /// Changes the dependent coordinates of q until the loops are closed, by Newton's method to rounding. \param q holds
  /// dependent coordinates of `from` \param from the closed position of the last keep_prediction: the search begins
  /// with q_d + K (q_i - from_i) where that is nearer, so that it stays in the assembly where two of them meet
  RhsStatus close_positions(std::span<double> q, std::span<const double> from);
  /// Keeps K of the last set_positions for close_positions. Not for hot loops.
  void keep_prediction() { dependents_.keep_ratios(); }
  /// Velocities of reduced momenta, after set_positions. \param p over u; entries of dependent and prescribed
  /// components are not read \returns which joint or loop stops it
  RhsStatus solve_velocities(double t, std::span<const double> q, std::span<const double> p);
  /// Takes all velocities; dependent ones follow from the others where `complete`.
  void set_velocities(std::span<const double> u, bool complete);
  /// B^T M u over u, zero for dependent components; after set_velocities. Not for hot loops.
  RhsStatus reduced_momenta(double t, std::span<const double> q, std::span<double> p);
  /// p_i' over u, zero for dependent components; after solve_velocities.
  RhsStatus reduced_momentum_rates(double t, std::span<const double> q, std::span<double> pdot);
  /// u', after set_velocities; for accelerations only. \param rates receives u'
  RhsStatus accelerations(double t, std::span<const double> q, std::span<double> rates);
  /// Constraint wrenches, after set_velocities or solve_velocities. Not for hot loops.
  RhsStatus reactions(double t, std::span<const double> q, Reactions& result);

  /// u_c of cut joint c, after solve_velocities or accelerations.
  void cut_velocities(int c, std::span<double> u_c) const;
  /// u_c' of cut joint c, after accelerations. \param u_c of cut_velocities
  void cut_accelerations(int c, std::span<const double> u_c, std::span<double> rates) const;

  [[nodiscard]] std::span<const double> u() const { return velocities_; }
  [[nodiscard]] const PartRecursion& part() const { return momenta_ ? momenta_->part() : accelerations_->part(); }
  [[nodiscard]] DependentJoints& dependents() { return dependents_; }
  [[nodiscard]] const DependentJoints& dependents() const { return dependents_; }
  /// \returns a choice for the positions of the last set_positions with the same number of dependent components; none
  /// that is better by a factor of two: the present one. Allocates.
  std::vector<int> better_choice();
  /// \returns whether the present dependent joints pass a singular position between two closed positions, so that their
  /// solution may belong to another assembly of the loops. The last set_positions holds for `to`, as before.
  bool passes_singular_position(std::span<const double> from, std::span<const double> to);
  /// \returns the largest entry of K at the positions of the last set_positions.
  double largest_ratio() { return dependents_.largest_ratio(unprescribed_); }

 private:
  /// Moves the dependent coordinates of q by K (q_i - from_i) where that leaves the loops less open.
  void predict(std::span<double> q, std::span<const double> from);
  /// Adds one number a dependent component to the dependent coordinates. \returns the largest |change| / (1 + |q|)
  double add_to_dependent(std::span<const double> change, double sign, std::span<double> q) const;
  /// residual_ at q. \returns its largest entry; distances by the largest of a joint from the origin, which rounding
  /// of points is relative to
  double set_residual(std::span<const double> q);
  /// \returns the largest angle of a revolute joint, at least 1: sines are as inexact as their arguments.
  [[nodiscard]] double largest_angle(std::span<const double> q) const;
  /// \returns whether Phi_d turns over on the straight way, looked at in so many parts.
  bool turns_over(std::span<const double> from, std::span<const double> to, int parts);

  /// Made when first asked for.
  WorldRecursion& world();

  const Mechanism* mechanism_;
  const CutReferences* near_;
  std::optional<ClosedMomenta> momenta_;              // one of them
  std::optional<ClosedAccelerations> accelerations_;  // and the other
  std::unique_ptr<WorldRecursion> world_;
  std::unique_ptr<BodyRecursion> tree_;  // for momenta of states that are packed
  DependentJoints dependents_;
  std::vector<bool> allowed_;
  std::vector<bool> unprescribed_;
  std::optional<LoopGeometry> positions_;  // of set_positions; of momenta those of their part
  LoopGeometry closing_;                   // of close_positions and of the way between two positions
  std::vector<double> way_;
  std::vector<double> residual_;
  std::vector<double> correction_;
  std::vector<double> reduced_;  // p over u with zeros for what depends
  std::vector<double> velocities_;
  std::vector<double> used_;  // of ClosedAccelerations
};

/// u_c of a cut joint, from the velocities of its two bodies. \param state placed \param u nu entries
void cut_velocities(const BodyMotions& bodies, const JointKinematics& state, const Joint& joint, std::span<double> u);

/// \returns which components of u may depend: those without prescribed motion; with `scalar_only` those of joints whose
/// coordinates are no quaternion, since a dependent coordinate is then solved for by itself.
std::vector<bool> dependent_candidates(const Mechanism& mechanism, bool scalar_only);

/// \returns rows and components by complete pivoting at the mechanism's initial coordinates; joints marked `dependent`
/// are preferred. \param allowed as above
DependentChoice initial_choice(const Mechanism& mechanism, const std::vector<bool>& allowed);

/// \returns why the number of dependent components at the initial position is not that of the motion: the loops impose
/// more constraints at closed positions nearby, see ranks_nearby; empty otherwise, without loops, and above 300
/// quasi-velocities, where the check would take too long.
std::string refuse_singular_start(const Mechanism& mechanism);

/// \returns why the loops cannot be written in reduced coordinates: a singular start, too few scalar components; empty
/// otherwise.
std::string refuse_reduced_coordinates(const Mechanism& mechanism);

}  // namespace mbdbench
