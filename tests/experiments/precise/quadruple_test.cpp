/// \file
/// The compiler's numbers of 113 bits against those of Boost, which other compilers compute with.
#include "experiments/precise/numbers/quadruple.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <type_traits>

#include "experiments/precise/numbers/precise_number.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::precise {
namespace {

static_assert(std::numeric_limits<Real>::digits == 113);
static_assert(std::numeric_limits<PortableReal>::digits == 113);

/// \returns the largest error of M M^-1 b, of a matrix that is well conditioned.
template <typename Number>
double error_of_solution() {
  Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> matrix(5, 5);
  for (int i = 0; i < 25; ++i) {
    matrix(i / 5, i % 5) = Number(i / 5 == i % 5 ? 3 : 0) + sin(Number(1 + i / 5 + i % 5));
  }
  const Eigen::Matrix<Number, Eigen::Dynamic, 1> right = matrix.col(1) + matrix.col(3) / Number(3);
  const Eigen::Matrix<Number, Eigen::Dynamic, 1> solved = matrix.llt().solve(right);
  return Number((matrix * solved - right).cwiseAbs().maxCoeff()).template convert_to<double>();
}

TEST(Quadruple, MatricesOfEitherNumberHaveThirtyThreeDigits) {
  EXPECT_LT(error_of_solution<Real>(), 1e-32);
  EXPECT_LT(error_of_solution<PortableReal>(), 1e-32);
  EXPECT_GT(error_of_solution<Real>() + error_of_solution<PortableReal>(), 1e-37) << "nothing rounds";
}

#ifdef MBDBENCH_QUADRUPLE

static_assert(!std::is_trivially_copyable_v<Quadruple>, "GCC and Clang would pass it in different ways");

/// Of functions, in units of the last of 113 bits: glibc's are within one, Boost's within some.
constexpr double kLastBits = 8.0;

/// \returns the same number: three doubles hold more than 113 bits.
PortableReal portable(const Quadruple& x) {
  PortableReal sum = 0.0;
  Quadruple left = x;
  for (int part = 0; part < 3; ++part) {
    const auto leading = left.convert_to<double>();
    sum += PortableReal(leading);
    left -= leading;
  }
  return sum;
}

Quadruple drawn(RandomSource& random) {
  return random.uniform(-3.0, 3.0) + Quadruple(random.uniform(-1.0, 1.0)) * std::ldexp(1.0, -60);
}

TEST(Quadruple, RoundsAsTheNumbersOfBoost) {
  const std::uint64_t seed = test::seed_of_run(1);
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomSource random(static_cast<std::int64_t>(seed));
  for (int i = 0; i < 2000; ++i) {
    const Quadruple a = drawn(random);
    const Quadruple b = drawn(random);
    const PortableReal x = portable(a);
    const PortableReal y = portable(b);
    ASSERT_TRUE(portable(a + b) == x + y && portable(a - b) == x - y && portable(-a) == -x);
    ASSERT_TRUE(portable(a * b) == x * y && portable(a / b) == x / y);
    ASSERT_TRUE(portable(abs(a)) == abs(x) && portable(floor(a)) == floor(x));
    ASSERT_TRUE((a < b) == (x < y) && (a > b) == (x > y) && (a <= b) == (x <= y) && (a >= b) == (x >= y));
    ASSERT_TRUE(a == a && a != b && a.convert_to<double>() == x.convert_to<double>());
  }
}

TEST(Quadruple, HasTheFunctionsOfBoost) {
  const std::uint64_t seed = test::seed_of_run(2);
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomSource random(static_cast<std::int64_t>(seed));
  const auto near = [](const Quadruple& found, const PortableReal& expected) {
    const PortableReal size = std::max(PortableReal(abs(expected)), PortableReal(1));
    const PortableReal bits = abs(portable(found) - expected) / (size * std::numeric_limits<PortableReal>::epsilon());
    return bits < kLastBits;
  };
  for (int i = 0; i < 50; ++i) {
    const Quadruple a = drawn(random);
    const Quadruple b = drawn(random);
    const Quadruple part = a / 4;
    const PortableReal x = portable(a);
    const PortableReal y = portable(b);
    const PortableReal piece = portable(part);
    ASSERT_TRUE(near(sqrt(abs(a)), sqrt(abs(x))));
    ASSERT_TRUE(near(sin(a), sin(x)) && near(cos(a), cos(x)) && near(tan(part), tan(piece)));
    ASSERT_TRUE(near(asin(part), asin(piece)) && near(acos(part), acos(piece)) && near(atan(a), atan(x)));
    ASSERT_TRUE(near(atan2(a, b), atan2(x, y)));
    ASSERT_TRUE(near(sinh(a), sinh(x)) && near(cosh(a), cosh(x)) && near(tanh(a), tanh(x)));
    ASSERT_TRUE(near(exp(a), exp(x)) && near(log(abs(a)), log(PortableReal(abs(x)))));
    ASSERT_TRUE(near(pow(abs(a), b), pow(PortableReal(abs(x)), y)) && near(pow(a, 3), pow(x, 3)));
    ASSERT_TRUE(near(fmod(a, abs(b)), fmod(x, PortableReal(abs(y)))));
  }
}

TEST(Quadruple, KnowsItsLimits) {
  using Limits = std::numeric_limits<Quadruple>;
  const Quadruple one = 1;
  EXPECT_TRUE(one + Limits::epsilon() > one);
  EXPECT_TRUE(one + Limits::epsilon() / 2 == one);
  EXPECT_TRUE(portable(Limits::epsilon()) == std::numeric_limits<PortableReal>::epsilon());
  EXPECT_TRUE(isfinite(Limits::max()) && !isfinite(Limits::max() * 2) && !isfinite(Limits::infinity()));
  EXPECT_TRUE(Limits::min() > 0 && Limits::min() / 4 * 4 == Limits::min());
  EXPECT_TRUE(Limits::max() * Limits::min() > 3 && Limits::max() * Limits::min() < 4);
  EXPECT_FALSE(Limits::quiet_NaN() == Limits::quiet_NaN());
  EXPECT_FALSE(isfinite(Limits::quiet_NaN()));
}

#endif

TEST(Quadruple, ZeroWithASignAndNoNumberBehaveAsThoseOfBoost) {
  const auto expect_alike = []<typename Number>() {
    EXPECT_EQ(atan2(Number(abs(Number(-0.0))), Number(-1.0)).template convert_to<double>(), std::acos(-1.0));
    const Number nothing = std::numeric_limits<Number>::quiet_NaN();
    EXPECT_FALSE(nothing < Number(1.0) || nothing > Number(1.0) || nothing == nothing);
    EXPECT_FALSE(isfinite(nothing) || isfinite(Number(std::numeric_limits<Number>::infinity())));
    EXPECT_TRUE(std::isnan(Number(abs(nothing)).template convert_to<double>()));
  };
  expect_alike.operator()<Real>();
  expect_alike.operator()<PortableReal>();
}

}  // namespace
}  // namespace mbdbench::precise
