#include "formulations/subchains/lane_part.hpp"

#include <algorithm>
#include <utility>

namespace mbdbench {
namespace {

/// Positions and then rates of a process's links. \returns the components of the whole state
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

/// The blocks of one process.
class LanePart final : public FormulationPart {
 public:
  LanePart(const Mechanism& mechanism, StateKind rate_kind, const ChainPlan& plan, const ChainRange& held,
           std::unique_ptr<LaneSolver> solver)
      : FormulationPart(own_layout(mechanism, rate_kind, plan, held), own_components(mechanism, plan, held)),
        rate_kind_(rate_kind),
        solver_(std::move(solver)) {}

  void diagnostics(const DiagnosticSink& sink) const override { sink("redundant_rows", solver_->redundant_rows()); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    const std::size_t count = x.size() / 2;
    if (rate_kind_ == StateKind::velocity) {
      return solver_->accelerations(t, x.first(count), x.subspan(count), xdot.first(count), xdot.subspan(count));
    }
    return solver_->momenta(t, x.first(count), x.subspan(count), xdot.first(count), xdot.subspan(count));
  }

 private:
  StateKind rate_kind_;
  std::unique_ptr<LaneSolver> solver_;
};

}  // namespace

std::unique_ptr<FormulationPart> make_lane_part(const Mechanism& mechanism, StateKind rate_kind, const ChainPlan& plan,
                                                const ChainRange& held, std::unique_ptr<LaneSolver> solver) {
  return std::make_unique<LanePart>(mechanism, rate_kind, plan, held, std::move(solver));
}

}  // namespace mbdbench
