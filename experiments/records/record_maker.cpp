#include "experiments/records/record_maker.hpp"

#include <fmt/format.h>

#include <utility>

namespace mbdbench {

void set_comparison(Record& record, double value, const NumberSource& source, const Limit& limit) {
  (source.published ? record.published_value : record.expected_value) = value;
  (source.published ? record.source : record.expected_from) = source.text;
  record.limit = limit;
}

void set_trend(Record& record, double other, const NumberSource& source) {
  set_comparison(record, other, source, {LimitKind::trend, 0.0});
  if (record.verdict != Verdict::not_measured) {
    record.verdict = Verdict::trend_only;
  }
}

Record RecordMaker::measured(std::string quantity, std::string unit, double value, std::string note) const {
  Record record;
  record.experiment = name_.experiment;
  record.mechanism = name_.mechanism;
  record.formulation = name_.formulation;
  record.integrator = name_.integrator;
  record.parameters = name_.parameters;
  record.quantity = std::move(quantity);
  record.unit = std::move(unit);
  record.value = value;
  record.note = std::move(note);
  return record;
}

Record RecordMaker::compared(std::string quantity, std::string unit, double value, const Comparison& comparison) const {
  Record record = measured(std::move(quantity), std::move(unit), value, std::string(comparison.reason));
  set_comparison(record, comparison.value, comparison.source, Limit::within(comparison.relative_limit));
  record.verdict = judge(record.value, comparison.value, comparison.relative_limit);
  return record;
}

Record RecordMaker::trend(std::string quantity, std::string unit, double value, double other,
                          const NumberSource& source, std::string note) const {
  Record record = measured(std::move(quantity), std::move(unit), value, std::move(note));
  set_trend(record, other, source);
  return record;
}

Record RecordMaker::fitted(std::string quantity, std::string unit, double value, double other,
                           const NumberSource& source, std::string note) const {
  Record record = measured(std::move(quantity), std::move(unit), value, std::move(note));
  set_comparison(record, other, source, {LimitKind::fitted, 0.0});
  record.verdict = Verdict::fitted;
  return record;
}

Record RecordMaker::timed(std::string quantity, const Timing& timing, const std::string& note) const {
  Record record = measured(std::move(quantity), "s", timing.seconds,
                           note.empty() ? timing.words() : fmt::format("{}; {}", timing.words(), note));
  if (timing.disturbed()) {
    record.verdict = Verdict::not_measured;
  }
  return record;
}

Record RecordMaker::failed(std::string quantity, std::string unit, std::string message) const {
  Record record = measured(std::move(quantity), std::move(unit), 0.0, std::move(message));
  record.value.reset();
  record.verdict = Verdict::failed;
  return record;
}

std::string tolerance_text(double tolerance) {
  return fmt::format("tolerance={}", tolerance);
}

}  // namespace mbdbench
