/// \file
/// Hamiltonian divide-and-conquer algorithm: open chains and trees [Chadaj2015], closed loops [Chadaj2017], here for
/// any topology: several loops, loops that do not pass through the ground, redundant constraints, moving cuts.
///
/// K. Chadaj, P. Malczyk, J. Fraczek: Hamiltonian based parallel formulation for open-loop multibody system dynamics,
/// 2015; A parallel Hamiltonian formulation for forward dynamics of closed-loop multibody systems, 2017.
///
/// paper symbol        -> name
///   Pbar_k = H p + D sigma -> impulse (articulated momentum of joint k at O_k)
///   D sigma, T          -> MechanismAssembly::constraint_impulse
///   H p                 -> MechanismAssembly::active_impulse
///   xi_11 .. xi_20, W, C, beta -> formulations/assembly (leaves, node_kernels.hpp, loop_kernels.hpp)
///   Q_1^K, Qbar_1^K     -> accumulated_load_[k]: loads on everything outboard of joint k about O_k, cut terms included
///   Sdot_1^K, Sdot_c    -> shift_rate_wrench with the velocity of O_k, of the cut joint's handle
///   sigma_c, D_c        -> multipliers and directions of the cut joints
///
/// DEVIATES [Chadaj2017, Eq. (69)-(77)]: the paper carries the cut joint's terms in the equation of every joint inboard
/// of it. Here they are loads on the two bodies that the cut joint connects: one inward sweep then serves any number of
/// cuts, and both ends of a cut (right_hand_side_test: several loops; hdca_printed_formulas_test has the printed form).
/// DEVIATES [Chadaj2017, Eq. (2), (6), (7)]: with Pbar = H p + D sigma the balance needs M u = p + Phi_q^T sigma and
/// sigma' = lambda (right_hand_side_test compares u and p' with dense-momentum).
/// DEVIATES [Chadaj2017, Eq. (61)]: its p_1 = H_1^T P_1 of the accumulated momentum is not the state; Eq. (67),
/// p_1 = H_1^T Pbar_1 of the articulated one, is (right_hand_side_test: p of dense-momentum).
/// DEVIATES [Chadaj2017, Eq. (10)]: its H and D consist of ones and zeros, in joint axes, which `cut_axes=body` has. By
/// default D of a cut joint stands along the world's axes: the same motion with other momenta (closed_loop_test).
///
/// Cost: one assembly, one disassembly and two sweeps: O(n) for trees of any degree and for loops with few handles a
/// node (assembly/assembly_tree.hpp).
#include "formulations/hdca/hdca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/binary_tree/binary_formulation.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/hdca/hdca_options.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/options/division_options.hpp"
#include "formulations/options/leaf_choice.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/parts/forms/recursive_momenta.hpp"
#include "formulations/subchains/subchain_formulation.hpp"
#include "formulations/subtrees/subtree_formulation.hpp"

namespace mbdbench {
namespace {

class HdcaFormulation final : public JointStateFormulation {
 public:
  HdcaFormulation(const Mechanism& mechanism, const HdcaOptions& options)
      : JointStateFormulation(mechanism, StateKind::momentum),
        options_(options),
        system_(mechanism, options.assembly, near()),
        accumulated_load_(mechanism.bodies().size()),
        free_momenta_(static_cast<std::size_t>(mechanism.u_size())),
        derivatives_(
            mechanism, LoopMomenta{options.gauge, options.leak, options.feedback}, obstacle(mechanism, options), near(),
            [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, options.assembly.instruction_set) {
    use_derivatives(derivatives_);
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<HdcaFormulation>(mechanism(), options_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    const RhsStatus status = system_.set_positions(t, q);
    if (!status.ok) {
      return status;
    }
    std::copy(q.begin(), q.end(), x.begin());
    system_.set_velocities(u);
    system_.outboard_momenta(rate_of(x));
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = set_state(t, x);
    if (status.ok) {
      std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
      std::copy(system_.u().begin(), system_.u().end(), u.begin());
    }
    return status;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = set_state(t, x);
    if (!status.ok) {
      return status;
    }
    // The acceleration pass with the same assembled matrices: sigma' is not lambda at an instant. With feedback the
    // motion obeys Phi'' = -beta Phi'.
    system_.evaluate_loads(t, q_of(x));
    system_.solve_accelerations(0.5 * options_.feedback, 0.0);
    system_.reactions(reactions);
    return system_.balance_status();
  }

  [[nodiscard]] double largest_sigma() const override { return system_.largest_cut_multiplier(); }

  [[nodiscard]] std::vector<WorkStage> stages() const override { return system_.stages(2.0); }

  void diagnostics(const DiagnosticSink& sink) const override { system_.diagnostics(sink); }

  bool after_step(double t, std::span<double> x) override {
    const bool normalised = Formulation::after_step(t, x);
    return (options_.gauge == GaugeControl::reset && reset_is_due(t) && reset_gauge(t, x)) || normalised;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = set_state(t, x);
    if (!status.ok) {
      return status;
    }
    set_coordinate_rates(q_of(x), system_.u(), q_of(xdot));
    system_.evaluate_loads(t, q_of(x));
    set_body_loads();
    add_cut_loads();
    system_.sum_inward(accumulated_load_);  // [Chadaj2017, Eq. (70)-(76)]
    set_momentum_rates(rate_of(x), rate_of(xdot));
    if (options_.gauge == GaugeControl::tangent) {
      make_tangent(rate_of(x), rate_of(xdot));
    }
    return status;
  }

 private:
  static std::string obstacle(const Mechanism& mechanism, const HdcaOptions& options) {
    if (mechanism.constraint_size() == 0) {
      return {};  // neither gauges nor axes have anything to act on
    }
    // Axes that turn make another p' of the same motion, but for the tangent gauge.
    return options.assembly.cut_axes == CutAxes::body && options.gauge != GaugeControl::tangent
               ? "there are no exact derivatives with cut_axes=body but for gauge=tangent"
               : obstacle_of_gauge(options.gauge);
  }

  RhsStatus set_state(double t, std::span<const double> x) {
    const RhsStatus status = system_.set_positions(t, q_of(x));
    if (!status.ok) {
      return status;
    }
    system_.solve_velocities(rate_of(x), options_.feedback);
    return system_.balance_status();
  }

  /// Applied loads of every body about the point of its own tree joint.
  void set_body_loads() {
    const Kinematics& kinematics = system_.kinematics();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Vec3 lever = kinematics.body(k).com - kinematics.tree_joint(k).point;
      accumulated_load_[static_cast<std::size_t>(k)] = shift_wrench(lever, system_.loads().body_wrench(k));
    }
  }

  /// -e_h (Sdot_h D_c + Ddot_c) sigma_c + kappa e_h D_c sigma_c on the bodies of every cut joint.
  /// DEVIATES [Chadaj2017, Eq. (69), (77)]: the sign of Sdot_c Pbar_c and of Ddot_c sigma_c holds for Pbar_c = -D_c
  /// sigma_c only, and the terms are printed for one cut end outboard of the joint; here every end counts
  /// (right_hand_side_test: moving cuts, D_c fixed in bodies, several loops).
  void add_cut_loads() {
    const Kinematics& kinematics = system_.kinematics();
    for (int c = 0; c < static_cast<int>(mechanism().cut_joints().size()); ++c) {
      const Joint& cut = mechanism().cut_joints()[static_cast<std::size_t>(c)];
      const JointKinematics& state = kinematics.cut_joint(c);
      const Vec6 impulse = system_.constraint_impulse(system_.first_cut() + c);
      const Vec6 load = leak() * impulse - system_.cut_impulse_rate(c) - shift_rate_wrench(state.velocity, impulse);
      add_cut_end(cut.b, state.point, load);
      add_cut_end(cut.a, state.point, -load);
    }
  }

  void add_cut_end(int body, const Vec3& point, const Vec6& load) {
    if (body >= 0) {
      const Vec3 lever = point - system_.kinematics().tree_joint(body).point;
      accumulated_load_[static_cast<std::size_t>(body)] += shift_wrench(lever, load);
    }
  }

  void set_momentum_rates(std::span<const double> p, std::span<double> pdot) {
    // Of couplings no rate of Phi_q^T sigma: their rows are constant.
    const std::span<const double> along = system_.with_coupling_impulses(p);
    const Eigen::VectorXd& tau = system_.loads().joint_forces();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Joint& joint = mechanism().tree_joints()[static_cast<std::size_t>(k)];
      const JointKinematics& state = system_.kinematics().tree_joint(k);
      const Vec6 impulse = system_.active_impulse(k, along) + system_.constraint_impulse(k);  // [Chadaj2017, Eq. (10)]
      const Vec6 load = accumulated_load_[static_cast<std::size_t>(k)] - shift_rate_wrench(state.velocity, impulse);
      for (int i = 0; i < joint.nu; ++i) {
        const int row = joint.u_offset + i;
        // [Chadaj2017, Eq. (77)], with applied joint forces
        pdot[static_cast<std::size_t>(row)] = state.h.col(i).dot(load) + state.h_rate.col(i).dot(impulse) + tau[row];
      }
      leak_motions(k, pdot);
    }
    for (std::size_t i = 0; leak() != 0.0 && i < p.size(); ++i) {
      pdot[i] += leak() * (along[i] - p[i]);
    }
  }

  /// kappa Phi_q^T sigma of a joint's prescribed motions, whose rows of Phi_q are unit rows.
  void leak_motions(int k, std::span<double> pdot) const {
    const Joint& joint = mechanism().tree_joints()[static_cast<std::size_t>(k)];
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const double sigma = system_.multipliers(k)[static_cast<std::size_t>(joint.nc) + m];
      pdot[static_cast<std::size_t>(joint.u_offset + joint.motions[m].component)] += leak() * sigma;
    }
  }

  /// kappa of the terms in sigma itself.
  [[nodiscard]] double leak() const { return options_.gauge == GaugeControl::leak ? options_.leak : 0.0; }

  /// p' <- M w + kappa (M u - p) (gauge_option.hpp); Phi_q^T sigma is M u - p.
  void make_tangent(std::span<const double> p, std::span<double> pdot) {
    system_.outboard_momenta(free_momenta_);
    system_.remove_constraint_part(pdot);
    const double kappa = tangent_leak(options_.leak, mechanism(), system_.u());
    for (std::size_t i = 0; i < p.size(); ++i) {
      pdot[i] += kappa * (free_momenta_[i] - p[i]);
    }
  }

  /// Whether the interval has passed since the last reset, forward or backward in time; the first step resets.
  [[nodiscard]] bool reset_is_due(double t) const { return std::abs(t - last_reset_) >= options_.reset_interval; }

  bool reset_gauge(double t, std::span<double> x) {
    if (!set_state(t, x).ok) {
      return false;  // the next evaluation reports it
    }
    last_reset_ = t;
    system_.outboard_momenta(rate_of(x));
    return true;
  }

  HdcaOptions options_;
  MechanismAssembly system_;
  std::vector<Vec6> accumulated_load_;
  std::vector<double> free_momenta_;  // J^T M V: p with sigma = 0
  LoopDerivatives derivatives_;
  double last_reset_ = -std::numeric_limits<double>::infinity();
};

bool hdca_projects_steps(const Mechanism& mechanism, const Parameters& options) {
  return steps_are_projected(mechanism, options, false);
}

std::unique_ptr<FormulationPart> make_hdca_part(const Mechanism& mechanism, const Parameters& options,
                                                const Execution& execution) {
  switch (chosen_leaf(mechanism, StateKind::momentum, options)) {
    case Leaf::subchain:
      return make_subchain_part(mechanism, StateKind::momentum, options, execution);
    case Leaf::body:
      return make_chain_part(mechanism, StateKind::momentum, options, execution);
    default:
      throw ModelError({}, "one part, or sub-trees, need the whole state (leaf=subchain and leaf=body may not)");
  }
}

std::unique_ptr<Formulation> make_hdca(const Mechanism& mechanism, const Parameters& options,
                                       const Execution& execution) {
  switch (chosen_leaf(mechanism, StateKind::momentum, options)) {
    case Leaf::subchain:
      return make_subchain_formulation(mechanism, StateKind::momentum, options, execution);
    case Leaf::subtree:
      return make_subtree_formulation(mechanism, StateKind::momentum, options, execution);
    case Leaf::whole: {
      const HdcaOptions chosen = hdca_options(mechanism, options, execution);
      return make_recursive_momenta(mechanism, {chosen.gauge, chosen.leak, chosen.reset_interval, chosen.feedback, true,
                                                execution_in(options, execution), section_bodies_in(options)});
    }
    case Leaf::body:
      break;
  }
  if (auto in_lanes = make_binary_formulation(mechanism, StateKind::momentum, options, execution)) {
    return in_lanes;
  }
  return std::make_unique<HdcaFormulation>(mechanism, hdca_options(mechanism, options, execution));
}

}  // namespace

FormulationEntry hdca_entry() {
  return {"hdca",
          "Hamiltonian divide and conquer, canonical momenta of the joints, trees and closed loops",
          "Chadaj2017",
          StateKind::momentum,
          hdca_option_specifications(),
          refuse_for_assembly,
          make_hdca,
          {.per_body = 1.3e4, .per_row_and_velocity = 32.0},
          hdca_projects_steps,
          make_hdca_part,
          "leaf=subchain",
          true,
          false};
}

}  // namespace mbdbench
