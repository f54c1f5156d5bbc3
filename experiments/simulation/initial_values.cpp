#include "experiments/simulation/initial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "experiments/records/number_text.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

/// One initial value: its name and where it stands.
struct Slot {
  std::string name;
  double* value = nullptr;
};

void add_slots(std::vector<Slot>& slots, char symbol, const std::string& joint, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string suffix = values.size() == 1 ? "" : fmt::format(".{}", i + 1);
    slots.push_back({fmt::format("{}.{}{}", symbol, joint, suffix), &values[i]});
  }
}

/// \returns all initial values of the tree joints; those of cut joints follow from them.
std::vector<Slot> slots_of(const Mechanism& mechanism, MechanismDescription& description) {
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    // A mechanism's own description lists tree joints first, with complete initial values.
    JointDescription& joint = description.joints[k];
    add_slots(slots, 'q', joint.name, joint.q0);
    add_slots(slots, 'v', joint.name, joint.v0);
  }
  return slots;
}

}  // namespace

Mechanism with_initial_values(const Mechanism& mechanism, std::span<const std::string> assignments) {
  MechanismDescription description = mechanism.description();
  const std::vector<Slot> slots = slots_of(mechanism, description);
  for (const std::string& assignment : assignments) {
    const auto [name, value] = split_assignment(assignment, "--set");
    const auto slot =
        std::find_if(slots.begin(), slots.end(), [&wanted = name](const Slot& s) { return s.name == wanted; });
    if (slot == slots.end()) {
      std::vector<std::string> names;
      std::transform(slots.begin(), slots.end(), std::back_inserter(names), [](const Slot& s) { return s.name; });
      throw std::invalid_argument(fmt::format("--set: mechanism '{}' has no initial value '{}'; {}", mechanism.name(),
                                              name, suggest_name(name, names, "initial values")));
    }
    *slot->value = parse_number(value, assignment);
  }
  return Mechanism(std::move(description));
}

}  // namespace mbdbench
