#pragma once
/// \file
/// Articulated-body sweeps in world axes over any tree: all joint types, prescribed motions, all loads
/// [Featherstone1983], [Bae1987].
///
/// One body inward, one outward, for velocities from canonical momenta and for accelerations alike. About O_k, with w
/// the rates of all bodies (V or A), s the free joint rates, c the known rest and t what the joint transmits along H:
///
///   w_k = S^T w_j + c_k + H_k s_k,     F_k = M_k w_k + f_k,     H_k^T F_k = t_k
///
/// Components of a prescribed motion are no unknowns: they belong to c, and their columns of H are left out.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"
#include "formulations/recursion/joint_elimination.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// At most six numbers, one a quasi-velocity of a joint, stored in place.
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

/// A force (N) at a point of a body, world axes.
struct PointForce {
  int body = 0;
  Vec3 point = Vec3::Zero();
  Vec3 force = Vec3::Zero();
};

/// Workspace of the sweeps. O(n), allocates nothing after construction. Cut joints are left to the caller.
class BodyRecursion {
 public:
  /// \param near as of LoadEvaluator
  BodyRecursion(const Mechanism& mechanism, const CutReferences* near);

  /// Poses, articulated inertias and joint pivots at (t, q). \returns which joint's pivot is not positive definite
  RhsStatus set_positions(double t, std::span<const double> q);
  /// Takes known quasi-velocities, after set_positions.
  void set_velocities(std::span<const double> u);
  /// Inward sweep for the quasi-velocities of canonical momenta p, after set_positions; prescribed ones follow their
  /// motion.
  void sweep_momenta(std::span<const double> p);
  /// Outward sweep for velocities, after sweep_momenta.
  void sweep_velocities();
  /// All applied loads, once velocities are there.
  void evaluate_loads(double t, std::span<const double> q);
  /// Inward sweep for accelerations, after evaluate_loads. \param further what acts beside the applied loads
  void sweep_loads(std::span<const PointForce> further = {});
  /// Adds to the free rate of joint k between an inward and an outward sweep: what impulses outboard of it contribute.
  void add_free_rate(int k, const JointVector& rate) {
    links_[static_cast<std::size_t>(k)].free_rate += rate;
    links_[static_cast<std::size_t>(k)].relative_rate.noalias() += links_[static_cast<std::size_t>(k)].axes * rate;
  }
  /// Outward sweep for accelerations, after sweep_loads.
  void sweep_accelerations();

  /// \returns u, u_size() entries.
  [[nodiscard]] std::span<const double> u() const { return u_; }
  /// \returns u', after sweep_accelerations.
  [[nodiscard]] std::span<const double> accelerations() const { return accelerations_; }
  /// p = J^T M V for the velocities of set_velocities. \param p u_size() entries
  void momenta(std::span<double> p);
  /// p' after sweep_velocities and evaluate_loads. \param pdot u_size() entries
  void momentum_rates(std::span<double> pdot);
  /// Constraint wrenches of all tree joints after sweep_accelerations.
  /// \param cut_joints wrenches on body b of the cut joints
  void reactions(std::span<const Vec6> cut_joints, Reactions& result) const;

  [[nodiscard]] const Kinematics& kinematics() const { return kinematics_; }
  [[nodiscard]] const PrescribedMotions& motions() const { return motions_; }
  /// \returns H of joint k without prescribed components, 6 x n_f.
  [[nodiscard]] const SpatialColumns& axes(int k) const { return links_[static_cast<std::size_t>(k)].axes; }
  /// \returns M_k H_k (H_k^T M_k H_k)^-1 over the free components.
  [[nodiscard]] const SpatialColumns& gain(int k) const { return links_[static_cast<std::size_t>(k)].gain; }
  /// \returns (H_k^T M_k H_k)^-1 over the free components.
  [[nodiscard]] const JointMatrix& pivot_inverse(int k) const {
    return links_[static_cast<std::size_t>(k)].pivot_inverse;
  }
  /// \returns the rates of the free components of joint k if its inboard body had none; after an inward sweep.
  [[nodiscard]] const JointVector& free_rate(int k) const { return links_[static_cast<std::size_t>(k)].free_rate; }
  /// \returns acceleration of body k relative to its inboard body if that did not accelerate; after sweep_loads.
  [[nodiscard]] const Vec6& relative_rate(int k) const { return links_[static_cast<std::size_t>(k)].relative_rate; }
  /// \returns [a; alpha] of body k at O_k after sweep_accelerations; -1 is the ground.
  [[nodiscard]] const Vec6& rate(int k) const { return k < 0 ? ground_ : links_[static_cast<std::size_t>(k)].rate; }
  /// \returns O_k minus the point of the inboard body's joint (of the world's origin for the ground).
  [[nodiscard]] const Vec3& lever(int k) const { return links_[static_cast<std::size_t>(k)].lever; }

 private:
  struct Link : JointElimination {
    int parent = -1;
    Vec3 lever = Vec3::Zero();     // from O of the inboard body to O_k
    Mat6 inertia = Mat6::Zero();   // articulated inertia M_k about O_k
    Vec6 bias = Vec6::Zero();      // c_k
    Vec6 wrench = Vec6::Zero();    // f_k about O_k
    Vec6 momentum = Vec6::Zero();  // F_k of the velocity sweep
    JointVector free_rate;         // s_k if the inboard body had no rate
    Vec6 relative_rate = Vec6::Zero();
    Vec6 rate = Vec6::Zero();
  };

  RhsStatus eliminate(int k);
  /// f_k from the links' `bias` and `wrench`. \param t transmitted along H, over u
  void sweep_inward(std::span<const double> t);
  /// w_k. \param rates free components of s over u; others are left as they are
  void sweep_outward(std::span<double> rates);
  void add_prescribed(std::span<const double> values, std::span<double> rates);
  void set_acceleration_bias();
  /// values[k] about O_k: adds those of all links outboard of k.
  void sum_inward(std::vector<Vec6>& values) const;

  const Mechanism* mechanism_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  std::vector<Link> links_;
  std::vector<Vec6> sums_;
  std::vector<Vec6> velocities_;
  std::vector<double> u_;
  std::vector<double> accelerations_;
  Vec6 ground_ = Vec6::Zero();
};

/// \returns why a mechanism with cut joints is refused by a formulation for trees; empty without cut joints.
std::string refuse_closed_loops(const Mechanism& mechanism);

}  // namespace mbdbench
