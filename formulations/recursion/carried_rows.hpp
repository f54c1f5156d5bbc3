#pragma once
/// \file
/// Rows of cut joints and couplings carried inward over one tree, which may hold both ends of a cut joint or one of
/// them.
///
/// Every cut joint loads its two bodies with D lambda and -D lambda. Each row of Phi is such a pair of unit wrenches;
/// its articulated wrench Y_k on body k, about O_k, is the paper's PhiM_k transposed:
///
///   PhiM_j^T += S (I - gain_k H_k^T) PhiM_k^T,   A = -PhiL = sum_k (H_k^T Y_k)^T pivot_k^-1 (H_k^T Y_k)
///
/// [Malczyk2008, section 2], [Bae1988]. A and the right side of several trees are the sums of what each of them adds.
///
/// A coupling, sum of g_k q_k constant, loads its joints as motors do, by g_k lambda: H_k^T Y_k + g_k takes the place
/// of H_k^T Y_k, above and in what is carried on inward.
///
/// Cost: O(n m_path + sum m_path^2) with m_path rows on the way of a link to the ground.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/recursion/body_recursion.hpp"

namespace mbdbench {

/// The bodies of the tree that a cut joint holds; -1: none of the tree.
struct CutBodies {
  int a = -1;
  int b = -1;
};

/// The unit wrenches Y_k of one tree. Allocates nothing after construction.
class CarriedRows {
 public:
  /// \param tree the bodies and joints \param whole whose cut joints close loops through the tree; must outlive this
  /// \param ends one for each of them \param couplings of the tree's joints, one row each behind those of the cut
  /// joints
  CarriedRows(const Mechanism& tree, const Mechanism& whole, std::span<const CutBodies> ends,
              std::span<const Coupling> couplings = {});

  /// Y_k of all links, after tree.set_positions. \param states of the cut joints
  /// \param a its lower triangle gets what the tree adds to A
  /// \param smallest gets what the tree adds to the diagonal entries at which rows count as zero
  void carry(const BodyRecursion& tree, std::span<const JointKinematics> states, Eigen::MatrixXd& a,
             Eigen::VectorXd& smallest);
  /// Subtracts from the right side what the bodies would do without the cut joints, after an inward sweep.
  void subtract_free_rates(const BodyRecursion& tree, Eigen::VectorXd& right_side) const;
  /// Adds what the multipliers do to the tree's free rates, before an outward sweep.
  void add_rates(const Eigen::VectorXd& multipliers, BodyRecursion& tree) const;

 private:
  /// Free components of a joint x rows.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, Eigen::Dynamic>;
  struct Link {
    std::vector<Eigen::Index> rows;                     // rows of Phi with an end at this link or outboard of it
    std::vector<std::size_t> in_parent;                 // where each of them is among the parent's rows
    Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;  // Y_k
    Rows along;                                         // H_k^T Y_k + g_k
    Rows rates;                                         // pivot^-1 of it
    Rows factors;                                       // g_k of the free components; empty where no coupling acts
  };

  /// Marks a row in link k and in all on its way to the ground.
  void lead_inward(int k, Eigen::Index row);
  void add_factor(int k, int component, Eigen::Index row, double factor);
  void add_end(const BodyRecursion& tree, int body, const Joint& joint, const JointKinematics& state, double sign);
  /// Y_k, its share of A, and what it carries to the inboard body.
  void reduce(const BodyRecursion& tree, int k, std::span<const JointKinematics> states, Eigen::MatrixXd& a,
              Eigen::VectorXd& smallest);

  const Mechanism* mechanism_;
  std::span<const Joint> cuts_;
  std::span<const double> loop_units_;  // of the cut joints
  std::vector<CutBodies> ends_;
  std::vector<Link> links_;
  std::vector<std::size_t> cut_of_row_;  // of those that are not couplings'
};

}  // namespace mbdbench
