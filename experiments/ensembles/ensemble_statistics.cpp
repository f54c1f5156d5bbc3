#include "experiments/ensembles/ensemble_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/write_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

/// A table that is written row by row under another name, and gets its own when it is whole.
class RowsOfText {
 public:
  RowsOfText(fs::path file, const std::vector<std::string>& columns)
      : file_(std::move(file)), part_(file_.string() + ".part"), stream_(part_, std::ios::binary | std::ios::trunc) {
    stream_ << csv_header({}, columns);
    check();
  }
  void write(const std::vector<std::string>& fields) {
    stream_ << csv_line(fields) << '\n';
    check();
  }
  void finish() {
    stream_.close();
    check();
    std::error_code error;
    fs::rename(part_, file_, error);
    if (error) {
      throw WriteError(file_.string(), fmt::format("cannot be replaced: {}", error.message()));
    }
  }

 private:
  void check() const {
    if (!stream_) {
      throw WriteError(part_.string(), "cannot be written");
    }
  }

  fs::path file_;
  fs::path part_;
  std::ofstream stream_;
};

/// \returns the number; nothing where there is none.
std::string field_of(double value) {
  return std::isnan(value) ? std::string() : csv_number(value);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  return rest == 0.0 ? sorted[below] : sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

}  // namespace

SampleStatistics statistics_of(std::vector<double>& values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  SampleStatistics result;
  result.count = values.size();
  if (values.empty()) {
    for (double* const number : {&result.mean, &result.deviation, &result.smallest, &result.largest, &result.q05,
                                 &result.q25, &result.q50, &result.q75, &result.q95}) {
      *number = std::numeric_limits<double>::quiet_NaN();
    }
    return result;
  }
  const auto count = static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  for (const double value : values) {
    result.mean += value / count;
  }
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - result.mean) * (value - result.mean);
  }
  result.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1.0)) : std::numeric_limits<double>::quiet_NaN();
  result.smallest = values.front();
  result.largest = values.back();
  result.q05 = quantile(values, 0.05);
  result.q25 = quantile(values, 0.25);
  result.q50 = quantile(values, 0.5);
  result.q75 = quantile(values, 0.75);
  result.q95 = quantile(values, 0.95);
  return result;
}

void write_statistics(const fs::path& file, const KeptMembers& kept, std::span<const std::size_t> counted,
                      std::span<const double> times, std::span<const std::string> quantities, std::size_t most_bytes) {
  RowsOfText table(file, {"time", "quantity", "members", "mean", "standard_deviation", "minimum", "q05", "q25", "q50",
                          "q75", "q95", "maximum"});
  const std::size_t width = quantities.size();
  // Samples stand as the rows do: time by time, quantity by quantity.
  const std::size_t places = times.size() * width;
  const std::size_t fit = most_bytes / std::max<std::size_t>(1, counted.size() * sizeof(double));
  const std::size_t at_once = std::min(places, std::max<std::size_t>(1, fit));
  std::vector<double> slab(counted.size() * at_once);
  std::vector<double> values;
  for (std::size_t first = 0; first < places && !counted.empty(); first += at_once) {
    const std::size_t some = std::min(at_once, places - first);
    for (std::size_t k = 0; k < counted.size(); ++k) {
      kept.samples(counted[k], first, std::span(slab).subspan(k * some, some));
    }
    for (std::size_t place = 0; place < some; ++place) {
      values.resize(counted.size());
      for (std::size_t k = 0; k < counted.size(); ++k) {
        values[k] = slab[k * some + place];
      }
      const SampleStatistics s = statistics_of(values);
      table.write({csv_number(times[(first + place) / width]), quantities[(first + place) % width],
                   fmt::format("{}", s.count), field_of(s.mean), field_of(s.deviation), field_of(s.smallest),
                   field_of(s.q05), field_of(s.q25), field_of(s.q50), field_of(s.q75), field_of(s.q95),
                   field_of(s.largest)});
    }
  }
  table.finish();
}

void write_members(const fs::path& file, const KeptMembers& kept, std::span<const std::string> columns,
                   std::size_t times, std::span<const std::string> quantities) {
  std::vector<std::string> names = {
      "member",           "status",         "message",           "t_end",           "steps",
      "evaluations",      "initial_energy", "largest_imbalance", "final_imbalance", "position_residual",
      "velocity_residual"};
  for (const std::string& column : columns) {
    names.push_back("start." + column);
  }
  for (const std::string& quantity : quantities) {
    names.push_back("end." + quantity);
  }
  RowsOfText table(file, names);
  std::vector<double> end(quantities.size());
  for (std::size_t member = 0; member < kept.size(); ++member) {
    const MemberRecord record = kept.read(member);
    std::vector<std::string> fields = {fmt::format("{}", member + 1), record.status, record.message};
    const bool started = record.status != "no_start";
    for (const double value :
         {record.t_end, record.steps, record.evaluations, record.initial_energy, record.largest_imbalance,
          record.final_imbalance, record.position_residual, record.velocity_residual}) {
      fields.push_back(started ? field_of(value) : "");
    }
    std::transform(record.start.begin(), record.start.end(), std::back_inserter(fields), field_of);
    std::fill(end.begin(), end.end(), std::numeric_limits<double>::quiet_NaN());
    if (record.reached_end()) {
      kept.samples(member, (times - 1) * quantities.size(), end);
    }
    std::transform(end.begin(), end.end(), std::back_inserter(fields), field_of);
    table.write(fields);
  }
  table.finish();
}

}  // namespace mbdbench
