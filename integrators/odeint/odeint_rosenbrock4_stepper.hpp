#pragma once
/// \file
/// Boost.Odeint's rosenbrock4 behind plain arrays. Boost's matrix library (uBLAS, 1.74) is not valid C++20, so that its
/// headers are included in one source file only, which is compiled as C++17; this header must stay valid there.
#include <cstddef>
#include <functional>
#include <memory>

namespace mbdbench {

/// One step of the Rosenbrock method, order 4, and its continuous extension. All arrays have the system's size.
class Rosenbrock4Stepper {
 public:
  /// xdot = f(t, x); may throw, which leaves the step.
  using Rate = std::function<void(double t, const double* x, double* xdot)>;

  /// What is known of f at the start of a step.
  struct Start {
    double t;
    const double* x;
    const double* xdot;
    const double* jacobian;  ///< df/dx, column by column
    const double* time_derivative;
  };

  explicit Rosenbrock4Stepper(std::size_t size);
  ~Rosenbrock4Stepper();
  Rosenbrock4Stepper(const Rosenbrock4Stepper&) = delete;
  Rosenbrock4Stepper& operator=(const Rosenbrock4Stepper&) = delete;
  Rosenbrock4Stepper(Rosenbrock4Stepper&&) = delete;
  Rosenbrock4Stepper& operator=(Rosenbrock4Stepper&&) = delete;

  /// 5 evaluations of f, a factorisation and 6 solves.
  /// \param dt signed step. \param x_new, error receive the state at t + dt and its estimated error.
  void step(const Rate& rate, const Start& start, double dt, double* x_new, double* error);

  /// Prepares `interpolate` for the last step.
  void keep_for_interpolation();

  /// \param t inside the last step [t_old, t_new] that was kept. \param x receives the state there.
  void interpolate(double t, double t_old, double t_new, double* x) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace mbdbench
