#include "experiments/monitors/load_energy.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

struct LoadEnergy::Workspace {
  explicit Workspace(const Mechanism& given) : mechanism(given), kinematics(given), loads(given, nullptr) {}

  const Mechanism& mechanism;
  Kinematics kinematics;
  LoadEvaluator loads;
};

LoadEnergy::LoadEnergy(const Mechanism& mechanism)
    : workspace_(mechanism.exchanges_energy() ? std::make_unique<Workspace>(mechanism) : nullptr) {}
LoadEnergy::LoadEnergy(LoadEnergy&&) noexcept = default;
LoadEnergy& LoadEnergy::operator=(LoadEnergy&&) noexcept = default;
LoadEnergy::~LoadEnergy() = default;

void LoadEnergy::observe(double t, std::span<const double> q, std::span<const double> u) {
  if (!follows()) {
    return;
  }
  auto& [mechanism, kinematics, loads] = *workspace_;
  // Where nothing acts but along joints, nobody asks where the bodies are.
  if (loads.need_bodies()) {
    kinematics.set_positions(q);
    kinematics.set_velocities(u);
  }
  loads.evaluate_without_potential(t, q, u, kinematics);
  const double length = mechanism.scales().length;
  double energy = 0.0;
  for (const Joint& joint : mechanism.tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      energy += std::abs(loads.joint_forces()[joint.u_offset + i]) * (is_displacement(joint, i) ? length : 1.0);
    }
  }
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const Vec6& wrench = loads.body_wrench(k);
    energy += wrench.head<3>().norm() * length + wrench.tail<3>().norm();
  }
  largest_ = std::max(largest_, energy);  // a sum that is not a number leaves it
}

}  // namespace mbdbench
