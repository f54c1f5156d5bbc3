#include "formulations/augmented_lagrangian/absolute/absolute_state.hpp"

#include <algorithm>
#include <string>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"

namespace mbdbench {
namespace {

std::vector<StateComponent> absolute_layout(const Mechanism& mechanism) {
  std::vector<StateComponent> layout;
  const auto add = [&layout](const std::string& symbol, const std::string& body, int count, StateKind kind) {
    for (int i = 1; i <= count; ++i) {
      layout.push_back({symbol + "." + body + "." + std::to_string(i), kind, body});
    }
  };
  for (const Body& body : mechanism.bodies()) {
    add("r", body.name, 3, StateKind::position);
    add("e", body.name, 4, StateKind::quaternion);
  }
  for (const Body& body : mechanism.bodies()) {
    add("vr", body.name, 3, StateKind::velocity);
    add("ve", body.name, 4, StateKind::velocity);
  }
  return layout;
}

}  // namespace

AbsoluteStateFormulation::AbsoluteStateFormulation(const Mechanism& mechanism, const AugmentedOptions& options)
    : DifferentiatedFormulation(mechanism, absolute_layout(mechanism)),
      options_(options),
      system_(mechanism, options, near()),
      velocities_(mechanism.bodies().size(), Vec6::Zero()),
      y_near_(coordinates()),
      q_(static_cast<std::size_t>(mechanism.q_size())),
      u_(static_cast<std::size_t>(mechanism.u_size())) {}

RhsStatus AbsoluteStateFormulation::pack(double /*t*/, std::span<const double> q, std::span<const double> u,
                                         std::span<double> x) {
  Kinematics tree(mechanism());
  tree.set_positions(q);
  tree.set_velocities(u);
  for (int i = 0; i < mechanism().body_count(); ++i) {
    velocities_[static_cast<std::size_t>(i)] = tree.body(i).velocity;
  }
  absolute_positions(tree, y_near_);
  std::copy(y_near_.begin(), y_near_.end(), x.begin());
  absolute_rates(y_of(x), velocities_, rate_of(x));
  system_.set_near(q);
  return {};
}

void AbsoluteStateFormulation::place(double t, std::span<const double> x, const DualScope& scope) {
  system_.place(t, y_of(x), scope);
  system_.team().run([&](const BranchShare& share) {
    scope.for_bodies(share, velocities_.size(), [&](std::size_t i) {
      const std::size_t at = kAbsoluteCoordinates * i;
      set_body_velocity(system_.kinematics().body(static_cast<int>(i)).rotation, y_of(x).data() + at,
                        rate_of(x).data() + at, velocities_[i]);
    });
  });
  system_.set_velocities(velocities_, scope);
}

void AbsoluteStateFormulation::diagnostics(const DiagnosticSink& sink) const {
  sink("position_passes", iterations_.position.last);
  sink("velocity_passes", iterations_.velocity.last);
  sink("acceleration_passes", iterations_.acceleration.last);
}

RhsStatus AbsoluteStateFormulation::unpack(double t, std::span<const double> x, std::span<double> q,
                                           std::span<double> u) {
  place(t, x);
  system_.tree_state(q, u);
  return {};
}

void AbsoluteStateFormulation::follow(double t, std::span<const double> x) {
  place(t, x);
  system_.tree_state(q_, u_);
  system_.set_near(q_);
  std::copy(y_of(x).begin(), y_of(x).end(), y_near_.begin());
}

void AbsoluteStateFormulation::look_near(const AbsoluteStateFormulation& other) {
  system_.set_near(other.system_.near());
  y_near_ = other.y_near_;
}

}  // namespace mbdbench
