#include "benchmarks/simulated_cluster/schedule_file.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

constexpr std::array<std::pair<StepKind, std::string_view>, 5> kKinds = {{{StepKind::compute, "compute"},
                                                                          {StepKind::all_gather, "all_gather"},
                                                                          {StepKind::up, "up"},
                                                                          {StepKind::down, "down"},
                                                                          {StepKind::neighbour, "neighbour"}}};
const std::vector<std::string>& columns() {
  static const std::vector<std::string> names = {"formulation", "family", "exchange", "bodies",
                                                 "nodes",       "kind",   "bytes",    "microseconds"};
  return names;
}

class Line {
 public:
  Line(const std::filesystem::path& file, std::size_t number, const std::vector<std::string>& fields)
      : file_(&file), number_(number), fields_(&fields) {}

  [[nodiscard]] const std::string& text(std::size_t column) const { return (*fields_)[column]; }

  template <typename T>
  [[nodiscard]] T number(std::size_t column) const {
    T value{};
    const std::string& given = text(column);
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc() || end != given.data() + given.size() || given.empty() || value < T{} ||
        !std::isfinite(static_cast<double>(value))) {
      throw wrong(fmt::format("{} should be a number from 0, not '{}'", columns()[column], given));
    }
    return value;
  }

  [[nodiscard]] StepKind kind() const {
    for (const auto& [kind, name] : kKinds) {
      if (name == text(5)) {
        return kind;
      }
    }
    throw wrong(fmt::format("kind should be compute, all_gather, up, down or neighbour, not '{}'", text(5)));
  }

  [[nodiscard]] FileError wrong(const std::string& what) const { return {file_->string(), number_, what}; }

 private:
  const std::filesystem::path* file_;
  std::size_t number_;
  const std::vector<std::string>* fields_;
};

}  // namespace

void write_schedules(const std::filesystem::path& file, const std::vector<Schedule>& schedules) {
  CsvTable table;
  table.columns = columns();
  for (const Schedule& each : schedules) {
    for (const Step& step : each.steps) {
      std::string_view name;
      for (const auto& [kind, text] : kKinds) {
        name = kind == step.kind ? text : name;
      }
      table.rows.push_back({each.formulation, each.family, each.exchange, fmt::format("{}", each.bodies),
                            fmt::format("{}", each.nodes), std::string(name), fmt::format("{}", step.bytes),
                            fmt::format("{:.4g}", step.microseconds)});
    }
  }
  write_csv(file, table);
}

std::vector<Schedule> read_schedules(const std::filesystem::path& file) {
  const CsvTable table = read_csv(file);
  if (table.columns != columns()) {
    throw FileError(file.string(), 1, fmt::format("the columns should be {}", fmt::join(columns(), ",")));
  }
  std::vector<Schedule> schedules;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const Line line(file, table.lines[row], table.rows[row]);
    Schedule next{line.text(0), line.text(1), line.text(2), line.number<long>(3), line.number<int>(4), {}};
    if (next.nodes < 1 || (next.nodes & (next.nodes - 1)) != 0) {
      throw line.wrong(fmt::format("nodes should be 1, 2, 4, ..., not {}", next.nodes));
    }
    if (schedules.empty() || schedules.back().formulation != next.formulation ||
        schedules.back().family != next.family || schedules.back().exchange != next.exchange ||
        schedules.back().bodies != next.bodies || schedules.back().nodes != next.nodes) {
      schedules.push_back(std::move(next));
    }
    schedules.back().steps.push_back({line.kind(), line.number<std::size_t>(6), line.number<double>(7)});
  }
  return schedules;
}

}  // namespace mbdbench
