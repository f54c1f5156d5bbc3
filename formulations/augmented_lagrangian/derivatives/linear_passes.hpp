#pragma once
/// \file
/// Passes over the multipliers, of the accelerations at a state and of everything that is linear in changes of it.
///
/// With B = (A + I / alpha)^-1, A = D M^-1 D^T, a pass adds B (r - D a) to lambda and M^-1 D^T times that to a. B
/// stands factorised once AugmentedSystem::assemble is done, and serves right sides r of any kind. The limit, A lambda
/// = r with least norm, does not depend on how passes lead to it: plain ones, or conjugate residuals where the
/// formulation takes these.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/augmented_options.hpp"
#include "formulations/augmented_lagrangian/augmented_system.hpp"

namespace mbdbench {

/// Two forms of the iteration, which have the same iterates.
enum class IterationForm {
  dual,    ///< of dca-alm: solved for multipliers
  primal,  ///< of dca-alm-printed: solved for r'' and e'', whose changes end it
};

/// Of one mechanism.
class LinearPasses {
 public:
  /// What one pass leaves.
  struct Pass {
    std::vector<Vec6> accelerations;
    std::vector<double> multipliers;
  };

  /// \param system outlives it
  LinearPasses(const Mechanism& mechanism, const AugmentedOptions& options, IterationForm form,
               AugmentedSystem& system);

  /// The passes of the accelerations, at the poses and velocities of the system, after its `assemble`.
  RhsStatus find(double t);
  /// \returns whether the number of passes ends them before they converge.
  [[nodiscard]] bool cut_off() const { return cut_off_; }
  /// \returns all of them where their number cuts them off; else their limit alone.
  [[nodiscard]] const std::vector<Pass>& found() const { return found_; }

  /// \returns M^-1 times a wrench on a body about its centre of mass.
  [[nodiscard]] Vec6 over_mass(std::size_t body, const Vec6& wrench) const;
  /// One pass towards D rates = r. \param pushed M^-1 D^T of the multipliers so far
  void forward(std::span<const double> r, std::span<Vec6> pushed, std::span<Vec6> rates);
  /// The same of weights. \param of_rates, of_g, of_h of what `forward` makes, of M^-1 g and of r
  void back(std::span<Vec6> of_rates, std::span<Vec6> of_g, std::span<double> of_h);
  /// Passes until D rates = r. \param sigma zero, receives what they add to the multipliers
  RhsStatus find_limit(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates);
  /// Takes from right sides of rows, or from weights of these, what rows that repeat others have against one another:
  /// no acceleration depends on it, and B, which multiplies it by alpha, would make rounding of it that counts.
  void drop_redundant(std::span<double> of_rows);

 private:
  /// \returns the passes of the accelerations. Sets cut_off_.
  int count_passes(double t);
  int count_primal_passes(double t);
  [[nodiscard]] Pass start() const;
  /// One pass. \returns how much it changes the rates, in rates_
  double add_pass(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates);
  /// Drops nearly all of what is redundant. \returns how much that was
  double drop_most(std::span<double> of_rows);
  RhsStatus find_plain_limit(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates);

  const Mechanism* mechanism_;
  IterationForm form_;
  AugmentedSystem* system_;
  int most_;
  double alpha_;
  double change_;  // of unknowns, at which passes end
  bool conjugate_;
  bool redundant_;                // whether rows repeat others
  double largest_inverse_ = 0.0;  // of masses and inertias, SI
  bool cut_off_ = false;
  std::vector<Pass> found_;
  // Of a pass.
  std::vector<double> residual_;
  std::vector<double> multipliers_;
  std::vector<Vec6> rates_;
};

}  // namespace mbdbench
