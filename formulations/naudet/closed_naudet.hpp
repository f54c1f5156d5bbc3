#pragma once
/// \file
/// The four formulations of closed loops [Naudet2005]: all or reduced coordinates, momenta or accelerations.
#include <memory>
#include <optional>

#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/naudet/closed_dynamics.hpp"
#include "formulations/naudet/closed_state.hpp"
#include "formulations/naudet/constrained_momenta.hpp"
#include "formulations/parts/lanes/loops_in_lanes.hpp"

namespace mbdbench {

/// How the momentum forms close loops. The same state, the same motion.
enum class NaudetLoops {
  impulses,  ///< ClosedDynamics: impulses of the cut joints, all loops
  matrices   ///< ConstrainedMomenta: the paper's matrices C_K; the dependent joints stand next to the cut and stay
};

/// State as ClosedStateForm says. Works for open trees too.
class ClosedNaudet final : public DifferentiatedFormulation, private DependentStates {
 public:
  /// \param switch_at largest entry of K beyond which other dependent joints are looked for
  /// \param closing matrices: momenta without `switching` only
  /// \param execution one process, one thread: the recursion is sequential
  /// \throws ModelError for loops that the matrices cannot treat
  ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at,
               NaudetLoops closing = NaudetLoops::impulses, const Execution& execution = {});

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override;
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override;
  /// Also changes the dependent joints where they are badly conditioned and others are better: then the state's entries
  /// change their meaning, the motion does not. A step of reduced coordinates across a singular position of the present
  /// dependent joints makes all that follows fail.
  bool after_step(double t, std::span<double> x) override;
  /// \returns "dependent joints: hip2, knee2 instead of hip1, knee2"; a component of several as "hip.2".
  [[nodiscard]] std::string last_change() const override;
  [[nodiscard]] int batch_lanes() const override;

  /// \returns the components of u that depend at present, ascending.
  [[nodiscard]] std::span<const int> dependent() const { return dynamics_.dependents().dependent(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override;
  void evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                      std::span<RhsStatus> statuses) override;

 private:
  /// What depends at the mechanism's initial position.
  struct Start {
    std::vector<bool> allowed;
    std::optional<DependentLoops> loops;  // for the matrices
    DependentChoice choice;
  };
  static Start start(const Mechanism& mechanism, ClosedStateForm form, NaudetLoops closing);
  ClosedNaudet(const Mechanism& mechanism, ClosedStateForm form, double switch_at, const Execution& execution,
               const Start& start);
  // For the derivatives.
  RhsStatus read(std::span<const double> x) override;
  [[nodiscard]] bool solves_coordinates() const override { return state_.form().reduced; }
  [[nodiscard]] std::span<const int> held() const override { return state_.coordinates(); }
  [[nodiscard]] std::span<const double> coordinates() const override { return q_; }
  [[nodiscard]] std::span<const int> independent() const override { return state_.rates(); }
  void reduce(std::span<double> g) override { dynamics_.dependents().reduce(g); }
  void complete(std::span<double> y) override { dynamics_.dependents().complete(y); }
  void add_correction(std::span<const double> residual, std::span<double> y) override;
  void multipliers(std::span<const double> g, std::span<double> mu) override;

  void make_lanes();
  [[nodiscard]] bool momentum() const { return state_.form().rate_kind == StateKind::momentum; }
  [[nodiscard]] std::span<const double> velocities() const { return matrices_ ? matrices_->u() : dynamics_.u(); }
  void set_cut_velocities(int c, std::span<double> u_c) const;
  void use_dependent(std::span<const int> dependent);
  /// Takes the dependent components that a state names, where it does. \returns whether it names so many
  bool use_named(std::span<const double> x);
  /// q_ of a state, closed where the state does not hold all coordinates.
  RhsStatus set_coordinates(std::span<const double> x);
  /// Positions and velocities of a state.
  RhsStatus solve(double t, std::span<const double> x);
  /// \returns whether the dependent joints have to close the loops: accelerations of all joints do not know which
  /// depend.
  [[nodiscard]] bool needs_dependents() const { return momentum() || state_.form().reduced; }
  /// rates_ from the entries of a state.
  void read_rates(std::span<const double> x);
  void set_coordinate_rates(std::span<const double> x, std::span<double> xdot);
  void set_cut_rates(std::span<const double> x, std::span<double> xdot);
  [[nodiscard]] RhsStatus cut_rates_are_finite(std::span<const double> xdot) const;
  /// Whether the dependent coordinates went over a singular position from reference_ to q_, with the joint that moved
  /// most.
  RhsStatus check_way();
  /// Looks for better dependent joints at q_ when the present ones are singular or K is large. \returns whether changed
  bool improve_choice();
  /// Coordinates, rates and choice from q_ and the velocities of dynamics_; cut joints are left alone.
  RhsStatus write(double t, std::span<double> x);
  /// Coordinates of the cut joints and, of accelerations, their rates.
  void write_cuts(std::span<const double> q, std::span<const double> u, std::span<double> x) const;

  double switch_at_;
  Execution execution_;
  std::vector<bool> allowed_;
  ClosedDynamics dynamics_;
  std::unique_ptr<ConstrainedMomenta> matrices_;  // evaluate in place of dynamics_
  std::vector<int> first_choice_;
  ClosedState state_;
  RhsStatus passed_;         // not ok after a step across a singular position
  std::vector<int> read_;    // dependents of the state at hand
  std::vector<int> before_;  // dependents when the last after_step began; empty where they cannot change
  std::vector<double> q_;
  std::vector<double> reference_;  // where the search for dependent coordinates starts
  std::vector<double> u_;
  std::vector<double> rates_;
  std::vector<double> coordinate_rates_;
  bool has_lanes_;
  std::unique_ptr<LoopsInLanes> lanes_;  // made when first asked for
  std::vector<std::size_t> waiting_;     // states of a batch
  std::vector<std::size_t> together_;    // those of one choice
  std::vector<double> multipliers_;      // by row of the cut joints, then of the couplings
  std::vector<double> correction_;       // by dependent component
  LoopDerivatives derivatives_;
};

}  // namespace mbdbench
