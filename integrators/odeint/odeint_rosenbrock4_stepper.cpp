/// \file
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, section IV.7: Rosenbrock
/// methods. K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential equations in C++, AIP Conf. Proc. 1389
/// (2011) 1586-1589.
///
/// Compiled as C++17 (CMakeLists.txt). Cost a step of n components: 5 evaluations of f, n^3 / 3 + 6 n^2 operations. The
/// matrix library takes memory in every step.
#include "integrators/odeint/odeint_rosenbrock4_stepper.hpp"

#include <algorithm>
#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#include <boost/numeric/ublas/matrix.hpp>
#include <boost/numeric/ublas/vector.hpp>
#include <utility>

namespace mbdbench {
namespace {

/// DEVIATES [Boost 1.74]: its d4 is positive, which leaves order 1 where f depends on t. The method's own conditions,
/// and the test of its order (every_method_accuracy_test), ask for the negative number: d1 to d4 are gamma + sum_j
/// gamma_ij (Hairer & Wanner, (7.4)).
struct Coefficients : boost::numeric::odeint::default_rosenbrock_coefficients<double> {
  const double d4 = -0.3620000000000023e-01;
};

}  // namespace

struct Rosenbrock4Stepper::Implementation {
  using Vector = boost::numeric::ublas::vector<double>;
  using Matrix = boost::numeric::ublas::matrix<double>;

  explicit Implementation(std::size_t size) : x_old(size), x_new(size), error(size), sample(size) {}

  boost::numeric::odeint::rosenbrock4<double, Coefficients> stepper;
  Vector x_old;
  Vector x_new;
  Vector error;
  Vector sample;
};

Rosenbrock4Stepper::Rosenbrock4Stepper(std::size_t size) : implementation_(std::make_unique<Implementation>(size)) {}

Rosenbrock4Stepper::~Rosenbrock4Stepper() = default;

void Rosenbrock4Stepper::step(const Rate& rate, const Start& start, double dt, double* x_new, double* error) {
  using Vector = Implementation::Vector;
  using Matrix = Implementation::Matrix;
  Implementation& own = *implementation_;
  const std::size_t size = own.x_old.size();
  std::copy_n(start.x, size, own.x_old.begin());
  bool first = true;
  const auto stage = [&](const Vector& x, Vector& xdot, double t) {
    if (first) {
      std::copy_n(start.xdot, size, xdot.begin());
    } else {
      rate(t, &x[0], &xdot[0]);
    }
    first = false;
  };
  const auto derivatives = [&](const Vector& /*x*/, Matrix& jacobian, double /*t*/, Vector& time_derivative) {
    for (std::size_t i = 0; i < size; ++i) {
      time_derivative[i] = start.time_derivative[i];
      for (std::size_t j = 0; j < size; ++j) {
        jacobian(i, j) = start.jacobian[j * size + i];
      }
    }
  };
  own.stepper.do_step(std::make_pair(stage, derivatives), own.x_old, start.t, own.x_new, dt, own.error);
  std::copy(own.x_new.begin(), own.x_new.end(), x_new);
  std::copy(own.error.begin(), own.error.end(), error);
}

void Rosenbrock4Stepper::keep_for_interpolation() {
  implementation_->stepper.prepare_dense_output();
}

void Rosenbrock4Stepper::interpolate(double t, double t_old, double t_new, double* x) const {
  Implementation& own = *implementation_;
  own.stepper.calc_state(t, own.sample, own.x_old, t_old, own.x_new, t_new);
  std::copy(own.sample.begin(), own.sample.end(), x);
}

}  // namespace mbdbench
