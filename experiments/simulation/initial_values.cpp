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

/// Puts a start into the description of the mechanism itself, which lists tree joints first with all their values.
void assign_start(MechanismDescription& description, std::span<const StartValue> values, const Eigen::VectorXd& q,
                  const Eigen::VectorXd& u) {
  for (const StartValue& value : values) {
    JointDescription& joint = description.joints[value.joint];
    (value.rate ? joint.v0 : joint.q0)[value.component] = value.in(q, u);
  }
}

}  // namespace

ChangedStart with_initial_values(Mechanism mechanism, std::span<const std::string> assignments) {
  if (assignments.empty()) {
    return {std::move(mechanism), {}};
  }
  const std::vector<StartValue> values = start_values(mechanism);
  Eigen::VectorXd q = mechanism.q0();
  Eigen::VectorXd u = mechanism.u0();
  std::vector<bool> is_set(values.size(), false);
  Held held(mechanism.tree_joints().size(), false);
  for (const std::string& assignment : assignments) {
    const auto [name, number] = split_assignment(assignment, "--set");
    const auto value =
        std::find_if(values.begin(), values.end(), [&wanted = name](const StartValue& v) { return v.name == wanted; });
    if (value == values.end()) {
      std::vector<std::string> names;
      std::transform(values.begin(), values.end(), std::back_inserter(names),
                     [](const StartValue& v) { return v.name; });
      throw std::invalid_argument(fmt::format("--set: mechanism '{}' has no initial value '{}'; {}", mechanism.name(),
                                              name, suggest_name(name, names, "initial values")));
    }
    value->in(q, u) = parse_number(number, assignment);
    is_set[static_cast<std::size_t>(value - values.begin())] = true;
    held[value->joint] = true;
  }
  MechanismDescription description = mechanism.description();
  assign_start(description, values, q, u);
  if (!mechanism.constrained()) {
    return {Mechanism(std::move(description)), {}};
  }
  ChangedStart start{Mechanism(closed(description, held)), {}};
  const Mechanism& now = start.mechanism;
  const double rate = std::max(largest_start_rate(now, u), largest_start_rate(now, now.u0()));
  const auto wanted_of = [&](std::size_t i) {
    const std::span<const MovedValue> before = mechanism.moved_start();
    const auto typed = std::find_if(before.begin(), before.end(),
                                    [&](const MovedValue& moved) { return moved.name == values[i].name; });
    return is_set[i] || typed == before.end() ? values[i].in(q, u) : typed->from;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = wanted_of(i);
    const double found = values[i].in(now.q0(), now.u0());
    const double moved = values[i].distance(wanted, found, rate);
    if (is_set[i] && !(moved <= kMostMoved)) {
      throw std::invalid_argument(fmt::format(
          "--set {0}={1}: the loops of mechanism '{2}' do not close with this value, the nearest start has {0} = {3}; "
          "set fewer values, or values that fit one another",
          values[i].name, wanted, mechanism.name(), found));
    }
    if (moved > kWorthTelling) {
      start.moved.push_back({values[i].name, wanted, found, is_set[i]});
    }
  }
  return start;
}

std::string moved_text(const ChangedStart& start) {
  return moved_text("to close the loops with the values that were set", start.moved);
}

}  // namespace mbdbench
