#pragma once
/// \file
/// One record per number, and the file that holds them: long format, one number a row, the published value beside it.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// How a number stands to the one that it is compared with.
enum class Verdict {
  exact,
  within_limit,
  trend_only,             ///< not asserted: same direction and order of magnitude as its table (trend.hpp)
  direction_only,         ///< not asserted: a time of another machine that grows where the table's does, and no more
  below_published_error,  ///< the printed number is the error of the paper's own reference, and ours is no larger
  fitted,                 ///< a setting was chosen so that it meets this number: agreement says nothing
  not_reproduced,
  no_published_value,  ///< nothing to compare with
  not_measured,        ///< a number may stand there, but it was disturbed: it says nothing
  refused,             ///< does not exist here: the formulation refuses the mechanism, ...
  failed               ///< a run did not reach its end
};

/// \returns "exact", "within limit", "trend only", "fitted", "not reproduced", ...
std::string_view to_string(Verdict verdict);

/// How a number is compared.
enum class LimitKind { none, equal, relative, finding, trend, fitted, below };

/// What is asked of a number: to be equal, to be within a relative limit, to follow a trend, to be no larger than an
/// error that a paper's reference has; a finding is to be within a relative limit, but a number that is not fails no
/// run; fitted asks nothing.
struct Limit {
  LimitKind kind = LimitKind::none;
  double relative = 0.0;

  /// \returns equality for 0.
  static Limit within(double relative_limit);
  /// \returns whether a number that does not meet it fails the run.
  [[nodiscard]] bool asserted() const { return kind != LimitKind::trend && kind != LimitKind::finding; }
  /// \returns "equal", "relative 0.001", "finding 0.001", "trend", "fitted", "below"; empty for none.
  [[nodiscard]] std::string text() const;
  bool operator==(const Limit&) const = default;
};

/// One number with everything needed to understand it.
struct Record {
  std::string experiment;
  std::string mechanism;    ///< as the user would name it: "pendulum:16"
  std::string formulation;  ///< key, with options in brackets where they are not the defaults
  std::string integrator;
  std::string parameters;                 ///< "tolerance=1e-06", several separated by ";"
  std::string quantity;                   ///< "function_evaluations"
  std::string unit;                       ///< "1" for pure numbers
  std::optional<double> value;            ///< empty for a failed or refused run
  std::optional<double> published_value;  ///< printed in `source`, and nothing else
  std::string source;                     ///< citation key and place: "Chadaj2015, sect. III"
  std::optional<double> expected_value;   ///< any other number to compare with
  std::string expected_from;              ///< whose: a prototype, a theory, MATLAB
  Limit limit;
  Verdict verdict = Verdict::no_published_value;
  std::string note;  ///< message of a failed run, reason of a limit

  /// \returns the number that it is compared with, published or expected.
  [[nodiscard]] std::optional<double> compared_value() const {
    return published_value ? published_value : expected_value;
  }
  bool operator==(const Record&) const = default;
};

/// What a study yields. Times stay apart: records are the same in every run.
struct RecordSet {
  std::vector<Record> records;
  std::vector<Record> timings;
};

/// Compares two numbers. \param relative_limit 0 asks for equality
/// \returns exact, within_limit, not_reproduced; no_published_value or failed where a side is missing.
Verdict judge(const std::optional<double>& value, const std::optional<double>& other, double relative_limit);

/// \returns below_published_error where an error is no larger than the other one, not_reproduced where it is.
Verdict judge_error(double value, double other);

/// Records in a CSV file, in fixed row order with shortest round-trip numbers; written to a new file that replaces the
/// old one at once, so that an interrupted run leaves the last complete state. \throws FileError when the file cannot
/// be written
void write_records(const std::filesystem::path& file, const std::vector<Record>& records);

/// Reads what `write_records` wrote. \throws FileError with file and line for anything else.
std::vector<Record> read_records(const std::filesystem::path& file);

}  // namespace mbdbench
