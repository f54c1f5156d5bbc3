#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

/// \returns the tree joint of a term. \throws ModelError
const Joint& coupled_joint(const Mechanism& mechanism, const std::string& name, const ElementReference& where,
                           const std::string& who) {
  const auto found = mechanism.find_joint(name);
  if (!found) {
    std::vector<std::string> known;
    for (const Joint& joint : mechanism.tree_joints()) {
      known.push_back(joint.name);
    }
    throw ModelError(where, fmt::format("{}: '{}' is not a joint; {}", who, name, suggest_name(name, known, "joints")));
  }
  const Joint& joint = mechanism.joint(*found);
  if (found->cut) {
    throw ModelError(where,
                     fmt::format("{}: joint '{}' is cut and has no coordinates of its own; mark another joint of "
                                 "its loop cut = true",
                                 who, name));
  }
  if (joint.nq == 0 || !has_coordinate_rates(joint.type)) {
    throw ModelError(where, fmt::format("{}: joint '{}' is {} and has no angles or displacements to couple; use "
                                        "revolute, prismatic, screw, universal, cylindrical or planar joints",
                                        who, name, to_string(joint.type)));
  }
  return joint;
}

}  // namespace

void validate_coupling(const Mechanism& mechanism, std::size_t index) {
  const CouplingDescription& coupling = mechanism.description().couplings[index];
  const std::string who = fmt::format("coupling '{}'", coupling.name);
  if (coupling.terms.size() < 2) {
    throw ModelError({"couplings", index, "terms"},
                     fmt::format("{}: it has {} term{}, but ties at least two coordinates; a single one is held by a "
                                 "prescribed motion",
                                 who, coupling.terms.size(), coupling.terms.size() == 1 ? "" : "s"));
  }
  if (coupling.value && !std::isfinite(*coupling.value)) {
    throw ModelError({"couplings", index, "value"}, fmt::format("{}: value = {} is not finite", who, *coupling.value));
  }
  std::set<std::pair<std::string, int>> seen;
  for (std::size_t i = 0; i < coupling.terms.size(); ++i) {
    const CouplingTerm& term = coupling.terms[i];
    const auto where = [&](const char* key) {
      return ElementReference{"couplings", index, fmt::format("terms[{}].{}", i, key)};
    };
    const ElementReference joint_place = where("joint");
    const Joint& joint = coupled_joint(mechanism, term.joint, joint_place, who);
    if (term.component < 0 || term.component >= joint.nq) {
      throw ModelError(where("component"),
                       fmt::format("{}: component {} (counted from 1) of joint '{}', but a {} joint "
                                   "has {}",
                                   who, term.component + 1LL, term.joint, to_string(joint.type), joint.nq));
    }
    if (!std::isfinite(term.factor) || term.factor == 0.0) {
      throw ModelError(where("factor"), fmt::format("{}: factor = {} of joint '{}'; a factor is finite and not zero",
                                                    who, term.factor, term.joint));
    }
    if (!seen.emplace(term.joint, term.component).second) {
      throw ModelError(where("joint"), fmt::format("{}: component {} of joint '{}' stands there twice; add the factors",
                                                   who, term.component + 1, term.joint));
    }
  }
}

}  // namespace mbdbench
