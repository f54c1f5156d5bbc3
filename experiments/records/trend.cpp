#include "experiments/records/trend.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace mbdbench {
namespace {

std::string source_of(const Record& record) {
  return record.published_value ? record.source : record.expected_from;
}

std::string along_parameters(const Record& record) {
  return fmt::format("{}|{}|{}|{}|{}", record.mechanism, record.formulation, record.integrator, record.quantity,
                     source_of(record));
}

std::string along_formulations(const Record& record) {
  return fmt::format("{}|{}|{}|{}|{}", record.mechanism, record.integrator, record.parameters, record.quantity,
                     source_of(record));
}

std::string along_mechanisms(const Record& record) {
  return fmt::format("{}|{}|{}|{}|{}", record.formulation, record.integrator, record.parameters, record.quantity,
                     source_of(record));
}

bool is_trend(const Record& record) {
  return record.limit.kind == LimitKind::trend && record.value && record.compared_value() &&
         record.verdict != Verdict::failed && record.verdict != Verdict::not_measured;
}

void add_note(Record& record, const std::string& words) {
  record.note += (record.note.empty() ? "" : "; ") + words;
}

void reject(Record& record, const std::string& reason) {
  record.verdict = Verdict::not_reproduced;
  add_note(record, reason);
}

bool is_time(const Record& record) {
  return record.unit == "s" && record.quantity.find("time") != std::string::npos;
}

/// A time beside that of another formulation on the same machine: what machines do cancels.
void judge_ratio(Record& record, const Record& first) {
  if (record.verdict != Verdict::direction_only) {
    return;
  }
  const double ours = *record.value / *first.value;
  const double other = *record.compared_value() / *first.compared_value();
  add_note(record, fmt::format("ratio to {} {:.3g}, printed {:.3g}", first.formulation, ours, other));
  if (std::abs(ours / other - 1.0) <= kRatioOfTimes) {
    record.verdict = Verdict::trend_only;
  }
}

void judge_magnitude(Record& record) {
  const double ours = *record.value;
  const double other = *record.compared_value();
  // Times of another machine differ by what the machines do.
  if (is_time(record)) {
    record.verdict = Verdict::direction_only;
    return;
  }
  const double ratio = ours / other;
  if (!(ratio <= kOrderOfMagnitude && ratio >= 1.0 / kOrderOfMagnitude) && ours != other) {
    reject(record, fmt::format("not of the same order: {:.3g} times", ratio));
  }
}

void judge_direction(Record& record, const Record& before) {
  const double other = *record.compared_value();
  const double other_before = *before.compared_value();
  if (std::abs(other - other_before) <= kNoDirection * std::abs(other_before)) {
    return;
  }
  if ((other > other_before) != (*record.value > *before.value)) {
    reject(record, fmt::format("goes the other way than from the row before: {:.3g} to {:.3g} against {:.3g} to {:.3g}",
                               *before.value, *record.value, other_before, other));
  }
}

}  // namespace

void judge_trends(std::vector<Record>& records) {
  using Key = std::string (*)(const Record&);
  std::map<std::string, std::vector<Record*>> axes;
  std::vector<Record*> open;
  std::vector<Record*> times;
  for (Record& record : records) {
    if (is_trend(record)) {
      record.verdict = Verdict::trend_only;
      judge_magnitude(record);
      open.push_back(&record);
      if (is_time(record)) {
        times.push_back(&record);
      }
    }
  }
  for (const Key key : {Key{along_parameters}, Key{along_formulations}, Key{along_mechanisms}}) {
    axes.clear();
    for (Record* const record : open) {
      axes[key(*record)].push_back(record);
    }
    open.clear();
    for (const auto& [name, rows] : axes) {
      for (std::size_t i = 1; i < rows.size(); ++i) {
        judge_direction(*rows[i], *rows[i - 1]);
      }
      // A single row has no axis here; perhaps it has along the next one.
      if (rows.size() == 1) {
        open.push_back(rows.front());
      }
    }
  }
  axes.clear();
  for (Record* const time : times) {
    std::vector<Record*>& beside = axes[along_formulations(*time)];
    if (!beside.empty()) {
      judge_ratio(*time, *beside.front());
    }
    beside.push_back(time);
  }
}

}  // namespace mbdbench
