#include "experiments/equilibria/equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <stdexcept>

namespace mbdbench {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
// A turn, or a part of the mechanism's length, that a step makes at most: derivatives say little beyond.
constexpr double kLargestStep = 0.5;
// The first step, of the same unit: along the accelerations.
constexpr double kFirstStep = 0.3;
// Of A: below, a freedom that nothing holds would be driven by rounding.
constexpr double kSmallestShift = 1e-10;
// What grows is left behind by a shift above its rate.
constexpr double kAboveGrowth = 1.5;
// Accelerations round by eps of their terms, A times coordinates of about 1; the factor covers the recursion.
constexpr double kRoundingOfRest = 1e3 * kEps;
// Of the smaller of the mechanism's own rate and the largest eigenvalue: a double zero, as of a freedom that nothing
// holds, is right to the root of what A is right to, with differences some 1e-10.
constexpr double kZero = 1e-4;
constexpr int kMostHalvings = 40;
// A step that turns nothing by more than this ends the search: what is left is rounding of ill-conditioned equations.
constexpr double kStill = 1e-9;

double largest_of(const Eigen::VectorXd& vector) {
  return vector.size() > 0 ? vector.lpNorm<Eigen::Infinity>() : 0.0;
}

/// \returns the step, shortened where it is longer than derivatives reach.
Eigen::VectorXd within_reach(const Eigen::VectorXd& step) {
  const double size = largest_of(step);
  return size > kLargestStep ? Eigen::VectorXd(kLargestStep / size * step) : step;
}

class EquilibriumSearch {
 public:
  EquilibriumSearch(TangentMotion& motion, const EquilibriumOptions& options) : motion_(motion), options_(options) {}

  void run(Equilibrium& result) {
    start_ = largest_of(motion_.accelerations());
    double previous = std::numeric_limits<double>::infinity();
    while (true) {
      accelerations_ = motion_.accelerations();
      result.residual = largest_of(accelerations_);
      motion_.linearise(by_positions_, by_velocities_);
      const double stiffness = std::max(by_positions_.cwiseAbs().rowwise().sum().maxCoeff(), 1.0);
      result.limit = kRoundingOfRest * stiffness;
      // At the limit it goes on while a step still halves what is left.
      const bool still = last_step_ <= kStill && result.residual <= kStill * stiffness;
      const bool found = result.residual <= result.limit || still;
      if (result.residual == 0.0 || (found && result.residual > 0.5 * previous)) {
        return;
      }
      if (result.steps == options_.most_steps) {
        if (!found) {
          result.failure = fmt::format(
              "after {} steps accelerations of {:.3g} 1/s^2 are left: nothing may hold the mechanism, or it may be far "
              "from any equilibrium; another start (--set q.JOINT=...) may help",
              result.steps, result.residual);
        }
        return;
      }
      previous = result.residual;
      if (!step(result)) {
        if (found) {
          result.failure.clear();
        }
        return;
      }
      ++result.steps;
    }
  }

 private:
  /// \returns whether the motion went on.
  bool step(Equilibrium& result) {
    const Eigen::VectorXd wanted = within_reach(options_.nearest ? newton_step() : relaxing_step());
    if (!wanted.allFinite()) {
      result.failure = "no step can be had from there: the derivatives are not finite";
      return false;
    }
    last_step_ = largest_of(wanted);
    double share = 1.0;
    for (int halvings = 0; halvings < kMostHalvings; ++halvings, share *= 0.5) {
      const Eigen::VectorXd q = motion_.moved(share * wanted);
      if (q.size() == 0) {
        continue;  // loops do not close there
      }
      const Eigen::VectorXd here = motion_.q();
      motion_.set_positions(q);
      if (!options_.nearest || largest_of(motion_.accelerations()) < result.residual) {
        return true;
      }
      motion_.set_positions(here);
    }
    result.failure =
        options_.nearest
            ? fmt::format(
                  "Newton's method is stuck with accelerations of {:.3g} 1/s^2: the derivatives are singular "
                  "there; another start (--set q.JOINT=...), or without --nearest",
                  result.residual)
            : "the loops close at no step from there";
    return false;
  }

  [[nodiscard]] Eigen::VectorXd newton_step() const {
    return -by_positions_.completeOrthogonalDecomposition().solve(accelerations_);
  }

  [[nodiscard]] Eigen::VectorXd relaxing_step() const {
    double growth = 0.0;
    for (const std::complex<double>& value : by_positions_.eigenvalues()) {
      growth = std::max(growth, value.real());
    }
    const double left = largest_of(accelerations_);
    // Switched evolution relaxation: the shift falls with what is left.
    const double relaxed = start_ > 0.0 ? left / kFirstStep * std::min(1.0, left / start_) : 0.0;
    const double shift = std::max({kAboveGrowth * growth, relaxed, kSmallestShift * by_positions_.norm()});
    const Eigen::Index f = accelerations_.size();
    const Eigen::MatrixXd matrix = shift * Eigen::MatrixXd::Identity(f, f) - by_positions_;
    return matrix.partialPivLu().solve(accelerations_);
  }

  TangentMotion& motion_;
  const EquilibriumOptions& options_;
  double start_ = 0.0;
  double last_step_ = std::numeric_limits<double>::infinity();
  Eigen::VectorXd accelerations_;
  Eigen::MatrixXd by_positions_;
  Eigen::MatrixXd by_velocities_;
};

}  // namespace

std::string_view to_string(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::marginal:
      return "marginal";
    case Stability::unstable:
      return "unstable";
  }
  throw std::invalid_argument(fmt::format("Stability {} does not exist", static_cast<int>(stability)));
}

Equilibrium find_equilibrium(TangentMotion& motion, const EquilibriumOptions& options) {
  if (motion.freedoms() == 0) {
    throw std::invalid_argument(fmt::format("nothing of mechanism '{}' can move: loops and joints leave no freedom",
                                            motion.formulation().mechanism().name()));
  }
  Equilibrium result;
  EquilibriumSearch(motion, options).run(result);
  result.q = motion.q();
  if (!result.failure.empty()) {
    return result;
  }
  const Mechanism& mechanism = motion.formulation().mechanism();
  result.singular = motion.freedoms() > mechanism.u_size() - mechanism.generic_rank().rank;
  if (result.singular) {
    return result;
  }
  Eigen::MatrixXd by_positions;
  Eigen::MatrixXd by_velocities;
  result.exact = motion.linearise(by_positions, by_velocities);
  const Eigen::Index f = motion.freedoms();
  Eigen::MatrixXd derivatives = Eigen::MatrixXd::Zero(2 * f, 2 * f);
  derivatives.topRightCorner(f, f).setIdentity();
  derivatives.bottomLeftCorner(f, f) = by_positions;
  derivatives.bottomRightCorner(f, f) = by_velocities;
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(2 * f);
  rates.tail(f) = motion.accelerations();
  result.motion = linear_motion(std::move(derivatives), std::move(rates));
  result.motion.modes = motion.state_modes(result.motion.modes);
  const double largest = result.motion.eigenvalues.cwiseAbs().maxCoeff();
  const double growth = result.motion.eigenvalues.real().maxCoeff();
  // A damper of its own may be as stiff as it likes: what counts as slow is measured by the mechanism's own rate.
  const double own = mechanism.scales().rate;
  const double zero = kZero * (own > 0.0 ? std::min(largest, own) : largest);
  result.stability = growth > zero ? Stability::unstable : growth < -zero ? Stability::stable : Stability::marginal;
  return result;
}

}  // namespace mbdbench
