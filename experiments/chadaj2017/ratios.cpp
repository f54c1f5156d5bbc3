#include "experiments/chadaj2017/ratios.hpp"
#include "experiments/chadaj2017/loop_case.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "experiments/chadaj2017/record_search.hpp"
#include "experiments/records/record_maker.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr std::array kErrors = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};

/// One point of the work-precision diagram.
struct Point {
  double error;
  double evaluations;
};

/// \returns the points of a curve in the order of the records, from loose to tight tolerance.
std::vector<Point> curve(const std::vector<Record>& records, std::string_view mechanism, const Variant& variant,
                         std::string_view integrator) {
  std::vector<Point> points;
  for (const Record& record : records) {
    if (record.mechanism == mechanism && record.formulation == variant.label() && record.integrator == integrator &&
        record.quantity == "point_error" && record.value) {
      if (const auto evaluations =
              find_value(records, mechanism, variant, integrator, record.parameters, "function_evaluations")) {
        points.push_back({*record.value, *evaluations});
      }
    }
  }
  return points;
}

/// \returns the evaluations at which the curve first falls below an error; nothing where it starts below or stays
/// above.
std::optional<double> evaluations_at(const std::vector<Point>& points, double error) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& above = points[i - 1];
    const Point& below = points[i];
    if (above.error >= error && below.error < error) {
      const double share = std::log(above.error / error) / std::log(above.error / below.error);
      return above.evaluations * std::pow(below.evaluations / above.evaluations, share);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Record> ratios_at_equal_tolerance(const std::vector<Record>& records, const char* quantity,
                                              const char* ratio) {
  std::vector<Record> ratios;
  for (const Record& record : records) {
    // Runs with more to say than their tolerance belong to other parts.
    const bool of_sweep =
        record.parameters.starts_with("tolerance=") && record.parameters.find(';') == std::string::npos;
    if (record.quantity != quantity || record.formulation == kDca.label() || !of_sweep || !record.telling_value()) {
      continue;
    }
    const auto dca = find_value(records, record.mechanism, kDca, record.integrator, record.parameters, record.quantity);
    if (dca) {
      const RecordMaker maker = records_of(record.mechanism, record.formulation, record.integrator, record.parameters);
      ratios.push_back(maker.measured(ratio, "1", *dca / *record.value, "DCA's over this formulation's"));
    }
  }
  return ratios;
}

std::vector<Record> ratios_at_equal_error(const std::vector<Record>& records) {
  std::vector<Record> ratios;
  for (const std::string_view mechanism : kCases) {
    for (const std::string_view integrator : kIntegrators) {
      const std::vector<Point> dca = curve(records, mechanism, kDca, integrator);
      for (const Variant& variant : kCompared) {
        const std::vector<Point> other = curve(records, mechanism, variant, integrator);
        for (const double error : kErrors) {
          const std::optional<double> numerator = evaluations_at(dca, error);
          const std::optional<double> denominator = evaluations_at(other, error);
          if (variant.name != kDca.name && numerator && denominator) {
            const RecordMaker maker =
                records_of(mechanism, variant.label(), integrator, fmt::format("point_error={}", error));
            ratios.push_back(maker.measured("evaluation_ratio_at_equal_error", "1", *numerator / *denominator,
                                            "DCA's over this formulation's"));
          }
        }
      }
    }
  }
  return ratios;
}

}  // namespace mbdbench::chadaj2017
