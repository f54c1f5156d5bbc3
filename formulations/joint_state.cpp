#include "formulations/joint_state.hpp"

#include <algorithm>

namespace mbdbench {
namespace {

void add_components(std::vector<StateComponent>& layout, const char* symbol, const Joint& joint, int count,
                    StateKind kind) {
  for (int i = 0; i < count; ++i) {
    const std::string suffix = count == 1 ? "" : "." + std::to_string(i + 1);
    const bool quaternion = kind == StateKind::position && has_quaternion(joint.type) && i < 4;
    layout.push_back({symbol + ("." + joint.name) + suffix, quaternion ? StateKind::quaternion : kind, joint.name});
  }
}

}  // namespace

std::vector<StateComponent> joint_layout(const Mechanism& mechanism, StateKind rate_kind) {
  std::vector<StateComponent> layout;
  for (const Joint& joint : mechanism.tree_joints()) {
    add_components(layout, "q", joint, joint.nq, StateKind::position);
  }
  for (const Joint& joint : mechanism.tree_joints()) {
    add_components(layout, rate_kind == StateKind::momentum ? "p" : "v", joint, joint.nu, rate_kind);
  }
  return layout;
}

bool has_joint_states(const Formulation& formulation) {
  const std::span<const StateComponent> own = formulation.layout();
  const auto same = [&](StateKind rate_kind) {
    const std::vector<StateComponent> layout = joint_layout(formulation.mechanism(), rate_kind);
    return std::equal(own.begin(), own.end(), layout.begin(), layout.end(),
                      [](const StateComponent& a, const StateComponent& b) { return a.name == b.name; });
  };
  return same(StateKind::velocity) || same(StateKind::momentum);
}

JointStateFormulation::JointStateFormulation(const Mechanism& mechanism, StateKind rate_kind)
    : DifferentiatedFormulation(mechanism, joint_layout(mechanism, rate_kind)), rates_(mechanism) {}

CoordinateRates::CoordinateRates(const Mechanism& mechanism) : mechanism_(&mechanism) {
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    const auto q = static_cast<std::size_t>(joint.q_offset);
    const auto u = static_cast<std::size_t>(joint.u_offset);
    if (!has_coordinate_rates(joint.type)) {
      quaternion_joints_.push_back(k);
    } else if (!scalar_.empty() && scalar_.back().q + scalar_.back().count == q) {
      scalar_.back().count += static_cast<std::size_t>(joint.nq);
    } else {
      scalar_.push_back({q, u, static_cast<std::size_t>(joint.nq)});
    }
  }
}

void CoordinateRates::set_share(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                std::size_t index, std::size_t count) const {
  for (std::size_t b = scalar_.size() * index / count; b < scalar_.size() * (index + 1) / count; ++b) {
    const ScalarCoordinates& block = scalar_[b];
    std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(block.u), block.count,
                qdot.begin() + static_cast<std::ptrdiff_t>(block.q));
  }
  const std::size_t joints = quaternion_joints_.size();
  for (std::size_t k = joints * index / count; k < joints * (index + 1) / count; ++k) {
    const Joint& joint = mechanism_->tree_joints()[quaternion_joints_[k]];
    const auto first = static_cast<std::size_t>(joint.q_offset);
    const auto width = static_cast<std::size_t>(joint.nq);
    coordinate_rates(joint, q.subspan(first, width),
                     u.subspan(static_cast<std::size_t>(joint.u_offset), static_cast<std::size_t>(joint.nu)),
                     qdot.subspan(first, width));
  }
}

RhsStatus JointVelocityFormulation::pack(double /*t*/, std::span<const double> q, std::span<const double> u,
                                         std::span<double> x) {
  std::copy(q.begin(), q.end(), x.begin());
  std::copy(u.begin(), u.end(), rate_of(x).begin());
  return {};
}

RhsStatus JointVelocityFormulation::unpack(double /*t*/, std::span<const double> x, std::span<double> q,
                                           std::span<double> u) {
  std::copy(q_of(x).begin(), q_of(x).end(), q.begin());
  std::copy(rate_of(x).begin(), rate_of(x).end(), u.begin());
  return {};
}

}  // namespace mbdbench
