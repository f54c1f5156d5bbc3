#include "experiments/simulation/initial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/records/number_text.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

// Of a set value that must give way: a value that is typed with three digits is off by less.
constexpr double kMostMoved = 0.01;
// Smaller changes are rounding and last digits.
constexpr double kWorthTelling = 1e-8;
constexpr std::size_t kMostTold = 8;

/// One initial value: its name and where it stands.
struct Slot {
  std::string name = {};
  double* value = nullptr;
  std::size_t joint = 0;
  bool rate = false;
  double unit = 1.0;  ///< of the coordinate, or of the rate times a second
};

void add_slots(std::vector<Slot>& slots, const Slot& pattern, const Mechanism& mechanism, std::vector<double>& values) {
  const Joint& joint = mechanism.tree_joints()[pattern.joint];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string suffix = values.size() == 1 ? "" : fmt::format(".{}", i + 1);
    // Of free joints the displacements stand last, in q behind a quaternion.
    const int component = static_cast<int>(i) - (pattern.rate ? 0 : joint.nq - joint.nu);
    Slot slot = pattern;
    slot.name = fmt::format("{}.{}{}", pattern.rate ? 'v' : 'q', joint.name, suffix);
    slot.value = &values[i];
    slot.unit = component < 0 ? 1.0 : mechanism.scales().columns[joint.u_offset + component];
    slots.push_back(std::move(slot));
  }
}

/// \returns all initial values of the tree joints; those of cut joints follow from them.
std::vector<Slot> slots_of(const Mechanism& mechanism, MechanismDescription& description) {
  std::vector<Slot> slots;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    // A mechanism's own description lists tree joints first, with complete initial values.
    JointDescription& joint = description.joints[k];
    add_slots(slots, {.joint = k, .rate = false}, mechanism, joint.q0);
    add_slots(slots, {.joint = k, .rate = true}, mechanism, joint.v0);
  }
  return slots;
}

using Held = std::vector<bool>;  // one entry a tree joint

/// \returns the consistent description when only joints that are not held move, those marked `dependent` or all.
/// \throws ModelError where they cannot close the loops
MechanismDescription closed_by_others(const MechanismDescription& description, const Held& held, bool marked_only) {
  MechanismDescription marked = description;
  bool any = false;
  for (std::size_t k = 0; k < held.size(); ++k) {
    marked.joints[k].dependent = !held[k] && (!marked_only || description.joints[k].dependent);
    any = any || marked.joints[k].dependent;
  }
  if (!any) {
    throw ModelError({}, "every joint that may be changed is set");
  }
  MechanismDescription closed = Mechanism(std::move(marked)).description();
  for (std::size_t k = 0; k < held.size(); ++k) {
    closed.joints[k].dependent = description.joints[k].dependent;
  }
  return closed;
}

/// \returns the closed description, set values held if the loops allow it. \throws ModelError
MechanismDescription closed(const MechanismDescription& description, const Held& held) {
  const bool marks = std::any_of(description.joints.begin(), description.joints.end(),
                                 [](const JointDescription& joint) { return joint.dependent; });
  for (const bool marked_only : {true, false}) {
    try {
      if (marks || !marked_only) {
        return closed_by_others(description, held, marked_only);
      }
    } catch (const ModelError&) {
      continue;  // fewer joints than the loops need: more of them, at last the set ones too
    }
  }
  return Mechanism(description).description();
}

/// \returns the largest rate of the mechanism's start, 1/s.
double largest_rate(const Mechanism& mechanism) {
  return std::max(mechanism.scales().rate, mechanism.scales().largest_rate(mechanism.u0()));
}

}  // namespace

ChangedStart with_initial_values(Mechanism mechanism, std::span<const std::string> assignments) {
  if (assignments.empty()) {
    return {std::move(mechanism), {}};
  }
  MechanismDescription description = mechanism.description();
  const std::vector<Slot> slots = slots_of(mechanism, description);
  std::vector<bool> is_set(slots.size(), false);
  Held held(mechanism.tree_joints().size(), false);
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
    is_set[static_cast<std::size_t>(slot - slots.begin())] = true;
    held[slot->joint] = true;
  }
  if (!mechanism.constrained()) {
    return {Mechanism(std::move(description)), {}};
  }
  std::vector<double> wanted;
  std::transform(slots.begin(), slots.end(), std::back_inserter(wanted), [](const Slot& slot) { return *slot.value; });
  MechanismDescription consistent = closed(description, held);
  const std::vector<Slot> now = slots_of(mechanism, consistent);
  ChangedStart start{Mechanism(consistent), {}};
  const double rate = largest_rate(start.mechanism);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double moved = std::abs(*now[i].value - wanted[i]) / (slots[i].unit * (slots[i].rate ? rate : 1.0));
    if (is_set[i] && !(moved <= kMostMoved)) {
      throw std::invalid_argument(fmt::format(
          "--set {0}={1}: the loops of mechanism '{2}' do not close with this value, the nearest start has {0} = {3}; "
          "set fewer values, or values that fit one another",
          slots[i].name, wanted[i], mechanism.name(), *now[i].value));
    }
    if (moved > kWorthTelling) {
      start.moved.push_back({slots[i].name, wanted[i], *now[i].value, is_set[i]});
    }
  }
  return start;
}

std::string moved_text(const ChangedStart& start) {
  if (start.moved.empty()) {
    return {};
  }
  std::vector<MovedValue> values = start.moved;
  std::stable_partition(values.begin(), values.end(), [](const MovedValue& value) { return value.was_set; });
  std::string text = "to close the loops with the values of --set,";
  for (std::size_t i = 0; i < std::min(values.size(), kMostTold); ++i) {
    text += fmt::format("{} {}{} moved from {:.6g} to {:.6g}", i == 0 ? "" : ",", values[i].name,
                        values[i].was_set ? " (set)" : "", values[i].from, values[i].to);
  }
  return values.size() <= kMostTold ? text : fmt::format("{}, and {} more", text, values.size() - kMostTold);
}

}  // namespace mbdbench
