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
#include <utility>

#include "experiments/equilibria/steadiness.hpp"
#include "experiments/equilibria/steady_linearisation.hpp"

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
// Of a rate: less of it along what is ignorable is rounding.
constexpr double kOwn = 1e-8;
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

/// What is searched for: freedoms but those on which nothing depends, and rates that are to be found. Each has one of
/// the equations, the share of the accelerations along it.
class Unknowns {
 public:
  Unknowns(const TangentMotion& motion, const Eigen::MatrixXd& by_positions, const Eigen::MatrixXd& by_velocities) {
    const Eigen::MatrixXd ignorable = motion.ignorable(by_positions);
    const Eigen::Index f = by_positions.rows();
    freedoms_ = f - ignorable.cols();
    const Eigen::MatrixXd rates = motion.by_found_rates();
    positions_ = Eigen::MatrixXd::Identity(f, f);
    if (ignorable.cols() > 0) {
      const Eigen::MatrixXd all = Eigen::HouseholderQR<Eigen::MatrixXd>(ignorable).householderQ();
      positions_ = all.rightCols(freedoms_);
    }
    equations_ = Eigen::MatrixXd::Zero(f, freedoms_ + rates.cols());
    equations_.leftCols(freedoms_) = positions_;
    for (Eigen::Index j = 0; j < rates.cols(); ++j) {
      // A rate is found from the accelerations along itself that positions cannot answer; where there are none it
      // stays.
      const Eigen::VectorXd own = ignorable * (ignorable.transpose() * rates.col(j));
      if (own.norm() > kOwn * rates.col(j).norm()) {
        equations_.col(freedoms_ + j) = own.normalized();
      }
    }
    derivatives_.resize(equations_.cols(), equations_.cols());
    derivatives_.leftCols(freedoms_) = equations_.transpose() * (by_positions * positions_);
    derivatives_.rightCols(rates.cols()) = equations_.transpose() * (by_velocities * rates);
  }

  [[nodiscard]] Eigen::VectorXd left_of(const Eigen::VectorXd& accelerations) const {
    return equations_.transpose() * accelerations;
  }
  [[nodiscard]] const Eigen::MatrixXd& derivatives() const { return derivatives_; }
  [[nodiscard]] Eigen::VectorXd displacement(const Eigen::VectorXd& step) const {
    return positions_ * step.head(freedoms_);
  }
  [[nodiscard]] Eigen::VectorXd change_of_rates(const Eigen::VectorXd& step) const {
    return step.tail(step.size() - freedoms_);
  }

 private:
  Eigen::Index freedoms_ = 0;
  Eigen::MatrixXd positions_;
  Eigen::MatrixXd equations_;
  Eigen::MatrixXd derivatives_;
};

class EquilibriumSearch {
 public:
  EquilibriumSearch(TangentMotion& motion, const EquilibriumOptions& options) : motion_(motion), options_(options) {}

  void run(Equilibrium& result) {
    double previous = std::numeric_limits<double>::infinity();
    while (true) {
      look();
      if (result.steps == 0) {
        start_ = largest_of(left_);
      }
      result.residual = largest_of(left_);
      result.limit = kRoundingOfRest * stiffness_;
      // At the limit it goes on while a step still halves what is left.
      const bool still = last_step_ <= kStill && result.residual <= kStill * stiffness_;
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

  /// \returns what accelerations count as none, 1/s^2.
  [[nodiscard]] double tolerance() const { return kStill * stiffness_; }

 private:
  /// Accelerations and derivatives where the motion is.
  void look() {
    Eigen::MatrixXd by_positions;
    Eigen::MatrixXd by_velocities;
    motion_.linearise(by_positions, by_velocities);
    unknowns_.emplace(motion_, by_positions, by_velocities);
    left_ = unknowns_->left_of(motion_.accelerations());
    // Inertial forces of what goes on round as they are.
    const double speed = motion_.mechanism().scales().largest_rate(motion_.u());
    stiffness_ = std::max({by_positions.cwiseAbs().rowwise().sum().maxCoeff(),
                           speed * by_velocities.cwiseAbs().rowwise().sum().maxCoeff(), 1.0});
  }

  /// \returns whether the motion went on.
  bool step(Equilibrium& result) {
    const Eigen::VectorXd wanted = within_reach(options_.nearest ? newton_step() : relaxing_step());
    if (!wanted.allFinite()) {
      result.failure = "no step can be had from there: the derivatives are not finite";
      return false;
    }
    last_step_ = largest_of(wanted);
    double share = 1.0;
    bool blocked = false;
    for (int halvings = 0; halvings < kMostHalvings; ++halvings, share *= 0.5) {
      const Eigen::VectorXd q = motion_.moved(unknowns_->displacement(share * wanted));
      if (q.size() == 0) {
        continue;  // loops do not close there
      }
      const Eigen::VectorXd here = motion_.q();
      const Eigen::VectorXd change = unknowns_->change_of_rates(share * wanted);
      motion_.change_found_rates(change);
      if (!has_velocities_at(q)) {
        blocked = true;
      } else if (!options_.nearest || largest_of(unknowns_->left_of(motion_.accelerations())) < result.residual) {
        return true;
      }
      motion_.change_found_rates(-change);
      motion_.set_positions(here);
    }
    result.failure =
        blocked ? fmt::format(
                      "with these rates velocities keep the constraints at the start, but not on the way: no step goes "
                      "on after {}",
                      result.steps)
        : options_.nearest
            ? fmt::format(
                  "Newton's method is stuck with accelerations of {:.3g} 1/s^2: the derivatives are singular "
                  "there; another start (--set q.JOINT=...), or without --nearest",
                  result.residual)
            : "the loops close at no step from there";
    return false;
  }

  /// Goes to coordinates. \returns whether there are velocities that keep the constraints with the rates that are held
  bool has_velocities_at(const Eigen::VectorXd& q) {
    try {
      motion_.set_positions(q);
    } catch (const std::invalid_argument&) {
      return false;
    }
    return true;
  }

  [[nodiscard]] Eigen::VectorXd newton_step() const {
    return -unknowns_->derivatives().completeOrthogonalDecomposition().solve(left_);
  }

  [[nodiscard]] Eigen::VectorXd relaxing_step() const {
    const Eigen::MatrixXd& derivatives = unknowns_->derivatives();
    double growth = 0.0;
    for (const std::complex<double>& value : derivatives.eigenvalues()) {
      growth = std::max(growth, value.real());
    }
    const double left = largest_of(left_);
    // Switched evolution relaxation: the shift falls with what is left.
    const double relaxed = start_ > 0.0 ? left / kFirstStep * std::min(1.0, left / start_) : 0.0;
    const double shift = std::max({kAboveGrowth * growth, relaxed, kSmallestShift * derivatives.norm()});
    const Eigen::Index count = left_.size();
    const Eigen::MatrixXd matrix = shift * Eigen::MatrixXd::Identity(count, count) - derivatives;
    return matrix.partialPivLu().solve(left_);
  }

  TangentMotion& motion_;
  const EquilibriumOptions& options_;
  double start_ = 0.0;
  double last_step_ = std::numeric_limits<double>::infinity();
  double stiffness_ = 1.0;
  std::optional<Unknowns> unknowns_;
  Eigen::VectorXd left_;  // of the accelerations
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
  const Mechanism& mechanism = motion.mechanism();
  if (motion.freedoms() == 0) {
    throw std::invalid_argument(fmt::format(
        "nothing of mechanism '{}' can move freely: loops, joints and motions leave no freedom", mechanism.name()));
  }
  Equilibrium result;
  EquilibriumSearch search(motion, options);
  search.run(result);
  result.q = motion.q();
  result.u = motion.u();
  if (!result.failure.empty()) {
    if (!motion.velocities_stay()) {
      result.failure = kTied;
    }
    return result;
  }
  result.singular = motion.is_singular();
  if (motion.goes_on()) {
    if (!result.singular) {
      result.residual = std::max(result.residual, mechanism.scales().largest_rate(motion.velocity_rates()));
    }
    Steadiness steady = steadiness(motion, search.tolerance());
    result.failure = std::move(steady.failure);
    result.periodic = steady.periodic;
  }
  if (!result.has_verdict() || !result.failure.empty()) {
    return result;
  }
  const SteadyLinearisation near = steady_linearisation(motion);
  result.exact = near.exact;
  result.motion = motion_near(motion, near);
  const double largest = result.motion.eigenvalues.cwiseAbs().maxCoeff();
  const double growth = result.motion.eigenvalues.real().maxCoeff();
  // A damper of its own may be as stiff as it likes: what counts as slow is measured by the mechanism's own rate.
  const double own = std::max(mechanism.scales().rate, mechanism.scales().largest_rate(motion.u()));
  const double zero = kZero * (own > 0.0 ? std::min(largest, own) : largest);
  result.stability = growth > zero ? Stability::unstable : growth < -zero ? Stability::stable : Stability::marginal;
  return result;
}

}  // namespace mbdbench
