// A program of a user's own: the whole command line of mbdbench with one more formulation and one more mechanism.
//
//   user_formulation verify --formulation my-formulation
//   user_formulation simulate --mechanism my_double_pendulum --formulation my-formulation --time 5 --output out
#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "experiments/command_line/command_line.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace {

using namespace mbdbench;

/// Projected Newton-Euler equations of a tree, M u' = f, as short as they can be written.
class MyFormulation final : public JointVelocityFormulation {
 public:
  explicit MyFormulation(const Mechanism& mechanism)
      : JointVelocityFormulation(mechanism), kinematics_(mechanism), jacobians_(mechanism), loads_(mechanism, near()) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<MyFormulation>(mechanism());
  }

  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    // Newton-Euler inward: each joint carries what everything outboard of it needs beyond its applied loads.
    std::vector<double> xdot(x.size());
    evaluate(t, x, xdot);
    const Eigen::Map<const Eigen::VectorXd> u(rate_of(x).data(), mechanism().u_size());
    const Eigen::Map<const Eigen::VectorXd> acceleration(xdot.data() + mechanism().q_size(), mechanism().u_size());
    reactions.tree_joints.assign(mechanism().tree_joints().size(), Vec6::Zero());
    reactions.cut_joints.clear();
    std::vector<Vec6> carried(reactions.tree_joints.size(), Vec6::Zero());
    for (int k = mechanism().body_count() - 1; k >= 0; --k) {
      const auto i = static_cast<std::size_t>(k);
      const Joint& joint = mechanism().tree_joints()[i];
      const JointKinematics& state = kinematics_.tree_joint(k);
      const Vec6 motion = jacobians_.body(k) * acceleration + jacobians_.body_rate(k) * u;
      const Vec3 lever = kinematics_.body(k).com - state.point;
      carried[i] += shift_wrench(lever, inertia_wrench(k, motion) + gyroscopic_wrench(k) - loads_.body_wrench(k));
      const Vec6 active =
          state.h * (kinematics_.gram_inverse(k) * loads_.joint_forces().segment(joint.u_offset, joint.nu));
      reactions.tree_joints[i] = carried[i] - active;
      if (joint.a >= 0) {
        const Vec3 inward = state.point - kinematics_.tree_joint(joint.a).point;
        carried[static_cast<std::size_t>(joint.a)] += shift_wrench(inward, carried[i]);
      }
    }
    return {};
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    kinematics_.set_positions(q_of(x));
    kinematics_.set_velocities(rate_of(x));
    jacobians_.set_positions(kinematics_);
    jacobians_.set_velocities(kinematics_);
    loads_.evaluate(t, q_of(x), rate_of(x), kinematics_);
    const Eigen::Map<const Eigen::VectorXd> u(rate_of(x).data(), mechanism().u_size());
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(mechanism().u_size(), mechanism().u_size());
    Eigen::VectorXd force = loads_.joint_forces();
    for (int k = 0; k < mechanism().body_count(); ++k) {
      const Jacobians::BodyJacobian& j = jacobians_.body(k);
      const Vec6 bias = jacobians_.body_rate(k) * u;
      for (int column = 0; column < mechanism().u_size(); ++column) {
        mass.col(column) += j.transpose() * inertia_wrench(k, j.col(column));
      }
      force += j.transpose() * (loads_.body_wrench(k) - gyroscopic_wrench(k) - inertia_wrench(k, bias));
    }
    set_coordinate_rates(q_of(x), rate_of(x), q_of(xdot));
    const Eigen::VectorXd acceleration = mass.ldlt().solve(force);
    std::copy(acceleration.data(), acceleration.data() + acceleration.size(), rate_of(xdot).begin());
    return {};
  }

 private:
  [[nodiscard]] Vec6 inertia_wrench(int body, const Vec6& acceleration) const {
    Vec6 wrench;
    wrench.head<3>() = mechanism().bodies()[static_cast<std::size_t>(body)].mass * acceleration.head<3>();
    wrench.tail<3>() = kinematics_.body(body).inertia * acceleration.tail<3>();
    return wrench;
  }
  [[nodiscard]] Vec6 gyroscopic_wrench(int body) const {
    const BodyKinematics& state = kinematics_.body(body);
    const Vec3 omega = state.velocity.tail<3>();
    Vec6 wrench = Vec6::Zero();
    wrench.tail<3>() = omega.cross(state.inertia * omega);
    return wrench;
  }

  Kinematics kinematics_;
  Jacobians jacobians_;
  LoadEvaluator loads_;
};

std::string refuse_constraints(const Mechanism& mechanism) {
  return mechanism.constrained() ? "it takes trees without prescribed motions only" : "";
}

std::unique_ptr<Formulation> make_mine(const Mechanism& mechanism, const Parameters& /*options*/,
                                       const Execution& /*execution*/) {
  return std::make_unique<MyFormulation>(mechanism);
}

MechanismDescription make_double_pendulum(const Parameters& parameters) {
  const double length = parameters.number("length");
  MechanismDescription description;
  description.name = "my_double_pendulum";
  for (int i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i + 1);
    BodyDescription body;
    body.name = "rod" + number;
    body.mass = 1.0;
    body.com = Vec3(length / 2.0, 0.0, 0.0);
    body.inertia = Vec3(1e-3, length * length / 12.0, length * length / 12.0).asDiagonal();
    JointDescription joint;
    joint.name = "pivot" + number;
    joint.type = JointType::revolute;
    joint.axis = Vec3::UnitY();
    joint.b = body.name;
    if (i > 0) {
      joint.a = "rod1";
      joint.frame_a.position = Vec3(length, 0.0, 0.0);
    }
    description.bodies.push_back(body);
    description.joints.push_back(joint);
  }
  description.markers.push_back({"tip", "rod2", Vec3(length, 0.0, 0.0)});
  return description;
}

}  // namespace

int main(int argument_count, char** arguments) {
  static const std::vector<ParameterSpecification> parameters = {{"length", 0.5, "length of each rod, m", 1e-3, 1e3}};
  Registries registries = default_registries();
  registries.formulations.push_back({"my-formulation",
                                     "projected Newton-Euler equations, trees only",
                                     "mine",
                                     StateKind::velocity,
                                     {},
                                     refuse_constraints,
                                     make_mine});
  registries.mechanisms.push_back(
      {"my_double_pendulum", "two rods released from the horizontal", "mine", parameters, make_double_pendulum});
  return run_command_line(registries, argument_count, arguments);
}
