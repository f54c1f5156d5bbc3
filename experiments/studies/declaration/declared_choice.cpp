#include "experiments/studies/declaration/declared_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mbdbench::studies {
namespace {

/// \returns the place of the integrator that a figure shows: the first where it names none.
std::size_t chosen_integrator(const DeclarationTable& table, const Study& study) {
  const std::vector<std::size_t> places = places_of(
      table, table.texts("integrator"), study.integrators, [](const OdeEntry* entry) { return entry->key; },
      "integrator");
  return places.empty() ? 0 : places.front();
}

std::size_t chosen_control(const DeclarationTable& table, const Study& study, std::size_t integrator) {
  const auto wanted = table.number("control");
  for (std::size_t c = 0; c < study.controls.size(); ++c) {
    if (study.runs(integrator, c) && (!wanted || study.controls[c].value == wanted->value)) {
      return c;
    }
  }
  table.fail(wanted ? wanted->line : table.line(),
             fmt::format("'{}' is not run with this control; name one of the study's tolerances or steps",
                         study.integrators[integrator]->key));
}

bool can_be_drawn(const Observer& curve) {
  const bool of_whole_run = curve.quantity >= Quantity::mean_passes && curve.quantity <= Quantity::most_singular_passes;
  return curve.quantity == Quantity::passes ||
         (curve.at_steps() && !of_whole_run && curve.quantity != Quantity::growth &&
          curve.quantity != Quantity::final_energy_error);
}

/// Integrators that share a panel. \throws FileError where nobody could tell their curves apart
std::vector<Family> families_of(const DeclarationTable& table, const Study& study) {
  constexpr std::size_t kMostCurves = 8;
  std::vector<Family> families;
  for (const auto& [label, keys] : table.named_text_lists("families")) {
    families.push_back({label.text, places_of(
                                        table, keys, study.integrators,
                                        [](const OdeEntry* entry) { return entry->key; }, "integrator")});
    if (keys.size() > kMostCurves) {
      table.fail(label.line,
                 fmt::format("{} curves in one panel are too many to see; at most {}", keys.size(), kMostCurves));
    }
  }
  return families;
}

void require_runs(const DeclarationTable& table, const Study& study, const CurveFigure& figure) {
  const bool over_time = figure.against == Against::time;
  if (figure.against == Against::observer && figure.families.empty()) {
    table.fail(table.line(), "against an observer needs families = { \"LABEL\" = [\"ode45\"] }: a curve an integrator");
  }
  if (over_time && !figure.families.empty() && (figure.families.size() > 1 || figure.variants.size() > 1)) {
    table.fail(table.line(), "over time integrators can be one family of one variant");
  }
  for (const std::size_t m : over_time ? figure.mechanisms : std::vector<std::size_t>{}) {
    const std::vector<CellKey> cells = study.curve_cells(figure, m);
    const auto missing =
        std::find_if(cells.begin(), cells.end(), [&](const CellKey& cell) { return !study.has(cell); });
    const std::size_t curves = figure.families.empty() ? cells.size() : figure.families.front().integrators.size();
    if (missing != cells.end() || cells.size() < curves) {
      table.fail(table.line(),
                 fmt::format("figure '{}': the study does not run {} on '{}'", figure.name,
                             missing != cells.end() ? fmt::format("'{}'", study.variants[missing->variant].label)
                                                    : "every integrator of the family",
                             study.mechanisms[m].label));
    }
  }
}

/// Two of one name would be one file.
template <class Named>
void require_new_name(const DeclarationTable& table, const std::vector<Named>& others, const std::string& name) {
  if (std::any_of(others.begin(), others.end(), [&](const Named& other) { return other.name == name; })) {
    table.fail(table.line(), fmt::format("name '{}' is taken by another one above", name));
  }
}

}  // namespace

std::vector<std::size_t> all_places(std::size_t size) {
  std::vector<std::size_t> places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

std::vector<std::size_t> chosen_mechanisms(const DeclarationTable& table, const Study& study) {
  return table.has("mechanisms") ? places_of(
                                       table, table.texts("mechanisms"), study.mechanisms,
                                       [](const StudyMechanism& entry) { return entry.label; }, "mechanism")
                                 : all_places(study.mechanisms.size());
}

std::vector<std::size_t> chosen_variants(const DeclarationTable& table, const Study& study) {
  return table.has("variants") ? places_of(
                                     table, table.texts("variants"), study.variants,
                                     [](const StudyVariant& entry) { return entry.label; }, "variant")
                               : all_places(study.variants.size());
}

/// \throws FileError where there is nothing to count in intervals
double interval_of(const DeclarationTable& table, const CurveFigure& figure) {
  const auto every = table.number("every");
  if (!every) {
    return 0.0;
  }
  const bool counts = std::all_of(figure.curves.begin(), figure.curves.end(),
                                  [](const Observer& curve) { return curve.quantity == Quantity::attempts; });
  if (!counts || figure.against != Against::time || !(every->value > 0.0)) {
    table.fail(every->line,
               "every = 0.01 is an interval in seconds in which curves = [\"attempts\"] over time are counted");
  }
  return every->value;
}

void read_figures(const DeclarationTable& root, Study& study, const ObserverReader& observer_at) {
  root.entries("figures", "a figure",
               {"name", "title", "curves", "mechanisms", "variants", "integrator", "control", "lowest", "against",
                "families", "every"},
               {}, [&](const DeclarationTable& table) {
                 CurveFigure figure;
                 figure.name = plain_name(table);
                 require_new_name(table, study.figures, figure.name);
                 figure.title = table.needed_text("title").text;
                 if (const auto against = table.text("against")) {
                   figure.against = against->text == "control" ? Against::control : Against::observer;
                   if (figure.against == Against::observer) {
                     figure.abscissa = observer_at(table, *against);
                   }
                 }
                 figure.families = families_of(table, study);
                 for (const LocatedText& name : table.texts("curves")) {
                   figure.curves.push_back(observer_at(table, name));
                   if (figure.against == Against::time && !can_be_drawn(figure.curves.back())) {
                     table.fail(name.line, fmt::format("'{}' has no value at every step; energy_error, position_drift, "
                                                       "smallest_singular_value, passes(position) have, for example",
                                                       name.text));
                   }
                 }
                 if (figure.curves.empty() || study.integrators.empty()) {
                   table.fail(table.line(),
                              "a figure needs curves = [\"energy_error\"], for example, and runs to show");
                 }
                 figure.mechanisms = chosen_mechanisms(table, study);
                 figure.variants = chosen_variants(table, study);
                 figure.integrator = chosen_integrator(table, study);
                 figure.control = chosen_control(table, study, figure.integrator);
                 require_runs(table, study, figure);
                 const auto lowest = table.number("lowest");
                 figure.lowest = lowest ? lowest->value : 0.0;
                 figure.every = interval_of(table, figure);
                 study.figures.push_back(std::move(figure));
               });
}

void read_tables(const DeclarationTable& root, Study& study, const ObserverReader& observer_at) {
  root.entries("tables", "a table", {"name", "title", "caption", "observe", "mechanisms", "variants"}, {},
               [&](const DeclarationTable& table) {
                 NumberTable made;
                 made.name = plain_name(table);
                 require_new_name(table, study.tables, made.name);
                 made.title = table.needed_text("title").text;
                 const auto caption = table.text("caption");
                 made.caption = caption ? caption->text : "";
                 for (const LocatedText& name : table.texts("observe")) {
                   made.observers.push_back(observer_at(table, name));
                 }
                 if (made.observers.empty()) {
                   table.fail(table.line(), "a table needs observe = [\"evaluations\"], for example");
                 }
                 made.mechanisms = chosen_mechanisms(table, study);
                 made.variants = chosen_variants(table, study);
                 study.tables.push_back(std::move(made));
               });
}

}  // namespace mbdbench::studies
