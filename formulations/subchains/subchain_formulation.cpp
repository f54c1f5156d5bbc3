/// \file
/// Divide and conquer with sub-chains as leaves: accelerations [Featherstone1999], canonical momenta [Chadaj2015].
///
/// paper symbol                -> name
///   xi_11 .. xi_20, Phi_11 .. -> K, X, C, f, v of a sub-chain (kernels/chain_links.hpp, wrench_columns.hpp)
///   W, C, beta                -> E, L, g (kernels/closing.hpp)
///   Pbar_k (momentum at O_k)  -> `momentum` of sweep_momentum_rates
///
/// Cost for each body: 890 operations (accelerations), 730 (momenta), eight sub-chains side by side; O(log n) with as
/// many blocks as processors. Momenta need one exchange between sub-chains, accelerations two.
#include "formulations/subchains/subchain_formulation.hpp"

#include <algorithm>

#include "formulations/joint_state.hpp"
#include "formulations/recursion/articulated_tree.hpp"
#include "formulations/subchains/subchain_solver.hpp"

namespace mbdbench {
namespace {

/// \param failed what a solver returned
RhsStatus status_of(const Mechanism& mechanism, const SubchainSolver& solver, int failed) {
  if (failed < 0) {
    return {};
  }
  return {false, mechanism.tree_joints()[static_cast<std::size_t>(failed)].name,
          "the articulated inertia about the joint is not positive or not finite, it is", solver.failed_pivot()};
}

class SubchainFormulation final : public JointStateFormulation {
 public:
  SubchainFormulation(const Mechanism& mechanism, StateKind rate_kind, int subchains)
      : JointStateFormulation(mechanism, rate_kind),
        rate_kind_(rate_kind),
        subchains_(subchains),
        plan_(mechanism, subchains),
        solver_(plan_),
        unused_(static_cast<std::size_t>(mechanism.u_size())) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<SubchainFormulation>(mechanism(), rate_kind_, subchains_);
  }

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    std::copy(q.begin(), q.end(), x.begin());
    if (rate_kind_ == StateKind::velocity) {
      std::copy(u.begin(), u.end(), rate_of(x).begin());
      return {};
    }
    const RhsStatus status = general().set_positions(t, q);
    if (status.ok) {
      general().set_velocities(u);
      general().momenta(rate_of(x));
    }
    return status;
  }

  RhsStatus unpack(double /*t*/, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
    if (rate_kind_ == StateKind::velocity) {
      std::copy(rate_of(x).begin(), rate_of(x).end(), u.begin());
      return {};
    }
    return status_of(mechanism(), solver_, solver_.momenta(q_of(x), rate_of(x), u, unused_));
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    RhsStatus status = general().set_positions(t, q_of(x));
    if (!status.ok) {
      return status;
    }
    if (rate_kind_ == StateKind::velocity) {
      general().set_velocities(rate_of(x));
    } else {
      general().sweep_momenta(rate_of(x));
      general().sweep_velocities();
    }
    general().evaluate_loads(t, q_of(x));
    general().sweep_loads();
    general().sweep_accelerations();
    general().reactions({}, reactions);
    return {};
  }

 protected:
  RhsStatus evaluate(double /*t*/, std::span<const double> x, std::span<double> xdot) override {
    if (rate_kind_ == StateKind::velocity) {
      std::copy(rate_of(x).begin(), rate_of(x).end(), xdot.begin());
      return status_of(mechanism(), solver_, solver_.accelerations(q_of(x), rate_of(x), rate_of(xdot)));
    }
    return status_of(mechanism(), solver_, solver_.momenta(q_of(x), rate_of(x), q_of(xdot), rate_of(xdot)));
  }

 private:
  /// Made when first asked for: momenta of given velocities and reactions are no hot work.
  ArticulatedTree& general() {
    if (!general_) {
      general_ = std::make_unique<ArticulatedTree>(mechanism());
    }
    return *general_;
  }

  StateKind rate_kind_;
  int subchains_;
  ChainPlan plan_;
  SubchainSolver solver_;
  std::vector<double> unused_;  // p' where only u is asked for
  std::unique_ptr<ArticulatedTree> general_;
};

/// The positions of a rank's links.
BlockRange own_positions(const ChainPlan& plan, const RankExchange& ranks) {
  return plan.positions_of(plan.blocks_of(ranks.rank(), ranks.size()));
}

/// Positions and then rates of the rank's links. \returns the components of the whole state
std::vector<std::size_t> own_components(const Mechanism& mechanism, const ChainPlan& plan, const RankExchange& ranks) {
  const BlockRange positions = own_positions(plan, ranks);
  const auto count = static_cast<std::size_t>(positions.count());
  std::vector<std::size_t> components(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto joint = static_cast<std::size_t>(plan.joints()[static_cast<std::size_t>(positions.first) + i]);
    components[i] = joint;
    components[count + i] = static_cast<std::size_t>(mechanism.q_size()) + joint;
  }
  return components;
}

/// The names and kinds that the whole state's components have (JointStateFormulation).
std::vector<StateComponent> own_layout(const Mechanism& mechanism, StateKind rate_kind, const ChainPlan& plan,
                                       const RankExchange& ranks) {
  const BlockRange positions = own_positions(plan, ranks);
  std::vector<StateComponent> layout;
  layout.reserve(2 * static_cast<std::size_t>(positions.count()));
  for (const StateKind kind : {StateKind::position, rate_kind}) {
    const char* const symbol = kind == StateKind::position ? "q." : kind == StateKind::momentum ? "p." : "v.";
    for (int position = positions.first; position < positions.last; ++position) {
      const auto joint = static_cast<std::size_t>(plan.joints()[static_cast<std::size_t>(position)]);
      const std::string& name = mechanism.tree_joints()[joint].name;
      layout.push_back({symbol + name, kind, name});
    }
  }
  return layout;
}

/// The blocks of one rank.
class SubchainPart final : public FormulationPart {
 public:
  SubchainPart(const Mechanism& mechanism, StateKind rate_kind, ChainPlan plan, RankExchange& ranks)
      : FormulationPart(own_layout(mechanism, rate_kind, plan, ranks), own_components(mechanism, plan, ranks)),
        mechanism_(&mechanism),
        rate_kind_(rate_kind),
        plan_(std::move(plan)),
        solver_(plan_, &ranks) {}

 protected:
  RhsStatus evaluate(double /*t*/, std::span<const double> x, std::span<double> xdot) override {
    const std::size_t count = x.size() / 2;
    if (rate_kind_ == StateKind::velocity) {
      std::copy(x.begin() + static_cast<std::ptrdiff_t>(count), x.end(), xdot.begin());
      return status_of(*mechanism_, solver_,
                       solver_.accelerations(x.first(count), x.subspan(count), xdot.subspan(count)));
    }
    return status_of(*mechanism_, solver_,
                     solver_.momenta(x.first(count), x.subspan(count), xdot.first(count), xdot.subspan(count)));
  }

 private:
  const Mechanism* mechanism_;
  StateKind rate_kind_;
  ChainPlan plan_;
  SubchainSolver solver_;
};

/// \throws ModelError where sub-chains cannot treat the mechanism, or not in so many
int checked_subchains(const Mechanism& mechanism, const Parameters& options) {
  const std::string refusal = refuse_for_subchains(mechanism);
  if (!refusal.empty()) {
    throw ModelError({}, "option leaf=subchain: " + refusal);
  }
  const auto subchains = static_cast<int>(options.integer("subchains"));
  if (subchains % ChainDivision::kLanes != 0) {
    throw ModelError({}, "option subchains: it must be a multiple of 8, one sub-chain a lane, or 0");
  }
  return subchains;
}

}  // namespace

ParameterSpecification leaf_option() {
  ParameterSpecification leaf;
  leaf.name = "leaf";
  leaf.default_value = std::string("body");
  leaf.help =
      "what the assembly starts from: every body (as published), or sub-chains that the recursion eliminates, eight "
      "side by side (serial chains of revolute joints under gravity)";
  leaf.choices = {"body", "subchain"};
  return leaf;
}

ParameterSpecification subchains_option() {
  constexpr std::int64_t kMost = 1 << 20;
  return {"subchains", std::int64_t{0},
          "into how many sub-chains a chain is divided, a multiple of 8; 0: chosen from its length, never from the "
          "machine (leaf=subchain)",
          0, kMost};
}

bool asks_for_subchains(const Parameters& options) {
  return options.text("leaf") == "subchain";
}

std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options) {
  return std::make_unique<SubchainFormulation>(mechanism, rate_kind, checked_subchains(mechanism, options));
}

std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, RankExchange& ranks) {
  if (!asks_for_subchains(options)) {
    throw ModelError({}, "several ranks can share it with option leaf=subchain only");
  }
  ChainPlan plan(mechanism, checked_subchains(mechanism, options));
  const std::string refusal = plan.refuse_ranks(ranks.size());
  if (!refusal.empty()) {
    throw ModelError({}, refusal);
  }
  return std::make_unique<SubchainPart>(mechanism, rate_kind, std::move(plan), ranks);
}

}  // namespace mbdbench
