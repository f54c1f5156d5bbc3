// The recursion of [Malczyk2012, Eq. (18), (27)-(34)] as printed (dca-alm-printed), in the penalised (primal) form:
// right in exact arithmetic, but it loses alpha^2 eps. The reason why dca-alm solves for multipliers instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/absolute_reference.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// A chain of bodies between two joints to the ground, at rest: the penalised equations in (r'', e''), first pass.
template <typename Scalar>
struct PenalisedChain {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  PenalisedChain(const Mechanism& mechanism, double penalty) : alpha(static_cast<Scalar>(penalty)) {
    const test::AbsoluteReference reference(mechanism, 0.0);
    AbsoluteKinematics kinematics(mechanism);
    kinematics.set_positions(reference.y, BranchTeam({}, {}));
    const int n = mechanism.body_count();
    for (int i = 0; i < n; ++i) {
      const Eigen::Map<const EulerParameters> e(reference.y.data() +
                                                kAbsoluteCoordinates * static_cast<std::size_t>(i) + 3);
      // omega = 2 R L e'
      Matrix to_velocity = Matrix::Zero(6, 7);
      to_velocity.topLeftCorner(3, 3).setIdentity();
      to_velocity.bottomRightCorner(3, 4) =
          (2.0 * kinematics.body(i).rotation * euler_parameter_map(e)).template cast<Scalar>();
      const Matrix inertia = reference.inverse_mass.block<6, 6>(6 * i, 6 * i).inverse().template cast<Scalar>();
      Matrix mass = to_velocity.transpose() * inertia * to_velocity;
      mass.bottomRightCorner(4, 4) += Scalar(4) * alpha * (e * e.transpose()).template cast<Scalar>();
      masses.push_back(mass);
      Vec6 load = Vec6::Zero();
      load.head<3>() = mechanism.bodies()[static_cast<std::size_t>(i)].mass * mechanism.gravity();
      loads.push_back(to_velocity.transpose() * load.cast<Scalar>());
      to_velocities.push_back(to_velocity);
    }
    // Joint k lies between bodies k - 1 and k; the last one is the cut joint.
    int row = 0;
    for (int k = 0; k <= n; ++k) {
      const int rows = kinematics.joint(k).nc;
      const auto columns_of = [&](int body) -> Matrix {
        if (body < 0 || body >= n) {
          return Matrix::Zero(rows, 7);
        }
        return reference.g.block(row, 6 * body, rows, 6).template cast<Scalar>() *
               to_velocities[static_cast<std::size_t>(body)];
      };
      left.push_back(columns_of(k - 1));
      right.push_back(columns_of(k));
      row += rows;
    }
  }

  /// (M + alpha F^T F) y'' = Q over all bodies at once.
  [[nodiscard]] Vector solve_directly() const {
    const auto n = static_cast<Eigen::Index>(masses.size());
    Matrix total = Matrix::Zero(7 * n, 7 * n);
    Vector load(7 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      total.block(7 * i, 7 * i, 7, 7) = masses[static_cast<std::size_t>(i)];
      load.segment(7 * i, 7) = loads[static_cast<std::size_t>(i)];
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
      Matrix f = Matrix::Zero(left[k].rows(), 7 * n);
      if (k > 0) {
        f.middleCols(7 * static_cast<Eigen::Index>(k - 1), 7) = left[k];
      }
      if (k + 1 < left.size()) {
        f.middleCols(7 * static_cast<Eigen::Index>(k), 7) += right[k];
      }
      total += alpha * f.transpose() * f;
    }
    return total.fullPivLu().solve(load);
  }

  Scalar alpha;
  std::vector<Matrix> masses;
  std::vector<Matrix> to_velocities;
  std::vector<Vector> loads;
  std::vector<Matrix> left;   // 7 columns of joint k for body k - 1
  std::vector<Matrix> right;  // and for body k
};

/// Largest error of [a_C; omega'] over all bodies, relative to the largest.
double error_of(const PenalisedChain<long double>& exact, const Eigen::VectorXd& accelerations,
                const PenalisedChain<long double>::Vector& reference) {
  double error = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < exact.masses.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const Eigen::VectorXd expected = (exact.to_velocities[i] * reference.segment(7 * at, 7)).cast<double>();
    error = std::max(error, (accelerations.segment(6 * at, 6) - expected).cwiseAbs().maxCoeff());
    size = std::max(size, expected.cwiseAbs().maxCoeff());
  }
  return error / size;
}

TEST(augmented_primal_form, loses_the_square_of_the_penalty_where_the_dual_form_loses_nothing) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "loop8");
  ASSERT_EQ(mechanism.body_count(), 8);
  ASSERT_EQ(mechanism.u0().cwiseAbs().maxCoeff(), 0.0);
  std::vector<double> primal_errors;
  for (const double alpha : {1e4, 1e5, 1e6, 1e7}) {
    const PenalisedChain<long double> exact(mechanism, alpha);
    const PenalisedChain<long double>::Vector reference = exact.solve_directly();

    const auto printed = test::make("dca-alm-printed", mechanism, fmt::format("alpha={},iterations=1,omega=0", alpha));
    const test::Evaluation rates = test::evaluate_at(*printed, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(rates.status.ok);
    const Eigen::Map<const Eigen::VectorXd> y(rates.xdot.data() + 7 * 8, 7 * 8);
    Eigen::VectorXd primal(6 * 8);
    for (int i = 0; i < 8; ++i) {
      primal.segment<6>(6 * i) = exact.to_velocities[static_cast<std::size_t>(i)].cast<double>() * y.segment(7 * i, 7);
    }

    AugmentedOptions options;
    options.alpha = alpha;
    options.omega = 0.0;
    options.most_iterations = 1;
    const test::AbsoluteReference state(mechanism, 0.0);
    AugmentedSystem system(mechanism, options, nullptr);
    system.place(0.0, state.y);
    ASSERT_TRUE(system.assemble().ok);
    system.set_velocities(state.velocities);
    system.solve_accelerations(0.0);
    Eigen::VectorXd dual(6 * 8);
    for (int i = 0; i < 8; ++i) {
      dual.segment<6>(6 * i) = system.accelerations()[static_cast<std::size_t>(i)];
    }

    const double primal_error = error_of(exact, primal, reference);
    const double dual_error = error_of(exact, dual, reference);
    fmt::print("alpha {:.0e}: error of the first pass, primal form {:.1e}, dual form {:.1e}\n", alpha, primal_error,
               dual_error);
    // The reference itself: long double, alpha times its eps. The dual form: rounding times the condition of A + I /
    // alpha over the directions that matter, below 1e4.
    EXPECT_LT(dual_error, 1e-12) << alpha;
    if (alpha >= 1e6) {
      EXPECT_GT(primal_error, 1e-8) << alpha;
    } else {
      EXPECT_LT(primal_error, 1e-5) << "the recursion itself is right";
    }
    primal_errors.push_back(primal_error);
  }
  // Over all three powers of ten: of one to the next the rounding of a single state decides, and with it the compiler.
  EXPECT_GT(primal_errors.back(), 10.0 * 1e3 * primal_errors.front()) << "worse than in proportion to alpha";
}

}  // namespace
}  // namespace mbdbench
