#pragma once
/// \file
/// Equations of motion of open and closed mechanisms in 113 bits: accelerations, and canonical momenta, which hold
/// impulses of constraints where there are some. Shares no code with any formulation.
///
///   M u' = f + Phi_q^T lambda, Phi'' = 0;     p = M u - Phi_q^T sigma, Phi_q u + Phi_t = 0, p' = f_p - (Phi_q^T)'
///   sigma
#include <Eigen/Core>
#include <string>

#include "experiments/precise/loops/precise_loops.hpp"
#include "experiments/precise/motion/precise_loads.hpp"

namespace mbdbench::precise {

/// \returns why PreciseMotion does not treat a mechanism: a formula that it cannot read; empty where it does.
std::string refuse_precise_motion(const Mechanism& mechanism);

/// What pulls open loops back: Phi'' = -2 alpha Phi' - beta^2 Phi [Baumgarte1972].
struct PullingBack {
  double alpha = 0.0;  ///< 1/s
  double beta = 0.0;   ///< 1/s
};

/// What u' is taken of.
struct VelocityRules {
  bool projects = false;  ///< velocities on the constraints, before anything else
  PullingBack pull;       ///< of mechanisms without cut screws alone
};

/// What p' has besides the impulses' turning: (p, sigma) and (p + Phi_q^T mu, sigma - mu) are one motion for any mu(t).
///
///   leak:      p' + kappa Phi_q^T sigma
///   tangent:   p' + Phi_q^T nu + kappa Phi_q^T sigma, with the nu for which Phi_q M^-1 (p' + Phi_q^T nu) = 0; there
///              kappa is the largest |u_i| / unit_i where that is more
struct MomentumGauge {
  bool tangent = false;
  double leak = 0.0;      ///< kappa, 1/s
  Eigen::VectorXd units;  ///< of u where tangent, none: kappa is `leak`
};

/// u' or p' of one mechanism. With m rows of loops O(n m + m^3).
class PreciseMotion {
 public:
  /// \param mechanism, numbers must outlive this \throws std::invalid_argument what refuse_precise_motion says
  PreciseMotion(const Mechanism& mechanism, const TreeNumbers& numbers);
  ~PreciseMotion() = default;
  PreciseMotion(const PreciseMotion&) = delete;
  PreciseMotion& operator=(const PreciseMotion&) = delete;
  PreciseMotion(PreciseMotion&&) = delete;
  PreciseMotion& operator=(PreciseMotion&&) = delete;

  /// \returns u'.
  Reals accelerations(double t, std::span<const Real> q, std::span<const Real> u);
  /// \returns velocities that keep the constraints, nearest to u in kinetic energy.
  Reals projected(double t, std::span<const Real> q, std::span<const Real> u);
  /// \returns q' = N(q) u. \param u quasi-velocities
  [[nodiscard]] Reals coordinate_rates(std::span<const Real> q, std::span<const Real> u) const {
    return tree_.coordinate_rates(q, u);
  }

  /// Rates of coordinates, and of velocities or momenta.
  struct StateRates {
    Reals q;
    Reals second;
  };
  /// \returns q' and u'.
  StateRates velocity_rates(double t, std::span<const Real> q, std::span<const Real> u, const VelocityRules& rules);
  /// \returns q' and p' of canonical momenta.
  StateRates momentum_rates(double t, std::span<const Real> q, std::span<const Real> p,
                            const MomentumGauge& gauge = {});
  /// \returns p = M u, that of no impulses.
  Reals momenta(std::span<const Real> q, std::span<const Real> u);
  /// \returns the same where the motion is.
  [[nodiscard]] Reals momenta() const { return tree_.momenta(); }
  /// \returns p' of p = M u - Phi_q^T sigma where the motion is, less Phi_q^T (lambda - sigma').
  Reals momentum_rates_there(double t, std::span<const Real> q, std::span<const Real> u, const RealVector& sigma);
  /// Gives bodies the accelerations of these u' where the motion is.
  void accelerate(std::span<const Real> udot) { tree_.accelerate(udot); }
  /// Sets positions and velocities of `body`, and rows of constraints.
  void go_to(double t, std::span<const Real> q, std::span<const Real> u);
  /// \returns u of such momenta, which keeps the constraints.
  Reals velocities(double t, std::span<const Real> q, std::span<const Real> p);
  /// Sets the positions of `body` and the rows of constraints alone.
  void place(double t, std::span<const Real> q);
  [[nodiscard]] const TreeBody& body(int body) const { return tree_.body(body); }
  [[nodiscard]] const PreciseLoops& loops() const { return loops_; }
  [[nodiscard]] const Mechanism& mechanism() const { return tree_.mechanism(); }
  /// \returns the change of u, least in kinetic energy, that takes so much from Phi_q u at the position.
  Reals correction(double t, std::span<const Real> q, const RealVector& excess);
  /// From which turns angles of cut joints are counted, which loads know; at q0 until they are set.
  [[nodiscard]] CutReferences& near() { return near_; }
  /// \returns the smooth piece of loads on which the state of the last rates is.
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }

 private:
  void factorise(double t, std::span<const Real> q);
  /// The tree and the rows where it is factorised.
  void move(std::span<const Real> q, std::span<const Real> u);
  AppliedLoads loads_at(double t, std::span<const Real> q, std::span<const Real> u);
  /// Where it is factorised.
  Reals accelerations_at(double t, std::span<const Real> q, std::span<const Real> u, const PullingBack& pull);
  /// Takes from u, where it is factorised, what does not keep the constraints.
  void keep_constraints(Reals& u) const;

  PreciseTree tree_;
  PreciseLoads loads_;
  PreciseLoops loops_;
  LoopSolver solver_;
  CutReferences near_;
  Pieces pieces_;
};

}  // namespace mbdbench::precise
