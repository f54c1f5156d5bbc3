/// \file
/// Divide and conquer with sub-chains or sub-trees as leaves: accelerations [Featherstone1999], canonical momenta
/// [Chadaj2015], [Chadaj2017].
///
/// paper symbol                -> name
///   xi_11 .. xi_20, Phi_11 .. -> K, X, C, f, v of a sub-chain (kernels/chain_links.hpp, wrench_columns.hpp)
///   W, C, beta                -> E, L, g (kernels/closing.hpp)
///   Pbar_k (momentum at O_k)  -> `momentum` of sweep_momentum_rates
///
/// Cost for each body: 890 operations (accelerations), 730 (momenta), eight sub-chains side by side; O(log n) with as
/// many blocks as processors. Momenta need one exchange between sub-chains, accelerations two.
#include "formulations/subchains/subchain_formulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/joint_state.hpp"
#include "formulations/projection_option.hpp"
#include "formulations/recursion/articulated_tree.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "formulations/subchains/execution.hpp"
#include "formulations/subchains/subchain_part.hpp"
#include "formulations/subchains/subchain_solver.hpp"
#include "formulations/subtrees/subtree_solver.hpp"

namespace mbdbench {
namespace {

std::unique_ptr<LaneSolver> make_solver(const Mechanism& mechanism, StateKind rate_kind,
                                        const SubchainSettings& settings) {
  if (settings.subtrees) {
    return std::make_unique<SubtreeSolver>(mechanism, rate_kind, settings.threads);
  }
  return std::make_unique<SubchainSolver>(mechanism, ChainPlan(mechanism, settings.subchains), settings.threads);
}

class SubchainFormulation final : public JointStateFormulation {
 public:
  SubchainFormulation(const Mechanism& mechanism, StateKind rate_kind, const SubchainSettings& settings)
      : JointStateFormulation(mechanism, rate_kind),
        rate_kind_(rate_kind),
        settings_(settings),
        solver_(make_solver(mechanism, rate_kind, settings)),
        unused_(static_cast<std::size_t>(mechanism.u_size())) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<SubchainFormulation>(mechanism(), rate_kind_, settings_);
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
    return solver_->momenta(t, q_of(x), rate_of(x), settings_.leak, u, unused_);
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
      status = general.cuts.set_positions(general.tree);
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
    return solver_->momenta(t, q_of(x), rate_of(x), settings_.leak, q_of(xdot), rate_of(xdot));
  }

 private:
  /// World axes, made when first asked for: momenta of given velocities and reactions are no hot work.
  struct General {
    explicit General(const Mechanism& mechanism) : tree(mechanism), cuts(mechanism, {}) {}
    ArticulatedTree tree;
    CutRows cuts;
  };

  General& general() {
    if (!general_) {
      general_ = std::make_unique<General>(mechanism());
    }
    return *general_;
  }

  StateKind rate_kind_;
  SubchainSettings settings_;
  std::unique_ptr<LaneSolver> solver_;
  std::vector<double> unused_;  // p' where only u is asked for
  std::unique_ptr<General> general_;
};

/// \returns which of the other options has no meaning here, empty if none: they speak of the assembly of bodies.
std::string foreign_option(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  if (options.text("loops") != "rank") {
    return "loops";
  }
  if (rate_kind == StateKind::velocity) {
    return options.number("baumgarte_alpha") != 0.0  ? "baumgarte_alpha"
           : options.number("baumgarte_beta") != 0.0 ? "baumgarte_beta"
                                                     : "";
  }
  return options.text("gauge") == "reset"      ? "gauge=reset"
         : options.text("cut_axes") != "world" ? "cut_axes"
         : options.number("feedback") != 0.0   ? "feedback"
                                               : "";
}

/// \throws ModelError where sub-chains cannot treat the mechanism, or not with these options
void require_subchains(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options) {
  const std::string& leaf = options.text("leaf");
  const std::string refusal = leaf == "subtree" ? refuse_for_subtrees(mechanism) : refuse_for_subchains(mechanism);
  if (!refusal.empty()) {
    throw ModelError({}, fmt::format("option leaf={}: {}", leaf, refusal));
  }
  if (leaf == "subtree" && options.integer("subchains") != 0) {
    throw ModelError({}, "option subchains: sub-trees are those of equal form; it goes with leaf=subchain");
  }
  if (options.integer("subchains") % ChainDivision::kLanes != 0) {
    throw ModelError({}, "option subchains: it must be a multiple of 8, one sub-chain a lane, or 0");
  }
  const std::string foreign = foreign_option(mechanism, rate_kind, options);
  if (!foreign.empty()) {
    throw ModelError({}, fmt::format("option {}: not offered with leaf=subchain, which closes a loop by its rank and "
                                     "keeps Phi' = 0 (Phi'' = 0) as published",
                                     foreign));
  }
  if (rate_kind == StateKind::velocity && projection_is_on(mechanism, options, false)) {
    throw ModelError({},
                     "option leaf=subchain: velocities of this mechanism are projected inside the right-hand side "
                     "(option projection), which sub-chains do not do; hdca needs no projection");
  }
}

SubchainSettings settings_of(StateKind rate_kind, const Parameters& options) {
  SubchainSettings settings;
  settings.subchains = static_cast<int>(options.integer("subchains"));
  settings.subtrees = options.text("leaf") == "subtree";
  const auto threads = static_cast<int>(options.integer("threads"));
  settings.threads = threads == 0 ? thread_count() : threads;
  if (rate_kind == StateKind::momentum && options.text("gauge") == "leak") {
    settings.leak = options.number("leak");
  }
  return settings;
}

}  // namespace

ParameterSpecification leaf_option() {
  ParameterSpecification leaf;
  leaf.name = "leaf";
  leaf.default_value = std::string("body");
  leaf.help =
      "what the assembly starts from: every body (as published), or what the recursion eliminates eight at a time, "
      "side "
      "by side: sub-chains (of serial chains of revolute joints from the ground, free or meeting in one cut joint), or "
      "sub-trees of equal form";
  leaf.choices = {"body", "subchain", "subtree"};
  return leaf;
}

ParameterSpecification subchains_option() {
  constexpr std::int64_t kMost = 1 << 20;
  return {"subchains", std::int64_t{0},
          "into how many sub-chains a chain is divided, a multiple of 8; 0: chosen from its length, never from the "
          "machine (leaf=subchain)",
          0, kMost};
}

ParameterSpecification threads_option() {
  return {"threads", std::int64_t{0}, "threads that share sub-chains or sub-trees; 0: as --threads says", 0,
          kMostThreads};
}

bool asks_for_subchains(const Parameters& options) {
  const bool asks = options.text("leaf") != "body";
  if (!asks && options.integer("threads") > 1) {
    throw ModelError({}, "option threads: bodies as leaves run on one thread; add leaf=subchain or leaf=subtree");
  }
  return asks;
}

std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options) {
  require_subchains(mechanism, rate_kind, options);
  return std::make_unique<SubchainFormulation>(mechanism, rate_kind, settings_of(rate_kind, options));
}

std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, RankExchange& ranks) {
  if (!asks_for_subchains(options) || options.text("leaf") == "subtree") {
    throw ModelError({}, "several ranks can share it with option leaf=subchain only");
  }
  require_subchains(mechanism, rate_kind, options);
  const MechanismDescription& loads = mechanism.description();
  if (!loads.joint_loads.empty() || !loads.joint_springs.empty()) {
    throw ModelError({}, "loads in joints are evaluated with the whole state, on one rank, so far");
  }
  const SubchainSettings settings = settings_of(rate_kind, options);
  ChainPlan plan(mechanism, settings.subchains);
  const std::string refusal = plan.refuse_ranks(ranks.size());
  if (!refusal.empty()) {
    throw ModelError({}, refusal);
  }
  return make_subchain_part(mechanism, rate_kind, settings, std::move(plan), ranks);
}

}  // namespace mbdbench
