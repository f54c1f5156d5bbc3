#pragma once
/// \file
/// A mechanism with all that it takes to evaluate its loads.
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// Evaluates loads, their power and the potential energy at states that a test chooses.
struct LoadedState {
  explicit LoadedState(const MechanismDescription& description) : mechanism(description) {}

  void set(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    kinematics.set_positions(view(q));
    kinematics.set_velocities(view(u));
    loads.evaluate(t, view(q), view(u), kinematics);
  }

  /// \returns the power of all applied loads at velocities u.
  [[nodiscard]] double power(const Eigen::VectorXd& u) const {
    double result = loads.joint_forces().dot(u);
    for (int k = 0; k < mechanism.body_count(); ++k) {
      result += loads.body_wrench(k).dot(kinematics.body(k).velocity);
    }
    return result;
  }

  double potential(const Eigen::VectorXd& q) {
    kinematics.set_positions(view(q));
    return energies(kinematics, view(q), nullptr).potential;
  }

  Mechanism mechanism;
  Kinematics kinematics{mechanism};
  LoadEvaluator loads{mechanism, nullptr};
};

}  // namespace mbdbench::test
