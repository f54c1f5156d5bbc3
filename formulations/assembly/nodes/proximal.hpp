#pragma once
/// \file
/// Proximal treatment of singular assemblies: A = G^T Xi G -> A + E with a diagonal E > 0, then passes over the
/// multipliers,
///
///   (A + E) (sigma - sigma*) = r - G^T V(sigma*),   sigma* <- sigma,   from sigma* = 0.
/// A direction with an eigenvalue lambda_i of A below that of E hardly moves in a pass. Where the first passes have not
/// ended the iteration, the rest can be conjugate residuals with (A + E)^-1 as preconditioner: the preconditioned
/// matrix has as many eigenvalues that differ from 0 and 1 as there are such directions, and needs about as many
/// passes. They act in the range of A: what redundant constraints contradict does not disturb them.
///
/// With E = I / alpha in every row this is the augmented Lagrangian iteration lambda = lambda* + alpha (Phi'' + ...) of
/// [Malczyk2012] in its dual form: the error of every direction shrinks by 1 / (1 + alpha lambda_i) a pass (lambda_i
/// the eigenvalues of A), and the limit is the solution of least norm; where the constraints contradict one another,
/// that of least squares. With E only where loops close, tree joints stay exact and loops converge to the same motion.
/// The factorisation is a plain Cholesky everywhere: no rank to decide, no branches on data.

#include <algorithm>
#include <cmath>

namespace mbdbench {

/// Rows that get an entry of E.
enum class ProximalRows {
  none,       ///< loops are solved by the rank-revealing factorisation (loop_kernels.hpp)
  loops,      ///< rows closed where loops close; E_i = regularisation * (diagonal of A_i if no body were connected)
  everywhere  ///< all rows; E = regularisation * I, so regularisation = 1 / alpha
};

/// When the passes end.
struct PassLimits {
  int most = 10;  ///< passes of one solution, at least 1
  /// A pass that changes the rates of all bodies by no more (2-norm) is the last; changes below
  /// kRelativeChange * |rates| end the passes in any case.
  double change = 0.0;

  /// Rounding leaves some eps cond(Xi) of the rates: a smaller change says nothing.
  static constexpr double kRelativeChange = 1e-13;

  bool conjugate = false;  ///< conjugate residuals after kPlainPasses
  static constexpr int kPlainPasses = 4;
};

/// What passes leave, each relative and 0 where there is nothing to tell.
struct PassRemainder {
  double rates = 0.0;        ///< what the rates still miss, by the last two passes; 0 where the limits were met
  double multipliers = 0.0;  ///< what the multipliers still miss, by the last two passes
};

/// Follows multipliers or rates over passes: changes that shrink by q a pass add up to q / (1 - q) of the last one.
/// Where lambda_i is small, heavy bodies or nearly redundant rows, rates that stand still leave multipliers that do
/// not; and where two ball joints 10 um apart hold a body, passes that change the rates by 1e-4 leave them all wrong.
class PassSeries {
 public:
  /// \param input |f|^2 of what enters the bodies: next to it smaller multipliers are rounding; not for rates
  void set_input(double input) { rounding_ = kRounding * std::sqrt(input); }
  /// \param square |sigma|^2 before the passes; without it the first pass counts as it is
  void start(double square) { last_ = std::sqrt(square); }
  /// \param change, square |d sigma|^2 of a pass and |sigma|^2 after it \returns what is left, relative; rounding is 0
  double left(double change, double square) {
    const double ratio = last_ > 0.0 ? std::sqrt(change) / last_ : 1.0;
    last_ = std::sqrt(change);
    // What no longer shrinks is rounding, or the part in which redundant rows contradict one another.
    const double missing = ratio < 1.0 ? last_ * ratio / (1.0 - ratio) : last_;
    const double size = std::sqrt(square);
    return missing > std::max(rounding_, kRounding * size) ? std::min(1.0, missing / size) : 0.0;
  }

 private:
  static constexpr double kRounding = 1e-12;
  double rounding_ = 0.0;
  double last_ = 0.0;
};

/// How an assembly is regularised.
struct ProximalOptions {
  ProximalRows rows = ProximalRows::none;
  double regularisation = 0.0;  ///< positive unless rows == none
  PassLimits limits;
  /// Where loops close the rank is limited too (AssemblyEngine::limit_loop_ranks): for mechanisms that are mobile by
  /// geometry alone, whose redundant rows drift makes independent. Passes then leave these rows alone.
  bool ranked = false;
};

}  // namespace mbdbench
