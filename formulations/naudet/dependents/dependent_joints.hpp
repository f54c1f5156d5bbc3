#pragma once
/// \file
/// Dependent and independent quasi-velocities of closed loops: Phi_d u_d + Phi_i u_i = 0 over independent rows of the
/// cut joints and couplings, hence u = B u_i with B = [I; K], K = -Phi_d^-1 Phi_i.
///
/// Which components depend is a choice. It stays until it is badly conditioned (a large K: the dependent joints cannot
/// follow) and another one is better. Which of redundant rows stand for all is settled anew at every position: rows
/// that are independent in one place need not be so in another, and K does not depend on them. Choices and pivots are
/// those of the scaled Phi_q,s and u_s (mechanisms/model/characteristic_scales.hpp): they know no unit.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/naudet/dependents/dependent_choice.hpp"
#include "formulations/naudet/dependents/dependent_rows.hpp"
#include "formulations/naudet/loop_geometry.hpp"
#include "mechanisms/model/characteristic_scales.hpp"

namespace mbdbench {

/// Below this share of the largest pivot the dependent joints cannot follow to any useful number of digits.
inline constexpr double kDependentSingular = 1e-10;

/// Phi_q,s of the cut joints, then of the couplings, over the tree's u, split by a choice. What goes in and out is not
/// scaled, except where it says so.
/// Allocates nothing after `use_choice`, but for what DependentRows says.
class DependentJoints {
 public:
  explicit DependentJoints(const Mechanism& mechanism);

  /// Phi_q,s at a position, O(m n_path): a loop moves with the joints between the ends of its cut and the body where
  /// their ways inward meet.
  void set_positions(const LoopGeometry& geometry);
  /// \returns Phi_q,s with its zeros. Not for hot loops.
  [[nodiscard]] Eigen::MatrixXd phi_q() const;
  /// \returns the largest scaled |H| |wrench| of a product that an entry of Phi_q is made of: where ends of a cut
  /// cancel each other, or a cut joint doubles a tree joint, entries are rounding of it.
  /// \param geometry of the positions
  [[nodiscard]] double size(const LoopGeometry& geometry) const;
  /// \returns the scales of u beside radians and the unit of length: how far the joints move that couplings alone tie;
  /// 1 of all others.
  [[nodiscard]] Eigen::VectorXd reach() const;
  /// Fixes the number of dependent components.
  void use_choice(const DependentChoice& choice);
  /// Takes other dependent components. \param dependent as many as before, ascending
  void use_dependent(std::span<const int> dependent);
  /// \returns the dependent components, ascending.
  [[nodiscard]] const std::vector<int>& dependent() const { return dependent_; }
  /// \returns the dependent components in the order in which `factorise` eliminates them.
  [[nodiscard]] std::span<const int> elimination_order() const { return factors_.columns(); }

  /// Chooses rows among all of phi_q by pivoting in the dependent columns and factorises them: Phi_d.
  /// \returns its smallest pivot over the largest, 0 where it is singular; 1 without rows. O(m b^2) for rows that reach
  /// over b dependent columns: ladders cost the same a loop
  double factorise() { return factors_.factorise(phi_q_); }
  /// u_d from all other components of u. \param u receives u_d
  void complete(std::span<double> u);
  /// x_d = -Phi_d^-1 residual. \param residual all rows of phi_q \param correction one entry a dependent
  void correct(std::span<const double> residual, std::span<double> correction);
  /// B^T g: g_i + K^T g_d in place; the dependent entries become zero.
  void reduce(std::span<double> g);
  /// -Phi_d^-T g_d: multipliers of all rows that take g_d away. \param multipliers receives an entry a row of phi_q
  void multipliers(std::span<const double> g, std::span<double> multipliers);
  /// Keeps K of the last `factorise` for `predict`. Not for hot loops.
  void keep_ratios();
  /// \returns whether K is kept for the present dependent components.
  [[nodiscard]] bool predicts() const { return ratios_of_ == dependent_; }
  /// K d with the kept K. \param change d over u, entries of dependent components are not read \param prediction one
  /// entry a dependent component
  void predict(std::span<const double> change, std::span<double> prediction) const;
  /// Keeps Phi_d as it is for `is_turned_over`.
  void keep_orientation() { kept_ = phi_q_.entries; }
  /// \returns whether Phi_d has passed a singular position since `keep_orientation` for the same dependent components:
  /// the sign of det(kept^T Phi_d) over all rows, which is that of both determinants where no rows are redundant, and
  /// which holds for redundant ones while their column space turns by less than a quarter of a turn.
  /// Not for hot loops.
  [[nodiscard]] bool is_turned_over() const;
  /// \returns the largest scaled |K| over the components that are `allowed`. Not for hot loops.
  [[nodiscard]] double largest_ratio(const std::vector<bool>& allowed);

 private:
  /// The joints and terms that move loops. \returns the pattern of phi_q
  LoopRows find_ways();
  /// The rows of one cut joint.
  void set_cut(std::size_t cut, const LoopGeometry& geometry);
  /// \returns the scale of a component of u.
  [[nodiscard]] double column(int component) const;
  /// Calls use(components) for all components that do not depend, some at a time, after ratios_at_ has their ratios.
  template <typename Use>
  void for_ratios(const Use& use);
  /// work_ = Phi_d,s^-T of the scaled g_d.
  void set_multipliers(std::span<const double> g);

  const Mechanism* mechanism_;
  std::vector<std::vector<double>> signs_;  // by cut joint: of its components
  std::vector<double> motions_;             // of one loop
  LoopRows phi_q_;                          // cut joints first, then couplings
  DependentRows factors_;
  Eigen::VectorXd inverse_columns_;  // 1 / C of u
  std::vector<int> dependent_;
  std::vector<double> work_;
  std::vector<double> by_row_;         // the same by row of phi_q
  std::vector<RightSides> ratios_at_;  // scaled K of some components, by column
  std::vector<int> ratios_of_;         // dependent components of ratios_
  Eigen::MatrixXd ratios_;             // K of keep_ratios over u, zero for dependent components
  std::vector<double> kept_;           // phi_q of keep_orientation
};

}  // namespace mbdbench
