#pragma once
/// \file
/// What the dense formulations say of one state, with everything needed to compare another formulation with it.
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "experiments/verification/reference/neighbouring_states.hpp"
#include "experiments/verification/reference/parameter_variation.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Reference values at one state.
struct Reference {
  std::string failure;  ///< why there is no reference; empty when all is well
  VerificationState state;
  Eigen::VectorXd p;                       ///< canonical momenta of dense-momentum, in the state's gauge
  Eigen::VectorXd u;                       ///< velocities of dense-momentum at (q, p)
  Eigen::VectorXd momentum_q_rates;        ///< q' for those velocities
  Eigen::VectorXd momentum_rates;          ///< p' as published
  Eigen::VectorXd tangent_momentum_rates;  ///< in the tangent gauge without its leak (gauge_option.hpp)
  Eigen::VectorXd impulses;                ///< M u - p, what leaks let out of p
  Eigen::VectorXd velocity_q_rates;        ///< q' for the state's own u
  Eigen::VectorXd accelerations;
  Reactions reactions;
  Eigen::VectorXd constraint_forces;  ///< Phi_q^T lambda
  Eigen::MatrixXd phi_q;
  Eigen::MatrixXd null_space;  ///< Z: columns span the null space of Phi_q; orthonormal where scaled
  bool redundant = false;      ///< Phi_q has not full row rank
  /// Condition of the linear systems: of M scaled to a unit diagonal, times that of the constraints L^-1 Phi_q^T over
  /// their non-zero singular values.
  double condition = 1.0;
  /// Velocities of momenta that are right to eps, as those of a state are, are right to this times eps at best:
  /// |G| (|p| + |M| |u| + P) at most, G = Z (Z^T M Z)^-1 Z^T. The velocities of a finger are those of momenta of the
  /// palm over the finger's inertia, of which the condition of a matrix that is scaled to the finger does not know. P
  /// is what momenta of bodies come to along u with their distance from the world's origin as lever: arms are
  /// differences of positions, which round by eps of that (a link of 1e-6 m at 1 m: 1e-10 of its arm, 1e-4 of its
  /// velocity).
  double velocity_rounding = 0.0;
  /// Sizes below which a block is what is left of larger terms that cancel.
  double velocity_scale = 0.0;
  double momentum_rate_scale = 0.0;
  double acceleration_scale = 0.0;
  double reaction_scale = 0.0;
  Eigen::VectorXd force_terms;      ///< along u, sizes of all loads and inertia forces
  double acceleration_terms = 0.0;  ///< largest of these over the diagonal of M
  double reaction_terms = 0.0;      ///< largest entry of the loads and inertia forces that reactions are the rest of
  /// Energies along the longest offset of a frame in its body, J: work of the loads, and kinetic energy of the turning.
  /// Positions and levers are differences of such offsets, so energies are right to rounding of this at best.
  double offset_energy = 0.0;
  NeighbouringStates neighbours;
};

/// Evaluates references of one mechanism.
class VerificationReference {
 public:
  /// \param dense, dense_momentum the registry's entries of the two references, on one thread with the best kernels:
  /// only derivatives have any
  VerificationReference(const Mechanism& mechanism, const FormulationEntry& dense,
                        const FormulationEntry& dense_momentum);

  Reference at(const VerificationState& state);

  /// \returns states of the motion that goes through a reference's state. \param from the first of them
  /// \param share of the usual step between them
  NeighbouringStates neighbours(const Reference& reference, const NeighbouringState& from, double share);

  [[nodiscard]] Formulation& velocity_form() { return *dense_; }
  [[nodiscard]] Formulation& momentum_form() { return *dense_momentum_; }
  /// \returns the mechanism with other parameters, made when somebody first asks.
  /// \param reach as of ParameterVariation, the same for all who ask
  [[nodiscard]] ParameterVariation& variation(double reach);
  /// \returns Phi_q^T lambda from reactions at the state of the last `at`: defined also where constraints are
  /// redundant.
  [[nodiscard]] Eigen::VectorXd constraint_forces(const Reactions& reactions) const;
  /// \returns along u, sizes of the terms of which inertia forces of the last `at` change as velocities do: a change
  /// that is larger than the velocities themselves makes larger terms than `force_terms`.
  [[nodiscard]] Eigen::VectorXd changes_of_force_terms(const Eigen::VectorXd& change, const Reference& reference) const;
  /// \returns the largest of forces along u over the diagonal of M of the last `at`.
  [[nodiscard]] double largest_acceleration(const Eigen::VectorXd& forces) const;

 private:
  void set_mass();
  /// \returns what makes a gauge of the size of p, both as the velocities that they give: a gauge that is larger drowns
  /// p, one that is smaller says nothing of the terms in sigma. By their entries a gauge of the size of p drowns the
  /// momenta of light links. 0 where there is none.
  [[nodiscard]] double gauge_scale(const Eigen::VectorXd& p, const Eigen::VectorXd& gauge) const;
  void set_mass_and_scales(Reference& reference);
  void set_offset_energy(Reference& reference) const;
  void set_scales_where_locked(Reference& reference) const;
  void set_constraints(Reference& reference);
  void set_velocity_rounding(Reference& reference) const;
  /// \returns why no acceleration meets all constraints; empty where one does. Least squares of such equations depend
  /// on
  ///          the formulation's weights, so that nothing can be compared.
  std::string contradiction(const Reference& reference);
  void set_tangent_rates(Reference& reference) const;

  const Mechanism* mechanism_;
  std::unique_ptr<Formulation> dense_;
  std::unique_ptr<Formulation> dense_momentum_;
  std::unique_ptr<ParameterVariation> variation_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  Eigen::MatrixXd mass_;
};

}  // namespace mbdbench
