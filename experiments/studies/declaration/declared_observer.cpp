#include "experiments/studies/declaration/declared_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {

void require_known(const Study& study, const DeclarationTable& table, std::size_t line, const Observer& observer) {
  const Subject subject = observer.entry().subject;
  if (observer.quantity == Quantity::ratio && !study.baseline) {
    table.fail(line, fmt::format("{} needs baseline = \"VARIANT\"", observer.name()));
  }
  if (subject == Subject::observer) {
    return require_known(study, table, line, observer.inner());
  }
  if (subject != Subject::marker && subject != Subject::marker_axis) {
    return;
  }
  std::set<std::string> names;
  for (const StudyMechanism& mechanism : study.mechanisms) {
    for (const Marker& marker : mechanism.mechanism->markers()) {
      names.insert(marker.name);
    }
  }
  const std::vector<std::string> known(names.begin(), names.end());
  if (std::find(known.begin(), known.end(), observer.marker()) == known.end()) {
    table.fail(line, fmt::format("no mechanism has a marker '{}'; {}", observer.marker(),
                                 suggest_name(observer.marker(), known, "markers")));
  }
}

void add_observer(Study& study, const Observer& observer) {
  if (observer.compares_runs()) {
    add_observer(study, observer.inner());
  }
  if (std::find(study.observers.begin(), study.observers.end(), observer) == study.observers.end()) {
    study.observers.push_back(observer);
  }
}

}  // namespace mbdbench::studies
