#pragma once
/// \file
/// Couplings of joints (gears, racks) beside an assembly, which has no place for forces between bodies that no joint
/// connects: their rows border its matrix,
///
///   u = u_0 + sum_c U_c nu_c,   A nu = r - G u_0,   A_cd = g_c^T U_d
///
/// with u_0 the assembly's answer without them, U_c that to a unit of coupling c's forces g_c in the joints, and g_c^T
/// the rows of G. Multipliers and rates of bodies follow in the same way. Momenta: nu is sigma, accelerations: lambda.
///
/// Cost: one more disassembly a coupling and position, then O(k^3) for k couplings.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// The small system of one mechanism's couplings. Allocates nothing after construction.
class CoupledJoints {
 public:
  /// What the assembly answers to a unit of a coupling's forces.
  struct Answer {
    std::vector<double> forces;  ///< g over u
    std::vector<double> u;
    std::vector<double> multipliers;
    std::vector<Vec6> bodies;
    double mobility = 0.0;  ///< what g would move if no joint held the bodies: the scale of g^T U
  };

  /// \param multipliers of the assembly
  CoupledJoints(const Mechanism& mechanism, std::size_t multipliers);

  [[nodiscard]] bool empty() const { return answers_.empty(); }
  [[nodiscard]] std::span<Answer> answers() { return answers_; }
  /// A of the answers, and its elimination: rows that loops or other couplings repeat are left out.
  void decompose();
  /// nu for A nu = right - G u. \param u of the assembly without couplings \param right one entry a coupling
  void solve(std::span<const double> u, std::span<const double> right);
  /// Adds what the last nu does.
  void add_to(std::span<double> u, std::span<double> multipliers, std::span<Vec6> bodies) const;
  /// Adds the last nu's forces or impulses in the joints, G^T nu. \param forces over u
  void add_forces(std::span<double> forces) const;

 private:
  const Mechanism* mechanism_;
  std::vector<Answer> answers_;
  Eigen::MatrixXd lower_;   // L of A = L D L^T
  Eigen::VectorXd pivots_;  // D; 0: left out
  Eigen::VectorXd nu_;
};

}  // namespace mbdbench
