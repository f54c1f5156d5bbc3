#pragma once
/// \file
/// Recursive Hamiltonian equations of closed loops with constrained articulated momenta [Naudet2005, Eq. (22)-(27)], in
/// world axes, for trees with any number of loops.
///
/// paper symbol -> name
///   Omega_K            -> Link::velocity, V_K about O_K
///   C_K, ^K T^F_K+1    -> I - axes gain^T of ConstraintMatrix; S_K,K+1, shift_wrench
///   P^c_K, T^c_K       -> Link::momentum, Link::force
///   E_K                -> Link::axes (independent components), ConstraintMatrix::axes (dependent ones)
///   p_K = E^T P^c_K    -> p, p_K' -> pdot
///
/// Velocities. P^c_K = A_K V_K + B_K V_r + b_K, r the body that link K refers to beside its own (loop_dependents.hpp).
/// A dependent joint gives, with C = I - E Z^T and V_K = C S^T V_K-1 + E Z_r^T V_r,
///
///   A -> C^T A C,   B -> C^T (B + A E Z_r^T),   b -> C^T b,
///   A_r += Z_r E^T A E Z_r^T + Z_r E^T B + B^T E Z_r^T,   b_r += Z_r E^T b,
///
/// an independent one b + A E (E^T A E)^-1 (p - E^T b) and so on, as in the open algorithm, and
/// A_r -= B^T E (E^T A E)^-1 E^T B. Where the ways meet, B is folded into the meeting body, or handed over to the
/// other.
///
/// Momentum rates. Eq. (26) reads d/dt P^c + Sdot_K P^c = T^c in world axes. With s = E^T P^c of a dependent joint and
/// s' = E^T (T^c - Sdot_K P^c) + E'^T P^c + tau, its body passes on
///
///   C^T P^c = P^c - Z s,      C^T T^c + [C'^T + Sdot_K C^T - C^T Sdot_K] P^c = T^c - (Z' + Sdot_K Z) s - Z s',
///
/// and to body r:  Z_r s,   (Z_r' + Sdot_r Z_r) s + Z_r s'.
///
/// Cost: O(n), three sweeps beside that for positions, and O(m^3) a loop with m <= 6.
#include <span>
#include <vector>

#include "formulations/naudet/constraint_matrices.hpp"
#include "formulations/recursion/joint_elimination.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Workspace of the recursion. Allocates nothing after construction.
class ConstrainedMomenta {
 public:
  /// \param near as of LoadEvaluator
  ConstrainedMomenta(const Mechanism& mechanism, const DependentLoops& loops, const CutReferences* near);

  /// Poses, C_K, A_K and B_K at (t, q). \returns which joint's pivot is not positive, or cannot close its loop
  RhsStatus set_positions(double t, std::span<const double> q);
  /// Velocities of reduced momenta. \param p over u; entries of dependent and prescribed components are not read
  void solve_velocities(std::span<const double> p);
  /// p_i' after solve_velocities. \param pdot over u; zero for dependent and prescribed components
  void momentum_rates(double t, std::span<const double> q, std::span<double> pdot);

  [[nodiscard]] std::span<const double> u() const { return u_; }
  [[nodiscard]] const Kinematics& kinematics() const { return kinematics_; }

 private:
  struct Link : JointElimination {  // of the independent components
    int parent = -1;
    int reference = -1;
    bool meets = false;                   // the ways to `reference` meet in the inboard body
    int loop = -1;                        // whose dependent joint leads here
    std::size_t place = 0;                // among its joints
    std::vector<int> dependent;           // components of u
    Vec3 lever = Vec3::Zero();            // from O of the inboard body to O_K
    Mat6 inertia = Mat6::Zero();          // A_K
    Mat6 coupling = Mat6::Zero();         // B_K
    Mat6 reduced_inertia = Mat6::Zero();  // behind the dependent components
    Mat6 reduced_coupling = Mat6::Zero();
    SpatialColumns reference_gain;  // B^T E (E^T A E)^-1
    JointVector free_rate;          // u of independent components if nothing inboard moved
    Vec6 relative_velocity = Vec6::Zero();
    Vec6 bias = Vec6::Zero();        // b_K
    Vec6 prescribed = Vec6::Zero();  // velocity of prescribed motions
    Vec6 velocity = Vec6::Zero();
    Vec6 momentum = Vec6::Zero();
    Vec6 force = Vec6::Zero();
  };

  [[nodiscard]] const ConstraintMatrix& matrix(const Link& link) const {
    return matrices_[static_cast<std::size_t>(link.loop)].matrix(link.place);
  }
  [[nodiscard]] bool refers(const Link& link) const {
    return matrices_[static_cast<std::size_t>(link.loop)].loop().other >= 0;
  }
  [[nodiscard]] const Vec6& velocity_of(int k) const {
    return k < 0 ? ground_ : links_[static_cast<std::size_t>(k)].velocity;
  }
  void set_inertias();
  void reduce(Link& link);
  RhsStatus eliminate(int k);
  void pass_coupling(Link& link, const Mat6& coupling);
  void set_prescribed();
  void sweep_inward(std::span<const double> p);
  void sweep_outward();
  void project_force(int k, std::span<double> pdot);

  const Mechanism* mechanism_;
  Kinematics kinematics_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  std::vector<ConstraintMatrices> matrices_;
  std::vector<int> order_;          // inward
  std::vector<int> outward_order_;  // the same from its end
  std::vector<Link> links_;
  std::vector<Vec6> body_velocities_;
  std::vector<double> u_;
  Vec6 ground_ = Vec6::Zero();
};

}  // namespace mbdbench
