#pragma once
/// \file
/// Leaves of the assembly: every body's handles B_i = [e_h X_h^T D_h], its inertia, and what was raked into it.
///
///   leaf        Xi = B^T M^-1 B,   xi_0 = B^T M^-1 f,   V_C = M^-1 (f + B sigma)
///   with arms   M -> M + sum B_y C B_y^T,   f -> f + sum B_y C (r_y - xi_y0),   C = (D^T Xi_yy D)^-1
///
/// An arm y is a floating subassembly with one external handle: seen from the body it only adds inertia. With C = (L
/// L^T)^-1 and G = L^-1 B_y^T: M += G^T G, z = L^-1 (xi_y0 - r_y), f -= G^T z, sigma_y = -L^-T (z + G V_C).
/// Cost 6 (c + w)^2 flops a leaf, about n_c^3 / 3 + 6 n_c^2 + 36 n_c an arm: linear in the number of arms.
#include <Eigen/Cholesky>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"
#include "formulations/assembly/nodes/node_plan.hpp"
#include "formulations/kernels/aligned_memory.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// Handles and inertias of all bodies. No allocation after construction.
class BodyLeaves {
 public:
  /// \param masses one a body, positive \param row_offsets of every joint among the rows of all
  BodyLeaves(const AssemblyTree& tree, std::span<const double> masses, std::span<const int> row_offsets);

  /// \returns the joints of a body's handles: closed, external, raked.
  [[nodiscard]] std::span<const int> joints(int body) const { return leaf(body).joints; }
  /// Sets e_h X_h^T D_h: D shifted from the handle to the centre of mass. \param handle index among those of the body
  /// \param directions D of the joint, columns about the handle's point \param sign e_h: +1 on body b, -1 on a
  /// \param lever handle minus centre of mass
  void place_handle(int body, std::size_t handle, const SpatialColumns& directions, double sign, const Vec3& lever);
  /// Sets J_C and its inverse in world axes.
  void set_inertia(int body, const Mat3& inertia, const Mat3& inertia_inverse);
  /// f + B sigma - M V, raked joints included: what the rates of a body leave of its balance.
  /// \param inertia J_C in world axes, where it is not what the assembly stands on \param sigma all multipliers
  [[nodiscard]] Vec6 unbalanced(const NodeSteps& steps, int body, const Vec6& input, const Mat3& inertia,
                                const Vec6& rate, std::span<const double> sigma) const;

  /// \returns what kernels see of a body.
  [[nodiscard]] const BodyPlan& plan(int body) const { return plans_[static_cast<std::size_t>(body)]; }
  /// \returns M^-1 f with all that was raked into the body.
  [[nodiscard]] Vec6 times_inverse_inertia(int body, const Vec6& wrench) const {
    const BodyPlan& own = plan(body);
    if (own.inverse != nullptr) {
      return Eigen::Map<const Mat6>(own.inverse) * wrench;
    }
    Vec6 velocity;
    velocity.head<3>() = own.inverse_mass * wrench.head<3>();
    velocity.tail<3>().noalias() = Eigen::Map<const Mat3>(own.inertia_inverse) * wrench.tail<3>();
    return velocity;
  }

  /// Forgets what was raked, before the next factorisation.
  void reset_arms(int body);
  /// Rakes an arm: adds its inertia to the body's. \param arm index into the leaf's arms \param block Xi_yy^C of the
  /// arm, columns of kHandle \param shift added to its diagonal
  /// \returns -1, or the row whose pivot is not positive
  int rake(int body, std::size_t arm, const double* block, double shift);
  /// Inertia with all arms, after they were raked. \returns whether it is positive definite
  bool add_arms(int body);
  /// f -= G^T z. \param right xi_y0 - r_y of the arm, replaced by z
  void rake_right_side(int body, std::size_t arm, double* right, Vec6& wrench) const;
  /// sigma_y = -L^-T (z + G V_C).
  void recover_arm(int body, std::size_t arm, const double* z, const Vec6& velocity, double* sigma) const;

 private:
  /// At most six rows.
  using ArmMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  struct Arm {
    int rows = 0;
    std::size_t handle = 0;  // among those of the body
    ArmMatrix factor;        // L
    ArmMatrix reduced;       // G, rows x 6
  };
  struct Leaf {
    std::vector<int> joints;
    std::vector<Arm> arms;
    double mass = 1.0;
    Mat3 inertia = Mat3::Identity();
    int hub = -1;  // into hubs_, for bodies with arms
  };
  struct Hub {
    Mat6 added = Mat6::Zero();
    Mat6 inverse = Mat6::Zero();
  };

  [[nodiscard]] const Leaf& leaf(int body) const { return leaves_[static_cast<std::size_t>(body)]; }
  /// Component `i` of column `row` of a handle in B.
  [[nodiscard]] double direction(int body, std::size_t handle, int i, int row) const;

  std::vector<Leaf> leaves_;
  std::vector<BodyPlan> plans_;
  std::vector<Hub> hubs_;
  std::vector<HandleRows> rows_;
  AlignedMemory memory_;
};

}  // namespace mbdbench
