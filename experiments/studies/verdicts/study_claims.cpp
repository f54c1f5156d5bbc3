#include "experiments/studies/verdicts/study_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace mbdbench::studies {
namespace {

// So many parts that do not hold are named; the rest is counted.
constexpr std::size_t kNamedParts = 4;

/// A place on the axes that a claim runs through.
struct Place {
  std::size_t mechanism = 0;
  std::size_t variant = 0;
  std::size_t integrator = 0;
  std::size_t control = 0;
};

/// One claim over its product.
class ClaimJudge {
 public:
  ClaimJudge(const Study& study, const StudyResults& results, const StudyClaim& claim)
      : study_(study), results_(results), claim_(claim) {}

  Claim judge() {
    Claim made;
    made.experiment = study_.name;
    made.source = claim_.source;
    made.statement = claim_.text;
    if (!claim_.not_measured.empty()) {
      made.measured = claim_.not_measured;
      return made;
    }
    const bool runs_steps = runs_over(Axis::tolerance) || runs_over(Axis::step);
    for (const std::size_t m : extent(Axis::mechanism, claim_.mechanisms)) {
      for (const std::size_t v : extent(Axis::variant, claim_.variants)) {
        for (std::size_t i = 0; i < (runs_over(Axis::integrator) ? study_.integrators.size() : 1); ++i) {
          for (std::size_t c = 0; c < (runs_steps ? study_.controls.size() : 1); ++c) {
            if (!runs_steps || is_part(i, c)) {
              for (const ClaimExpression& condition : claim_.holds) {
                add_part(condition, {m, v, i, c});
              }
            }
          }
        }
      }
    }
    made.criterion = (claim_.criterion.empty() ? conditions() : claim_.criterion) + over_text();
    made.measured = words();
    const std::size_t parts = holds_.size() + missing_;
    const bool enough =
        parts > 0 && static_cast<double>(holds_.size()) >= claim_.measured_share * static_cast<double>(parts);
    made.verdict = enough ? judge_claim(holds_) : ClaimVerdict::not_measured;
    return made;
  }

 private:
  [[nodiscard]] bool runs_over(Axis axis) const {
    return std::find(claim_.over.begin(), claim_.over.end(), axis) != claim_.over.end();
  }

  [[nodiscard]] std::vector<std::size_t> extent(Axis axis, const std::vector<std::size_t>& places) const {
    return runs_over(axis) ? places : std::vector<std::size_t>{0};
  }

  [[nodiscard]] std::string conditions() const {
    std::string text;
    for (const ClaimExpression& condition : claim_.holds) {
      text += (text.empty() ? "" : "; ") + condition.text();
    }
    return text;
  }

  /// Whether this control belongs to the axes of the claim, and the integrator is run with it.
  [[nodiscard]] bool is_part(std::size_t integrator, std::size_t control) const {
    const ControlKind kind = study_.controls[control].kind;
    return runs_over(kind == ControlKind::tolerance ? Axis::tolerance : Axis::step) &&
           (!runs_over(Axis::integrator) || study_.runs(integrator, control));
  }

  template <class Entries, class NameOf>
  static std::size_t place_of(const std::optional<std::string>& name, std::size_t otherwise, const Entries& entries,
                              const NameOf& name_of) {
    if (!name) {
      return otherwise;
    }
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return name_of(e) == *name; });
    return static_cast<std::size_t>(found - entries.begin());
  }

  [[nodiscard]] Measured value(const ObserverReference& reference, const Place& place) const {
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
      // The same in all of them.
      for (cell.control = 0; !study_.integrators.empty() && !study_.runs(cell.integrator, cell.control);) {
        ++cell.control;
      }
    }
    return results_.of(cell, reference.observer);
  }

  void add_part(const ClaimExpression& condition, const Place& place) {
    std::vector<double> values;
    std::string shown;
    for (const ObserverReference& reference : condition.references()) {
      const Measured measured = value(reference, place);
      if (measured.state == CellState::refused) {
        ++refused_;
        return;
      }
      if (measured.state == CellState::failed && claim_.failure_holds) {
        holds_.push_back(true);
        return;
      }
      if (!measured.usable()) {
        ++missing_;
        first_missing_ = first_missing_.empty() ? place_text(place) + measured.note : first_missing_;
        return;
      }
      values.push_back(measured.value);
      shown += fmt::format("{}{:.2g}", shown.empty() ? "" : " and ", measured.value);
    }
    const bool holds = condition.evaluate(values);
    holds_.push_back(holds);
    if (!holds && broken_.size() < kNamedParts) {
      broken_.push_back(place_text(place) + shown);
    }
  }

  [[nodiscard]] std::string place_text(const Place& place) const {
    std::string text;
    const auto add = [&](std::string_view name) { text += fmt::format("{}{}", text.empty() ? "" : ", ", name); };
    if (runs_over(Axis::mechanism)) {
      add(study_.mechanisms[place.mechanism].label);
    }
    if (runs_over(Axis::variant)) {
      add(study_.variants[place.variant].label);
    }
    if (runs_over(Axis::integrator)) {
      add(study_.integrators[place.integrator]->key);
    }
    if (runs_over(Axis::tolerance) || runs_over(Axis::step)) {
      add(study_.controls[place.control].text());
    }
    return text.empty() ? text : text + ": ";
  }

  [[nodiscard]] std::string over_text() const {
    constexpr std::array<std::string_view, 5> kNames = {"mechanism", "variant", "integrator", "tolerance", "step"};
    std::string text;
    for (const Axis axis : claim_.over) {
      text += fmt::format("{}{}", text.empty() ? "; for every " : ", ", kNames[static_cast<std::size_t>(axis)]);
    }
    return text;
  }

  [[nodiscard]] std::string words() const {
    const auto held = static_cast<std::size_t>(std::count(holds_.begin(), holds_.end(), true));
    std::string text = fmt::format("{} of {}", held, holds_.size());
    if (!broken_.empty()) {
      add_words(text, fmt::format("not {}", fmt::join(broken_, "; ")));
      const std::size_t more = holds_.size() - held - broken_.size();
      text += more > 0 ? fmt::format("; and {} more", more) : "";
    }
    if (missing_ > 0) {
      add_words(text, fmt::format("{} not measured, first {}", missing_, first_missing_));
    }
    if (refused_ > 0) {
      add_words(text, fmt::format("{} do not exist", refused_));
    }
    return text;
  }

  const Study& study_;
  const StudyResults& results_;
  const StudyClaim& claim_;
  std::vector<bool> holds_;
  std::vector<std::string> broken_;
  std::size_t refused_ = 0;  // do not exist: no parts of the claim
  std::size_t missing_ = 0;
  std::string first_missing_;
};

bool needs_times(const StudyClaim& claim) {
  return std::any_of(claim.holds.begin(), claim.holds.end(), [](const ClaimExpression& condition) {
    const std::vector<ObserverReference>& references = condition.references();
    return std::any_of(references.begin(), references.end(),
                       [](const ObserverReference& reference) { return reference.observer.timed(); });
  });
}

}  // namespace

std::vector<Claim> judge_claims(const Study& study, const StudyResults& results, bool timed) {
  std::vector<Claim> claims;
  for (const StudyClaim& claim : study.claims) {
    if (needs_times(claim) == timed) {
      claims.push_back(ClaimJudge(study, results, claim).judge());
    }
  }
  return claims;
}

}  // namespace mbdbench::studies
