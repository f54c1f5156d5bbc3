#include "experiments/verification/reference/verification_states.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {
namespace {

// Loops that do not close from far away may close from nearer.
constexpr int kAttempts = 4;
constexpr double kFirstAmplitude = 1.0;
constexpr double kLoopAmplitude = 0.3;
constexpr double kDrawnSpeed = 1.0;  // rad/s, m/s
// Closing loops takes velocities away to rounding times the condition of their equations. A mechanism that loops hold
// altogether would be left with velocities of 1e-17, at which there is only rounding to compare: it is at rest.
constexpr double kRestOfDrawn = 1e-12 * kDrawnSpeed;

bool prescribed(const JointDescription& joint, int component) {
  return std::any_of(joint.motions.begin(), joint.motions.end(),
                     [component](const PrescribedMotion& motion) { return motion.component == component; });
}

/// \param amplitude of the change of coordinates (m, rad); quaternions are drawn anew for open mechanisms
void perturb(RandomSource& random, const Mechanism& mechanism, double amplitude, JointDescription& joint) {
  std::size_t first = 0;
  if (has_quaternion(joint.type)) {
    const Eigen::Map<const Eigen::Vector4d> given(joint.q0.data());
    const Eigen::Vector4d drawn = random.quaternion();
    const Eigen::Vector4d e = mechanism.constrained() ? (given + amplitude * drawn).normalized() : drawn;
    std::copy(e.data(), e.data() + 4, joint.q0.begin());
    first = 4;
  }
  for (std::size_t i = first; i < joint.q0.size(); ++i) {
    const double change = random.uniform(-amplitude, amplitude);
    if (!prescribed(joint, static_cast<int>(i))) {
      joint.q0[i] += change;
    }
  }
  for (double& velocity : joint.v0) {
    velocity = random.uniform(-kDrawnSpeed, kDrawnSpeed);
  }
}

std::optional<VerificationState> draw_state(RandomSource& random, const Mechanism& mechanism) {
  double amplitude = mechanism.constrained() ? kLoopAmplitude : kFirstAmplitude;
  for (int attempt = 0; attempt < kAttempts; ++attempt, amplitude *= 0.5) {
    MechanismDescription description = mechanism.description();
    for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
      JointDescription& joint = description.joints[k];
      joint.v0.resize(static_cast<std::size_t>(mechanism.tree_joints()[k].nu));
      perturb(random, mechanism, amplitude, joint);
    }
    try {
      const Mechanism moved(std::move(description));
      const bool rests = moved.u0().size() > 0 && moved.u0().lpNorm<Eigen::Infinity>() < kRestOfDrawn;
      const Eigen::VectorXd u = rests ? Eigen::VectorXd(Eigen::VectorXd::Zero(mechanism.u_size())) : moved.u0();
      return VerificationState{0.0, moved.q0(), u, Eigen::VectorXd::Zero(mechanism.constraint_size())};
    } catch (const ModelError&) {
      // Does not close from here.
    }
  }
  return std::nullopt;
}

}  // namespace

VerificationStates draw_verification_states(const Mechanism& mechanism, int random_count, std::int64_t seed) {
  VerificationStates result;
  result.states.push_back({0.0, mechanism.q0(), mechanism.u0(), Eigen::VectorXd::Zero(mechanism.constraint_size())});
  RandomSource random(seed);
  for (int i = 0; i < random_count; ++i) {
    std::optional<VerificationState> state = draw_state(random, mechanism);
    if (!state) {
      ++result.skipped;
      continue;
    }
    if (!mechanism.rheonomic()) {
      state->t = random.uniform(0.0, 1.0);
    }
    for (double& component : state->gauge) {
      component = random.uniform(-1.0, 1.0);
    }
    result.states.push_back(std::move(*state));
  }
  return result;
}

}  // namespace mbdbench
