#include "experiments/records/record_maker.hpp"

#include <fmt/format.h>

#include <utility>

namespace mbdbench {

void set_comparison(Record& record, double value, const NumberSource& source, const Limit& limit) {
  (source.published ? record.published_value : record.expected_value) = value;
  (source.published ? record.source : record.expected_from) = source.text;
  record.limit = limit;
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

}  // namespace mbdbench
