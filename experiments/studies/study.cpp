#include "experiments/studies/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/formulation_choice.hpp"

namespace mbdbench::studies {

std::string StudyVariant::formulation() const {
  return formulation_word(entry->key, options);
}

std::string_view to_string(ControlKind kind) {
  return kind == ControlKind::tolerance ? "tolerance" : "step";
}

std::string Control::text() const {
  return fmt::format("{}={}", to_string(kind), value);
}

bool Study::runs(std::size_t integrator, std::size_t control) const {
  return integrators[integrator]->adaptive == (controls[control].kind == ControlKind::tolerance);
}

std::vector<CellKey> Study::cells() const {
  std::vector<CellKey> keys;
  for (std::size_t m = 0; m < mechanisms.size(); ++m) {
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (integrators.empty()) {
        keys.push_back({m, v, 0, 0});
      }
      for (std::size_t i = 0; i < integrators.size(); ++i) {
        for (std::size_t c = 0; c < controls.size(); ++c) {
          if (runs(i, c)) {
            keys.push_back({m, v, i, c});
          }
        }
      }
    }
  }
  return keys;
}

bool Study::needs_reference() const {
  return std::any_of(observers.begin(), observers.end(), [](const Observer& o) { return o.needs_reference(); });
}

bool Study::needs_times() const {
  return std::any_of(observers.begin(), observers.end(),
                     [](const Observer& o) { return o.timed() && !o.of_right_hand_side(); });
}

bool Study::observes_right_hand_sides() const {
  return std::any_of(observers.begin(), observers.end(), [](const Observer& o) { return o.of_right_hand_side(); });
}

}  // namespace mbdbench::studies
