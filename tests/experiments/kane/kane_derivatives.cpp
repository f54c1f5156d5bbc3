#include "tests/experiments/kane/kane_derivatives.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

#include "tests/experiments/kane/kane_equations.hpp"

namespace mbdbench {
namespace {

using Number = boost::multiprecision::cpp_bin_float_quad;
using Coordinates = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

}  // namespace

/// h^8 and eps / h^2 are both below 1e-26.
template <>
struct KaneSteps<Number> {
  static constexpr double kDifference = 5e-4;
  static constexpr double kZero = 1e-22;
};

namespace {

const Number kMotionStep = 1e-6;

/// The derivative of a function of a number at zero, of fourth order.
template <typename Function>
Coordinates slope(Function f) {
  const Coordinates near = f(kMotionStep) - f(-kMotionStep);
  const Coordinates far = f(2 * kMotionStep) - f(-2 * kMotionStep);
  return (8 * near - far) / (12 * kMotionStep);
}

Coordinates drawn(RandomSource& random, int size) {
  Coordinates numbers(size);
  for (Number& number : numbers) {
    number = random.uniform(-1.0, 1.0);
  }
  return numbers;
}

/// d/dt (M u) along u, u'. \param at with velocities of all joints
Coordinates moment_rates(const Kane<Number>& at, const Coordinates& u, const Coordinates& rates) {
  return slope([&](const Number& t) {
    Kane<Number> later = at;
    later.move(t * u);
    Coordinates velocities = u;
    velocities.head(rates.size()) += t * rates;
    later.set_velocities(velocities);
    return later.momenta();
  });
}

}  // namespace

KaneDerivatives derivatives_by_differences(const Mechanism& mechanism, RandomSource& random) {
  Kane<Number> start(mechanism);
  const int tree = mechanism.u_size();
  start.close(0);
  const Coordinates u0 = start.allowed(drawn(random, start.unknowns()));
  KaneDerivatives result;
  result.here.q = start.coordinates().cast<double>();
  result.here.u = u0.head(tree).cast<double>();
  start.set_tree(result.here.q, result.here.u);
  start.close(tree);
  const Coordinates u = start.velocities();
  const Coordinates along = start.allowed(drawn(random, start.unknowns()));
  const Coordinates push = drawn(random, start.unknowns());

  const auto at = [&](const Number& s) {
    Kane<Number> moved = start;
    moved.move(s * along);
    const Coordinates velocities = moved.allowed(u + s * push);
    moved.set_velocities(velocities);
    return std::pair(std::move(moved), velocities);
  };
  const auto all = [&](const Number& s) {
    auto [moved, velocities] = at(s);
    const Coordinates rates = Kane<Number>(moved).accelerations().first;
    const Coordinates of_momenta = moment_rates(moved, velocities, rates);
    Coordinates numbers(4 * tree);
    numbers << velocities.head(tree), rates, moved.momenta(), moved.allowed_forces(of_momenta);
    return numbers;
  };
  const auto part = [&](const Coordinates& numbers, int i) -> Eigen::VectorXd {
    return numbers.segment(i * tree, tree).template cast<double>();
  };
  const Coordinates here = all(0);
  const Coordinates changes = slope(all);
  result.here = {result.here.q, result.here.u, part(here, 1), part(here, 2), part(here, 3)};
  result.changes = {along.head(tree).cast<double>(), part(changes, 0), part(changes, 1), part(changes, 2),
                    part(changes, 3)};
  return result;
}

}  // namespace mbdbench
