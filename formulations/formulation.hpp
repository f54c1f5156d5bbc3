#pragma once
/// \file
/// The interface of a formulation: a first-order system x' = f(t, x) for one mechanism.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/work_stage.hpp"
#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/loads/cut_references.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// What a state component is.
enum class StateKind { position, quaternion, velocity, momentum };

/// \returns "position", "quaternion", "velocity", "momentum".
std::string_view to_string(StateKind kind);

/// One component of a formulation's state.
struct StateComponent {
  std::string name;  ///< unique: "q.joint1", "p.hip.2"
  StateKind kind = StateKind::position;
  std::string joint;  ///< or body, for absolute coordinates
  /// Zero rate: only `after_step` changes it. Says what others mean and is no coordinate.
  bool constant = false;
};

/// Whether a right-hand side could be evaluated. Cheap: no allocation unless somebody asks for the text.
struct RhsStatus {
  bool ok = true;
  std::string_view joint;   ///< name of the joint or body where it failed
  std::string_view reason;  ///< static text
  double value = 0.0;       ///< the number that tells (a pivot, a condition)
  bool too_far = false;     ///< from what is remembered of the last accepted step: a shorter step may avoid the failure
  /// \returns "joint k3: pivot of ... not positive (-1.2e-17)"; empty when ok.
  [[nodiscard]] std::string message() const;
};

/// What `observe` tells of a state.
struct Observation {
  Energies energies;
  Vec3 linear_momentum = Vec3::Zero();
  Vec3 angular_momentum = Vec3::Zero();  ///< about the world's origin
  double position_residual = 0.0;        ///< max |Phi|
  double velocity_residual = 0.0;        ///< max |Phi'|
  double scaled_position = 0.0;          ///< max |Phi|, distances in units of the mechanism (characteristic_scales.hpp)
  double scaled_velocity = 0.0;          ///< max |Phi'| likewise, 1/s
  double largest_rate = 0.0;             ///< max |u| of the tree joints likewise, 1/s
  double largest_sigma = 0.0;            ///< max |sigma| of the cut joints, where the formulation has such impulses
  std::vector<Vec3> marker_positions;    ///< world axes, in the mechanism's order
  std::vector<Vec3> marker_velocities;
};

/// What a state says in which every body has coordinates of its own: `Observation` sees the poses along the spanning
/// tree, where the gaps of the tree joints are gone.
struct AbsoluteObservation {
  double kinetic = 0.0;                ///< J
  double gravitational = 0.0;          ///< J, zero for masses at the world's origin
  double position_residual = 0.0;      ///< max |Phi| over all joints
  double velocity_residual = 0.0;      ///< max |Phi'|
  double acceleration_residual = 0.0;  ///< max |Phi''|
};

/// Constraint wrenches [f; n] on the outboard body b of every joint at its point O_k, in world axes: D lambda and what
/// a prescribed motion needs; applied loads are not included.
struct Reactions {
  std::vector<Vec6> tree_joints;
  std::vector<Vec6> cut_joints;
};

/// What rates of a state may be differentiated by, beside the state.
enum class ParameterKind { joint_force, mass, stiffness, damping, length };

/// One such number of a mechanism. `name`: the joint of a joint_force (dual to its quasi-velocity `component`), the
/// body of a mass (whose inertia about its centre of mass stays), the spring (between points, in joints) of stiffness
/// or damping, the tree joint of a length: of the link from the joint on which its inboard body hangs to this (along
/// their distance in that body, whose masses stay; of the ground: from its origin). What hangs on it moves with it.
struct RateParameter {
  ParameterKind kind = ParameterKind::joint_force;
  std::string name;
  int component = 0;
};

/// Receives weights of x' as weights of parameters; what is empty is not wanted.
struct WeightsByParameter {
  std::span<double> forces;   ///< in tree joints, dual to u, u_size() entries
  std::span<double> masses;   ///< an entry a body
  std::span<double> lengths;  ///< an entry a tree joint; zero where RateParameter has no such length

  [[nodiscard]] bool empty() const { return forces.empty() && masses.empty() && lengths.empty(); }
};

/// Takes one number that a formulation tells of itself, under a name of its own such as "redundant_rows".
using DiagnosticSink = std::function<void(std::string_view name, double value)>;

/// A formulation of the equations of motion of one mechanism. Owns its workspace, sized once; one instance a thread
/// (`clone` makes another). The mechanism must outlive it.
class Formulation {
 public:
  Formulation(const Mechanism& mechanism, std::vector<StateComponent> layout);
  virtual ~Formulation();
  Formulation(const Formulation&) = delete;
  Formulation& operator=(const Formulation&) = delete;
  Formulation(Formulation&&) = delete;
  Formulation& operator=(Formulation&&) = delete;

  /// \returns an independent formulation of the same mechanism with the same options.
  [[nodiscard]] virtual std::unique_ptr<Formulation> clone() const = 0;

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  /// \returns name, kind and joint of every state component.
  [[nodiscard]] std::span<const StateComponent> layout() const { return layout_; }
  [[nodiscard]] std::size_t state_size() const { return layout_.size(); }

  /// x' at (t, x): a pure function, allocates nothing, unaffected by a quaternion's length. Counts the call.
  /// \param x, xdot state_size() entries
  RhsStatus rhs(double t, std::span<const double> x, std::span<double> xdot) {
    ++rhs_calls_;
    return evaluate(t, x, xdot);
  }
  /// x' of many states of one instant, each as `rhs` has it up to rounding. What a state gets depends neither on its
  /// place nor on its neighbours, and one that fails leaves the others alone. Counts every state as a call.
  /// \param states, rates a row of state_size() entries a state \param statuses one a state
  void rhs_batch(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses) {
    rhs_calls_ += statuses.size();
    evaluate_batch(t, states, rates, statuses);
  }
  /// \returns how many states `rhs_batch` lays side by side in lanes; 1: it takes one after another.
  [[nodiscard]] virtual int batch_lanes() const { return 1; }
  /// \returns how many states of all `rhs_batch` went alone: those that lanes do not take; all where there are none.
  [[nodiscard]] virtual std::size_t states_alone() const { return states_alone_; }
  /// Exact derivatives of x' with respect to the state, row by row: entry (i, j) is that of x'_i by x_j, with t held.
  /// \param derivatives state_size() times state_size() entries \returns why there are none, as `rhs` does
  virtual RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives);
  /// The same derivatives times a direction: how x' changes with x + s direction.
  /// \param direction, product state_size() entries
  virtual RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                    std::span<double> product);
  /// Weights times the same derivatives: how the sum of weights times x' changes with each entry of x.
  /// \param weights, product state_size() entries
  virtual RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                                    std::span<double> product);
  /// The same, and how the same sum changes with all forces, masses and lengths that RateParameter has, at once.
  virtual RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                         std::span<double> product, const WeightsByParameter& by);
  /// Exact derivatives of x' with respect to parameters, row by row. \param derivatives state_size() times as many
  /// entries as parameters \throws ModelError naming a parameter that is not there
  virtual RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                                       std::span<double> derivatives);
  /// \returns why there are no derivatives of this mechanism, whatever the state; empty where there are.
  [[nodiscard]] virtual std::string without_jacobian() const;
  /// \returns how often `rhs` was called.
  [[nodiscard]] std::size_t rhs_calls() const { return rhs_calls_; }

  /// State from tree coordinates and quasi-velocities (which satisfy the constraints).
  virtual RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) = 0;
  /// Tree coordinates and quasi-velocities from a state.
  virtual RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) = 0;
  /// Joint reactions at a state. Not for hot loops.
  virtual RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) = 0;

  /// Energies, momentum, residuals, markers at a state. Not for hot loops.
  RhsStatus observe(double t, std::span<const double> x, Observation& observation);
  /// \returns whether `observe_absolute` has something to tell.
  [[nodiscard]] virtual bool observes_absolute() const { return false; }
  /// Energies and violations of a state of absolute coordinates, all joints on their own. Not for hot loops.
  virtual RhsStatus observe_absolute(double t, std::span<const double> x, AbsoluteObservation& observation);
  /// Power (W) at a state of what may add or take energy: joint and body loads, dampers, and the drives of prescribed
  /// motions, these at the prescribed velocity. T + V minus its integral is constant. Not for hot loops.
  RhsStatus power(double t, std::span<const double> x, double& power);

  /// \returns where its loads look for the angles of cut joints; a formulation that wraps another one gives that one's.
  /// Who follows the angles (followed_cuts.hpp) sets them before anything is evaluated; at q0 until then.
  [[nodiscard]] virtual CutReferences& cut_references() { return cut_references_; }
  /// Sets them to the angles that the state itself holds, where it does.
  virtual void look_near(std::span<const double> /*x*/) {}

  /// \returns max |sigma| of the cut joints at the state of the last `unpack`; 0 where there is none.
  [[nodiscard]] virtual double largest_sigma() const { return 0.0; }

  /// Called on accepted steps; normalises quaternions that are off by more than 1e-8. \returns whether x changed.
  virtual bool after_step(double t, std::span<double> x);
  /// \returns what the last `after_step` changed that a log should tell, in words and with the names of joints, such as
  /// another choice of dependent joints; empty when nothing.
  [[nodiscard]] virtual std::string last_change() const { return {}; }
  /// What is special about the last solution: "redundant_rows", constraints that others repeat; or since construction:
  /// "unconverged_solutions", those that used all their passes. The same names at every call; by default nothing.
  virtual void diagnostics(const DiagnosticSink& /*sink*/) const {}

  /// \returns how many threads share a right-hand side.
  [[nodiscard]] virtual int threads() const { return 1; }
  /// \returns whether processes share a right-hand side: all call it together.
  [[nodiscard]] virtual bool is_divided() const { return false; }
  /// \returns how a right-hand side falls into pieces that workers could share; empty: not stated. What it does one
  /// after another is one piece, whether or not another program could divide it.
  [[nodiscard]] virtual std::vector<WorkStage> stages() const { return {}; }

 protected:
  virtual RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) = 0;
  /// `evaluate` of a state in a batch, not in lanes.
  RhsStatus evaluate_alone(double t, std::span<const double> x, std::span<double> xdot) {
    ++states_alone_;
    return evaluate(t, x, xdot);
  }
  /// By default one state after another.
  virtual void evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                              std::span<RhsStatus> statuses);
  /// \returns the formulation's own, which it hands to what evaluates its loads.
  [[nodiscard]] const CutReferences* near() const { return &cut_references_; }

 private:
  struct ObservationWorkspace;
  /// Unpacks the state and sets the kinematics of the workspace with it.
  RhsStatus place(double t, std::span<const double> x);
  const Mechanism* mechanism_;
  std::vector<StateComponent> layout_;
  CutReferences cut_references_;
  std::size_t rhs_calls_ = 0;
  std::size_t states_alone_ = 0;
  std::unique_ptr<ObservationWorkspace> observation_;
};

/// Memory that a formulation allocates, in bytes, about: of n bodies, n_u quasi-velocities and m constraint rows
/// a n + b n n_u + c n_u^2 + d m n_u + e m^2. All zero: not stated.
struct MemoryNeed {
  double per_body = 0.0;               ///< a
  double per_body_and_velocity = 0.0;  ///< b
  double per_velocity_pair = 0.0;      ///< c
  double per_row_and_velocity = 0.0;   ///< d
  double per_row_pair = 0.0;           ///< e
  [[nodiscard]] double bytes(const Mechanism& mechanism) const;
};

class FormulationPart;

/// One formulation as the registry lists it.
struct FormulationEntry {
  std::string_view key;
  std::string_view summary;  ///< one line for `mbdbench list formulations`
  std::string_view source;   ///< citation key of docs/references.md
  /// Kind of the second half of the state: velocity or momentum. Right-hand sides of the same kind are compared by
  /// `verify`.
  StateKind rate_kind = StateKind::velocity;
  std::span<const ParameterSpecification> options;
  /// \returns why the mechanism cannot be treated, empty if it can. `refusal_of` asks for more.
  std::string (*refusal)(const Mechanism& mechanism) = nullptr;
  /// \param execution threads, processes and kernels; who shares nothing ignores them, and every process computes all
  std::unique_ptr<Formulation> (*make)(const Mechanism& mechanism, const Parameters& options,
                                       const Execution& execution) = nullptr;
  /// What `make` needs: runs that would exceed the machine's memory are refused with the number.
  MemoryNeed memory = {};
  /// \returns whether `make_formulation` shall project accepted steps (projection_option.hpp); nullptr: never.
  bool (*projects_steps)(const Mechanism& mechanism, const Parameters& options) = nullptr;
  /// The part of one of several processes, those of `execution` (formulation_part.hpp); nullptr: it cannot be divided.
  /// \throws ModelError naming options and numbers of processes that can
  std::unique_ptr<FormulationPart> (*make_part)(const Mechanism& mechanism, const Parameters& options,
                                                const Execution& execution) = nullptr;
  std::string_view part_option = {};  ///< with which it can be divided: "leaf=subchain"
  /// Whether it knows the rows of couplings between joints: who does not say so is not given such a mechanism.
  bool takes_couplings = false;
  /// Whether bodies may have no mass, or no inertia about some axis, where what they carry has.
  bool takes_massless_bodies = false;
  /// Whether it knows constraints of velocities alone (joints that roll, `velocity_constraints`), as `takes_couplings`.
  bool takes_velocity_constraints = false;
  /// Whether processes share its right-hand sides though it has no part: all hold the whole state.
  bool shares_right_sides = false;
};

/// \returns why a formulation cannot treat the mechanism, empty if it can: its own reason, or couplings or
/// constraints of velocities that it does not know.
std::string refusal_of(const FormulationEntry& entry, const Mechanism& mechanism);

}  // namespace mbdbench
