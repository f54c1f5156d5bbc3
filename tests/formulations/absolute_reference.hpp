#pragma once
/// \file
/// Dense algebra over all constraint rows of a mechanism in absolute coordinates, for the augmented Lagrangian
/// formulations.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "formulations/dense/dense_dynamics.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/validation/spectrum.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::test {

/// A = G M^-1 G^T and the right side of its system at the initial state, G assembled from D and the lever arms.
struct AbsoluteReference {
  AbsoluteReference(const Mechanism& from, double t) : mechanism(from) {
    Kinematics tree(mechanism);
    tree.set_positions(view(mechanism.q0()));
    tree.set_velocities(view(mechanism.u0()));
    y.resize(kAbsoluteCoordinates * mechanism.bodies().size());
    absolute_positions(tree, y);
    velocities.reserve(mechanism.bodies().size());
    for (int i = 0; i < mechanism.body_count(); ++i) {
      velocities.push_back(tree.body(i).velocity);
    }
    AbsoluteKinematics kinematics(mechanism);
    kinematics.set_positions(y, BranchTeam({}, {}));
    kinematics.set_velocities(velocities, BranchTeam({}, {}));
    PrescribedMotions motions(mechanism);
    motions.evaluate(t);
    set_mass(kinematics);
    set_rows(kinematics);
    a = g * inverse_mass * g.transpose();
    const SymmetricDecomposition eigen = symmetric_decomposition(a);
    const double zero = 1e-10 * std::max(1.0, eigen.values.maxCoeff());
    rank = (eigen.values.array() > zero).count();
    if (rank > 0) {
      smallest = eigen.values[a.rows() - rank];
      condition = eigen.values.maxCoeff() / smallest;
    }
    pseudo_inverse = Eigen::MatrixXd::Zero(a.rows(), a.rows());
    for (Eigen::Index i = a.rows() - rank; i < a.rows(); ++i) {
      pseudo_inverse += eigen.vectors.col(i) * eigen.vectors.col(i).transpose() / eigen.values[i];
    }
    // From the accelerations of dense: G A + (rates) = 0, so the right side follows from any A that satisfies it.
    DenseDynamics dynamics(mechanism, nullptr);
    EXPECT_TRUE(dynamics.set_positions(t, view(mechanism.q0())).ok);
    dynamics.set_velocities(t, view(mechanism.q0()), view(mechanism.u0()));
    const Eigen::VectorXd rates = dynamics.accelerations();
    LoadEvaluator loads(mechanism, nullptr);
    loads.evaluate(t, view(mechanism.q0()), view(mechanism.u0()), tree);
    Jacobians jacobians(mechanism);
    jacobians.set_positions(tree);
    jacobians.set_velocities(tree);
    Eigen::VectorXd accelerations(6 * mechanism.body_count());
    Eigen::VectorXd free(6 * mechanism.body_count());
    for (int i = 0; i < mechanism.body_count(); ++i) {
      accelerations.segment<6>(6 * i) = jacobians.body(i) * rates + jacobians.body_rate(i) * mechanism.u0();
      Vec6 wrench = loads.body_wrench(i);
      const Vec3 omega = tree.body(i).velocity.tail<3>();
      wrench.tail<3>() -= omega.cross(tree.body(i).inertia * omega);
      free.segment<6>(6 * i) = wrench;
    }
    add_joint_forces(tree, loads.joint_forces(), free);
    right = g * (accelerations - inverse_mass * free);
  }

  /// \returns A^+ b.
  [[nodiscard]] Eigen::VectorXd least_norm(const Eigen::VectorXd& b) const { return pseudo_inverse * b; }

  void set_mass(const AbsoluteKinematics& kinematics) {
    inverse_mass = Eigen::MatrixXd::Zero(6 * mechanism.body_count(), 6 * mechanism.body_count());
    for (int i = 0; i < mechanism.body_count(); ++i) {
      inverse_mass.block<3, 3>(6 * i, 6 * i) = Mat3::Identity() / mechanism.bodies()[static_cast<std::size_t>(i)].mass;
      inverse_mass.block<3, 3>(6 * i + 3, 6 * i + 3) = kinematics.body(i).inertia_inverse;
    }
  }

  void set_rows(const AbsoluteKinematics& kinematics) {
    std::vector<Eigen::RowVectorXd> rows;
    for (int k = 0; k < kinematics.joint_count(); ++k) {
      const Joint& joint = kinematics.joint(k);
      const JointKinematics& state = kinematics.joint_state(k);
      std::vector<Vec6> columns;
      columns.reserve(static_cast<std::size_t>(joint.nc) + joint.motions.size());
      for (int c = 0; c < joint.nc; ++c) {
        columns.emplace_back(state.d.col(c));
      }
      for (const JointMotion& motion : joint.motions) {
        columns.emplace_back(state.h * motion_gram_inverse(joint).col(motion.component));
      }
      for (const Vec6& column : columns) {
        Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(6 * mechanism.body_count());
        const auto add = [&](int body, const Vec3& point, double sign) {
          if (body >= 0) {
            row.segment<6>(6 * body) += sign * shift_wrench(point - kinematics.body(body).com, column).transpose();
          }
        };
        add(joint.b, kinematics.handle(k, true), 1.0);
        add(joint.a, kinematics.handle(k, false), -1.0);
        rows.push_back(row);
      }
    }
    g.resize(static_cast<Eigen::Index>(rows.size()), 6 * mechanism.body_count());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      g.row(static_cast<Eigen::Index>(i)) = rows[i];
    }
  }

  void add_joint_forces(const Kinematics& tree, const Eigen::VectorXd& tau, Eigen::VectorXd& free) const {
    for (int k = 0; k < mechanism.body_count(); ++k) {
      const Joint& joint = mechanism.tree_joints()[static_cast<std::size_t>(k)];
      const JointKinematics& state = tree.tree_joint(k);
      const Vec6 wrench = state.h * motion_gram_inverse(joint) * tau.segment(joint.u_offset, joint.nu);
      free.segment<6>(6 * joint.b) += shift_wrench(state.point - tree.body(joint.b).com, wrench);
      if (joint.a >= 0) {
        free.segment<6>(6 * joint.a) -= shift_wrench(state.point - tree.body(joint.a).com, wrench);
      }
    }
  }

  const Mechanism& mechanism;
  std::vector<double> y;
  std::vector<Vec6> velocities;
  Eigen::MatrixXd g;
  Eigen::MatrixXd inverse_mass;
  Eigen::MatrixXd a;
  Eigen::MatrixXd pseudo_inverse;
  Eigen::VectorXd right;
  Eigen::Index rank = 0;
  double smallest = 0.0;   ///< non-zero eigenvalue of A
  double condition = 1.0;  ///< of A over its non-zero eigenvalues
};

/// A state in absolute coordinates off all joints: every body displaced, turned and moved on its own.
struct OffTheConstraints {
  OffTheConstraints(const Mechanism& mechanism, std::int64_t seed, double size = 1e-3) {
    RandomSource random(seed);
    Kinematics tree(mechanism);
    tree.set_positions(view(mechanism.q0()));
    tree.set_velocities(view(mechanism.u0()));
    y.resize(kAbsoluteCoordinates * mechanism.bodies().size());
    absolute_positions(tree, y);
    for (double& coordinate : y) {
      coordinate += size * random.uniform(-1.0, 1.0);
    }
    velocities.reserve(mechanism.bodies().size());
    for (int i = 0; i < mechanism.body_count(); ++i) {
      Eigen::Map<EulerParameters> e(y.data() + kAbsoluteCoordinates * static_cast<std::size_t>(i) + 3);
      e.normalize();
      velocities.emplace_back(tree.body(i).velocity + size * random_vector(6, random));
    }
  }
  std::vector<double> y;
  std::vector<Vec6> velocities;
};

}  // namespace mbdbench::test
