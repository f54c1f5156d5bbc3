#pragma once
/// \file
/// What a run tells of its own accuracy, followed at accepted steps in constant memory: residuals of the constraints,
/// the balance of energy and work, and what the formulation says of itself.
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/monitors/branch_watch.hpp"
#include "experiments/monitors/coupling_watch.hpp"
#include "experiments/monitors/load_energy.hpp"
#include "experiments/monitors/table_impulses.hpp"
#include "experiments/monitors/work_quadrature.hpp"
#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// Smallest and largest value of something over the steps of a run.
struct ValueRange {
  double smallest = 0.0;
  double largest = 0.0;
};

/// Only steps count: samples between them carry the error of the interpolation as well. Of a mechanism that neither
/// dissipates nor is driven the work is zero and the imbalance is the deviation of the total energy.
class RunAccuracy : public OdeSink {
 public:
  /// \param formulation of the run; must outlive this \param solver whose right-hand sides are integrated, where
  /// processes share them and the formulation only looks at states; nullptr: the same
  explicit RunAccuracy(Formulation& formulation, const Formulation* solver = nullptr);

  bool sample(double t, std::span<const double> x) override;
  /// \throws std::runtime_error when the state cannot be observed
  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override;
  /// An accepted step as the integrator left it, before `step`: SimulationOptions::step_reached.
  void reached(double t, std::span<const double> x);
  /// \returns what `reached` does, for who does it in pieces.
  [[nodiscard]] WorkQuadrature& quadrature() { return work_; }

  [[nodiscard]] double initial_energy() const { return initial_energy_; }
  /// \returns max |E - E0| and E - E0 at the last step, J.
  [[nodiscard]] double largest_deviation() const { return largest_deviation_; }
  [[nodiscard]] double final_deviation() const { return final_deviation_; }
  [[nodiscard]] double largest_kinetic_energy() const { return largest_kinetic_energy_; }
  /// \returns max |E - E0 - W| and E - E0 - W at the last step, J; the deviation of E where the work is not known.
  [[nodiscard]] double largest_imbalance() const { return largest_imbalance_; }
  [[nodiscard]] double final_imbalance() const { return final_imbalance_; }
  /// \returns the largest change of E - E0 - W in one step, J, less what the work of that step is uncertain by.
  [[nodiscard]] double largest_step_imbalance() const { return largest_step_imbalance_; }
  /// \returns how far the motion has run ahead or behind by the end because of the imbalance, in radians or lengths of
  ///          the mechanism: a share e of the kinetic energy too much makes rates e / 2 too large. The integral of
  ///          V |E - E0 - W| / (2 T) over the run, V the largest rate, T the kinetic energy.
  [[nodiscard]] double motion_ahead() const { return motion_ahead_; }
  [[nodiscard]] const WorkQuadrature& work() const { return work_; }
  /// \returns what the imbalance may be measured with, J: the largest of T, |V - V0| and the energy exchanged.
  [[nodiscard]] double energy_scale() const;

  /// \returns max |Phi| and max |Phi'| as lengths, m and m/s: angles times the unit of length that the mechanism is
  ///          measured with (mechanisms/model/characteristic_scales.hpp).
  [[nodiscard]] double largest_position_residual() const { return largest_position_residual_; }
  [[nodiscard]] double largest_velocity_residual() const { return largest_velocity_residual_; }
  /// \returns max |Phi| at the start: what the digits of the description leave open.
  [[nodiscard]] double initial_position_residual() const { return initial_position_residual_; }
  /// \returns the length of the longest link, m.
  [[nodiscard]] double length_scale() const { return scales_.length; }
  /// \returns the largest quasi-velocity of a joint, displacements in units of the mechanism, 1/s; 0 of trees.
  [[nodiscard]] double largest_rate() const { return largest_rate_; }
  /// \returns the rate of a swing in the mechanism's gravity, 1/s; 0 without.
  [[nodiscard]] double rate_scale() const { return scales_.rate; }
  /// \returns the mass of all bodies, kg.
  [[nodiscard]] double mass() const;
  /// \returns |E0|, all weights over the length scale and all loads over it or a radian, J: energies and work are right
  ///          to rounding of that at best.
  [[nodiscard]] double energy_at_rest() const;
  /// \returns what the loops did at singular positions.
  [[nodiscard]] const BranchWatch& branches() const { return branches_; }
  /// \returns how well the couplings held.
  [[nodiscard]] const CouplingWatch& couplings() const { return couplings_; }
  /// \returns which loads over time the steps met.
  [[nodiscard]] const TableImpulses& table_impulses() const { return table_impulses_; }
  [[nodiscard]] const Mechanism& mechanism() const { return formulation_.mechanism(); }
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// \returns the time from the start to the last step, s.
  [[nodiscard]] double duration() const { return t_ - t_start_; }
  /// \returns ranges of what Formulation::diagnostics tells.
  [[nodiscard]] const std::map<std::string, ValueRange>& diagnostics() const { return diagnostics_; }

 private:
  void observe(double t, std::span<const double> x);
  void add_motion_ahead(double duration, double rate_before);

  Formulation& formulation_;
  const Formulation* solver_;
  const CharacteristicScales& scales_;
  WorkQuadrature work_;
  BranchWatch branches_;
  CouplingWatch couplings_;
  LoadEnergy loads_;
  TableImpulses table_impulses_;
  Observation observation_;
  bool started_ = false;
  double initial_energy_ = 0.0;
  double initial_potential_ = 0.0;
  double largest_deviation_ = 0.0;
  double final_deviation_ = 0.0;
  double largest_kinetic_energy_ = 0.0;
  double largest_potential_change_ = 0.0;
  double largest_imbalance_ = 0.0;
  double final_imbalance_ = 0.0;
  double largest_step_imbalance_ = 0.0;
  double uncertainty_ = 0.0;  // of the work, at the last step
  double motion_ahead_ = 0.0;
  double largest_position_residual_ = 0.0;
  double largest_velocity_residual_ = 0.0;
  std::map<std::string, ValueRange> diagnostics_;
  double initial_position_residual_ = 0.0;
  double largest_rate_ = 0.0;
  std::size_t steps_ = 0;
  double t_start_ = 0.0;
  double t_ = 0.0;
  std::vector<double> q_;
  std::vector<double> u_;
};

}  // namespace mbdbench
