#include "formulations/lanes/lane_formulation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "formulations/derivatives/tree_evaluations.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/recursion/body_recursion.hpp"
#include "formulations/recursion/cut_rows.hpp"

namespace mbdbench {
namespace {

class LaneFormulation final : public JointStateFormulation {
 public:
  LaneFormulation(const Mechanism& mechanism, StateKind rate_kind, LaneSolverMaker make_solver, double leak,
                  const InstructionSet& set)
      : JointStateFormulation(mechanism, rate_kind),
        rate_kind_(rate_kind),
        make_solver_(std::move(make_solver)),
        leak_(leak),
        set_(set),
        solver_(make_solver_()),
        unused_(static_cast<std::size_t>(mechanism.u_size())) {
    const auto one = [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); };
    LoopStates states = VelocityRules();
    if (rate_kind == StateKind::momentum) {
      states = LoopMomenta();
    }
    // Beside the constraints lanes make a compromise of their own of rows that repeat others.
    use_derivatives(loop_derivatives_.emplace(
        mechanism, states,
        mechanism.cut_joints().empty()
            ? ""
            : "there are no exact derivatives where sub-chains close a loop (leaf=subchain); leaf=auto has them",
        near(), one, set));
    if (mechanism.cut_joints().empty() && loads_without_lanes(mechanism.description()).empty()) {
      use_derivatives(tree_derivatives_.emplace(mechanism, rate_kind, near(), one, set), *loop_derivatives_);
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<LaneFormulation>(mechanism(), rate_kind_, make_solver_, leak_, set_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    std::copy(q.begin(), q.end(), x.begin());
    if (rate_kind_ == StateKind::velocity) {
      std::copy(u.begin(), u.end(), rate_of(x).begin());
      return {};
    }
    const RhsStatus status = general().tree.set_positions(t, q);
    if (status.ok) {
      general().tree.set_velocities(u);
      general().tree.momenta(rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    if (rate_kind_ == StateKind::velocity) {
      std::copy(rate_of(x).begin(), rate_of(x).end(), u.begin());
      return {};
    }
    return solver_->momenta(t, q_of(x), rate_of(x), leak_, u, unused_);
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    std::vector<double> q(q_of(x).size());
    std::vector<double> u(rate_of(x).size());
    RhsStatus status = unpack(t, x, q, u);
    General& general = this->general();
    if (status.ok) {
      status = general.tree.set_positions(t, q);
    }
    if (status.ok) {
      status = general.cuts.set_positions(general.tree, q);
    }
    if (!status.ok) {
      return status;
    }
    general.tree.set_velocities(u);
    general.tree.evaluate_loads(t, q);
    general.tree.sweep_loads();
    general.cuts.close_accelerations(general.tree);
    general.tree.sweep_accelerations();
    std::vector<Vec6> wrenches;
    for (std::size_t c = 0; c < mechanism().cut_joints().size(); ++c) {
      wrenches.push_back(general.cuts.wrench(general.tree, static_cast<int>(c)));
    }
    general.tree.reactions(wrenches, reactions);
    return {};
  }

  [[nodiscard]] double largest_sigma() const override {
    return rate_kind_ == StateKind::momentum ? solver_->largest_multiplier() : 0.0;
  }

  [[nodiscard]] int threads() const override { return solver_->threads(); }
  [[nodiscard]] std::vector<WorkStage> stages() const override { return solver_->stages(rate_kind_); }

  void diagnostics(const DiagnosticSink& sink) const override {
    sink("redundant_rows", static_cast<double>(solver_->redundant_rows()));
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (rate_kind_ == StateKind::velocity) {
      std::copy(rate_of(x).begin(), rate_of(x).end(), xdot.begin());
      return solver_->accelerations(t, q_of(x), rate_of(x), rate_of(xdot));
    }
    return solver_->momenta(t, q_of(x), rate_of(x), leak_, q_of(xdot), rate_of(xdot));
  }

 private:
  /// World axes, made when first asked for: momenta of given velocities and reactions are no hot work.
  struct General {
    explicit General(const Mechanism& mechanism) : tree(mechanism, nullptr), cuts(mechanism, {}) {}
    BodyRecursion tree;
    CutRows cuts;
  };

  General& general() {
    if (!general_) {
      general_ = std::make_unique<General>(mechanism());
    }
    return *general_;
  }

  StateKind rate_kind_;
  LaneSolverMaker make_solver_;
  double leak_;  // 1/s
  InstructionSet set_;
  std::unique_ptr<LaneSolver> solver_;
  std::vector<double> unused_;  // p' where only u is asked for
  std::unique_ptr<General> general_;
  std::optional<TreeEvaluations> tree_derivatives_;
  std::optional<LoopDerivatives> loop_derivatives_;  // of loads and lengths that those have not
};

}  // namespace

std::unique_ptr<Formulation> make_lane_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                   LaneSolverMaker make_solver, double leak,
                                                   const InstructionSet& set) {
  return std::make_unique<LaneFormulation>(mechanism, rate_kind, std::move(make_solver), leak, set);
}

}  // namespace mbdbench
