#include "experiments/studies/verdicts/comparison/result_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "experiments/studies/verdicts/comparison/input_comparison.hpp"
#include "experiments/studies/verdicts/comparison/mann_whitney.hpp"
#include "experiments/studies/verdicts/rounding_range.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

// Errors below this are rounding, and their ratios say nothing.
constexpr double kRounding = 1e-12;
constexpr double kLastDigits = 1e-9;
constexpr std::string_view kRepetition = ";repetition=";

std::string name_of(const Record& record, std::string_view parameters) {
  return record_name(record.mechanism, record.formulation, record.integrator, parameters, record.quantity);
}

bool is_error(const std::string& quantity) {
  constexpr std::array<std::string_view, 5> kErrors = {"error", "drift", "violation", "residual", "misfit"};
  const bool named = std::any_of(kErrors.begin(), kErrors.end(),
                                 [&](std::string_view word) { return quantity.find(word) != std::string::npos; });
  return named && !quantity.ends_with("_at_equal_error") && quantity.find("growth") == std::string::npos;
}

bool is_whole(double value) {
  return std::floor(value) == value;
}

/// How good a verdict is; higher is better.
int rank_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact:
      return 3;
    case Verdict::within_limit:
    case Verdict::trend_only:
    case Verdict::direction_only:
    case Verdict::below_published_error:
    case Verdict::fitted:
    case Verdict::no_published_value:
      return 2;
    case Verdict::refused:
    case Verdict::not_measured:
      return 1;
    case Verdict::not_reproduced:
    case Verdict::failed:
      break;
  }
  return 0;
}

class Comparer {
 public:
  Comparer(const fs::path& a, const fs::path& b, const ComparisonLimits& limits)
      : a_(a),
        b_(b),
        limits_(limits),
        inputs_(compare_inputs(a, b)),
        ranges_(read_rounding_ranges(a / "rounding.csv")) {}

  ResultComparison compare() {
    result_.inputs = inputs_.differences;
    result_.renamed = inputs_.renamed;
    result_.rounded = inputs_.rounded;
    result_.inputs_known = inputs_.known;
    compare_records();
    compare_times();
    compare_files();
    return std::move(result_);
  }

 private:
  using RecordsByName = std::map<std::string, Record>;

  void add(Change change, std::string what, std::string how) {
    if (change == Change::equal) {
      ++result_.equal;
    } else {
      result_.differences.push_back({change, std::move(what), std::move(how)});
    }
  }

  static RecordsByName by_name(const std::vector<Record>& records) {
    RecordsByName named;
    for (const Record& record : records) {
      named.emplace(name_of(record, record.parameters), record);
    }
    return named;
  }

  void compare_records() {
    const RecordsByName before = by_name(read_records(a_ / "records.csv"));
    const RecordsByName after = by_name(read_records(b_ / "records.csv"));
    std::set<std::string> met;
    for (const auto& [name, record] : before) {
      const Record expected = inputs_.renamed_record(record);
      const std::string name_after = name_of(expected, expected.parameters);
      met.insert(name_after);
      const auto found = after.find(name_after);
      if (const std::string obstacle = inputs_.obstacle(record); !obstacle.empty()) {
        add(Change::incomparable, name, obstacle);
      } else if (found != after.end()) {
        compare_record(name, record, found->second);
      } else if (inputs_.known && !inputs_.is_declared(expected)) {
        add(Change::incomparable, name, "is no longer declared");
      } else {
        add(Change::worse, name, "is missing");
      }
    }
    for (const auto& [name, record] : after) {
      if (!met.contains(name)) {
        add(Change::appeared, name, "is new");
      }
    }
  }

  /// \returns whether the number is one that depends on rounding, which is judged by its range then.
  bool compare_range(const std::string& name, const Record& before, const Record& after) {
    const auto range = ranges_.find(name_of(before, before.parameters));
    if (range == ranges_.end()) {
      return false;
    }
    const bool inside = after.value ? range->second.holds(*after.value) : range->second.may_be_missing;
    if (inside) {
      ++result_.within_ranges;
    }
    add(inside ? Change::equal : Change::worse, name,
        fmt::format("{} -> {}, outside of {} to {} of {} builds and runs with other last digits",
                    csv_number(before.value.value_or(std::numeric_limits<double>::quiet_NaN())),
                    csv_number(after.value.value_or(std::numeric_limits<double>::quiet_NaN())), range->second.lowest,
                    range->second.highest, range->second.samples));
    return true;
  }

  void compare_record(const std::string& name, const Record& before, const Record& after) {
    if (compare_range(name, before, after)) {
      return;
    }
    if (inputs_.verdicts_comparable && rank_of(before.verdict) != rank_of(after.verdict)) {
      add(rank_of(after.verdict) < rank_of(before.verdict) ? Change::worse : Change::better, name,
          fmt::format("{} -> {} {}", to_string(before.verdict), to_string(after.verdict), after.note));
      return;
    }
    if (before.value == after.value) {
      add(Change::equal, name, {});
      return;
    }
    if (!before.value || !after.value) {
      add(Change::changed, name, before.value ? "has no number any more" : "has a number now");
      return;
    }
    const double a = *before.value;
    const double b = *after.value;
    const std::string how = fmt::format("{} -> {}", a, b);
    if (is_error(before.quantity)) {
      compare_error(name, std::abs(a), std::abs(b), how);
    } else if (before.unit == "1" && is_whole(a) && is_whole(b)) {
      add(Change::worse, name, how + ": counts must be equal");
    } else if (std::abs(b - a) > kLastDigits * std::abs(a)) {
      add(Change::changed, name, how);
    } else {
      add(Change::equal, name, {});
    }
  }

  void compare_error(const std::string& name, double a, double b, const std::string& how) {
    if (std::max(a, b) < kRounding) {
      add(Change::equal, name, {});
      return;
    }
    const double ratio = b / a;
    const Change change = ratio > limits_.error_ratio         ? Change::worse
                          : ratio < 1.0 / limits_.error_ratio ? Change::better
                                                              : Change::changed;
    add(change, name, fmt::format("{}, {:.3g} times", how, ratio));
  }

  /// \returns the repetitions of every time by its name, with what it belongs to.
  static std::map<std::string, std::pair<Record, std::vector<double>>> repetitions(const fs::path& file) {
    std::map<std::string, std::pair<Record, std::vector<double>>> times;
    if (!fs::exists(file)) {
      return times;
    }
    for (const Record& record : read_records(file)) {
      const std::size_t place = record.parameters.find(kRepetition);
      if (!record.value || record.unit != "s") {
        continue;
      }
      auto& [belongs, values] = times[name_of(record, record.parameters.substr(0, place))];
      belongs = record;
      belongs.parameters = record.parameters.substr(0, place);
      if (place != std::string::npos) {
        values.push_back(*record.value);
      }
    }
    return times;
  }

  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  struct TimeTest {
    std::string name;
    MannWhitneyResult result;
    double ratio;
  };

  void compare_times() {
    const auto before = repetitions(a_ / "timings.csv");
    const auto after = repetitions(b_ / "timings.csv");
    std::vector<TimeTest> tests;
    for (const auto& [key, all] : before) {
      const auto& [record, times] = all;
      const Record expected = inputs_.renamed_record(record);
      const std::string name = key;
      const auto entry = after.find(name_of(expected, expected.parameters));
      if (entry == after.end() || !inputs_.obstacle(record).empty()) {
        continue;
      }
      const auto* const found = &entry->second;
      try {
        tests.push_back({name, mann_whitney(times, found->second), median(found->second) / median(times)});
      } catch (const std::invalid_argument& error) {
        add(Change::refused, name, error.what());
      }
    }
    judge_times(tests);
  }

  /// Holm: the smallest probability counts as many times as there are tests, the next one time less, ...
  void judge_times(std::vector<TimeTest>& tests) {
    std::sort(tests.begin(), tests.end(),
              [](const TimeTest& a, const TimeTest& b) { return a.result.probability < b.result.probability; });
    double largest = 0.0;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const TimeTest& test = tests[i];
      largest = std::max(largest, static_cast<double>(tests.size() - i) * test.result.probability);
      const bool differs = largest < limits_.probability;
      const Change change = differs && test.ratio > limits_.time_ratio         ? Change::worse
                            : differs && test.ratio < 1.0 / limits_.time_ratio ? Change::better
                                                                               : Change::equal;
      add(change, test.name,
          fmt::format("median {:.3g} times (p = {:.1g} corrected, slower in {:.0f} % of the pairs)", test.ratio,
                      std::min(largest, 1.0), 100.0 * test.result.effect));
    }
  }

  static std::set<fs::path> trajectories(const fs::path& directory) {
    std::set<fs::path> names;
    if (fs::is_directory(directory / "trajectories")) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory / "trajectories")) {
        if (entry.is_regular_file()) {
          names.insert(fs::relative(entry.path(), directory));
        }
      }
    }
    return names;
  }

  static std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  void compare_files() {
    const std::set<fs::path> before = trajectories(a_);
    const std::set<fs::path> after = trajectories(b_);
    std::set<fs::path> met;
    for (const fs::path& name : before) {
      // Of an unknown study names are all there is; of a known one a file without a partner has other inputs.
      const auto known = inputs_.curve_files.find(name.generic_string());
      const fs::path name_after = known == inputs_.curve_files.end() ? name : fs::path(known->second);
      met.insert(name_after);
      if (inputs_.known && known == inputs_.curve_files.end()) {
        add(Change::incomparable, name.string(), "was made from other inputs");
      } else if (!after.contains(name_after)) {
        add(Change::worse, name.string(), "is missing");
      } else if (content(a_ / name) != content(b_ / name_after)) {
        add(Change::worse, name.string(), "differs: files must be equal");
      } else {
        add(Change::equal, name.string(), {});
      }
    }
    for (const fs::path& name : after) {
      if (!met.contains(name)) {
        add(Change::appeared, name.string(), "is new");
      }
    }
  }

  fs::path a_;
  fs::path b_;
  ComparisonLimits limits_;
  InputComparison inputs_;
  std::map<std::string, RoundingRange> ranges_;
  ResultComparison result_;
};

}  // namespace

std::size_t ResultComparison::count(Change change) const {
  return static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(), [&](const Difference& d) { return d.change == change; }));
}

ResultComparison compare_results(const fs::path& a, const fs::path& b, const ComparisonLimits& limits) {
  return Comparer(a, b, limits).compare();
}

}  // namespace mbdbench::studies
