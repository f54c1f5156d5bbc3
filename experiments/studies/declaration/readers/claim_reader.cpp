#include "experiments/studies/declaration/readers/claim_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/studies/declaration/declared_choice.hpp"
#include "experiments/studies/declaration/declared_observer.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::studies {
namespace {

const std::vector<std::string> kAxes = {"mechanism", "variant", "integrator", "tolerance", "step", "error"};

class ClaimReader {
 public:
  explicit ClaimReader(Study& study) : study_(study) {}

  StudyClaim read(const DeclarationTable& claim) {
    StudyClaim made;
    made.source = claim.needed_text("source").text;
    made.text = claim.needed_text("text").text;
    if (const auto reason = claim.text("not_measured")) {
      made.not_measured = reason->text;
      return made;
    }
    const auto criterion = claim.text("criterion");
    made.criterion = criterion ? criterion->text : "";
    const auto baseline = claim.text("baseline");
    made.baseline = baseline ? baseline->text : "";
    made.some = claim.flag("some").value_or(false);
    made.failure_holds = claim.flag("failure_holds").value_or(false);
    made.mechanisms = chosen_mechanisms(claim, study_);
    made.variants = chosen_variants(claim, study_);
    made.over = axes_of(claim, "over");
    made.most = axes_of(claim, "most");
    if (made.runs_over(Axis::error) && study_.rankings.empty()) {
      claim.fail(claim.line(), "the axis error runs through the study's rankings, and there are none");
    }
    if (const auto share = claim.number("measured_share")) {
      if (!(share->value > 0.0 && share->value <= 1.0)) {
        claim.fail(share->line, "measured_share must be above 0 and at most 1");
      }
      made.measured_share = share->value;
    }
    made.holds = conditions_of(claim, "holds", made, &require_results);
    made.where = conditions_of(claim, "where", made, nullptr);
    if (!made.where.empty() && made.where.size() != made.holds.size()) {
      claim.fail(claim.line(), "where must have a condition for each of holds");
    }
    if (made.holds.empty()) {
      claim.fail(claim.line(), "holds is missing: when the claim counts as true; or not_measured, with the reason");
    }
    return made;
  }

 private:
  template <class Entries, class NameOf>
  void require_name(const DeclarationTable& claim, std::size_t line, const std::optional<std::string>& name,
                    const Entries& entries, const NameOf& name_of, std::string_view noun) const {
    std::vector<std::string> names;
    names.reserve(std::size(entries));
    for (const auto& entry : entries) {
      names.emplace_back(name_of(entry));
    }
    if (name && std::find(names.begin(), names.end(), *name) == names.end()) {
      claim.fail(line, fmt::format("holds: there is no {} '{}'; {}", noun, *name,
                                   suggest_name(*name, names, fmt::format("{}s", noun))));
    }
  }

  /// Every axis with more than one value must be chosen by the reference or run through by the claim.
  void require_axes(const DeclarationTable& claim, std::size_t line, const StudyClaim& made,
                    const ObserverReference& reference) const {
    const auto require = [&](bool settled, std::string_view axis) {
      if (!settled) {
        claim.fail(line,
                   fmt::format("holds: {} has several values of '{}': choose one in its brackets or add \"{}\" to over",
                               reference.text, axis, axis));
      }
    };
    require(reference.mechanism || reference.law != SizeLaw::none || made.runs_over(Axis::mechanism) ||
                study_.mechanisms.size() == 1,
            "mechanism");
    require(reference.variant || made.runs_over(Axis::variant) || study_.variants.size() == 1, "variant");
    if (!reference.observer.of_right_hand_side()) {
      require(reference.integrator || made.runs_over(Axis::integrator) || study_.integrators.size() == 1, "integrator");
      require(reference.control || made.runs_over(Axis::tolerance) || made.runs_over(Axis::step) ||
                  made.runs_over(Axis::error) || study_.controls.size() == 1,
              study_.controls.front().kind == ControlKind::step ? "step" : "tolerance");
    }
  }

  static std::vector<Axis> axes_of(const DeclarationTable& claim, std::string_view key) {
    std::vector<Axis> axes;
    for (const LocatedText& axis : claim.texts(key)) {
      const auto found = std::find(kAxes.begin(), kAxes.end(), axis.text);
      if (found == kAxes.end()) {
        claim.fail(axis.line, fmt::format("{}: there is no axis '{}'; {}", key, axis.text,
                                          suggest_name(axis.text, kAxes, "axes")));
      }
      axes.push_back(static_cast<Axis>(found - kAxes.begin()));
    }
    return axes;
  }

  std::vector<ClaimExpression> conditions_of(const DeclarationTable& claim, std::string_view key,
                                             const StudyClaim& made,
                                             void (*check)(const DeclarationTable&, std::size_t,
                                                           const ClaimExpression&)) {
    std::vector<ClaimExpression> conditions;
    for (const LocatedText& text : claim.texts(key)) {
      try {
        conditions.emplace_back(text.text);
      } catch (const std::invalid_argument& error) {
        claim.fail(text.line, fmt::format("{}: {}", key, error.what()));
      }
      if (check != nullptr) {
        check(claim, text.line, conditions.back());
      }
      check_references(claim, text.line, made, conditions.back());
    }
    return conditions;
  }

  /// A part must not hold, or fail, because of what says of which places the sentence speaks.
  static void require_results(const DeclarationTable& claim, std::size_t line, const ClaimExpression& condition) {
    if (!condition.depends_on_results()) {
      claim.fail(line, fmt::format("holds: \"{}\" depends on no measured result", condition.text()));
    }
    if (!condition.guard().empty()) {
      claim.fail(line, fmt::format("holds: \"{}\" depends on no measured result: as a side of 'or' or 'and' it would "
                                   "count places as tested that it leaves out. Say with where of which places the "
                                   "sentence speaks",
                                   condition.guard()));
    }
  }

  void check_references(const DeclarationTable& claim, std::size_t line, const StudyClaim& made,
                        const ClaimExpression& condition) {
    for (const ObserverReference& reference : condition.references()) {
      require_name(
          claim, line, reference.variant, study_.variants, [](const StudyVariant& v) { return v.label; }, "variant");
      require_name(
          claim, line, reference.mechanism, study_.mechanisms, [](const StudyMechanism& m) { return m.label; },
          "mechanism");
      require_name(
          claim, line, reference.integrator, study_.integrators, [](const OdeEntry* i) { return i->key; },
          "integrator");
      const bool known = !reference.control ||
                         std::any_of(study_.controls.begin(), study_.controls.end(),
                                     [&](const Control& control) { return control.value == *reference.control; });
      if (!known) {
        claim.fail(line, fmt::format("holds: {} is not among the study's tolerances and steps", *reference.control));
      }
      require_known(study_, claim, line, reference.observer);
      if (study_.integrators.empty() && !reference.observer.of_right_hand_side()) {
        claim.fail(line, fmt::format("holds: {} is of a run, and the study has no integrators", reference.text));
      }
      require_axes(claim, line, made, reference);
      add_observer(study_, reference.observer);
    }
  }

  Study& study_;
};

}  // namespace

void read_claims(const DeclarationTable& root, Study& study) {
  root.entries("claims", "a claim",
               {"source", "text", "criterion", "baseline", "some", "holds", "where", "over", "most", "mechanisms",
                "variants", "measured_share", "failure_holds", "not_measured"},
               {}, [&](const DeclarationTable& claim) { study.claims.push_back(ClaimReader(study).read(claim)); });
}

}  // namespace mbdbench::studies
