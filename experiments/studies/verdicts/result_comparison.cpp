#include "experiments/studies/verdicts/result_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "experiments/records/record.hpp"
#include "experiments/studies/verdicts/mann_whitney.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

// Errors below this are rounding, and their ratios say nothing.
constexpr double kRounding = 1e-12;
constexpr double kLastDigits = 1e-9;
constexpr std::string_view kRepetition = ";repetition=";

std::string name_of(const Record& record, std::string_view parameters) {
  std::string text;
  for (const std::string_view part :
       {std::string_view(record.mechanism), std::string_view(record.formulation), std::string_view(record.integrator),
        parameters, std::string_view(record.quantity)}) {
    text += part.empty() ? "" : fmt::format("{}{}", text.empty() ? "" : ", ", part);
  }
  return text;
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
  Comparer(const fs::path& a, const fs::path& b, const ComparisonLimits& limits) : a_(a), b_(b), limits_(limits) {}

  ResultComparison compare() {
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
    for (const auto& [name, record] : before) {
      const auto found = after.find(name);
      if (found == after.end()) {
        add(Change::worse, name, "is missing");
      } else {
        compare_record(name, record, found->second);
      }
    }
    for (const auto& [name, record] : after) {
      if (!before.contains(name)) {
        add(Change::appeared, name, "is new");
      }
    }
  }

  void compare_record(const std::string& name, const Record& before, const Record& after) {
    if (rank_of(before.verdict) != rank_of(after.verdict)) {
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

  static std::map<std::string, std::vector<double>> repetitions(const fs::path& file) {
    std::map<std::string, std::vector<double>> times;
    if (!fs::exists(file)) {
      return times;
    }
    for (const Record& record : read_records(file)) {
      const std::size_t place = record.parameters.find(kRepetition);
      if (!record.value || record.unit != "s") {
        continue;
      }
      std::vector<double>& values = times[name_of(record, record.parameters.substr(0, place))];
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
    for (const auto& [name, times] : before) {
      const auto found = after.find(name);
      if (found == after.end()) {
        continue;
      }
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
    for (const fs::path& name : before) {
      if (!after.contains(name)) {
        add(Change::worse, name.string(), "is missing");
      } else if (content(a_ / name) != content(b_ / name)) {
        add(Change::worse, name.string(), "differs: files must be equal");
      } else {
        add(Change::equal, name.string(), {});
      }
    }
    for (const fs::path& name : after) {
      if (!before.contains(name)) {
        add(Change::appeared, name.string(), "is new");
      }
    }
  }

  fs::path a_;
  fs::path b_;
  ComparisonLimits limits_;
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
