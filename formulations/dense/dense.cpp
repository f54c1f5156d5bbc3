#include "formulations/dense/dense.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "formulations/dense/dense_dynamics.hpp"
#include "formulations/dense/dense_projection.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/options/projection_option.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

void copy_to(const Eigen::VectorXd& from, std::span<double> to) {
  std::copy(from.data(), from.data() + from.size(), to.begin());
}

struct DenseSettings {
  bool projects = false;        // velocities, before anything else
  bool projects_steps = false;  // states, after them
  bool tangent = false;
  bool fixed_rank = false;
  InstructionSet set;  // of the derivatives' kernels
};

class DenseFormulation final : public JointStateFormulation {
 public:
  DenseFormulation(const Mechanism& mechanism, StateKind rate_kind, const DenseSettings& settings)
      : JointStateFormulation(mechanism, rate_kind),
        rate_kind_(rate_kind),
        settings_(settings),
        dynamics_(mechanism, near(), settings.fixed_rank),
        projection_(dynamics_),
        q_(Eigen::VectorXd::Zero(mechanism.q_size())),
        u_(Eigen::VectorXd::Zero(mechanism.u_size())) {
    LoopStates states = VelocityRules{settings.projects};
    if (rate_kind == StateKind::momentum) {
      states = LoopMomenta{settings.tangent ? GaugeControl::tangent : GaugeControl::none, kDefaultLeak};
    }
    derivatives_.emplace(
        mechanism, states, std::string(), near(), [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); },
        settings.set);
    use_derivatives(*derivatives_);
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<DenseFormulation>(mechanism(), rate_kind_, settings_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    std::copy(q.begin(), q.end(), x.begin());
    if (rate_kind_ == StateKind::velocity) {
      std::copy(u.begin(), u.end(), rate_of(x).begin());
      return {};
    }
    const RhsStatus status = dynamics_.set_positions(t, q);
    if (status.ok) {
      copy_to(dynamics_.momenta_of(u), rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = set_state(t, x);
    if (status.ok) {
      std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
      copy_to(u_, u);
    }
    return status;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    const RhsStatus status = set_state(t, x);
    if (status.ok) {
      dynamics_.set_velocities(t, q_of(x), velocities());
      dynamics_.accelerations();
      dynamics_.reactions(reactions);
    }
    return status;
  }

  bool after_step(double t, std::span<double> x) override {
    const bool normalised = Formulation::after_step(t, x);
    if (!settings_.projects_steps || !set_state(t, x).ok) {
      return normalised;
    }
    std::copy(q_of(x).begin(), q_of(x).end(), q_.data());
    if (rate_kind_ == StateKind::velocity) {
      // The state's own velocities, not those of set_state, which are projected already: what violates the constraints
      // turns with their normals, grows from turn to turn, and is never seen in the right-hand side.
      u_ = Eigen::Map<const Eigen::VectorXd>(rate_of(x).data(), u_.size());
    }
    if (!projection_.project(t, view(q_), view(u_), projection_tolerance(mechanism()))) {
      return normalised;
    }
    return pack(t, view(q_), velocities(), x).ok || normalised;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const RhsStatus status = set_state(t, x);
    if (!status.ok) {
      return status;
    }
    dynamics_.set_velocities(t, q_of(x), velocities());
    set_coordinate_rates(q_of(x), velocities(), q_of(xdot));
    copy_to(rate_kind_ == StateKind::velocity ? dynamics_.accelerations() : dynamics_.momentum_rates(), rate_of(xdot));
    if (settings_.tangent) {
      make_tangent(rate_of(x), rate_of(xdot));
    }
    return status;
  }

 private:
  [[nodiscard]] std::span<const double> velocities() const { return {u_.data(), static_cast<std::size_t>(u_.size())}; }

  /// p' <- M w + kappa (M u - p) (gauge_option.hpp).
  void make_tangent(std::span<const double> p, std::span<double> pdot) {
    copy_to(dynamics_.without_constraint_part(pdot), pdot);
    const Eigen::VectorXd& free_momenta = dynamics_.momenta_of(velocities());
    const double kappa = tangent_leak(kDefaultLeak, mechanism(), velocities());
    for (std::size_t i = 0; i < p.size(); ++i) {
      pdot[i] += kappa * (free_momenta[static_cast<Eigen::Index>(i)] - p[i]);
    }
  }

  RhsStatus set_state(double t, std::span<const double> x) {
    const RhsStatus status = dynamics_.set_positions(t, q_of(x));
    if (!status.ok) {
      return status;
    }
    if (rate_kind_ == StateKind::momentum) {
      u_ = dynamics_.velocities_of(rate_of(x));
    } else if (settings_.projects) {
      u_ = dynamics_.projected(rate_of(x));
    } else {
      u_ = Eigen::Map<const Eigen::VectorXd>(rate_of(x).data(), u_.size());
    }
    return status;
  }

  StateKind rate_kind_;
  DenseSettings settings_;
  DenseDynamics dynamics_;
  DenseProjection projection_;
  std::optional<LoopDerivatives> derivatives_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
};

std::string refuse_nothing(const Mechanism& /*mechanism*/) {
  return {};
}

template <StateKind kRateKind>
std::unique_ptr<Formulation> make_dense(const Mechanism& mechanism, const Parameters& options,
                                        const Execution& execution) {
  constexpr bool kDrifts = kRateKind == StateKind::velocity;
  DenseSettings settings;
  settings.projects = projection_is_on(mechanism, options, kDrifts);
  settings.projects_steps = steps_are_projected(mechanism, options, kDrifts);
  settings.tangent = gauge_is_tangent(mechanism, options);
  settings.fixed_rank = kRateKind == StateKind::velocity && options.text("rank") == "fixed";
  settings.set = execution.instruction_set;
  return std::make_unique<DenseFormulation>(mechanism, kRateKind, settings);
}

std::span<const ParameterSpecification> dense_options() {
  static const std::array<ParameterSpecification, 2> kOptions = {
      projection_option(),
      {"rank",
       std::string("told"),
       "rank of Phi_q; told: its pivots decide; fixed: the generic rank everywhere, as in methods with multipliers "
       "that do not look for singular positions (not a reference)",
       -1e300,
       1e300,
       {"told", "fixed"}}};
  return kOptions;
}

std::span<const ParameterSpecification> dense_momentum_options() {
  static const std::array<ParameterSpecification, 2> kOptions = {
      projection_option(),
      {"gauge",
       std::string("auto"),
       "p' as published (none) or without what Phi_q^T carries, with a leak of 5 1/s or the largest rate of the joints "
       "(tangent); auto: tangent where "
       "loops are closed",
       -1e300,
       1e300,
       {"auto", "none", "tangent"}}};
  return kOptions;
}

// Jacobians of all bodies and their rates, 6 n_u each; M and its factor; B, Phi_q, its rate and their factorisation.
constexpr MemoryNeed kDenseMemory = {.per_body = 1e4,
                                     .per_body_and_velocity = 96.0,
                                     .per_velocity_pair = 16.0,
                                     .per_row_and_velocity = 40.0,
                                     .per_row_pair = 16.0};

}  // namespace

FormulationEntry dense_entry() {
  FormulationEntry entry = {
      "dense",
      "reference: M u' = f + Phi_q^T lambda, explicit Jacobians, O(n^3); minimum norm where redundant",
      "reference",
      StateKind::velocity,
      dense_options(),
      refuse_nothing,
      make_dense<StateKind::velocity>,
      kDenseMemory};
  entry.takes_couplings = true;
  entry.takes_massless_bodies = true;
  entry.takes_velocity_constraints = true;
  return entry;
}

FormulationEntry dense_momentum_entry() {
  FormulationEntry entry = {"dense-momentum",
                            "reference in canonical momenta: M u = p + Phi_q^T sigma, then p', O(n^3)",
                            "reference",
                            StateKind::momentum,
                            dense_momentum_options(),
                            refuse_nothing,
                            make_dense<StateKind::momentum>,
                            kDenseMemory};
  entry.takes_couplings = true;
  entry.takes_massless_bodies = true;
  entry.takes_velocity_constraints = true;
  return entry;
}

}  // namespace mbdbench
