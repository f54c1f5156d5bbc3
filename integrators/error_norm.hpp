#pragma once
/// \file
/// The weighted norms in which MATLAB's solvers measure local errors.
///
/// Source: L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2.
///
/// | paper | here |
/// |---|---|
/// | rtol | OdeOptions::relative_tolerance |
/// | atol(i) / rtol | thresholds_[i] |
/// | e(i) | error[i] |
///
/// Cost: one division a controlled component and call.
#include <cstddef>
#include <span>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Relative size of a vector against the state: max_i |e_i| / max(|a_i|, |b_i|, atol_i / rtol), or with norm control
/// |e|_2 / max(|a|_2, |b|_2, atol / rtol). Components outside OdeOptions::error_mask are left out of every maximum and
/// norm.
class ErrorNorm {
 public:
  /// \param options validated options.
  /// \param size number of state components.
  ErrorNorm(const OdeOptions& options, std::size_t size);

  /// \param error, a, b vectors of the system's size. \returns the relative size; infinity when it is not a number.
  ///        With OdeOptions::partners that of the whole state, or infinity where one of them has doubts.
  double relative(std::span<const double> error, std::span<const double> a, std::span<const double> b) const;

  /// The same without partners: of this process's components.
  double own_relative(std::span<const double> error, std::span<const double> a, std::span<const double> b) const;

  /// Makes own relative sizes (at most 3) those of the whole state; nothing to do without partners.
  void agree(std::span<double> own_sizes) const;

  /// \returns the component in which |e_i| / max(|a_i|, |b_i|, threshold_i) is largest, for messages; of the whole
  /// state.
  std::size_t dominant_component(std::span<const double> error, std::span<const double> a,
                                 std::span<const double> b) const;

 private:
  double component_ratio(std::size_t i, std::span<const double> error, std::span<const double> a,
                         std::span<const double> b) const;
  double largest_ratio(const double* error, const double* a, const double* b) const;
  double euclidean(std::span<const double> v) const;

  std::vector<double> thresholds_;
  std::vector<std::size_t> controlled_;
  bool norm_control_;
  OdePartners* partners_;
};

}  // namespace mbdbench
