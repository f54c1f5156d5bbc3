#pragma once
/// \file
/// Records of what comes out of one run: the same names in front, one number each.
#include <string>
#include <string_view>
#include <utility>

#include "experiments/records/record.hpp"
#include "experiments/records/timing.hpp"

namespace mbdbench {

/// Whose number it is.
struct NumberSource {
  std::string_view text;
  bool published = false;
};

/// \returns the source of numbers that stand in print. \param place citation key and place: "Chadaj2015, sect. III"
constexpr NumberSource published_in(std::string_view place) {
  return {place, true};
}

/// \returns the source of any other number: a prototype, a theory, another program.
constexpr NumberSource expected_from(std::string_view origin) {
  return {origin, false};
}

/// Puts a number to compare with into a record.
void set_comparison(Record& record, double value, const NumberSource& source, const Limit& limit);

/// Puts a number into a record whose verdict is a trend's (trend.hpp), but for one that was not measured.
void set_trend(Record& record, double other, const NumberSource& source);

/// A number to compare with.
struct Comparison {
  double value;
  NumberSource source;
  double relative_limit;  ///< 0 asks for equality
  std::string_view reason;
};

/// What stands in front of every number of a run.
struct RunName {
  std::string experiment;
  std::string mechanism;
  std::string formulation;
  std::string integrator;
  std::string parameters;
};

/// Makes the records of one run.
class RecordMaker {
 public:
  explicit RecordMaker(RunName name) : name_(std::move(name)) {}

  [[nodiscard]] Record measured(std::string quantity, std::string unit, double value, std::string note = {}) const;
  [[nodiscard]] Record compared(std::string quantity, std::string unit, double value,
                                const Comparison& comparison) const;
  /// A number shown beside another one whose order of magnitude and direction it follows; judge_trends (trend.hpp)
  /// gives the verdict with the rest of its table. \param note why no more can be asked
  [[nodiscard]] Record trend(std::string quantity, std::string unit, double value, double other,
                             const NumberSource& source, std::string note) const;
  /// A number that a setting was chosen to meet. \param note which setting
  [[nodiscard]] Record fitted(std::string quantity, std::string unit, double value, double other,
                              const NumberSource& source, std::string note) const;
  /// A time with how it was measured in the note; `not measured` where it was disturbed.
  [[nodiscard]] Record timed(std::string quantity, const Timing& timing, const std::string& note = {}) const;
  /// The record of a run that did not reach its end. \param message why
  [[nodiscard]] Record failed(std::string quantity, std::string unit, std::string message) const;

 private:
  RunName name_;
};

/// \returns "tolerance=1e-06".
std::string tolerance_text(double tolerance);

}  // namespace mbdbench
