#pragma once
/// \file
/// A mechanism with loops in canonical momenta, linearised about a state, and what changes of the state do to u and p'
/// (momentum_derivatives.hpp has the equations). States of several kinds stand on it.
#include <functional>
#include <span>
#include <vector>

#include "formulations/derivatives/loops/loop_workspace.hpp"
#include "formulations/derivatives/rate_parameters.hpp"

namespace mbdbench {

/// Changes side by side, a column each: of the state, and of what a parameter adds.
struct MomentumChanges {
  MomentumChanges(Eigen::Index size, Eigen::Index count)
      : turns(Eigen::MatrixXd::Zero(size, count)), momenta(turns), flow(turns), loads(turns), gauge(turns) {}
  Eigen::MatrixXd turns;
  Eigen::MatrixXd momenta;
  Eigen::MatrixXd flow;     ///< less M u
  Eigen::MatrixXd loads;    ///< p' as published
  Eigen::MatrixXd gauge;    ///< less M z
  Eigen::MatrixXd lengths;  ///< of links, by body; no columns: they stay
  // What comes of them.
  Eigen::MatrixXd velocities;
  Eigen::MatrixXd rates;
  Eigen::MatrixXd watched;  ///< u of cut joints, where the workspace watches them
};

/// What right-hand sides do beside the equations (formulations/options/gauge_option.hpp).
struct MomentumRules {
  /// kappa at velocities: a constant, or the largest rate of the joints where that is more.
  using Leak = std::function<double(std::span<const double>)>;
  Leak tangent;           ///< the tangent gauge; empty: p' as published
  double leak = 0.0;      ///< kappa in p' += kappa (M u - p), without the tangent gauge
  double feedback = 0.0;  ///< beta in Phi' = -beta Phi
};

struct MomentumWorkspace : LoopWorkspace {
  /// \param watches whether u of cut joints is wanted
  MomentumWorkspace(const Mechanism& m, MomentumRules of, bool watches, const CutReferences* near,
                    std::unique_ptr<LoopSolver> solver, const InstructionSet& set);

  /// All flows of a state. \param whole as of LoopWorkspace::place
  RhsStatus linearise(double t, std::span<const double> q, const Eigen::VectorXd& p, bool whole);
  /// After linearise: what a change does, with mu held. Allocates.
  void differentiate(std::span<const double> q, MomentumChanges& changes);
  /// The same the other way, but for what a gauge adds: weights of p' + Phi_q^T mu and of what is watched are worth
  /// sums that are added to.
  struct Weights {
    Eigen::VectorXd by_turn;
    Eigen::VectorXd by_push;  ///< with those of velocities
    Eigen::VectorXd by_momentum;
  };
  void weigh(std::span<const double> q, const Eigen::VectorXd& of_rates, const Eigen::VectorXd& of_watched,
             Weights& worth, const WeightsByParameter& by);
  /// After linearise, a column a parameter.
  [[nodiscard]] MomentumChanges changes_by(std::span<const RateParameter> parameters, std::span<const double> q);
  /// Makes the flow of the gauge what the passes go over.
  void turn_to_gauge();
  /// Makes M u alone that.
  void turn_to_momenta();

  MomentumRules rules;
  Eigen::VectorXd u;
  Eigen::VectorXd impulses;   ///< sigma of u
  Eigen::VectorXd cut_rates;  ///< u of cut joints, where they are watched
  Eigen::VectorXd z;
  Eigen::VectorXd mu;  ///< set by the gauge, or by the caller after linearise
  double kappa = 0.0;  ///< held: that its bound goes with the mechanism's size (gauge_option.hpp) counts for nothing
  Eigen::VectorXd steepness;  ///< of kappa, by u
  Eigen::VectorXd excess;     ///< M u - p

 private:
  void turn_to_velocities(std::span<const double> q);
};

}  // namespace mbdbench
