#pragma once
/// \file
/// The four formulations of closed loops [Naudet2005]: all or reduced coordinates, momenta or accelerations.
#include "formulations/joint_state.hpp"
#include "formulations/naudet/closed_dynamics.hpp"
#include "formulations/naudet/closed_state.hpp"

namespace mbdbench {

/// State as ClosedStateForm says. Works for open trees too.
class ClosedNaudet final : public Formulation {
 public:
  /// \param switch_at largest entry of K beyond which other dependent joints are looked for
  ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at);

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override;
  /// Also changes the dependent joints where they are badly conditioned and others are better: then the state's entries
  /// change their meaning, the motion does not.
  bool after_step(double t, std::span<double> x) override;

  /// \returns the components of u that depend at present, ascending.
  [[nodiscard]] std::span<const int> dependent() const { return dynamics_.dependents().choice().dependent; }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;

 private:
  ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at, const std::vector<bool>& allowed);
  [[nodiscard]] bool momentum() const { return state_.form().rate_kind == StateKind::momentum; }
  void use_dependent(std::span<const int> dependent);
  /// q_ of a state, closed where the state does not hold all coordinates.
  RhsStatus set_coordinates(std::span<const double> x);
  /// Positions and velocities of a state.
  RhsStatus solve(double t, std::span<const double> x);
  void set_coordinate_rates(std::span<const double> x, std::span<double> xdot);
  void set_cut_rates(std::span<const double> x, std::span<double> xdot);
  /// Looks for better dependent joints at q_ when the present ones are singular or K is large. \returns whether changed
  bool improve_choice(double t);
  /// Coordinates, rates and choice from q_ and the dynamics' velocities; cut joints are left alone.
  void write(std::span<double> x);

  double switch_at_;
  std::vector<bool> allowed_;
  ClosedDynamics dynamics_;
  std::vector<int> first_choice_;
  ClosedState state_;
  std::vector<int> read_;  // dependents of the state at hand
  std::vector<double> q_;
  std::vector<double> reference_;  // where the search for dependent coordinates starts
  std::vector<double> u_;
  std::vector<double> rates_;
  std::vector<double> coordinate_rates_;
};

}  // namespace mbdbench
