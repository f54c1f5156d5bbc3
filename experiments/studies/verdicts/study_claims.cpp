#include "experiments/studies/verdicts/study_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>

#include "experiments/studies/verdicts/claim_numbers.hpp"
#include "experiments/studies/verdicts/claim_words.hpp"

namespace mbdbench::studies {
namespace {

// So many parts that do not hold are named; the rest is counted.
constexpr std::size_t kNamedParts = 4;

/// A part of a claim: a place on the axes `over`, with all the places along `most`.
struct Part {
  std::size_t condition = 0;
  ClaimPlace place;
  int held = 0;
  int all = 0;
  std::string values;  // of a place where it does not hold
  std::string last;    // of the last place
};

/// One claim over its product.
class ClaimJudge {
 public:
  ClaimJudge(const Study& study, const StudyResults& results, const StudyClaim& claim)
      : study_(study), claim_(claim), numbers_(study, results, claim) {}

  Claim judge() {
    Claim made;
    made.experiment = study_.name;
    made.source = claim_.source;
    made.statement = claim_.text;
    if (!claim_.not_measured.empty()) {
      made.measured = claim_.not_measured;
      return made;
    }
    const bool runs_steps = claim_.runs_over(Axis::tolerance) || claim_.runs_over(Axis::step);
    for (const std::size_t m : extent(Axis::mechanism, claim_.mechanisms)) {
      for (const std::size_t v : extent(Axis::variant, claim_.variants)) {
        for (std::size_t i = 0; i < (claim_.runs_over(Axis::integrator) ? study_.integrators.size() : 1); ++i) {
          for (std::size_t c = 0; c < (runs_steps ? study_.controls.size() : 1); ++c) {
            for (std::size_t r = 0; r < (claim_.runs_over(Axis::error) ? study_.rankings.size() : 1); ++r) {
              if (!runs_steps || is_part(i, c)) {
                add_conditions({m, v, i, c, r});
              }
            }
          }
        }
      }
    }
    made.criterion = (claim_.criterion.empty() ? conditions() : claim_.criterion) + over_text();
    made.baseline = claim_.baseline;
    made.basis = basis();
    made.count = {static_cast<std::size_t>(std::count_if(parts_.begin(), parts_.end(), holds)), parts_.size(),
                  missing_};
    made.measured = words(made.count);
    made.verdict = verdict(made.count, made.basis);
    return made;
  }

 private:
  static bool holds(const Part& part) { return 2 * part.held > part.all; }

  /// A comparison of a model with measured times tests the model; what looks at no time and at a model is the model's.
  [[nodiscard]] ClaimBasis basis() const {
    bool models = false;
    bool times = false;
    for (const ClaimExpression& condition : claim_.holds) {
      for (const ObserverReference& reference : condition.references()) {
        models = models || reference.observer.of_model();
        times = times || (reference.observer.timed() && !reference.observer.of_model());
      }
    }
    return models && !times ? ClaimBasis::model : ClaimBasis::run;
  }

  [[nodiscard]] ClaimVerdict verdict(const ClaimCount& count, ClaimBasis basis) const {
    const auto all = static_cast<double>(count.parts + count.not_tested);
    if (count.parts == 0 || static_cast<double>(count.parts) < claim_.measured_share * all) {
      return ClaimVerdict::not_measured;
    }
    if (basis == ClaimBasis::model) {
      return ClaimVerdict::by_model;
    }
    return claim_.some && count.held > 0 ? ClaimVerdict::holds : judge_claim(count);
  }

  [[nodiscard]] std::vector<std::size_t> extent(Axis axis, const std::vector<std::size_t>& places) const {
    return claim_.runs_over(axis) ? places : std::vector<std::size_t>{0};
  }

  [[nodiscard]] std::string conditions() const {
    std::string text;
    for (std::size_t k = 0; k < claim_.holds.size(); ++k) {
      text += (text.empty() ? "" : "; ") + condition_in_words(study_, claim_.holds[k]);
      text += claim_.where.empty() ? "" : ", where " + condition_in_words(study_, claim_.where[k]);
    }
    return text;
  }

  /// Whether this control belongs to the axes of the claim, and the integrator is run with it.
  [[nodiscard]] bool is_part(std::size_t integrator, std::size_t control) const {
    const ControlKind kind = study_.controls[control].kind;
    return claim_.runs_over(kind == ControlKind::tolerance ? Axis::tolerance : Axis::step) &&
           (!claim_.runs_over(Axis::integrator) || study_.runs(integrator, control));
  }

  void add_conditions(const ClaimPlace& place) {
    for (std::size_t k = 0; k < claim_.holds.size(); ++k) {
      add(k, place);
    }
  }

  /// The place on the axes `over` alone.
  [[nodiscard]] ClaimPlace outer(ClaimPlace place) const {
    const std::array<std::size_t*, 6> coordinates = {&place.mechanism, &place.variant, &place.integrator,
                                                     &place.control,   &place.control, &place.ranking};
    for (const Axis axis : claim_.most) {
      *coordinates[static_cast<std::size_t>(axis)] = 0;
    }
    return place;
  }

  Part& part_of(std::size_t condition, const ClaimPlace& place) {
    const ClaimPlace own = outer(place);
    const auto found = std::find_if(parts_.begin(), parts_.end(),
                                    [&](const Part& part) { return part.condition == condition && part.place == own; });
    return !claim_.most.empty() && found != parts_.end() ? *found
                                                         : parts_.emplace_back(Part{condition, own, 0, 0, {}, {}});
  }

  /// \returns what an expression needs at a place; nothing where it is not run, does not exist or was not measured.
  std::optional<std::vector<double>> numbers_of(const ClaimExpression& expression, std::size_t condition,
                                                const ClaimPlace& place) {
    std::vector<double> values;
    std::set<std::string> machines;
    for (const ObserverReference& reference : expression.references()) {
      if (!numbers_.is_run(reference, place)) {
        return std::nullopt;
      }
      machines.merge(numbers_.machines(reference, place));
      const Measured measured = numbers_.at(reference, place);
      if (measured.state == CellState::refused) {
        ++refused_;
        first_refused_ = first_refused_.empty() ? place_text(place) + measured.note : first_refused_;
        return std::nullopt;
      }
      if (measured.state == CellState::failed && claim_.failure_holds) {
        Part& part = part_of(condition, place);
        ++part.held;
        ++part.all;
        return std::nullopt;
      }
      if (!measured.usable()) {
        ++missing_;
        first_missing_ = first_missing_.empty() ? place_text(place) + measured.note : first_missing_;
        return std::nullopt;
      }
      values.push_back(measured.value);
    }
    if (machines.size() > 1) {
      ++missing_;
      first_missing_ =
          first_missing_.empty() ? place_text(place) + "times of several machines are not compared" : first_missing_;
      return std::nullopt;
    }
    return values;
  }

  void add(std::size_t condition, const ClaimPlace& place) {
    const auto filter = claim_.where.empty() ? std::nullopt : numbers_of(claim_.where[condition], condition, place);
    if (!claim_.where.empty() && (!filter || !claim_.where[condition].evaluate(*filter))) {
      return;
    }
    const std::optional<std::vector<double>> values = numbers_of(claim_.holds[condition], condition, place);
    if (!values) {
      return;
    }
    const std::string shown = numbers_shown(claim_.holds[condition], *values);
    const bool holds = claim_.holds[condition].evaluate(*values);
    Part& part = part_of(condition, place);
    part.held += holds ? 1 : 0;
    ++part.all;
    part.values = holds ? part.values : shown;
    part.last = shown;
  }

  /// What an expression looks at, each once.
  static std::string numbers_shown(const ClaimExpression& expression, const std::vector<double>& values) {
    std::vector<std::string> shown;
    std::vector<std::string> seen;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::string& text = expression.references()[k].text;
      if (std::find(seen.begin(), seen.end(), text) == seen.end()) {
        seen.push_back(text);
        shown.push_back(fmt::format("{:.3g}", values[k]));
      }
    }
    return fmt::format("{}", fmt::join(shown, " and "));
  }

  [[nodiscard]] std::string place_text(const ClaimPlace& place) const {
    std::string text;
    const auto add = [&](Axis axis, std::string_view name) {
      // What is counted along the axis is named once.
      text += std::find(claim_.over.begin(), claim_.over.end(), axis) == claim_.over.end()
                  ? ""
                  : fmt::format("{}{}", text.empty() ? "" : ", ", name);
    };
    add(Axis::mechanism, study_.mechanisms[place.mechanism].label);
    add(Axis::variant, study_.variants[place.variant].label);
    if (!study_.integrators.empty()) {
      add(Axis::integrator, study_.integrators[place.integrator]->key);
    }
    if (!study_.controls.empty()) {
      const Control& control = study_.controls[place.control];
      add(control.kind == ControlKind::tolerance ? Axis::tolerance : Axis::step, control.text());
    }
    return text.empty() ? text : text + ": ";
  }

  [[nodiscard]] std::string over_text() const {
    constexpr std::array<std::string_view, 6> kNames = {"mechanism", "variant", "integrator",
                                                        "tolerance", "step",    "error"};
    std::string text;
    for (const Axis axis : claim_.over) {
      text += fmt::format("{}{}", text.empty() ? "; for every " : ", ", kNames[static_cast<std::size_t>(axis)]);
    }
    for (const Axis axis : claim_.most) {
      text += fmt::format("{}{}", axis == claim_.most.front() ? "; at most places along " : ", ",
                          kNames[static_cast<std::size_t>(axis)]);
    }
    return text;
  }

  /// How many parts of each integrator hold, where there are several.
  void add_integrators(std::string& text) const {
    if (std::find(claim_.over.begin(), claim_.over.end(), Axis::integrator) == claim_.over.end()) {
      return;
    }
    for (std::size_t i = 0; i < study_.integrators.size(); ++i) {
      const auto own = [&](const Part& part) { return part.place.integrator == i; };
      const auto all = std::count_if(parts_.begin(), parts_.end(), own);
      if (all > 0 && static_cast<std::size_t>(all) < parts_.size()) {
        const auto held =
            std::count_if(parts_.begin(), parts_.end(), [&](const Part& part) { return own(part) && holds(part); });
        add_words(text, fmt::format("{}: {} of {}", study_.integrators[i]->key, held, all));
      }
    }
  }

  [[nodiscard]] std::string words(const ClaimCount& count) const {
    if (parts_.empty() && missing_ + refused_ > 0) {
      return fmt::format("nothing to compare: {} {}, first {}", missing_ + refused_,
                         missing_ > 0 ? "not measured" : "not there",
                         first_missing_.empty() ? first_refused_ : first_missing_);
    }
    std::string text = fmt::format("{} of {}", count.held, count.parts);
    if (count.held == 1 && count.parts == 1) {
      add_words(text, parts_.front().last);
    }
    add_integrators(text);
    std::vector<std::string> broken;
    for (const Part& part : parts_) {
      if (!holds(part) && broken.size() < kNamedParts) {
        broken.push_back(place_text(part.place) +
                         (part.all > 1 ? fmt::format("{} of {}", part.held, part.all) : part.values));
      }
    }
    if (!broken.empty()) {
      add_words(text, fmt::format("not {}", fmt::join(broken, "; ")));
      const std::size_t more = count.parts - count.held - broken.size();
      text += more > 0 ? fmt::format("; and {} more", more) : "";
    }
    if (missing_ > 0) {
      add_words(text, fmt::format("{} not measured, first {}", missing_, first_missing_));
    }
    if (refused_ > 0) {
      add_words(text, fmt::format("{} left out: no such value", refused_));
    }
    return text;
  }

  const Study& study_;
  const StudyClaim& claim_;
  ClaimNumbers numbers_;
  std::vector<Part> parts_;
  std::size_t refused_ = 0;  // no such value: no parts of the claim
  std::size_t missing_ = 0;
  std::string first_refused_;
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
