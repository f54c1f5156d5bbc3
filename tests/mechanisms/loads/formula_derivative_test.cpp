#include "mechanisms/model/loads/formula_derivative.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/model/loads/expression.hpp"

namespace mbdbench {
namespace {

/// Central differences of fourth order against the derivative, at times at which all formulas below are smooth.
void expect_derivative(const std::string& formula) {
  SCOPED_TRACE(formula);
  double t = 0.0;
  const Expression value(formula, {{"t", &t}});
  const Expression rate(derivative_of(formula, "t"), {{"t", &t}});
  const auto at = [&t](const Expression& expression, double time) {
    t = time;
    return expression();
  };
  constexpr double kStep = 1e-3;
  for (const double time : {0.13, 0.31, 0.77}) {
    const auto slope = [&](double h) { return (at(value, time + h) - at(value, time - h)) / (2.0 * h); };
    const double expected = (4.0 * slope(kStep) - slope(2.0 * kStep)) / 3.0;
    // h^4 of truncation times fifth derivatives of up to 1e3.
    EXPECT_NEAR(at(rate, time), expected, 1e-8 * std::max(1.0, std::abs(expected))) << time;
  }
}

TEST(FormulaDerivative, IsThatOfDifferences) {
  constexpr std::array kFormulas = {"3",
                                    "t",
                                    "-t",
                                    "2*t - 3/(1 + t)",
                                    "t^3",
                                    "(1 + t)^(2*t)",
                                    "2^t",
                                    "-t^2",
                                    "2^-t",
                                    "1e-1*t + 2.5E+0*t^2",
                                    "sin(t)*cos(2*t)",
                                    "tan(t/2)",
                                    "asin(t/2) + acos(t/3) + atan(t)",
                                    "sinh(t) - cosh(t) + tanh(2*t)",
                                    "asinh(t) + acosh(1.5 + t) + atanh(t/2)",
                                    "exp(-t^2)",
                                    "log(1 + t) + ln(2 + t) + log2(1 + t) + log10(1 + t)",
                                    "sqrt(1 + t^2)",
                                    "abs(t - 2)",
                                    "sign(t)*t",
                                    "rint(0.1*t)*t",
                                    "atan2(t, 1 + t^2)",
                                    "min(t, 0.5)^2 + max(t, 0.5)^3",
                                    "sum(t, t^2, 1)",
                                    "avg(t, t^2, 1)",
                                    "t > 0.5 ? t^2 : 1 - t",
                                    "t < 0.2 || t > 0.6 && t < 2 ? t^3 : t",
                                    "pi*t",
                                    "((t))",
                                    "t*t*t/t",
                                    "1 - t - t^2",
                                    "sin(cos(t^2))^3"};
  for (const char* const formula : kFormulas) {
    expect_derivative(formula);
    expect_derivative(derivative_of(formula, "t"));
  }
  EXPECT_EQ(derivative_of("4*sin(2)", "t"), "0");
  // At zero a power would have none.
  EXPECT_EQ(derivative_of("t^1", "t"), "1");
  double t = 0.0;
  const std::string third = derivative_of(derivative_of(derivative_of("t^1 + t^2 + t^3 + t^4", "t"), "t"), "t");
  EXPECT_EQ(Expression(third, {{"t", &t}})(), 6.0);
}

TEST(FormulaDerivative, SaysWhatHasNone) {
  for (const char* const formula : {"foo(t)", "t +", "(t", "sin(t", "t = 2", "", "t ? 1", "3 t"}) {
    EXPECT_THROW(static_cast<void>(derivative_of(formula, "t")), ExpressionError) << formula;
  }
}

std::string arm(const std::string& frame, const std::string& motion) {
  return fmt::format(R"(name = "arm"
[[bodies]]
name = "bob"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "hinge"
type = "revolute"
b = "bob"
frame_a = {{{}}}
motions = [{{{}}}]
)",
                     frame, motion);
}

TEST(MotionOfOneFormula, HasTheDerivativesThatWereLeftOut) {
  const Mechanism given = load_mechanism(
      arm("", R"x(position = "0.1*sin(t)", velocity = "0.1*cos(t)", acceleration = "-0.1*sin(t)")x"), "a");
  for (const char* const motion :
       {R"x(position = "0.1*sin(t)")x", R"x(position = "0.1*sin(t)", velocity = "0.1*cos(t)")x"}) {
    const Mechanism derived = load_mechanism(arm("", motion), "b");
    EXPECT_EQ(derived.u0(), given.u0());
    double t = 1.3;
    const auto& motions = derived.description().joints[0].motions;
    const Expression acceleration(motions[0].acceleration, {{"t", &t}});
    EXPECT_NEAR(acceleration(), -0.1 * std::sin(1.3), 1e-16);
  }
  try {
    load_mechanism(arm("", R"x(position = "erf(t)")x"), "c.toml");
    ADD_FAILURE() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.line(), 11U);
    EXPECT_NE(std::string(error.what()).find("give velocity and acceleration as formulas"), std::string::npos)
        << error.what();
  }
}

TEST(FrameRotation, IsGivenInFourWays) {
  const std::string motion = R"x(position = "0")x";
  const auto rotation = [&](const std::string& frame) {
    return load_mechanism(arm(frame, motion), "a").description().joints[0].frame_a.rotation;
  };
  const Eigen::Vector4d expected(std::cos(0.2), 0.0, std::sin(0.2), 0.0);
  EXPECT_LT((rotation("rpy = [0, 0.4, 0]") - expected).norm(), 1e-15);
  EXPECT_LT((rotation("axis = [0, 3, 0], angle = 0.4") - expected).norm(), 1e-15);
  const std::string digits = fmt::format("rotation = [{:.5f}, 0, {:.5f}, 0]", expected[0], expected[2]);
  EXPECT_LT((rotation(digits + ", normalise = true") - expected).norm(), 1e-5);
  // Roll, pitch, yaw about fixed axes: yaw last.
  const Eigen::Vector4d both = rotation("rpy = [1.5707963267948966, 0, 1.5707963267948966]");
  EXPECT_LT((both - Eigen::Vector4d(0.5, 0.5, 0.5, 0.5)).norm(), 1e-15);
  for (const std::string& wrong :
       {digits, std::string("rpy = [0, 0, 1], rotation = [1, 0, 0, 0]"), std::string("axis = [0, 0, 1]"),
        std::string("angle = 1"), std::string("axis = [0, 0, 0], angle = 1"), std::string("normalise = true"),
        std::string("rotation = [0, 0, 0, 0], normalise = true")}) {
    EXPECT_THROW(rotation(wrong), FileError) << wrong;
  }
}

// The functions of formulas are those of the C library, to the last bit, also where closed forms cancel.
using Function = double (*)(double);

constexpr std::array<std::pair<const char*, Function>, 20> kFunctions = {{
    {"sin", [](double x) { return std::sin(x); }},     {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},     {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},   {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},   {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},   {"asinh", [](double x) { return std::asinh(x); }},
    {"acosh", [](double x) { return std::acosh(x); }}, {"atanh", [](double x) { return std::atanh(x); }},
    {"exp", [](double x) { return std::exp(x); }},     {"log", [](double x) { return std::log(x); }},
    {"ln", [](double x) { return std::log(x); }},      {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }}, {"sqrt", [](double x) { return std::sqrt(x); }},
    {"rint", [](double x) { return std::rint(x); }},   {"abs", [](double x) { return std::fabs(x); }},
}};

constexpr std::array kArguments = {
    0.0, 1e-300, 1e-9,  0.1, 0.49999999999999994, 0.5,  0.999999999, 1.0, 1.000000001, 1.5, 2.5, 3.5,
    8.0, 29.0,   100.5, 1e7, 4503599627370497.5,  1e200};

TEST(Expression, FunctionsAreTheLibrarys) {
  for (const auto& [name, function] : kFunctions) {
    double x = 0.0;
    const Expression formula(std::string(name) + "(x)", {{"x", &x}});
    for (const double argument : kArguments) {
      for (const double sign : {1.0, -1.0}) {
        x = sign * argument;
        const double expected = function(x);
        if (std::isfinite(expected)) {
          EXPECT_EQ(formula(), expected) << name << "(" << x << ")";
        } else {
          EXPECT_FALSE(std::isfinite(formula())) << name << "(" << x << ")";
        }
      }
    }
  }
}

TEST(Expression, DerivativesDoNotCancel) {
  // f' of a function of its argument 1 - e or so, where 1 - x^2 and 1 - tanh^2 lose most digits.
  const auto rate = [](const char* formula, double at) {
    double t = at;
    return Expression(derivative_of(formula, "t"), {{"t", &t}})();
  };
  constexpr double kNear = 1.0 - 0x1p-40;  // exact
  const double product = 0x1p-40 * (2.0 - 0x1p-40);
  EXPECT_NEAR(rate("asin(t)", kNear) * std::sqrt(product), 1.0, 1e-15);
  EXPECT_NEAR(rate("acos(t)", kNear) * std::sqrt(product), -1.0, 1e-15);
  EXPECT_NEAR(rate("atanh(t)", kNear) * product, 1.0, 1e-15);
  EXPECT_NEAR(rate("acosh(t)", 1.0 + 0x1p-40) * std::sqrt(0x1p-40 * (2.0 + 0x1p-40)), 1.0, 1e-15);
  EXPECT_NEAR(rate("tanh(t)", 20.0) * 0.25 * std::exp(40.0), 1.0, 1e-14);
}

}  // namespace
}  // namespace mbdbench
