#include "formulations/loop_derivatives.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "formulations/derivatives/loops/loop_state.hpp"
#include "formulations/derivatives/loops/momenta/momentum_derivatives.hpp"
#include "formulations/derivatives/loops/naudet/reduced_derivatives.hpp"
#include "formulations/derivatives/loops/naudet/twin_derivatives.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/model/kinematics/constraint_jacobian.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// By the recursion over one part, each loop closed where it meets.
class PartSolver final : public LoopSolver {
 public:
  PartSolver(const Mechanism& mechanism, const InstructionSet& set)
      : mechanism_(&mechanism),
        part_(mechanism, PosesWanted::cuts, {1, nullptr, set}),
        wanted_(Eigen::VectorXd::Zero(mechanism.closing_row_count())),
        driven_(static_cast<std::size_t>(mechanism.motion_row_count())),
        p_(Eigen::VectorXd::Zero(mechanism.u_size())),
        rank_(mechanism.generic_rank().rank - mechanism.motion_row_count()) {
    for (std::size_t c = 0; c < mechanism.couplings().size(); ++c) {
      for (const Coupling::Term& term : mechanism.couplings()[c].terms) {
        for (const Joint& joint : mechanism.tree_joints()) {
          for (std::size_t m = 0; m < joint.motions.size(); ++m) {
            if (term.u == joint.u_offset + joint.motions[m].component) {
              told_.push_back({c, joint.motion_offset - mechanism.cut_row_count() + static_cast<int>(m), term.factor});
            }
          }
        }
      }
    }
  }

  RhsStatus set_positions(std::span<const double> q) override {
    const RhsStatus status = part_.set_positions(q);
    const int lost = part_.redundant_rows() - (mechanism_->closing_row_count() - rank_);
    if (status.ok && lost > 0) {
      return {false, mechanism_->cut_joints().empty() ? std::string_view() : mechanism_->cut_joints().front().name,
              kSingularPosition, 0.0};
    }
    return status;
  }

  void solve(Eigen::VectorXd& v, const Eigen::VectorXd& wanted, Eigen::VectorXd& sigma) override {
    const int cuts = mechanism_->cut_row_count();
    wanted_.head(cuts) = wanted.head(cuts);
    std::copy_n(wanted.data() + cuts, driven_.size(), driven_.begin());
    for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
      wanted_[cuts + static_cast<int>(c)] = wanted[mechanism_->couplings()[c].row];
    }
    for (const Told& told : told_) {
      wanted_[cuts + static_cast<int>(told.coupling)] -= told.factor * driven_[static_cast<std::size_t>(told.motion)];
    }
    p_ = v;
    part_.move(view(p_), wanted_, driven_, {v.data(), static_cast<std::size_t>(v.size())}, false);
    sigma.setZero();
    sigma.head(cuts) = part_.multipliers().head(cuts);
    for (std::size_t c = 0; c < mechanism_->couplings().size(); ++c) {
      sigma[mechanism_->couplings()[c].row] = part_.multipliers()[cuts + static_cast<int>(c)];
    }
  }

 private:
  /// A driven component in a coupling: the recursion knows its rows over the others.
  struct Told {
    std::size_t coupling = 0;
    int motion = 0;
    double factor = 1.0;
  };

  const Mechanism* mechanism_;
  PartRecursion part_;
  std::vector<Told> told_;
  Eigen::VectorXd wanted_;
  std::vector<double> driven_;
  Eigen::VectorXd p_;
  int rank_;  // of the rows of loops
};

/// \returns whether rows repeat others, and not because they are zero, as those of planar loops.
bool divides_impulses(const Mechanism& mechanism) {
  const GenericRank& generic = mechanism.generic_rank();
  if (generic.rank == mechanism.constraint_size()) {
    return false;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(generic.positions.back()));
  const Eigen::MatrixXd phi_q = mechanism.scales().scaled(constraint_jacobian(kinematics));
  // Rounding of rows in units of the mechanism, which are about 1 where they count.
  constexpr double kZero = 1e-10;
  return (phi_q.rowwise().norm().array() > kZero).count() > generic.rank;
}

}  // namespace

LoopDerivatives::LoopDerivatives(const Mechanism& mechanism, LoopStates states, std::string obstacle,
                                 const CutReferences* near, OneState one, const InstructionSet& set)
    : mechanism_(&mechanism),
      states_(states),
      obstacle_(std::move(obstacle)),
      near_(near),
      one_(std::move(one)),
      set_(set) {}

LoopDerivatives::~LoopDerivatives() = default;

std::unique_ptr<StateDerivatives> LoopDerivatives::make() const {
  // The recursion over one part knows no constraints of velocities alone.
  std::unique_ptr<LoopSolver> solver;
  if (mechanism_->velocity_constraints().empty()) {
    solver = std::make_unique<PartSolver>(*mechanism_, set_);
  }
  if (const auto* velocities = std::get_if<VelocityRules>(&states_)) {
    return std::make_unique<ClosedDerivatives>(*mechanism_, *velocities, near_, std::move(solver), set_);
  }
  if (const auto* twin = std::get_if<LoopTwinVelocities>(&states_)) {
    return std::make_unique<TwinDerivatives>(*mechanism_, twin->states, near_, std::move(solver), set_);
  }
  if (const auto* reduced = std::get_if<LoopReducedMomenta>(&states_)) {
    return std::make_unique<ReducedDerivatives>(*mechanism_, *reduced->states, near_, std::move(solver), set_);
  }
  const auto& momenta = std::get<LoopMomenta>(states_);
  MomentumRules rules;
  if (momenta.gauge == GaugeControl::tangent) {
    rules.tangent = [mechanism = mechanism_, own = momenta.leak](auto u) { return tangent_leak(own, *mechanism, u); };
  } else if (momenta.gauge == GaugeControl::leak) {
    rules.leak = momenta.leak;
  }
  rules.feedback = momenta.feedback;
  return std::make_unique<MomentumDerivatives>(*mechanism_, std::move(rules), near_, std::move(solver), set_);
}

template <typename Pass>
RhsStatus LoopDerivatives::derive(double t, std::span<const double> x, const Pass& pass) {
  if (!derivatives_) {
    if (!without_jacobian().empty()) {
      return {false, {}, "there are no exact derivatives, state components", static_cast<double>(x.size())};
    }
    derivatives_ = make();
  }
  const RhsStatus status = pass(*derivatives_);
  if (status.ok) {
    return status;
  }
  std::vector<double> rates(x.size());
  const RhsStatus own = one_(t, x, rates);
  return own.ok ? status : own;
}

RhsStatus LoopDerivatives::jacobian(double t, std::span<const double> x, std::span<double> derivatives) {
  return derive(t, x, [&](StateDerivatives& loops) { return loops.jacobian(t, x, derivatives); });
}

RhsStatus LoopDerivatives::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                           std::span<double> product) {
  return derive(t, x, [&](StateDerivatives& loops) { return loops.jacobian_vector(t, x, direction, product); });
}

RhsStatus LoopDerivatives::weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                                std::span<double> product, const WeightsByParameter& by) {
  const RhsStatus status =
      derive(t, x, [&](StateDerivatives& loops) { return loops.weighted_derivatives(t, x, weights, product, by); });
  return status.ok ? finite_or_why(by) : status;
}

RhsStatus LoopDerivatives::parameter_jacobian(double t, std::span<const double> x,
                                              std::span<const RateParameter> parameters,
                                              std::span<double> derivatives) {
  return derive(t, x, [&](StateDerivatives& loops) { return loops.parameter_jacobian(t, x, parameters, derivatives); });
}

std::string LoopDerivatives::without_jacobian() const {
  if (!without_) {
    without_ = obstacle();
  }
  return *without_;
}

std::string LoopDerivatives::obstacle() const {
  if (!obstacle_.empty()) {
    return obstacle_;
  }
  const auto* momenta = std::get_if<LoopMomenta>(&states_);
  if (momenta != nullptr && momenta->gauge != GaugeControl::tangent && divides_impulses(*mechanism_)) {
    return "p' as published has what constraints carry that others repeat, which each formulation divides among them "
           "in "
           "its own way: exact derivatives are there with gauge=tangent";
  }
  return LoopState::obstacle(*mechanism_);
}

std::string obstacle_of_gauge(GaugeControl gauge) {
  return gauge == GaugeControl::reset
             ? "gauge=reset changes momenta after steps, which has no derivatives: take tangent, leak or none"
             : std::string();
}

}  // namespace mbdbench
