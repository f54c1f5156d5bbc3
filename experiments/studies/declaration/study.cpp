#include "experiments/studies/declaration/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "experiments/engines/engine_permission.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/registries/formulation_choice.hpp"

namespace mbdbench::studies {
namespace {

/// \returns the words with everything but letters and digits replaced by underlines, and a digest behind the beginning
/// of long ones.
std::string file_name(const std::string& words) {
  std::string file;
  for (const char letter : words) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      file += letter;
    } else if (!file.empty() && file.back() != '_') {
      file += '_';
    }
  }
  // Systems take names of up to 255 bytes.
  constexpr std::size_t kMost = 120;
  return file.size() <= kMost ? file : fmt::format("{}_{}", file.substr(0, kMost), text_digest(words).substr(0, 8));
}

template <class Entry>
bool stands_in(const std::vector<Entry>& list, const Entry& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

void add_curves(std::vector<Observer>& all, const CurveFigure& figure) {
  std::copy_if(figure.curves.begin(), figure.curves.end(), std::back_inserter(all),
               [&](const Observer& curve) { return !stands_in(all, curve); });
}

}  // namespace

std::string StudyVariant::formulation() const {
  if (processes == 1) {
    return formulation_word(entry->key, own_options);
  }
  return formulation_word(entry->key,
                          fmt::format("{}{}processes={}", own_options, own_options.empty() ? "" : ",", processes));
}

std::string StudyMechanism::parameters() const {
  std::string text = fmt::format("end={}", end);
  for (const StateKind kind : controlled) {
    text += fmt::format("{}{}", kind == controlled.front() ? ";controlled=" : "+", mbdbench::to_string(kind));
  }
  for (const auto& [kind, tolerance] : absolute_tolerances) {
    text += fmt::format(";{}_tolerance={}", mbdbench::to_string(kind), tolerance);
  }
  text += own_samples ? fmt::format(";samples={}", samples) : "";
  for (const auto& [key, seconds] : {std::pair("output", output), {"max_step", max_step}, {"restart", restart}}) {
    text += seconds > 0.0 ? fmt::format(";{}={}", key, seconds) : "";
  }
  text += own_jacobian ? fmt::format(";jacobian={}", mbdbench::to_string(jacobian)) : "";
  return text;
}

bool StudyMechanism::has(std::size_t integrator, std::size_t control) const {
  const auto own = own_controls.find(integrator);
  return stands_in(own == own_controls.end() ? controls : own->second, control);
}

bool StudyMechanism::is_observed(const Observer& observer) const {
  return observed.empty() || stands_in(observed, observer);
}

std::string_view to_string(ControlKind kind) {
  return kind == ControlKind::tolerance ? "tolerance" : "step";
}

std::string Control::text() const {
  return fmt::format("{}={}", to_string(kind), value);
}

bool StudyClaim::runs_over(Axis axis) const {
  return stands_in(over, axis) || stands_in(most, axis);
}

std::string Study::title_of(const Observer& observer) const {
  const auto own = titles.find(observer);
  return own != titles.end()                         ? own->second
         : observer.entry().subject == Subject::time ? fmt::format("{}, {} s", observer.entry().title, observer.subject)
         : observer.entry().subject == Subject::states
             ? fmt::format("{}, {} at a time{}", observer.entry().title, observer.state_count().states,
                           observer.state_count().threads > 1
                               ? fmt::format(" on {} threads", observer.state_count().threads)
                               : "")
         : observer.workers > 0      ? fmt::format("{}, {} workers", observer.entry().title, observer.workers)
         : !observer.subject.empty() ? fmt::format("{}, {}", observer.entry().title, observer.subject)
                                     : std::string(observer.entry().title);
}

std::vector<StudyEngine> Study::engines_started() const {
  std::vector<StudyEngine> started;
  for (const StudyVariant& variant : variants) {
    const std::string command = engine_command(*variant.entry, variant.options);
    const bool known =
        std::any_of(started.begin(), started.end(), [&](const StudyEngine& e) { return e.command == command; });
    if (!command.empty() && !known) {
      started.push_back({std::string(variant.entry->key), command, {}, {}});
    }
  }
  return started;
}

bool Study::runs(std::size_t integrator, std::size_t control) const {
  return integrators[integrator]->adaptive == (controls[control].kind == ControlKind::tolerance);
}

std::vector<CellKey> Study::cells() const {
  std::vector<CellKey> keys;
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    for (const std::size_t v : mechanisms[m].variants) {
      if (mechanisms[m].integrators.empty()) {
        keys.push_back({m, v, 0, 0});
      }
      for (const std::size_t i : mechanisms[m].integrators) {
        for (const std::size_t c : mechanisms[m].controls) {
          if (mechanisms[m].has(i, c) && runs(i, c)) {
            keys.push_back({m, v, i, c});
          }
        }
      }
    }
  }
  return keys;
}

bool Study::has(const CellKey& cell) const {
  const StudyMechanism& mechanism = mechanisms[cell.mechanism];
  return stands_in(mechanism.variants, cell.variant) && stands_in(mechanism.integrators, cell.integrator) &&
         mechanism.has(cell.integrator, cell.control) && runs(cell.integrator, cell.control);
}

std::vector<CellKey> Study::curve_cells(const CurveFigure& figure, std::size_t mechanism) const {
  std::vector<CellKey> keys;
  if (figure.families.empty()) {
    for (const std::size_t v : figure.variants) {
      keys.push_back({mechanism, v, figure.integrator, figure.control});
    }
    return keys;
  }
  for (const std::size_t i : figure.families.front().integrators) {
    for (std::size_t c = 0; c < controls.size(); ++c) {
      if (has({mechanism, figure.variants.front(), i, c})) {
        keys.push_back({mechanism, figure.variants.front(), i, c});
        break;
      }
    }
  }
  return keys;
}

std::vector<Observer> Study::all_curves() const {
  std::vector<Observer> all;
  for (const CurveFigure& figure : figures) {
    if (figure.against == Against::time) {
      add_curves(all, figure);
    }
  }
  return all;
}

std::vector<Observer> Study::curves(const CellKey& cell) const {
  std::vector<Observer> all;
  for (const CurveFigure& figure : figures) {
    if (figure.against == Against::time && stands_in(figure.mechanisms, cell.mechanism) &&
        stands_in(curve_cells(figure, cell.mechanism), cell)) {
      add_curves(all, figure);
    }
  }
  return all;
}

std::filesystem::path Study::curve_file(const CellKey& cell) const {
  return std::filesystem::path("trajectories") /
         (file_name(fmt::format("{} {} {} {}", mechanisms[cell.mechanism].label, variants[cell.variant].label,
                                integrators[cell.integrator]->key, controls[cell.control].value)) +
          ".csv");
}

std::filesystem::path Study::drawing_file(const StudyMechanism& mechanism) {
  constexpr int kMostBodies = 64;
  return mechanism.mechanism->body_count() > kMostBodies
             ? std::filesystem::path()
             : std::filesystem::path("drawings") / (file_name(mechanism.word) + ".svg");
}

bool Study::needs_reference() const {
  return std::any_of(observers.begin(), observers.end(), [](const Observer& o) { return o.needs_reference(); });
}

bool Study::may_fail(const std::string& formulation) const {
  return std::any_of(variants.begin(), variants.end(),
                     [&](const StudyVariant& v) { return v.may_fail && v.formulation() == formulation; });
}

bool Study::needs_reference(const StudyMechanism& mechanism) const {
  return std::any_of(observers.begin(), observers.end(),
                     [&](const Observer& o) { return o.needs_reference() && mechanism.is_observed(o); });
}

bool Study::needs_times() const {
  return std::any_of(observers.begin(), observers.end(),
                     [](const Observer& o) { return o.timed() && !o.of_right_hand_side(); });
}

bool Study::times_right_hand_sides(std::size_t mechanism) const {
  const auto end = mechanisms.begin() + static_cast<std::ptrdiff_t>(mechanism);
  const StudyMechanism& own = mechanisms[mechanism];
  return observes_right_hand_sides() && own.timed &&
         std::none_of(mechanisms.begin(), end, [&](const StudyMechanism& earlier) {
           return earlier.timed && earlier.word == own.word && earlier.variants == own.variants;
         });
}

bool Study::observes_right_hand_sides() const {
  return std::any_of(observers.begin(), observers.end(), [](const Observer& o) { return o.of_right_hand_side(); });
}

}  // namespace mbdbench::studies
