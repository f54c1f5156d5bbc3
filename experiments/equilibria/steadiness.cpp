#include "experiments/equilibria/steadiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include "experiments/equilibria/steady_linearisation.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {
namespace {

// Turns, rad, or displacements in lengths of the mechanism: no shares of a turn, so that no symmetry fits them.
constexpr std::array<double, 4> kTurns = {0.7, 1.9, 5.3, 31.0};

// Of the square of the mechanism's own rate: what a search leaves where branches meet.
constexpr double kLeftWhereBranchesMeet = 1e-6;

/// \returns when to look, s.
std::vector<double> later_times(const TangentMotion& motion) {
  const Eigen::VectorXd speeds = motion.u().cwiseAbs().cwiseQuotient(motion.mechanism().scales().columns);
  double fastest = 0.0;
  double slowest = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < speeds.size(); ++i) {
    if (motion.goes_on(i) && speeds[i] > 0.0) {
      fastest = std::max(fastest, speeds[i]);
      slowest = std::min(slowest, speeds[i]);
    }
  }
  std::vector<double> times;
  if (fastest == 0.0) {  // time goes on all the same, and loads may know it
    fastest = motion.mechanism().scales().rate;
    slowest = fastest;
    if (!(fastest > 0.0)) {
      return times;
    }
  }
  for (const double turn : kTurns) {
    times.push_back(turn / fastest);
    if (slowest < fastest) {
      times.push_back(turn / slowest);
    }
  }
  return times;
}

std::string velocity_name(const Mechanism& mechanism, Eigen::Index place) {
  const std::vector<StartValue> values = start_values(mechanism);
  return std::find_if(values.begin(), values.end(),
                      [&](const StartValue& each) { return each.rate && each.place == static_cast<int>(place); })
      ->name;
}

/// \returns the fastest change of a velocity that is no rounding, in words; empty where there is none.
std::string largest_change(TangentMotion& motion, double tolerance) {
  const Eigen::VectorXd rates = motion.velocity_rates();
  Eigen::Index place = 0;
  const double largest = rates.cwiseAbs().cwiseQuotient(motion.mechanism().scales().columns).maxCoeff(&place);
  return largest <= tolerance
             ? std::string()
             : fmt::format("{} changes by {:.6g} a second", velocity_name(motion.mechanism(), place), rates[place]);
}

/// Goes on with the motion to later places, asks `trouble` at each, and comes back.
/// \returns the first trouble with its time, empty where there is none
template <class Trouble>
std::string first_trouble(TangentMotion& motion, const Trouble& trouble) {
  const Eigen::VectorXd q = motion.q();
  const double t = motion.time();
  for (const double duration : later_times(motion)) {
    std::string text;
    try {
      motion.go_on(duration);
      text = trouble();
    } catch (const std::exception& error) {
      text = error.what();
    }
    motion.go_back(q, t);
    if (!text.empty()) {
      return fmt::format("after {:.4g} s {}", duration, text);
    }
  }
  return {};
}

/// \returns why velocities change here that the constraints would let stay.
std::string reason_of_change(TangentMotion& motion, double tolerance) {
  const Eigen::VectorXd rates = motion.velocity_rates();
  const bool same =
      first_trouble(motion, [&] {
        const Eigen::VectorXd change = motion.velocity_rates() - rates;
        return std::string(motion.mechanism().scales().largest_rate(change) <= tolerance ? "" : "another");
      }).empty();
  return same ? "no force keeps its rate; drive the joint by a torque or a prescribed motion, or let the rate be found "
                "(--turning JOINT)"
              : "forces depend on the coordinates that go on, or on time";
}

}  // namespace

Steadiness steadiness(TangentMotion& motion, double tolerance) {
  if (motion.is_singular()) {
    // What constraints demand of single velocities is rounding over nothing there, and so is their stiffness; what is
    // free tells, by the mechanism's own rate.
    const Eigen::VectorXd free = motion.accelerations();
    const double largest = free.size() == 0 ? 0.0 : free.cwiseAbs().maxCoeff();
    const CharacteristicScales& scales = motion.mechanism().scales();
    const double own = std::max({scales.rate, scales.largest_rate(motion.u()), 1.0});
    return {largest <= kLeftWhereBranchesMeet * own * own
                ? std::string()
                : fmt::format("at a singular position accelerations of {:.3g} 1/s^2 are left", largest)};
  }
  if (const std::string change = largest_change(motion, tolerance); !change.empty()) {
    return {fmt::format("{}: {}", change, motion.velocities_stay() ? reason_of_change(motion, tolerance) : kTied)};
  }
  Steadiness result;
  const SteadyLinearisation here = steady_linearisation(motion);
  result.periodic = here.leaves_constraints;
  const std::string trouble = first_trouble(motion, [&] {
    std::string change = largest_change(motion, tolerance);
    if (change.empty() && !result.periodic) {
      result.periodic = !same_equations(here, steady_linearisation(motion));
    }
    return change.empty() ? change : change + ": forces depend on the coordinates that go on, or on time";
  });
  if (!trouble.empty()) {
    result.failure = "it does not last, " + trouble;
  }
  return result;
}

}  // namespace mbdbench
