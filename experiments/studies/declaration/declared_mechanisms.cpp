#include "experiments/studies/declaration/declared_mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/run_settings.hpp"
#include "experiments/studies/declaration/declared_choice.hpp"
#include "mechanisms/io/robot_options.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& word) {
  const std::string extension = fs::path(word).extension().string();
  return extension == ".toml" || is_robot_file(split_robot_word(word).first);
}

void read_run_settings(const DeclarationTable& entry, StudyMechanism& mechanism) {
  mechanism.timed = entry.flag("timed").value_or(true);
  if (entry.has("samples")) {
    mechanism.samples = static_cast<int>(entry.whole("samples", kDefaultSamples, 1.0, kMostSamples));
    mechanism.own_samples = true;
  }
  for (const auto& [key, seconds] :
       {std::pair("output", &mechanism.output), {"max_step", &mechanism.max_step}, {"restart", &mechanism.restart}}) {
    if (const auto number = entry.number(key)) {
      *seconds = entry.positive(*number, key);
    }
  }
  if (const auto choice = read_jacobian_choice(entry)) {
    mechanism.jacobian = *choice;
    mechanism.own_jacobian = true;
  }
  for (const LocatedText& kind : entry.texts("controlled")) {
    mechanism.controlled.push_back(entry.at_line(kind.line, [&] { return parse_state_kind(kind.text, "controlled"); }));
  }
  for (const auto& [kind, tolerance] : entry.named_numbers("absolute_tolerances")) {
    const StateKind read =
        entry.at_line(kind.line, [&, &word = kind.text] { return parse_state_kind(word, "absolute_tolerances"); });
    mechanism.absolute_tolerances[read] = entry.positive(tolerance, "absolute_tolerances");
  }
}

}  // namespace

std::optional<JacobianChoice> read_jacobian_choice(const DeclarationTable& table) {
  const auto word = table.text("jacobian");
  if (!word) {
    return std::nullopt;
  }
  return table.at_line(word->line, [&] { return parse_jacobian_choice(word->text, "jacobian"); });
}

void DeclaredMechanisms::choose() {
  for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
    StudyMechanism& mechanism = study_.mechanisms[m];
    const MechanismChoice& choice = choices_[m];
    mechanism.variants = choice.some_variants ? places_of(
                                                    table_, choice.variants, study_.variants,
                                                    [](const StudyVariant& v) { return v.label; }, "variant")
                                              : all_places(study_.variants.size());
    mechanism.integrators = choice.some_integrators ? places_of(
                                                          table_, choice.integrators, study_.integrators,
                                                          [](const OdeEntry* i) { return i->key; }, "integrator")
                                                    : all_places(study_.integrators.size());
    mechanism.controls =
        choice.controls.empty() ? all_places(study_.controls.size()) : controls_of(mechanism, choice.controls);
    for (const auto& [key, controls] : choice.own_controls) {
      const auto place = places_of(
          table_, {key}, study_.integrators, [](const OdeEntry* i) { return i->key; }, "integrator");
      mechanism.own_controls[place.front()] = controls_of(mechanism, controls);
    }
  }
}

std::vector<std::size_t> DeclaredMechanisms::controls_of(const StudyMechanism& mechanism,
                                                         const std::vector<LocatedNumber>& wanted) const {
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < study_.controls.size(); ++c) {
    if (std::any_of(wanted.begin(), wanted.end(),
                    [&](const LocatedNumber& number) { return number.value == study_.controls[c].value; })) {
      places.push_back(c);
    }
  }
  for (const LocatedNumber& number : wanted) {
    if (std::none_of(study_.controls.begin(), study_.controls.end(),
                     [&](const Control& control) { return control.value == number.value; })) {
      table_.fail(number.line, fmt::format("mechanism '{}': {} is not among the study's tolerances and steps",
                                           mechanism.label, number.value));
    }
  }
  return places;
}

void DeclaredMechanisms::add(const DeclarationTable& table, const LocatedText& word, std::string label, double end) {
  const std::string found = is_file(word.text) ? (file_.parent_path() / word.text).string() : word.text;
  auto mechanism =
      table.at_line(word.line, [&] { return std::make_shared<const Mechanism>(find_mechanism(registries_, found)); });
  const bool taken = std::any_of(study_.mechanisms.begin(), study_.mechanisms.end(),
                                 [&](const StudyMechanism& other) { return other.label == label; });
  if (taken) {
    table.fail(word.line, fmt::format("two mechanisms are called '{}'; give one a label", label));
  }
  study_.mechanisms.push_back(
      {std::move(label), word.text, std::move(mechanism), end, {}, {}, {}, {}, {}, true, study_.samples});
  study_.mechanisms.back().jacobian = study_.jacobian;
}

void DeclaredMechanisms::read() {
  const auto end = table_.number("end");
  const auto common_end = [&](std::size_t line) {
    if (!end && table_.texts("integrators").empty()) {
      return 0.0;  // nothing is run
    }
    if (!end) {
      table_.fail(line, "end is missing: how long (s) this mechanism is run; for all of them or as a key of its own");
    }
    return table_.positive(*end, "end");
  };
  table_.entries(
      "mechanisms", "a mechanism",
      {"mechanism", "label", "end", "variants", "integrators", "controls", "controlled", "timed", "samples", "observe",
       "absolute_tolerances", "output", "max_step", "restart", "reference", "jacobian"},
      [&](const LocatedText& word) {
        choices_.emplace_back();
        add(table_, word, is_file(word.text) ? fs::path(word.text).stem().string() : word.text, common_end(word.line));
      },
      [&](const DeclarationTable& entry) {
        const LocatedText word = entry.needed_text("mechanism");
        const auto label = entry.text("label");
        const auto own_end = entry.number("end");
        choices_.push_back({entry.has("variants"),
                            entry.texts("variants"),
                            entry.has("integrators"),
                            {},
                            entry.numbers("controls"),
                            entry.texts("observe"),
                            {}});
        MechanismChoice& choice = choices_.back();
        if (entry.is_table("integrators")) {
          choice.own_controls = entry.named_number_lists("integrators");
          std::transform(choice.own_controls.begin(), choice.own_controls.end(), std::back_inserter(choice.integrators),
                         [](const auto& own) { return own.first; });
        } else {
          choice.integrators = entry.texts("integrators");
        }
        const bool is_run = !choice.some_integrators || !choice.integrators.empty();
        add(entry, word, label ? label->text : word.text,
            own_end  ? entry.positive(*own_end, "end")
            : is_run ? common_end(word.line)
                     : 0.0);
        StudyMechanism& added = study_.mechanisms.back();
        read_run_settings(entry, added);
        if (const auto reference = entry.text("reference")) {
          added.reference = std::make_shared<const FrozenReference>(
              read_frozen_reference(file_.parent_path() / reference->text, *added.mechanism, added.end, added.samples));
        }
      });
  if (study_.mechanisms.empty()) {
    table_.fail(
        table_.line(),
        "mechanisms is missing or empty: keys as 'mbdbench list mechanisms' shows them, or TOML and URDF files");
  }
}

}  // namespace mbdbench::studies
