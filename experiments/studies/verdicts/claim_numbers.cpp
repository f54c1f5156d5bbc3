#include "experiments/studies/verdicts/claim_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/records/line_fit.hpp"
#include "experiments/studies/verdicts/ranking.hpp"

namespace mbdbench::studies {
namespace {

template <class Entries, class NameOf>
std::size_t place_of(const std::optional<std::string>& name, std::size_t otherwise, const Entries& entries,
                     const NameOf& name_of) {
  if (!name) {
    return otherwise;
  }
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return name_of(e) == *name; });
  return static_cast<std::size_t>(found - entries.begin());
}

}  // namespace

bool ClaimNumbers::is_run(const ObserverReference& reference, const ClaimPlace& place) const {
  return reference.law != SizeLaw::none || reference.observer.of_right_hand_side() || claim_.runs_over(Axis::error) ||
         study_.has(cell_of(reference, place));
}

Measured ClaimNumbers::at(const ObserverReference& reference, const ClaimPlace& place) const {
  switch (reference.law) {
    case SizeLaw::exponent:
      return exponent(reference, place);
    case SizeLaw::crossover:
      return crossover(reference, place);
    case SizeLaw::none:
      break;
  }
  return value(reference, place);
}

std::string ClaimNumbers::machine_of(std::size_t mechanism) const {
  const auto found = results_.machines.find(study_.mechanisms[mechanism].label);
  return found == results_.machines.end() ? "" : found->second;
}

std::set<std::string> ClaimNumbers::machines(const ObserverReference& reference, const ClaimPlace& place) const {
  std::set<std::string> all;
  if (!reference.observer.timed()) {
    return all;
  }
  if (reference.law == SizeLaw::none) {
    all.insert(machine_of(cell_of(reference, place).mechanism));
  } else {
    std::transform(claim_.mechanisms.begin(), claim_.mechanisms.end(), std::inserter(all, all.end()),
                   [&](std::size_t mechanism) { return machine_of(mechanism); });
  }
  all.erase("");
  return all;
}

CellKey ClaimNumbers::cell_of(const ObserverReference& reference, const ClaimPlace& place) const {
  CellKey cell;
  cell.mechanism = place_of(reference.mechanism, place.mechanism, study_.mechanisms,
                            [](const StudyMechanism& m) { return m.label; });
  cell.variant =
      place_of(reference.variant, place.variant, study_.variants, [](const StudyVariant& v) { return v.label; });
  cell.integrator =
      place_of(reference.integrator, place.integrator, study_.integrators, [](const OdeEntry* i) { return i->key; });
  cell.control = place.control;
  for (std::size_t c = 0; reference.control && c < study_.controls.size(); ++c) {
    if (study_.controls[c].value == *reference.control && study_.runs(cell.integrator, c)) {
      cell.control = c;
    }
  }
  if (reference.observer.of_right_hand_side()) {
    // The same in all of its runs: the first one that there is.
    const StudyMechanism& mechanism = study_.mechanisms[cell.mechanism];
    cell.integrator = mechanism.integrators.empty() ? 0 : mechanism.integrators.front();
    const auto first = std::find_if(mechanism.controls.begin(), mechanism.controls.end(),
                                    [&](std::size_t control) { return study_.runs(cell.integrator, control); });
    cell.control = mechanism.integrators.empty() || first == mechanism.controls.end() ? 0 : *first;
  }
  return cell;
}

Measured ClaimNumbers::value(const ObserverReference& reference, const ClaimPlace& place) const {
  const CellKey cell = cell_of(reference, place);
  if (claim_.runs_over(Axis::error)) {
    return work_at_error(study_, results_, study_.rankings[place.ranking], cell, reference.observer);
  }
  return results_.of(cell, reference.observer);
}

Measured ClaimNumbers::exponent(const ObserverReference& reference, ClaimPlace place) const {
  std::vector<double> bodies;
  std::vector<double> numbers;
  for (const std::size_t m : claim_.mechanisms) {
    place.mechanism = m;
    Measured measured = value(reference, place);
    if (!measured.usable()) {
      return measured;
    }
    bodies.push_back(std::log(static_cast<double>(study_.mechanisms[m].mechanism->body_count())));
    numbers.push_back(std::log(measured.value));
  }
  return bodies.size() < 3 ? Measured::refused("an exponent needs three sizes")
                           : Measured::number(fit_line(bodies, numbers).slope);
}

Measured ClaimNumbers::crossover(const ObserverReference& reference, ClaimPlace place) const {
  std::map<int, double> numbers;
  Measured missing = Measured::refused("no sizes");
  for (const std::size_t m : claim_.mechanisms) {
    place.mechanism = m;
    const Measured measured = value(reference, place);
    if (measured.usable()) {
      numbers[study_.mechanisms[m].mechanism->body_count()] = measured.value;
    } else {
      missing = measured;
    }
  }
  if (numbers.size() < 2) {
    return missing;
  }
  for (auto above = std::prev(numbers.end()); above != numbers.begin(); --above) {
    const auto below = std::prev(above);
    if (above->second > 1.0 && below->second <= 1.0) {
      const double part = (1.0 - below->second) / (above->second - below->second);
      return Measured::number(below->first * std::pow(static_cast<double>(above->first) / below->first, part));
    }
    if (above->second <= 1.0) {
      break;
    }
  }
  return Measured::refused("1 is not passed within the sizes");
}

}  // namespace mbdbench::studies
