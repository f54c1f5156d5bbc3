/// \file
/// Orders on the problem `smooth`, from the slope of a least-squares line in logarithms.
///
/// Limits. Halved steps: the next term of the error is smaller by a factor of the step, here a few hundredths, and a
/// wrong coefficient costs a whole order: 0.3. Tolerances: a method that holds the error of a step at the tolerance and
/// propagates a solution one order better has a global error proportional to it, exponent 1; one that propagates the
/// estimated solution itself, of order k, has k / (k + 1) (Hairer1993, sect. II.4). Steps change by whole numbers and
/// the error constant with where they fall: a factor of 3 at the ends of five decades moves the exponent by 0.15.
/// Extrapolation propagates a solution two orders better than the one it compares with, (2 k + 2) / (2 k + 1) with k
/// extrapolations, mostly 3 here; it crosses the interval in 3 to 6 steps of changing order, so that its errors jump by
/// a factor of 10 from one tolerance to the next, which moves the exponent by up to 0.3.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/integrators/parts.hpp"
#include "experiments/integrators/problems.hpp"
#include "experiments/records/line_fit.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::integrator_study {
namespace {

constexpr double kOrderLimit = 0.3;
constexpr double kExponentLimit = 0.15;
constexpr double kExtrapolationLimit = 0.3;
constexpr const char* kExtrapolation = "odeint-bulirsch-stoer";
constexpr NumberSource kTheory = expected_from("theory (Hairer1993, sect. II.3, II.4)");

/// The exponent that theory gives to the error as a power of the tolerance.
double expected_exponent(const OdeEntry& integrator) {
  if (integrator.key.starts_with("cvode-")) {
    return 0.9;  // the estimated solution itself, with orders q that vary: q / (q + 1)
  }
  if (integrator.key.starts_with("ode15s")) {
    return 5.0 / 6.0;  // the same with orders up to 5
  }
  if (integrator.key == kExtrapolation) {
    return 8.0 / 7.0;
  }
  return integrator.key == "rkf45" ? 4.0 / 5.0 : 1.0;
}

/// One run of the measurement.
struct Point {
  double parameter;
  double evaluations;
  double error;
};

/// Runs and keeps (parameter, evaluations, error), with a record each.
class Measurement {
 public:
  Measurement(const OdeEntry& integrator, PartResult& part) : integrator_(integrator), part_(part) {}

  void run(const std::string& name, double parameter, const OdeOptions& options) {
    const RecordMaker maker = maker_of(fmt::format("{}={}", name, parameter));
    const Problem problem = problem_of("smooth");
    const std::array tspan = {0.0, problem.tf};
    NullSink sink;
    const OdeResult result = integrator_.solve(problem.system, tspan, problem.x0, options, sink);
    if (result.status != OdeStatus::ok) {
      part_.records.push_back(maker.failed("global_error", "1", result.message));
      return;
    }
    const std::vector<double> exact = smooth_solution(problem.tf);
    double error = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      error = std::max(error, std::abs(result.x[i] - exact[i]));
    }
    const double evaluations = static_cast<double>(result.statistics.nfevals);
    part_.records.push_back(maker.measured("global_error", "1", error));
    part_.records.push_back(maker.measured("function_evaluations", "1", evaluations));
    points_.push_back({parameter, evaluations, error});
  }

  /// \returns the exponent of the error as a power of the parameter or the evaluations.
  [[nodiscard]] double exponent(double Point::*base) const {
    std::vector<double> x;
    std::vector<double> y;
    for (const Point& point : points_) {
      x.push_back(std::log(point.*base));
      y.push_back(std::log(point.error));
    }
    return fit_line(x, y).slope;
  }

  [[nodiscard]] RecordMaker maker_of(const std::string& parameters) const {
    return RecordMaker({.experiment = std::string(kExperiment),
                        .mechanism = "smooth",
                        .formulation = {},
                        .integrator = std::string(integrator_.key),
                        .parameters = parameters});
  }

 private:
  const OdeEntry& integrator_;
  PartResult& part_;
  std::vector<Point> points_;
};

void add_fixed_order(PartResult& part, const OdeEntry& integrator) {
  Measurement measurement(integrator, part);
  // Order 8 reaches rounding level in the steps that lower orders need to show theirs.
  const double largest = integrator.order > 6 ? 1.0 / 4.0 : 1.0 / 8.0;
  for (const double divisor : {1.0, 2.0, 4.0, 8.0}) {
    if (integrator.order > 6 && divisor > 4.0) {
      break;
    }
    // A tolerance that nothing fails leaves an adaptive method with its largest step, throughout.
    OdeOptions options;
    options.relative_tolerance = 1.0;
    options.absolute_tolerance = {1.0};
    const double step = largest / divisor;
    options.initial_step = step;
    options.max_step = step;
    options.fixed_step = step;
    measurement.run("step", step, options);
  }
  const double order = integrator.order;
  part.records.push_back(measurement.maker_of("steps halved")
                             .compared("observed_order", "1", measurement.exponent(&Point::parameter),
                                       {order, kTheory, kOrderLimit / order, "next term of the error"}));
}

void add_tolerances(PartResult& part, const OdeEntry& integrator) {
  Measurement measurement(integrator, part);
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    OdeOptions options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = {tolerance};
    measurement.run("tolerance", tolerance, options);
  }
  const RecordMaker maker = measurement.maker_of("tolerances 1e-5 to 1e-10");
  const double expected = expected_exponent(integrator);
  const double limit = integrator.key == kExtrapolation ? kExtrapolationLimit : kExponentLimit;
  part.records.push_back(maker.compared("tolerance_exponent", "1", measurement.exponent(&Point::parameter),
                                        {expected, kTheory, limit / expected, "whole numbers of steps"}));
  part.records.push_back(maker.measured("error_exponent_of_evaluations", "1",
                                        -measurement.exponent(&Point::evaluations),
                                        "the order that the work shows; where the order varies, an effective one"));
}

}  // namespace

PartResult order_part(const OdeEntry& integrator) {
  PartResult part;
  if (integrator.order > 0) {
    add_fixed_order(part, integrator);
  }
  if (integrator.adaptive) {
    add_tolerances(part, integrator);
  }
  return part;
}

}  // namespace mbdbench::integrator_study
