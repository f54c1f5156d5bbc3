#include "formulations/parts/forms/recursive_momenta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulations/derivatives/trees/tree_evaluations.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/parts/forms/closed_momenta.hpp"
#include "formulations/parts/lanes/loops_in_lanes.hpp"
#include "formulations/parts/world_recursion.hpp"
#include "formulations/recursion/links/link_loads.hpp"
#include "formulations/recursion/links/link_naudet.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

class RecursiveMomenta final : public JointStateFormulation {
 public:
  RecursiveMomenta(const Mechanism& mechanism, const RecursiveMomentumSettings& settings)
      : JointStateFormulation(mechanism, StateKind::momentum), settings_(settings), u_(index_of(mechanism.u_size())) {
    const auto joints = mechanism.tree_joints();
    const bool screws =
        std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.type == JointType::screw; });
    // Prescribed motions have multipliers too, for a gauge to act on.
    const bool gauged = settings.gauge != GaugeControl::none && mechanism.rheonomic();
    if (settings.make_lanes) {
      lanes_ = settings.make_lanes();
    }
    if (mechanism.closing_row_count() > 0 || !mechanism.cut_joints().empty() || gauged ||
        (settings.link_frames && (screws || settings.section_bodies > 0))) {
      if (!lanes_) {
        emplace_closed(closed_, settings.execution);
      }
      // As of RecursiveAccelerations.
      has_loop_lanes_ = (lanes_ || !closed_->part().team().is_divided()) && settings.section_bodies == 0;
      use_loop_derivatives({settings.gauge, settings.leak, settings.feedback}, obstacle_of_gauge(settings.gauge));
    } else if (settings.link_frames) {
      if (!lanes_) {
        links_.emplace(mechanism, settings.execution);
        loads_.emplace(mechanism, links_->tree(), near());
      }
      if (!is_divided()) {
        evaluations_.emplace(
            mechanism, StateKind::momentum, near(),
            [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, settings.execution.instruction_set);
        use_loop_derivatives({}, {});
        if (evaluations_->has_derivatives()) {
          StateDerivatives& loops = *loop_derivatives_;
          use_derivatives(*evaluations_, evaluations_->has_lengths() ? *evaluations_ : loops);
        }
      }
    } else {
      use_loop_derivatives({}, {});
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<RecursiveMomenta>(mechanism(), settings_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    BodyRecursion& tree = world().tree;
    const RhsStatus status = tree.set_positions(t, q);
    if (status.ok) {
      std::copy(q.begin(), q.end(), x.begin());
      tree.set_velocities(u);
      tree.momenta(rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    const RhsStatus status = set_velocities(t, x, u);
    if (status.ok) {
      std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    }
    return status;
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    // sigma' is not lambda at an instant: the acceleration pass at the velocities of p. With feedback the motion obeys
    // Phi'' = -beta Phi'.
    RhsStatus status = set_velocities(t, x, u_);
    if (!status.ok) {
      return status;
    }
    status = world().solve(t, q_of(x), u_, false);
    if (status.ok) {
      world().reactions(mechanism(), reactions);
    }
    return status;
  }

  [[nodiscard]] double largest_sigma() const override {
    return lanes_     ? lanes_->largest_multiplier()
           : watched_ ? watched_->largest_cut_multiplier()
           : closed_  ? closed_->largest_cut_multiplier()
                      : 0.0;
  }

  [[nodiscard]] int threads() const override {
    return lanes_ ? lanes_->threads() : closed_ ? closed_->part().team().size() : links_ ? links_->team().size() : 1;
  }

  [[nodiscard]] bool is_divided() const final {
    return lanes_    ? lanes_->is_divided()
           : closed_ ? closed_->part().team().is_divided()
                     : links_ && links_->team().is_divided();
  }

  [[nodiscard]] std::vector<WorkStage> stages() const override {
    if (lanes_) {
      return lanes_->stages(StateKind::momentum);
    }
    constexpr double kTurn = 360.0;  // kernels/momentum_rows.hpp
    return {{1.0, kTurn * mechanism().body_count()}};
  }

  [[nodiscard]] int batch_lanes() const override {
    return evaluations_      ? StatesInLanes::lanes_of(settings_.execution.instruction_set)
           : has_loop_lanes_ ? LoopsInLanes::lanes_of(settings_.execution.instruction_set)
                             : 1;
  }

  void diagnostics(const DiagnosticSink& sink) const override {
    if (lanes_ && mechanism().constrained()) {
      sink("redundant_rows", lanes_->redundant_rows());
    } else if (closed_) {
      sink("redundant_rows", closed_->part().redundant_rows());
    }
  }

  bool after_step(double t, std::span<double> x) override {
    const bool normalised = Formulation::after_step(t, x);
    return (closed_ && settings_.gauge == GaugeControl::reset && reset_is_due(t) && reset_gauge(t, x)) || normalised;
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (lanes_) {
      if (mechanism().q_size() == mechanism().u_size()) {  // no quaternions: q' = u
        return lanes_->momenta(t, q_of(x), rate_of(x), q_of(xdot), rate_of(xdot));
      }
      const RhsStatus status = lanes_->momenta(t, q_of(x), rate_of(x), u_, rate_of(xdot));
      set_coordinate_rates(q_of(x), u_, q_of(xdot));
      return status;
    }
    if (closed_) {
      RhsStatus status = closed_->set_state(t, q_of(x), rate_of(x), u_);
      if (status.ok) {
        share_coordinate_rates(closed_->part().team(), x, xdot);
        status = closed_->momentum_rates(t, q_of(x), rate_of(x), u_, rate_of(xdot));
      }
      return status;
    }
    if (links_) {
      return evaluate_tree(t, x, xdot);
    }
    const RhsStatus status = solve_in_world(t, x);
    if (status.ok) {
      BodyRecursion& tree = world().tree;
      set_coordinate_rates(q_of(x), tree.u(), q_of(xdot));
      tree.evaluate_loads(t, q_of(x));
      tree.momentum_rates(rate_of(xdot));
    }
    return status;
  }

  void evaluate_batch(double t, std::span<const double> states, std::span<double> rates,
                      std::span<RhsStatus> statuses) override {
    if (evaluations_) {
      evaluations_->batch(t, states, rates, statuses,
                          [this](double at, auto x, auto xdot) { return evaluate_alone(at, x, xdot); });
    } else if (has_loop_lanes_) {
      if (!loops_) {
        if (!closed_) {
          emplace_closed(closed_, settings_.execution);
        }
        loops_ = std::make_unique<LoopsInLanes>(mechanism(), closed_->part(),
                                                LaneMomenta{settings_.gauge, settings_.leak, settings_.feedback},
                                                near(), settings_.execution.instruction_set);
      }
      loops_->evaluate(t, states, rates, statuses,
                       [this](double at, auto x, auto xdot) { return evaluate_alone(at, x, xdot); });
    } else {
      Formulation::evaluate_batch(t, states, rates, statuses);
    }
  }

 private:
  void use_loop_derivatives(LoopMomenta momenta, std::string obstacle) {
    loop_derivatives_.emplace(
        mechanism(), momenta, std::move(obstacle), near(),
        [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, settings_.execution.instruction_set);
    use_derivatives(*loop_derivatives_);
  }

  void emplace_closed(std::optional<ClosedMomenta>& closed, const Execution& execution) {
    closed.emplace(mechanism(), settings_.gauge, settings_.leak, settings_.feedback, execution, near(),
                   settings_.section_bodies);
  }

  /// For a look at a state: where processes share right-hand sides, one of them may look alone.
  ClosedMomenta& watched() {
    if (!is_divided()) {
      return *closed_;
    }
    if (!watched_) {
      emplace_closed(watched_, settings_.execution.on_this_process());
    }
    return *watched_;
  }

  void share_coordinate_rates(const BranchTeam& team, std::span<const double> x, std::span<double> xdot) const {
    team.for_shares([&](std::size_t index, std::size_t count) {
      coordinate_rates().set_share(q_of(x), u_, q_of(xdot), index, count);
    });
  }

  RhsStatus evaluate_tree(double t, std::span<const double> x, std::span<double> xdot) {
    loads_->set_time(t);
    const int failed =
        links_->evaluate(q_of(x), rate_of(x), loads_->motions().velocities(), !loads_->on_bodies(), u_, rate_of(xdot));
    if (failed >= 0) {
      return {false, mechanism().tree_joints()[index_of(failed)].name,
              "the articulated inertia along the joint is not positive definite or not finite, its smallest pivot is",
              links_->failed_pivot()};
    }
    share_coordinate_rates(links_->team(), x, xdot);
    if (loads_->on_bodies()) {
      links_->set_other_positions(q_of(x));
    }
    loads_->evaluate(t, q_of(x), u_, links_->tree(), links_->positions(), links_->team());
    const std::span<double> momentum_rates = rate_of(xdot);
    links_->add_loads(loads_->wrenches(), momentum_rates);
    if (loads_->in_joints()) {
      const std::span<const double> tau = loads_->joint_forces();
      for (std::size_t i = 0; i < tau.size(); ++i) {
        momentum_rates[i] += tau[i];
      }
    }
    return {};
  }

  /// Made when first asked for where another recursion does the hot work.
  WorldRecursion& world() {
    if (!world_) {
      world_ = std::make_unique<WorldRecursion>(mechanism(), BaumgarteConstants{0.5 * settings_.feedback, 0.0}, near());
    }
    return *world_;
  }

  /// The velocities of a state, as the right-hand side has them.
  RhsStatus set_velocities(double t, std::span<const double> x, std::span<double> u) {
    if (lanes_ && !lanes_->is_divided()) {
      unused_.resize(u.size());
      return lanes_->momenta(t, q_of(x), rate_of(x), u, unused_);
    }
    if (closed_) {
      return watched().set_state(t, q_of(x), rate_of(x), u);
    }
    const RhsStatus status = solve_in_world(t, x);
    if (status.ok) {
      std::copy(world().tree.u().begin(), world().tree.u().end(), u.begin());
    }
    return status;
  }

  RhsStatus solve_in_world(double t, std::span<const double> x) {
    const RhsStatus status = world().tree.set_positions(t, q_of(x));
    if (status.ok) {
      world().tree.sweep_momenta(rate_of(x));
      world().tree.sweep_velocities();
    }
    return status;
  }

  /// Whether the interval has passed since the last reset, forward or backward in time; the first step resets.
  [[nodiscard]] bool reset_is_due(double t) const { return std::abs(t - last_reset_) >= settings_.reset_interval; }

  bool reset_gauge(double t, std::span<double> x) {
    if (!closed_->set_state(t, q_of(x), rate_of(x), u_).ok) {
      return false;  // the next evaluation reports it
    }
    last_reset_ = t;
    closed_->momenta(rate_of(x));
    return true;
  }

  RecursiveMomentumSettings settings_;
  std::vector<double> u_;
  std::unique_ptr<LaneSolver> lanes_;
  std::vector<double> unused_;  // p' of lanes_ where only u is asked for
  std::optional<LinkNaudet> links_;
  std::optional<LinkLoads> loads_;              // with links_
  std::optional<TreeEvaluations> evaluations_;  // of an open tree on one process
  std::optional<ClosedMomenta> closed_;         // beside lanes_ only once many states were asked for
  std::optional<LoopDerivatives>
      loop_derivatives_;         // with closed_, and of loads and lengths that evaluations_ have not
  bool has_loop_lanes_ = false;  // of closed_ on one process
  std::unique_ptr<LoopsInLanes> loops_;
  std::optional<ClosedMomenta> watched_;  // beside closed_ where processes share it
  std::unique_ptr<WorldRecursion> world_;
  double last_reset_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Formulation> make_recursive_momenta(const Mechanism& mechanism,
                                                    const RecursiveMomentumSettings& settings) {
  return std::make_unique<RecursiveMomenta>(mechanism, settings);
}

}  // namespace mbdbench
