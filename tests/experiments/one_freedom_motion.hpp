#pragma once
/// \file
/// Motion of a mechanism with one degree of freedom whose closed positions q(s) are known from formulas: an ordinary
/// differential equation in s alone, without constraints, multipliers or ranks.
///
///   T = J(s) s'^2 / 2,  J(s) = 2 T(q(s), dq/ds),   s'' = -(V'(s) + J'(s) s'^2 / 2) / J(s)
///
/// Derivatives along s are differences of sixth order: with steps of 4e-3 and 1e-2 some 1e-12 of truncation and
/// rounding each.
#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

#include "integrators/registry.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench::test {

/// For mechanisms whose joints in the tree are revolute or prismatic: u = q'.
class OneFreedomMotion {
 public:
  using Coordinates = std::function<Eigen::VectorXd(double s)>;

  OneFreedomMotion(const Mechanism& mechanism, Coordinates coordinates)
      : coordinates_(std::move(coordinates)), kinematics_(mechanism) {}

  /// \returns q at time `end`, from (s, s') at time zero; integrated by ode45 at a relative tolerance of 1e-10.
  Eigen::VectorXd positions_at(double end, double s, double rate) {
    OdeSystem system;
    system.size = 2;
    system.rhs = [this](double /*t*/, std::span<const double> x, std::span<double> xdot) -> std::string {
      xdot[0] = x[1];
      xdot[1] = acceleration(x[0], x[1]);
      return {};
    };
    OdeOptions options;
    options.relative_tolerance = 1e-10;
    options.absolute_tolerance = {1e-10};
    const std::vector<double> x0 = {s, rate};
    const std::vector<double> tspan = {0.0, end};
    struct Quiet : OdeSink {
      bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
    } sink;
    const OdeResult result = find_integrator(integrator_registry(), "ode45")->solve(system, tspan, x0, options, sink);
    return coordinates_(result.x[0]);
  }

 private:
  template <typename Function>
  static auto slope(const Function& f, double s, double h) -> decltype(f(s)) {
    return ((f(s + 3.0 * h) - f(s - 3.0 * h)) / 60.0 - (f(s + 2.0 * h) - f(s - 2.0 * h)) * 0.15 +
            (f(s + h) - f(s - h)) * 0.75) /
           h;
  }

  Energies energies_at(double s) {
    const Eigen::VectorXd q = coordinates_(s);
    const Eigen::VectorXd u = slope([this](double at) -> Eigen::VectorXd { return coordinates_(at); }, s, 4e-3);
    kinematics_.set_positions(view(q));
    kinematics_.set_velocities(view(u));
    return energies(kinematics_, view(q), nullptr);
  }

  double acceleration(double s, double rate) {
    const double inertia = 2.0 * energies_at(s).kinetic;
    const double inertia_slope = 2.0 * slope([this](double at) { return energies_at(at).kinetic; }, s, 1e-2);
    const double force = -slope([this](double at) { return energies_at(at).potential; }, s, 1e-2);
    return (force - 0.5 * inertia_slope * rate * rate) / inertia;
  }

  Coordinates coordinates_;
  Kinematics kinematics_;
};

}  // namespace mbdbench::test
