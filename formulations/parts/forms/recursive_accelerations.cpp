#include "formulations/parts/forms/recursive_accelerations.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formulations/derivatives/trees/tree_evaluations.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/loop_derivatives.hpp"
#include "formulations/parts/forms/joint_accelerations.hpp"
#include "formulations/parts/lanes/loops_in_lanes.hpp"
#include "formulations/parts/world_recursion.hpp"

namespace mbdbench {
namespace {

class RecursiveAccelerations final : public JointVelocityFormulation {
 public:
  RecursiveAccelerations(const Mechanism& mechanism, const RecursiveAccelerationSettings& settings)
      : JointVelocityFormulation(mechanism),
        settings_(settings),
        velocities_(static_cast<std::size_t>(mechanism.u_size())) {
    if (settings.make_lanes) {
      lanes_ = settings.make_lanes();
    }
    if (!settings.link_frames) {
      world_ = std::make_unique<WorldRecursion>(mechanism, settings.baumgarte, near());
    } else if (!lanes_) {
      emplace_links();
    }
    const bool closed = lanes_ ? mechanism.constrained() : !links_ || links_->closed() != nullptr;
    if (!closed && !is_divided()) {
      evaluations_.emplace(
          mechanism, StateKind::velocity, near(), [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); },
          settings.execution.instruction_set);
      use_loop_derivatives({}, {});
      if (evaluations_->has_derivatives()) {
        StateDerivatives& loops = *loop_derivatives_;
        use_derivatives(*evaluations_, evaluations_->has_lengths() ? *evaluations_ : loops);
      }
    }
    // Lanes take over how many rows count where loops are closed; in sections that is elsewhere.
    // Sub-chains that close loops as published are another function where these are open.
    has_loop_lanes_ =
        closed && (lanes_ ? settings.projects : links_ && !links_->team().is_divided()) && settings.section_bodies <= 0;
    if (closed) {
      use_loop_derivatives({settings.projects, settings.baumgarte.alpha, settings.baumgarte.beta},
                           lanes_ && !settings.projects ? kNoDerivativesInLanes : "");
    }
  }

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<RecursiveAccelerations>(mechanism(), settings_);
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    if (!world_) {
      world_ = std::make_unique<WorldRecursion>(mechanism(), settings_.baumgarte, near());
    }
    const RhsStatus status = world_->solve(t, q_of(x), rate_of(x), settings_.projects);
    if (status.ok) {
      world_->reactions(mechanism(), reactions);
    }
    return status;
  }

  [[nodiscard]] int threads() const override { return lanes_ ? lanes_->threads() : links_ ? links_->team().size() : 1; }

  [[nodiscard]] bool is_divided() const final {
    return lanes_ ? lanes_->is_divided() : links_ && links_->team().is_divided();
  }

  [[nodiscard]] std::vector<WorkStage> stages() const override {
    if (lanes_) {
      return lanes_->stages(StateKind::velocity);
    }
    constexpr double kTurn = 420.0;  // kernels/acceleration_rows.hpp
    return {{1.0, kTurn * mechanism().body_count()}};
  }

  [[nodiscard]] int batch_lanes() const override {
    return evaluations_      ? StatesInLanes::lanes_of(settings_.execution.instruction_set)
           : has_loop_lanes_ ? LoopsInLanes::lanes_of(settings_.execution.instruction_set)
                             : 1;
  }

  void diagnostics(const DiagnosticSink& sink) const override {
    if (lanes_ && mechanism().constrained()) {
      sink("redundant_rows", static_cast<double>(lanes_->redundant_rows()));
    } else if (links_ && links_->closed() != nullptr) {
      sink("redundant_rows", links_->closed()->part().redundant_rows());
    }
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (lanes_) {
      if (mechanism().q_size() == mechanism().u_size()) {  // no quaternions: q' = u
        return lanes_->accelerations(t, q_of(x), rate_of(x), q_of(xdot), rate_of(xdot));
      }
      const RhsStatus status = lanes_->accelerations(t, q_of(x), rate_of(x), velocities_, rate_of(xdot));
      set_coordinate_rates(q_of(x), velocities_, q_of(xdot));
      return status;
    }
    if (links_) {
      const RhsStatus status = links_->evaluate(t, q_of(x), rate_of(x), velocities_, rate_of(xdot));
      links_->team().for_shares([&](std::size_t index, std::size_t count) {
        coordinate_rates().set_share(q_of(x), velocities_, q_of(xdot), index, count);
      });
      return status;
    }
    const RhsStatus status = world_->solve(t, q_of(x), rate_of(x), settings_.projects);
    if (status.ok) {
      set_coordinate_rates(q_of(x), world_->tree.u(), q_of(xdot));
      std::copy(world_->tree.accelerations().begin(), world_->tree.accelerations().end(), rate_of(xdot).begin());
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
        if (settings_.section_bodies == kSectionsInLanes) {
          whole_.emplace(mechanism(), settings_.baumgarte, settings_.projects, settings_.execution.alone(), near(), 0);
        } else if (!links_) {
          emplace_links();
        }
        loops_ = std::make_unique<LoopsInLanes>(mechanism(), (whole_ ? whole_ : links_)->closed()->part(),
                                                LaneAccelerations{settings_.baumgarte, settings_.projects}, near(),
                                                settings_.execution.instruction_set);
      }
      loops_->evaluate(t, states, rates, statuses,
                       [this](double at, auto x, auto xdot) { return evaluate_alone(at, x, xdot); });
    } else {
      Formulation::evaluate_batch(t, states, rates, statuses);
    }
  }

 private:
  void emplace_links() {
    links_.emplace(mechanism(), settings_.baumgarte, settings_.projects, settings_.execution, near(),
                   settings_.section_bodies);
  }

  void use_loop_derivatives(const VelocityRules& velocities, std::string obstacle) {
    loop_derivatives_.emplace(
        mechanism(), velocities, std::move(obstacle), near(),
        [this](double t, auto x, auto xdot) { return evaluate(t, x, xdot); }, settings_.execution.instruction_set);
    use_derivatives(*loop_derivatives_);
  }

  RecursiveAccelerationSettings settings_;
  std::vector<double> velocities_;  // in use, of links_
  std::unique_ptr<LaneSolver> lanes_;
  std::optional<JointAccelerations> links_;          // beside lanes_ only once many states were asked for
  std::optional<JointAccelerations> whole_;          // of states in lanes where links_ are in sections
  std::optional<TreeEvaluations> evaluations_;       // of an open tree on one process
  std::optional<LoopDerivatives> loop_derivatives_;  // of everything else, loads and lengths that evaluations_ have not
  bool has_loop_lanes_ = false;                      // of loops on one process
  std::unique_ptr<LoopsInLanes> loops_;
  std::unique_ptr<WorldRecursion> world_;  // beside links_ only once reactions were asked for
};

}  // namespace

std::unique_ptr<Formulation> make_recursive_accelerations(const Mechanism& mechanism,
                                                          const RecursiveAccelerationSettings& settings) {
  RecursiveAccelerationSettings chosen = settings;
  if (settings.may_repeat && settings.link_frames && settings.section_bodies == 0 && !settings.make_lanes &&
      has_twin_sections(mechanism)) {
    chosen.section_bodies = kSectionsInLanes;
    chosen.execution = settings.execution.on_this_process();
  }
  return std::make_unique<RecursiveAccelerations>(mechanism, chosen);
}

}  // namespace mbdbench
