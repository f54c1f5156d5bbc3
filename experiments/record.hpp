#pragma once
/// \file
/// One record per number, and the file that holds them: long format, one number a row, the published value beside it.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

/// How a number stands to the published one.
enum class Verdict { exact, within_limit, trend_only, not_reproduced, no_published_value, failed };

/// \returns "exact", "within limit", "trend only", "not reproduced", "no published value", "failed".
std::string_view to_string(Verdict verdict);

/// One number with everything needed to understand it.
struct Record {
  std::string experiment;
  std::string mechanism;    ///< as the user would name it: "pendulum:16"
  std::string formulation;  ///< key, with options in brackets where they are not the defaults
  std::string integrator;
  std::string parameters;       ///< "tolerance=1e-06", several separated by ";"
  std::string quantity;         ///< "function_evaluations"
  std::string unit;             ///< "1" for pure numbers
  std::optional<double> value;  ///< empty for a failed run
  std::optional<double> published_value;
  std::string source;  ///< citation key and place: "Chadaj2015, sect. III"
  Verdict verdict = Verdict::no_published_value;
  std::string note;  ///< message of a failed run, reason of a limit

  bool operator==(const Record&) const = default;
};

/// Compares with the published value. \param relative_limit 0 asks for equality
/// \returns exact, within_limit, not_reproduced; no_published_value or failed where a side is missing.
Verdict judge(const std::optional<double>& value, const std::optional<double>& published_value, double relative_limit);

/// Records in a CSV file, in fixed row order with shortest round-trip numbers; written to a new file that replaces the
/// old one at once, so that an interrupted run leaves the last complete state. \throws FileError when the file cannot
/// be written
void write_records(const std::filesystem::path& file, const std::vector<Record>& records);

/// Reads what `write_records` wrote. \throws FileError with file and line for anything else.
std::vector<Record> read_records(const std::filesystem::path& file);

}  // namespace mbdbench
