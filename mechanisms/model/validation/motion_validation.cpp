#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "mechanisms/model/description/short_text.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

// Step of the finite differences, s: motions up to 10 kHz are resolved, and the rounding of f divided by the step stays
// below kFunctionRounding of f. The differences are extrapolated from the step and its half, so their error is of
// fourth order: 2e-7 of the derivative at 10 kHz, well below kDerivativeError.
constexpr double kStep = 1e-5;
constexpr double kDerivativeError = 1e-6;
constexpr double kFunctionRounding = 1e-9;
constexpr std::size_t kTimes = 16;

/// Times in (0, 10 s) without a common divisor: they miss the corners of piecewise formulas and no period fits them
/// all.
double sample_time(std::size_t i) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  double whole = 0.0;
  return 10.0 * std::modf(static_cast<double>(i + 1) * kGoldenRatio, &whole);
}

class MotionCheck {
 public:
  MotionCheck(const JointDescription& joint, std::size_t joint_index, std::size_t motion_index)
      : joint_(joint), joint_index_(joint_index), motion_index_(motion_index) {}

  void check() const {
    const PrescribedMotion& motion = joint_.motions[motion_index_];
    double t = 0.0;
    const Expression position = read(motion.position, "position", t);
    const Expression velocity = read(motion.velocity, "velocity", t);
    const Expression acceleration = read(motion.acceleration, "acceleration", t);
    check_derivative(position, velocity, "velocity", "position", t);
    check_derivative(velocity, acceleration, "acceleration", "velocity", t);
  }

 private:
  [[nodiscard]] ElementReference where(const char* key) const {
    return {"joints", joint_index_, fmt::format("motions[{}].{}", motion_index_, key)};
  }

  [[nodiscard]] Expression read(const std::string& text, const char* key, double& t) const {
    try {
      if (std::string_view(key) == "position") {
        require_formula_limits(text);  // the others may be derived from it
      }
      Expression formula(text, {{"t", &t}});
      t = 0.0;
      if (!std::isfinite(formula())) {
        throw ModelError(where(key), fmt::format("joint '{}': {} = \"{}\" is not finite at t = 0, where runs start",
                                                 joint_.name, key, short_text(text)));
      }
      return formula;
    } catch (const ExpressionError& error) {
      throw ModelError(where(key), fmt::format("joint '{}': {}: {}", joint_.name, key, error.what()));
    }
  }

  void check_derivative(const Expression& function, const Expression& derivative, const char* key,
                        const char* function_key, double& t) const {
    const auto at = [&t](const Expression& formula, double time) {
      t = time;
      return formula();
    };
    const auto difference = [&](double time, double step) {
      const double late = time + step;
      const double early = time - step;
      return (at(function, late) - at(function, early)) / (late - early);
    };
    std::array<double, kTimes> expected{};
    std::array<double, kTimes> given{};
    double largest = 0.0;
    double rounding = 0.0;
    for (std::size_t i = 0; i < kTimes; ++i) {
      const double time = sample_time(i);
      expected[i] = (4.0 * difference(time, 0.5 * kStep) - difference(time, kStep)) / 3.0;
      given[i] = at(derivative, time);
      // A motion may end before 10 s; what comes later is never used.
      if (std::isfinite(expected[i]) && std::isfinite(given[i])) {
        largest = std::max({largest, std::abs(expected[i]), std::abs(given[i])});
        rounding = std::max(rounding, std::abs(at(function, time)));
      }
    }
    const double tolerance = kDerivativeError * largest + kFunctionRounding * rounding;
    for (std::size_t i = 0; i < kTimes; ++i) {
      if (std::abs(expected[i] - given[i]) > tolerance) {
        throw ModelError(where(key),
                         fmt::format("joint '{}': {} = \"{}\" is not the derivative of {}: at t = {:.6g} it is {:.8g}, "
                                     "finite differences give {:.8g}",
                                     joint_.name, key, short_text(formula_text(key)), function_key, sample_time(i),
                                     given[i], expected[i]));
      }
    }
  }

  [[nodiscard]] const std::string& formula_text(std::string_view key) const {
    const PrescribedMotion& motion = joint_.motions[motion_index_];
    return key == "velocity" ? motion.velocity : motion.acceleration;
  }

  const JointDescription& joint_;
  std::size_t joint_index_;
  std::size_t motion_index_;
};

}  // namespace

void validate_motion(const JointDescription& joint, std::size_t joint_index, std::size_t motion_index) {
  MotionCheck(joint, joint_index, motion_index).check();
}

}  // namespace mbdbench
