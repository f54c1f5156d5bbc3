#pragma once
/// \file
/// How well couplings hold, measured with what their own joints move.
///
/// A gear of 1e-7 that a formulation has lost leaves a residual of 1e-7 times the motion of its fast side: beside the
/// length of the mechanism that is nothing, beside the motion of the coupling's own joints it is all. Couplings are
/// linear in q and u, and every integrator here keeps linear invariants to rounding, or to its iteration's tolerance:
/// what a coupling is off by is not excused by the error of the steps.
#include <span>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// One coupling over the run so far, in the unit of its row of Phi.
struct CouplingError {
  double initial_residual = 0.0;
  double residual_change = 0.0;  ///< max |Phi - Phi(t0)|
  double term_change = 0.0;      ///< max |factor (q - q(t0))| of a term: what its joints move
  double term = 0.0;             ///< max |factor q| of a term: the position is right to rounding of that
  double rate_residual = 0.0;    ///< max |Phi'|
  double term_rate = 0.0;        ///< max |factor u| of a term
};

/// Follows one run.
class CouplingWatch {
 public:
  /// \param mechanism must outlive this
  explicit CouplingWatch(const Mechanism& mechanism);

  /// \param q, u at an accepted step, the start first
  void observe(std::span<const double> q, std::span<const double> u);
  /// \returns one entry a coupling of the mechanism.
  [[nodiscard]] std::span<const CouplingError> errors() const { return errors_; }

 private:
  const Mechanism* mechanism_;
  bool started_ = false;
  std::vector<double> q0_;  // one entry a term
  std::vector<CouplingError> errors_;
};

}  // namespace mbdbench
