#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

/// \returns the tree joint of a term. \throws ModelError
const Joint& tied_joint(const Mechanism& mechanism, const std::string& name, const ElementReference& where,
                        const std::string& who) {
  const auto found = mechanism.find_joint(name);
  if (!found) {
    std::vector<std::string> known;
    for (const Joint& joint : mechanism.tree_joints()) {
      known.push_back(joint.name);
    }
    throw ModelError(where, fmt::format("{}: '{}' is not a joint; {}", who, name, suggest_name(name, known, "joints")));
  }
  if (found->cut) {
    throw ModelError(where, fmt::format("{}: joint '{}' is cut and has no velocities of its own; mark another joint of "
                                        "its loop cut = true",
                                        who, name));
  }
  return mechanism.joint(*found);
}

}  // namespace

void validate_velocity_constraint(const Mechanism& mechanism, std::size_t index) {
  const VelocityConstraintDescription& constraint = mechanism.description().velocity_constraints[index];
  const std::string who = fmt::format("velocity constraint '{}'", constraint.name);
  if (constraint.terms.empty()) {
    throw ModelError({"velocity_constraints", index, "terms"}, fmt::format("{}: it has no terms", who));
  }
  std::set<std::pair<std::string, int>> seen;
  for (std::size_t i = 0; i < constraint.terms.size(); ++i) {
    const VelocityTerm& term = constraint.terms[i];
    const auto where = [&](const char* key) {
      return ElementReference{"velocity_constraints", index, fmt::format("terms[{}].{}", i, key)};
    };
    const Joint& joint = tied_joint(mechanism, term.joint, where("joint"), who);
    if (term.component < 0 || term.component >= joint.nu) {
      throw ModelError(where("component"),
                       fmt::format("{}: component {} (counted from 1) of joint '{}', but a {} "
                                   "joint has {} velocities",
                                   who, term.component + 1LL, term.joint, to_string(joint.type), joint.nu));
    }
    if (const auto* const number = std::get_if<ConstantLaw>(&term.factor);
        number != nullptr && (!std::isfinite(number->value) || number->value == 0.0)) {
      throw ModelError(where("factor"), fmt::format("{}: factor = {} of joint '{}'; a factor is a formula or a finite "
                                                    "number that is not zero",
                                                    who, number->value, term.joint));
    }
    if (std::holds_alternative<TableLaw>(term.factor)) {
      throw ModelError(where("factor"),
                       fmt::format("{}: the factor of joint '{}' is a table; a factor is a number or a "
                                   "formula in q_JOINT",
                                   who, term.joint));
    }
    if (!seen.emplace(term.joint, term.component).second) {
      throw ModelError(where("joint"), fmt::format("{}: component {} of joint '{}' stands there twice; add the factors",
                                                   who, term.component + 1, term.joint));
    }
  }
}

}  // namespace mbdbench
