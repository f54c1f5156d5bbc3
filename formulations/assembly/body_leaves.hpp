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
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// Handles and inertias of all bodies. No allocation after construction.
class BodyLeaves {
 public:
  /// \param masses one a body, positive
  BodyLeaves(const AssemblyTree& tree, std::span<const double> masses);

  /// \returns the joints of a body's handles in the order of the columns of B: closed, external, raked.
  [[nodiscard]] std::span<const int> joints(int body) const { return leaf(body).joints; }
  /// \returns rows of B^T: of all handles of the body.
  [[nodiscard]] int rows(int body) const { return leaf(body).rows; }
  /// \returns B_i to fill: 6 x rows(body), row-major.
  [[nodiscard]] double* handles(int body) { return handles_.data() + leaf(body).handles; }
  /// Sets J_C and its inverse in world axes.
  void set_inertia(int body, const Mat3& inertia, const Mat3& inertia_inverse);
  /// f + B sigma - M V, raked joints included: what the rates of a body leave of its balance.
  /// \param inertia J_C in world axes, where it is not what the assembly stands on \param sigma all multipliers
  /// \param row_offsets of every joint
  [[nodiscard]] Vec6 unbalanced(int body, const Vec6& input, const Mat3& inertia, const Vec6& rate,
                                std::span<const double> sigma, std::span<const int> row_offsets) const;

  /// Fills the front of a leaf, after its handles, its inertia and its arms: lower triangle, column-major.
  /// \returns whether the body's inertia with all arms is positive definite
  bool fill(int body, double* front);
  /// \returns M^-1 f with all that was raked into the body.
  [[nodiscard]] Vec6 times_inverse_inertia(int body, const Vec6& wrench) const;
  /// result = B^T M^-1 f for the closed and external handles.
  void project(int body, const Vec6& wrench, double* result) const;
  /// f += B sigma over the closed and external handles. \param sigma all multipliers \param row_offsets of every joint
  void add_multipliers(int body, std::span<const double> sigma, std::span<const int> row_offsets, Vec6& wrench) const;
  /// residual -= B^T V in the rows of every joint of the body, raked ones included.
  void subtract_constrained_rates(int body, const Vec6& velocity, std::span<const int> row_offsets,
                                  std::span<double> residual) const;

  /// Rakes an arm: adds its inertia to the body's. \param arm index into the leaf's arms \param block Xi_yy^C of the
  /// arm, lower triangle, column-major \param stride its leading dimension \param shift added to its diagonal
  /// \returns -1, or the row whose pivot is not positive
  int rake(int body, std::size_t arm, const double* block, int stride, double shift);
  /// Forgets what was raked, before the next factorisation.
  void reset_arms(int body);
  /// f -= G^T z. \param right xi_y0 - r_y of the arm, replaced by z
  void rake_right_side(int body, std::size_t arm, double* right, Vec6& wrench) const;
  /// sigma_y = -L^-T (z + G V_C).
  void recover_arm(int body, std::size_t arm, const double* z, const Vec6& velocity, double* sigma) const;

 private:
  struct Arm {
    int rows = 0;
    int column = 0;          // first column of B_y in B
    std::size_t factor = 0;  // L, rows x rows, then G, 6 x rows row-major, in factors_
  };
  struct Leaf {
    std::vector<int> joints;
    std::vector<Arm> arms;
    std::size_t handles = 0;
    int rows = 0;
    int front_rows = 0;  // closed and external
    int hub = -1;        // into hubs_, for bodies with arms
  };
  struct Inertia {
    double mass = 1.0;
    double inverse_mass = 1.0;
    Mat3 inertia = Mat3::Identity();
    Mat3 inertia_inverse = Mat3::Identity();
  };
  struct Hub {
    Mat6 added = Mat6::Zero();
    Eigen::LLT<Mat6> cholesky;
  };

  [[nodiscard]] const Leaf& leaf(int body) const { return leaves_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] const double* handles(int body) const { return handles_.data() + leaf(body).handles; }

  std::vector<Leaf> leaves_;
  std::vector<Inertia> inertias_;
  std::vector<Hub> hubs_;
  std::vector<double> handles_;
  std::vector<double> factors_;
  std::vector<int> joint_rows_;
};

}  // namespace mbdbench
