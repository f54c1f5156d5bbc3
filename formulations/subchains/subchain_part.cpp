#include "formulations/subchains/subchain_part.hpp"

#include <algorithm>

#include "formulations/subchains/subchain_solver.hpp"

namespace mbdbench {
namespace {

/// Positions and then rates of a rank's links. \returns the components of the whole state
std::vector<std::size_t> own_components(const Mechanism& mechanism, const ChainPlan& plan,
                                        const ChainRange& positions) {
  const auto count = static_cast<std::size_t>(positions.count());
  std::vector<std::size_t> components(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(plan.coordinates()[static_cast<std::size_t>(positions.first) + i]);
    components[i] = place;
    components[count + i] = static_cast<std::size_t>(mechanism.q_size()) + place;
  }
  return components;
}

/// The names and kinds that the whole state's components have (JointStateFormulation): of the joints that turn about
/// axes, coordinates and quasi-velocities are numbered alike.
std::vector<StateComponent> own_layout(const Mechanism& mechanism, StateKind rate_kind, const ChainPlan& plan,
                                       const ChainRange& positions) {
  std::vector<StateComponent> layout;
  layout.reserve(2 * static_cast<std::size_t>(positions.count()));
  for (const StateKind kind : {StateKind::position, rate_kind}) {
    const char* const symbol = kind == StateKind::position ? "q." : kind == StateKind::momentum ? "p." : "v.";
    for (int position = positions.first; position < positions.last; ++position) {
      const int number = plan.tree().joint(static_cast<std::size_t>(position));
      const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(number)];
      const int component = plan.coordinates()[static_cast<std::size_t>(position)] - joint.q_offset;
      layout.push_back(
          {symbol + joint.name + (joint.nq == 1 ? "" : "." + std::to_string(component + 1)), kind, joint.name});
    }
  }
  return layout;
}

/// The blocks of one rank.
class SubchainPart final : public FormulationPart {
 public:
  SubchainPart(const Mechanism& mechanism, StateKind rate_kind, const SubchainSettings& settings, ChainPlan plan,
               RankExchange& ranks)
      : SubchainPart(mechanism, rate_kind, settings, plan.share_of(ranks.rank(), ranks.size()).positions,
                     std::move(plan), ranks) {}

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const std::size_t count = x.size() / 2;
    if (rate_kind_ == StateKind::velocity) {
      std::copy(x.begin() + static_cast<std::ptrdiff_t>(count), x.end(), xdot.begin());
      return solver_.accelerations(t, x.first(count), x.subspan(count), xdot.subspan(count));
    }
    return solver_.momenta(t, x.first(count), x.subspan(count), leak_, xdot.first(count), xdot.subspan(count));
  }

 private:
  SubchainPart(const Mechanism& mechanism, StateKind rate_kind, const SubchainSettings& settings,
               const ChainRange& positions, ChainPlan&& plan, RankExchange& ranks)
      : FormulationPart(own_layout(mechanism, rate_kind, plan, positions), own_components(mechanism, plan, positions)),
        rate_kind_(rate_kind),
        leak_(settings.leak),
        solver_(mechanism, std::move(plan), settings.threads, &ranks) {}

  StateKind rate_kind_;
  double leak_;  // 1/s
  SubchainSolver solver_;
};

}  // namespace

std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const SubchainSettings& settings, ChainPlan plan,
                                                    RankExchange& ranks) {
  return std::make_unique<SubchainPart>(mechanism, rate_kind, settings, std::move(plan), ranks);
}

}  // namespace mbdbench
