#include "experiments/verification/reference/equation_matrices.hpp"

#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

EquationMatrices equation_matrices(const Mechanism& mechanism, double t, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& u) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(q));
  kinematics.set_velocities(view(u));
  Jacobians jacobians(mechanism);
  jacobians.set_positions(kinematics);
  jacobians.set_velocities(kinematics);
  LoadEvaluator loads(mechanism, nullptr);
  loads.evaluate(t, view(q), view(u), kinematics);
  EquationMatrices equations;
  equations.mass = Eigen::MatrixXd::Zero(u.size(), u.size());
  equations.forces = loads.joint_forces();
  equations.constraint_jacobian = jacobians.constraints();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics.body(k);
    Mat6 inertia = Mat6::Zero();
    inertia.topLeftCorner<3, 3>() = mechanism.bodies()[static_cast<std::size_t>(k)].mass * Mat3::Identity();
    inertia.bottomRightCorner<3, 3>() = body.inertia;
    const Vec3 spin = body.velocity.tail<3>();
    Vec6 wrench = loads.body_wrench(k) - inertia * (jacobians.body_rate(k) * u);
    wrench.tail<3>() -= spin.cross(body.inertia * spin);
    equations.mass += jacobians.body(k).transpose() * inertia * jacobians.body(k);
    equations.forces += jacobians.body(k).transpose() * wrench;
  }
  return equations;
}

}  // namespace mbdbench
