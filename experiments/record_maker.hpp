#pragma once
/// \file
/// Records of what comes out of one run: the same names in front, one number each.
#include <string>
#include <string_view>
#include <utility>

#include "experiments/record.hpp"

namespace mbdbench {

/// A number to compare with.
struct Comparison {
  double value;
  std::string_view source;
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
  /// A number shown beside another one that it need not meet. \param note why not
  [[nodiscard]] Record trend(std::string quantity, std::string unit, double value, double other,
                             std::string_view source, std::string note) const;
  /// The record of a run that did not reach its end. \param message why
  [[nodiscard]] Record failed(std::string quantity, std::string unit, std::string message) const;

 private:
  RunName name_;
};

/// \returns "tolerance=1e-06".
std::string tolerance_text(double tolerance);

}  // namespace mbdbench
