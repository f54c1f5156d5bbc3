#pragma once
/// \file
/// What derivatives of velocities and of momenta of a mechanism with loops have in common: its linearised state, whose
/// equations M v = p + Phi_q^T sigma, Phi_q v = w are solved by one dense factorisation or by a LoopSolver, and columns
/// of directions that go through it.
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formulations/derivatives/loops/loop_solver.hpp"
#include "formulations/derivatives/loops/loop_state.hpp"
#include "formulations/derivatives/loops/saddle_solver.hpp"
#include "formulations/derivatives/loops/slopes/turned_coordinates.hpp"
#include "formulations/derivatives/spring_forces.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

struct LoopWorkspace {
  LoopWorkspace(const Mechanism& m, bool momenta, const CutReferences* near, std::unique_ptr<LoopSolver> solver,
                const InstructionSet& set);

  /// Positions. \param whole with M and Phi_q, and unless chains are long with their factors; else the LoopSolver
  /// solves, where there is one
  RhsStatus place(double t, std::span<const double> q, bool whole);
  /// Everything of velocities u up to u' and lambda, after place; where velocities are the state.
  void accelerate(std::span<const double> q, const Eigen::VectorXd& u);
  /// What units of parameters, a column each, are.
  struct Parameters {
    Eigen::MatrixXd forces;   ///< they add
    Eigen::MatrixXd changes;  ///< they leave less of M w or M u
    Eigen::MatrixXd lengths;  ///< of links, by body; none: no columns
  };
  /// After accelerate or LoopState::set_momentum_rates. \throws ModelError naming a parameter that is not there
  [[nodiscard]] Parameters parameters_of(std::span<const RateParameter> parameters, std::span<const double> q,
                                         const Eigen::VectorXd& u);
  /// Sets weights by parameters to what weights of forces are, without masses and lengths yet.
  void begin_weights(const Eigen::VectorXd& of_forces, const WeightsByParameter& by);
  /// Adds what weights of r and s, in momenta of -dp', are worth (linear::LoopWeights). \param by_multiplier of
  /// momenta; else nullptr
  void add_weights(const Eigen::VectorXd& of_forces, const Eigen::VectorXd& of_seconds, Eigen::VectorXd& by_turn,
                   Eigen::VectorXd& by_push, Eigen::VectorXd* by_multiplier, const WeightsByParameter& by);
  /// Adds what weights of r2 and s1 are worth.
  void add_weights_of_changes(const Eigen::VectorXd& of_changes, const Eigen::VectorXd& of_firsts,
                              Eigen::VectorXd& by_turn, const WeightsByParameter& by);
  /// Sets `sigma`, a column a right side. \param v p, receives v
  void solve(Eigen::Ref<Eigen::MatrixXd> v, const Eigen::Ref<const Eigen::MatrixXd>& wanted);
  /// What a sweep is wanted for: all, or changes and firsts alone.
  enum class Wanted { all, flow };
  /// Sets `swept`. \param lengths of links, by body, after LoopState::show_links; no columns: zero \param multipliers
  /// of momenta only; likewise
  void sweep(const Eigen::Ref<const Eigen::MatrixXd>& turns, const Eigen::Ref<const Eigen::MatrixXd>& pushes,
             Wanted wanted = Wanted::all, const Eigen::Ref<const Eigen::MatrixXd>& lengths = Eigen::MatrixXd(),
             const Eigen::Ref<const Eigen::MatrixXd>& multipliers = Eigen::MatrixXd());
  [[nodiscard]] std::span<const double> q_of(std::span<const double> x) const {
    return x.first(static_cast<std::size_t>(mechanism->q_size()));
  }
  [[nodiscard]] Eigen::VectorXd rates_of(std::span<const double> x) const {
    return Eigen::Map<const Eigen::VectorXd>(x.data() + mechanism->q_size(), size);
  }

  /// As linear::LoopDirections has them, a column a direction; forces with what is watched below.
  struct Swept {
    Eigen::MatrixXd forces;
    Eigen::MatrixXd seconds;
    Eigen::MatrixXd changes;
    Eigen::MatrixXd firsts;
  };

  const Mechanism* mechanism;
  std::unique_ptr<LoopSolver> fast;  ///< none: all is factorised
  linear::ClosedSweeps sweeps;
  LoopState state;
  std::optional<SaddleSolver> factors;  ///< made when first asked for
  bool factorised = false;              ///< whether they are those of the state
  TurnedCoordinates coordinates;
  Eigen::Index size;
  Eigen::Index rows;
  Eigen::MatrixXd sigma;
  Eigen::VectorXd none;  ///< by row of Phi
  /// How many numbers of cut joints the state shows the passes, behind the axes of the tree (LoopState::watch_cuts).
  Eigen::Index watched = 0;
  Swept swept;

 private:
  RhsStatus factorise();
  /// Adds to `swept` what constraints of velocities alone do.
  void sweep_velocity_rows(const Eigen::Ref<const Eigen::MatrixXd>& turns,
                           const Eigen::Ref<const Eigen::MatrixXd>& pushes, Wanted wanted,
                           const Eigen::Ref<const Eigen::MatrixXd>& multipliers);
  void sweep_bodies(const Eigen::Ref<const Eigen::MatrixXd>& turns, const Eigen::Ref<const Eigen::MatrixXd>& pushes,
                    Wanted wanted, const Eigen::Ref<const Eigen::MatrixXd>& lengths,
                    const Eigen::Ref<const Eigen::MatrixXd>& multipliers);
  [[nodiscard]] std::string_view joint_of_row(Eigen::Index row) const;
  const CutReferences* near_;
  bool long_chains_;
  std::unique_ptr<SpringForces> springs_;  // once a number of such a spring is asked for
  std::vector<AlignedMemory> memory_;      // of packs
  // Of one right side.
  Eigen::VectorXd column_;
  Eigen::VectorXd wanted_;
  Eigen::VectorXd multipliers_;
};

/// \returns which of the derivatives is not finite.
RhsStatus finite_or_why(std::span<const double> derivatives);

}  // namespace mbdbench
