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
    return status_of(solver_.momenta(q_of(x), rate_of(x), u, unused_));
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
      return status_of(solver_.accelerations(q_of(x), rate_of(x), rate_of(xdot)));
    }
    return status_of(solver_.momenta(q_of(x), rate_of(x), q_of(xdot), rate_of(xdot)));
  }

 private:
  [[nodiscard]] RhsStatus status_of(int failed) const {
    if (failed < 0) {
      return {};
    }
    return {false, mechanism().tree_joints()[static_cast<std::size_t>(failed)].name,
            "the articulated inertia about the joint is not positive or not finite, it is", solver_.failed_pivot()};
  }

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
  const std::string refusal = refuse_for_subchains(mechanism);
  if (!refusal.empty()) {
    throw ModelError({}, "option leaf=subchain: " + refusal);
  }
  const auto subchains = static_cast<int>(options.integer("subchains"));
  if (subchains % ChainDivision::kLanes != 0) {
    throw ModelError({}, "option subchains: it must be a multiple of 8, one sub-chain a lane, or 0");
  }
  return std::make_unique<SubchainFormulation>(mechanism, rate_kind, subchains);
}

}  // namespace mbdbench
