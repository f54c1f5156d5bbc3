/// \file
/// The names of the outcomes, the checks of what a run is asked to do, and the registry.
#include "integrators/ode.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrators/registry.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A valid call that each case spoils in one place.
struct Call {
  OdeSystem system = harmonic_oscillator();
  std::vector<double> tspan = {0.0, 1.0};
  std::vector<double> x0 = {1.0, 0.0};
  OdeOptions options;
};

struct Refusal {
  const char* name;
  std::function<void(Call&)> spoil;
  /// Both must stand in the message: what is wrong and its value.
  std::string what;
  std::string value;

  friend void PrintTo(const Refusal& refusal, std::ostream* output) { *output << refusal.name; }
};

class Validation : public testing::TestWithParam<Refusal> {};

TEST_P(Validation, NamesTheOffendingValue) {
  Call call;
  GetParam().spoil(call);
  try {
    validate(call.system, call.tspan, call.x0, call.options);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(GetParam().what), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().value), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ode, Validation,
    testing::Values(
        Refusal{"NoFunction", [](Call& c) { c.system.rhs = nullptr; }, "system.rhs", "empty"},
        Refusal{"OneTime", [](Call& c) { c.tspan = {3.0}; }, "tspan has", "1"},
        Refusal{"InfiniteTime",
                [](Call& c) {
                  c.tspan = {0.0, kInfinity};
                },
                "tspan[1]", "inf"},
        Refusal{"EqualTimes",
                [](Call& c) {
                  c.tspan = {0.0, 0.0};
                },
                "tspan[1]", "0"},
        Refusal{"TurningTimes",
                [](Call& c) {
                  c.tspan = {0.0, 2.5, 2.0, 4.0};
                },
                "tspan[2] = 2", "2.5"},
        Refusal{"TurningBackTimes",
                [](Call& c) {
                  c.tspan = {4.0, 2.0, 2.5, 0.0};
                },
                "tspan[2] = 2.5", "tspan[1] = 2"},
        Refusal{"ShortState", [](Call& c) { c.x0 = {1.0}; }, "x0 has 1", "2"},
        Refusal{"NanState",
                [](Call& c) {
                  c.x0 = {1.0, kNan};
                },
                "x0[1]", "nan"},
        Refusal{"ZeroRelative", [](Call& c) { c.options.relative_tolerance = 0.0; }, "relative_tolerance", "= 0 "},
        Refusal{"TinyRelative", [](Call& c) { c.options.relative_tolerance = 1e-15; }, "relative_tolerance", "1e-15"},
        Refusal{"NanRelative", [](Call& c) { c.options.relative_tolerance = kNan; }, "relative_tolerance", "nan"},
        Refusal{"NoAbsolute", [](Call& c) { c.options.absolute_tolerance = {}; }, "absolute_tolerance has", "0"},
        Refusal{"ThreeAbsolute",
                [](Call& c) {
                  c.options.absolute_tolerance = {1, 1, 1};
                },
                "absolute_tolerance has", "3"},
        Refusal{"NegativeAbsolute",
                [](Call& c) {
                  c.options.absolute_tolerance = {1, -0.5};
                },
                "absolute_tolerance[1]", "-0.5"},
        Refusal{"NanAbsolute", [](Call& c) { c.options.absolute_tolerance = {kNan}; }, "absolute_tolerance[0]", "nan"},
        Refusal{"NormOfVector",
                [](Call& c) {
                  c.options.absolute_tolerance = {1, 1};
                  c.options.norm_control = true;
                },
                "norm_control", "2"},
        Refusal{"NegativeInitialStep", [](Call& c) { c.options.initial_step = -0.25; }, "initial_step", "-0.25"},
        Refusal{"ZeroMaxStep", [](Call& c) { c.options.max_step = 0.0; }, "max_step", "= 0 "},
        Refusal{"InfiniteFixedStep", [](Call& c) { c.options.fixed_step = kInfinity; }, "fixed_step", "inf"},
        Refusal{"ShortMask", [](Call& c) { c.options.error_mask = {true}; }, "error_mask has 1", "2"},
        Refusal{"EmptyControl",
                [](Call& c) {
                  c.options.error_mask = {false, false};
                },
                "error_mask", "all 2"},
        Refusal{"NegativeRefine", [](Call& c) { c.options.refine = -3; }, "refine", "-3"}),
    [](const testing::TestParamInfo<Refusal>& test) { return std::string(test.param.name); });

TEST(Ode, ValidCallPasses) {
  Call call;
  EXPECT_NO_THROW(validate(call.system, call.tspan, call.x0, call.options));
  call.tspan = {1.0, 0.5, -2.0};
  call.options.absolute_tolerance = {1e-3, 1e-6};
  call.options.error_mask = {false, true};
  call.options.initial_step = 1e-3;
  call.options.refine = 1;
  EXPECT_NO_THROW(validate(call.system, call.tspan, call.x0, call.options));
}

TEST(Ode, EveryStatusHasItsName) {
  EXPECT_EQ(to_string(OdeStatus::ok), "ok");
  EXPECT_EQ(to_string(OdeStatus::stopped), "stopped");
  EXPECT_EQ(to_string(OdeStatus::rhs_failed), "rhs_failed");
  EXPECT_EQ(to_string(OdeStatus::not_finite), "not_finite");
  EXPECT_EQ(to_string(OdeStatus::step_too_small), "step_too_small");
  EXPECT_EQ(to_string(OdeStatus::evaluation_limit), "evaluation_limit");
  EXPECT_EQ(to_string(OdeStatus::method_failed), "method_failed");
  EXPECT_THROW(to_string(static_cast<OdeStatus>(99)), std::invalid_argument);
}

TEST(Registry, EntriesAreCompleteAndFound) {
  std::set<std::string_view> keys;
  for (const OdeEntry& entry : integrator_registry()) {
    EXPECT_TRUE(keys.insert(entry.key).second) << "listed twice: " << entry.key;
    EXPECT_FALSE(entry.summary.empty()) << entry.key;
    EXPECT_FALSE(entry.source.empty()) << entry.key;
    EXPECT_NE(entry.solve, nullptr) << entry.key;
    EXPECT_EQ(find_integrator(integrator_registry(), entry.key), &entry);
  }
  EXPECT_TRUE(keys.contains("ode45"));
  EXPECT_EQ(find_integrator(integrator_registry(), "ode46"), nullptr);
}

}  // namespace
}  // namespace mbdbench::test
