// The kernels of rows in link frames against Eigen's dense algebra: lean turns, slides, prescribed rows, spherical and
// free rows, starts of runs; in double, long double, and packs whose lanes must be the scalar's bits.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>

#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/momentum_rows.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench::kernels {
namespace {

template <typename T>
using Dense3 = Eigen::Matrix<T, 3, 3>;
template <typename T>
using Dense6 = Eigen::Matrix<T, 6, 6>;
template <typename T>
using Column6 = Eigen::Matrix<T, 6, 1>;
template <typename T>
using Column3 = Eigen::Matrix<T, 3, 1>;

template <typename T>
Dense6<T> dense(const ArticulatedInertia<T>& m) {
  Dense6<T> d;
  d << m.axx, m.axy, m.axz, m.bxx, m.bxy, m.bxz, m.axy, m.ayy, m.ayz, m.byx, m.byy, m.byz, m.axz, m.ayz, m.azz, m.bzx,
      m.bzy, m.bzz, m.bxx, m.byx, m.bzx, m.cxx, m.cxy, m.cxz, m.bxy, m.byy, m.bzy, m.cxy, m.cyy, m.cyz, m.bxz, m.byz,
      m.bzz, m.cxz, m.cyz, m.czz;
  return d;
}

template <typename T>
ArticulatedInertia<T> packed(const Dense6<T>& d) {
  return {d(0, 0), d(0, 1), d(0, 2), d(1, 1), d(1, 2), d(2, 2), d(0, 3), d(0, 4), d(0, 5), d(1, 3), d(1, 4),
          d(1, 5), d(2, 3), d(2, 4), d(2, 5), d(3, 3), d(3, 4), d(3, 5), d(4, 4), d(4, 5), d(5, 5)};
}

template <typename T>
Column6<T> dense(const LinkWrench<T>& w) {
  return Column6<T>(w.fx, w.fy, w.fz, w.nx, w.ny, w.nz);
}

template <typename T>
Column3<T> dense(const LinkVector<T>& r) {
  return {r.x, r.y, r.z};
}

template <typename T>
Column6<T> dense(const LinkVector<T>& linear, const LinkVector<T>& angular) {
  Column6<T> v;
  v << dense(linear), dense(angular);
  return v;
}

template <typename T>
Dense3<T> cross_matrix(const Column3<T>& a) {
  Dense3<T> m;
  m << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return m;
}

/// \returns X with X w the wrench w about a point from which its own lies at r, in axes turned by R.
template <typename T>
Dense6<T> transfer(const Dense3<T>& rotation, const Column3<T>& r) {
  Dense6<T> x = Dense6<T>::Zero();
  x.template topLeftCorner<3, 3>() = rotation;
  x.template bottomRightCorner<3, 3>() = rotation;
  x.template bottomLeftCorner<3, 3>() = cross_matrix(r) * rotation;
  return x;
}

/// Everything a row needs, drawn at random.
template <typename T>
struct Problem {
  RandomSource random{7};
  LinkConstants<T> link{};
  T c, s, d;
  Dense6<T> m;
  LinkWrench<T> wrench{};

  T number() { return static_cast<T>(random.uniform(-1.0, 1.0)); }
  LinkVector<T> vector() { return {number(), number(), number()}; }

  Problem() {
    const T alpha = number();
    const T theta = T(3) * number();
    link.px = number();
    link.py = number();
    link.cos_alpha = std::cos(alpha);
    link.sin_alpha = std::sin(alpha);
    link.outboard_mass = T(1.7);
    link.hx = number();
    link.jxx = T(1);
    link.jyz = T(0.1);
    c = std::cos(theta);
    s = std::sin(theta);
    d = number();
    Dense6<T> factor;
    for (int i = 0; i < 36; ++i) {
      factor(i) = number();
    }
    m = factor * factor.transpose() + T(0.5) * Dense6<T>::Identity();
    wrench = {number(), number(), number(), number(), number(), number()};
  }
  [[nodiscard]] Dense3<T> rotation() const {
    Dense3<T> x;
    x << T(1), T(0), T(0), T(0), link.cos_alpha, -link.sin_alpha, T(0), link.sin_alpha, link.cos_alpha;
    Dense3<T> z;
    z << c, -s, T(0), s, c, T(0), T(0), T(0), T(1);
    return x * z;
  }
  /// X over the row with slide `along`.
  [[nodiscard]] Dense6<T> row(T along) const {
    return transfer<T>(rotation(), Column3<T>(link.px, link.py, T(0)) + along * rotation().col(2));
  }
};

/// Some hundred operations on numbers up to 30: 1e3 units of rounding, far below any wrong term.
template <typename T>
constexpr T kRounding = T(1e3) * std::numeric_limits<T>::epsilon();

template <typename T>
class link_row_kernels : public testing::Test {};  // NOLINT(readability-identifier-naming): a suite of tests
using Scalars = testing::Types<double, long double>;
TYPED_TEST_SUITE(link_row_kernels, Scalars);

/// M - U U^T / D and what the wrench becomes when one direction carries `joint`.
template <typename T>
struct DenseElimination {
  Dense6<T> inertia;
  Column6<T> wrench;
  T rest;
  Column6<T> gain;
  DenseElimination(const Dense6<T>& m, const Column6<T>& w, int axis, T joint) {
    gain = m.col(axis) / m(axis, axis);
    rest = (joint - w[axis]) / m(axis, axis);
    inertia = m - gain * m.row(axis);
    wrench = w + m.col(axis) * rest;
  }
};

TYPED_TEST(link_row_kernels, turns_and_slides_eliminate_one_direction) {
  using T = TypeParam;
  Problem<T> problem;
  const T joint = T(0.3);
  for (const bool slide : {false, true}) {
    AccelerationRow<T> row{};
    row.centripetal = problem.vector();
    row.turned_x = slide ? T(0) : problem.number();
    row.turned_y = slide ? T(0) : problem.number();
    ArticulatedInertia<T> inertia = packed(problem.m);
    LinkWrench<T> wrench = problem.wrench;
    SlideGain<T> gain{};
    const int axis = slide ? 2 : 5;
    const DenseElimination<T> expected(problem.m, dense(problem.wrench), axis, joint);
    const T pivot = slide
                        ? slide_inward(problem.link, problem.c, problem.s, problem.d, joint, row, gain, inertia, wrench)
                        : turn_inward(problem.link, problem.c, problem.s, joint, row, inertia, wrench);
    const Dense6<T> x = problem.row(slide ? problem.d : T(0));
    Column6<T> bias;
    bias << dense(row.centripetal), row.turned_x, row.turned_y, T(0);
    EXPECT_EQ(pivot, problem.m(axis, axis));
    EXPECT_LT((dense(inertia) - x * expected.inertia * x.transpose()).cwiseAbs().maxCoeff(), kRounding<T>);
    EXPECT_LT((dense(wrench) - x * (expected.wrench + expected.inertia * bias)).cwiseAbs().maxCoeff(), kRounding<T>);

    // The acceleration of the joint: H^T (M a + f) = joint with a = X^T a_inboard + bias + z a_joint.
    LinkVector<T> linear = problem.vector();
    LinkVector<T> angular = problem.vector();
    const Column6<T> inboard = dense(linear, angular);
    const T rate = slide ? slide_acceleration(problem.link, problem.c, problem.s, problem.d, row, gain, linear, angular)
                         : turn_acceleration(problem.link, problem.c, problem.s, row, linear, angular);
    const Column6<T> a = x.transpose() * inboard + bias + rate * Column6<T>::Unit(axis);
    EXPECT_LT((dense(linear, angular) - a).cwiseAbs().maxCoeff(), kRounding<T>);
    EXPECT_LT(std::abs((problem.m * a + dense(problem.wrench))[axis] - joint), kRounding<T>);
  }
}

TYPED_TEST(link_row_kernels, prescribed_rows_pass_all_on) {
  using T = TypeParam;
  Problem<T> problem;
  AccelerationRow<T> row{};
  row.centripetal = problem.vector();
  row.turned_x = problem.number();
  ArticulatedInertia<T> inertia = packed(problem.m);
  LinkWrench<T> wrench = problem.wrench;
  driven_inward(problem.link, problem.c, problem.s, problem.d, T(0.4), T(-0.6), row, inertia, wrench);
  Column6<T> bias;
  bias << dense(row.centripetal), row.turned_x, T(0), T(0.4);
  bias[2] -= T(0.6);
  const Dense6<T> x = problem.row(problem.d);
  EXPECT_LT((dense(inertia) - x * problem.m * x.transpose()).cwiseAbs().maxCoeff(), kRounding<T>);
  EXPECT_LT((dense(wrench) - x * (dense(problem.wrench) + problem.m * bias)).cwiseAbs().maxCoeff(), kRounding<T>);
}

TYPED_TEST(link_row_kernels, spherical_and_free_rows_eliminate_three_and_six_directions) {
  using T = TypeParam;
  Problem<T> problem;
  const Dense3<T> r = problem.rotation();
  const kernels::Matrix3<T> rotation{r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)};
  const LinkVector<T> way = problem.vector();
  const LinkVector<T> torque = problem.vector();
  const LinkVector<T> force = problem.vector();
  const Dense6<T> x = transfer<T>(r, dense(way));
  SphericalAccelerationRow<T> row{};
  row.centripetal = problem.vector();

  ArticulatedInertia<T> inertia = packed(problem.m);
  LinkWrench<T> wrench = problem.wrench;
  const T pivot = spherical_inward(rotation, way, torque, row, inertia, wrench);
  EXPECT_GT(pivot, T(0));
  const Eigen::Matrix<T, 6, 3> u = problem.m.template rightCols<3>();
  const Dense3<T> inverse = problem.m.template bottomRightCorner<3, 3>().inverse();
  const Dense6<T> rest = problem.m - u * inverse * u.transpose();
  Column6<T> bias = Column6<T>::Zero();
  bias.template head<3>() = dense(row.centripetal);
  const Column6<T> known =
      dense(problem.wrench) + u * inverse * (dense(torque) - dense(problem.wrench).template tail<3>());
  EXPECT_LT((dense(inertia) - x * rest * x.transpose()).cwiseAbs().maxCoeff(), kRounding<T>);
  EXPECT_LT((dense(wrench) - x * (known + rest * bias)).cwiseAbs().maxCoeff(), kRounding<T>);

  inertia = packed(problem.m);
  wrench = problem.wrench;
  EXPECT_GT(free_inward(rotation, way, torque, force, row, inertia, wrench), T(0));
  Column6<T> own;
  own << r.transpose() * dense(force), dense(torque);
  EXPECT_EQ(dense(inertia).cwiseAbs().maxCoeff(), T(0));
  EXPECT_LT((dense(wrench) - x * own).cwiseAbs().maxCoeff(), kRounding<T>);
  const Column6<T> a = problem.m.ldlt().solve(own - dense(problem.wrench));
  LinkVector<T> linear = problem.vector();
  LinkVector<T> angular = problem.vector();
  const Column6<T> inboard = dense(linear, angular);
  LinkVector<T> slide{};
  const LinkVector<T> turn = free_acceleration(rotation, way, row, linear, angular, slide);
  const Column6<T> reached = x.transpose() * inboard + bias;
  EXPECT_LT((dense(linear, angular) - a).cwiseAbs().maxCoeff(), kRounding<T>);
  EXPECT_LT((dense(slide) - r * (a - reached).template head<3>()).cwiseAbs().maxCoeff(), kRounding<T>);
  EXPECT_LT((dense(turn) - (a - reached).template tail<3>()).cwiseAbs().maxCoeff(), kRounding<T>);
}

TYPED_TEST(link_row_kernels, starts_of_runs_turn_about_z_and_lie_on_it) {
  using T = TypeParam;
  const Problem<T> problem;
  const RunStart<T> start{problem.c, problem.s, problem.d};
  Dense3<T> z;
  z << problem.c, -problem.s, T(0), problem.s, problem.c, T(0), T(0), T(0), T(1);
  const Dense6<T> x = transfer<T>(z, Column3<T>(T(0), T(0), problem.d));
  EXPECT_LT((dense(across_start(start, packed(problem.m))) - x * problem.m * x.transpose()).cwiseAbs().maxCoeff(),
            kRounding<T>);
  EXPECT_LT((dense(across_start(start, problem.wrench)) - x * dense(problem.wrench)).cwiseAbs().maxCoeff(),
            kRounding<T>);
}

TEST(link_row_packs, lanes_are_the_scalar) {
  // Four times the same arithmetic: only fused multiplications, which the compiler may choose differently, may differ.
  using P = Pack<4, 2>;
  Problem<double> problem;
  AccelerationRow<double> row{};
  row.centripetal = problem.vector();
  SlideGain<double> gain{};
  ArticulatedInertia<double> inertia = packed(problem.m);
  LinkWrench<double> wrench = problem.wrench;
  slide_inward(problem.link, problem.c, problem.s, problem.d, 0.3, row, gain, inertia, wrench);

  const auto lane_of = [](const P& pack, int lane) { return (lane < 2 ? pack.low : pack.high).value[lane % 2]; };
  const auto spread = [](const auto& scalar, auto& lanes) {
    static_assert(sizeof(lanes) == 4 * sizeof(scalar));
    std::array<double, sizeof(scalar) / sizeof(double)> numbers{};
    std::copy_n(reinterpret_cast<const double*>(&scalar), numbers.size(), numbers.begin());
    auto* const target = reinterpret_cast<P*>(&lanes);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      target[i] = P(numbers[i]);
    }
  };
  LinkConstants<P> link{};
  ArticulatedInertia<P> lanes{};
  LinkWrench<P> wrench_lanes{};
  AccelerationRow<P> row_lanes{};
  SlideGain<P> gain_lanes{};
  spread(problem.link, link);
  spread(packed(problem.m), lanes);
  spread(problem.wrench, wrench_lanes);
  spread(row, row_lanes);
  slide_inward(link, P(problem.c), P(problem.s), P(problem.d), P(0.3), row_lanes, gain_lanes, lanes, wrench_lanes);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_NEAR(lane_of(lanes.cyz, lane), inertia.cyz, kRounding<double>);
    EXPECT_NEAR(lane_of(wrench_lanes.nx, lane), wrench.nx, kRounding<double>);
  }
}

}  // namespace
}  // namespace mbdbench::kernels
