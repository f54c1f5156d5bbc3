#pragma once
/// \file
/// Records of what comes out of one run: the same names in front, one number each.
#include <string>
#include <string_view>
#include <utility>

#include "experiments/records/record.hpp"
#include "experiments/records/timing/timing.hpp"

namespace mbdbench {

/// Whose number it is.
struct NumberSource {
  std::string_view text;
  bool published = false;
};

/// Puts a number to compare with into a record.
void set_comparison(Record& record, double value, const NumberSource& source, const Limit& limit);

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
  /// A time with how it was measured in the note; `not measured` where it was disturbed.
  [[nodiscard]] Record timed(std::string quantity, const Timing& timing, const std::string& note = {}) const;
  /// The record of a run that did not reach its end. \param message why
  [[nodiscard]] Record failed(std::string quantity, std::string unit, std::string message) const;

 private:
  RunName name_;
};

}  // namespace mbdbench
