#include "experiments/soak/momentum_balance.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/verification/derivatives/state_derivative.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench::soak {
namespace {

/// Wrenches about the world's origin, and how large their terms are.
struct OuterWrench {
  Vec6 sum = Vec6::Zero();
  Vec6 size = Vec6::Zero();

  void add(const Vec3& point, const Vec6& wrench) {
    Vec6 about_origin = wrench;
    about_origin.tail<3>() += point.cross(Vec3(wrench.head<3>()));
    sum += about_origin;
    size += about_origin.cwiseAbs();
  }
};

/// Of the ground on the mechanism through its joints: reactions and forces in the joints.
void add_joints(const Mechanism& mechanism, const Kinematics& kinematics, const LoadEvaluator& loads,
                const Reactions& reactions, OuterWrench& outer) {
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    const Joint& joint = mechanism.tree_joints()[k];
    if (joint.a >= 0) {
      continue;
    }
    const auto index = static_cast<int>(k);
    const JointKinematics& state = kinematics.tree_joint(index);
    Vec6 wrench = reactions.tree_joints[k];
    if (joint.nu > 0) {
      wrench += state.h * (kinematics.gram_inverse(index) * loads.joint_forces().segment(joint.u_offset, joint.nu));
    }
    outer.add(state.point, wrench);
  }
  for (std::size_t k = 0; k < mechanism.cut_joints().size(); ++k) {
    const Joint& joint = mechanism.cut_joints()[k];
    const Vec3& point = kinematics.cut_joint(static_cast<int>(k)).point;
    if (joint.a < 0) {
      outer.add(point, reactions.cut_joints[k]);
    } else if (joint.b < 0) {
      outer.add(point, -reactions.cut_joints[k]);
    }
  }
}

}  // namespace

MomentumBalance momentum_balance(Formulation& formulation, double t, std::span<const double> x) {
  MomentumBalance balance;
  const Mechanism& mechanism = formulation.mechanism();
  Eigen::VectorXd q(mechanism.q_size());
  Eigen::VectorXd u(mechanism.u_size());
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  Eigen::VectorXd xdot(at.size());
  Reactions reactions;
  const auto done = [&](const RhsStatus& status) {
    balance.status = status;
    return status.ok;
  };
  if (!done(formulation.rhs(t, x, view(xdot))) || !done(formulation.reactions(t, x, reactions)) ||
      !done(formulation.unpack(t, x, view(q), view(u)))) {
    return balance;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  kinematics.set_velocities(view(u));
  LoadEvaluator loads(mechanism, nullptr);
  loads.evaluate(t, view(q), view(u), kinematics);
  OuterWrench outer;
  for (int k = 0; k < mechanism.body_count(); ++k) {
    outer.add(kinematics.body(k).com, loads.body_wrench(k));
  }
  add_joints(mechanism, kinematics, loads, reactions, outer);

  Observation observation;
  Vec6 largest = Vec6::Zero();
  const StateFunction momenta = [&](double time, std::span<const double> state, Eigen::VectorXd& values) {
    const RhsStatus status = formulation.observe(time, state, observation);
    values.resize(6);
    values << observation.linear_momentum, observation.angular_momentum;
    largest = largest.cwiseMax(values.cwiseAbs());
    return status.message();
  };
  const double rate = std::max(u.size() > 0 ? u.lpNorm<Eigen::Infinity>() : 0.0,
                               std::sqrt(xdot.size() > 0 ? xdot.lpNorm<Eigen::Infinity>() : 0.0));
  const double h = 1e-3 / std::max(1.0, rate);
  const StateDerivative derivative = derivative_along(momenta, t, at, xdot, h);
  if (!derivative.failure.empty()) {
    balance.status = {false, "", "the momentum cannot be observed beside this state", 0.0};
    return balance;
  }
  const double size = std::max(outer.size.maxCoeff(), derivative.value.lpNorm<Eigen::Infinity>());
  const double rounding = 1e-13 * largest.maxCoeff() / h;
  if (size > 0.0) {
    balance.imbalance = (derivative.value - outer.sum).lpNorm<Eigen::Infinity>() / size;
    balance.uncertainty = (derivative.uncertainty.lpNorm<Eigen::Infinity>() + rounding) / size;
  }
  return balance;
}

}  // namespace mbdbench::soak
