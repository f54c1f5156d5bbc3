#include "experiments/ensembles/members/member_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>

#include "experiments/registries/mechanism_source.hpp"
#include "experiments/simulation/initial_values.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr std::string_view kWholeNumber = "is a whole number; all members have the same bodies and joints";
constexpr std::string_view kNoConstant = "is no constant load";
constexpr std::string_view kBranching =
    "decides which bodies are joined to which, and with that all random numbers behind; all members have the same "
    "bodies and joints";

/// \returns key and text of the parameters of a word of the catalogue.
std::pair<std::string, std::string> catalogue_parts(const std::string& word) {
  const std::size_t separator = word.find_first_of(":[");
  if (separator == std::string::npos) {
    return {word, {}};
  }
  std::string text = word.substr(separator + 1);
  if (word[separator] == '[' && text.ends_with(']')) {
    text.pop_back();
  }
  return {word.substr(0, separator), text};
}

double& spring_number(MechanismDescription& description, const MemberVariable& variable) {
  const auto number = [&](auto& spring) -> double& {
    return variable.part == "stiffness" ? spring.stiffness : variable.part == "damping" ? spring.damping : spring.rest;
  };
  return variable.kind == VariableKind::joint_spring ? number(description.joint_springs[variable.index])
                                                     : number(description.point_springs[variable.index]);
}

/// A body of another mass is one of another density: its inertia goes along.
void set_mass(BodyDescription& body, double mass) {
  if (body.mass > 0.0) {
    body.inertia *= mass / body.mass;
  }
  body.mass = mass;
}

bool is_number_of_description(const MemberVariable& variable) {
  return variable.kind != VariableKind::start && variable.kind != VariableKind::catalogue;
}

/// \param variable a number of the description
double& number_of(MechanismDescription& description, const MemberVariable& variable) {
  switch (variable.kind) {
    case VariableKind::mass:
      return description.bodies[variable.index].mass;
    case VariableKind::joint_load:
      return std::get<ConstantLaw>(description.joint_loads[variable.index].law).value;
    default:
      return spring_number(description, variable);
  }
}

/// \returns whether something in the description has changed.
bool set_numbers(MechanismDescription& description, const MemberChange& change) {
  bool any = false;
  for (const auto& [variable, value] : change.values) {
    if (!is_number_of_description(*variable)) {
      continue;
    }
    double& number = number_of(description, *variable);
    const double wanted = change.deviations ? number * value : value;
    if (variable->kind == VariableKind::mass) {
      set_mass(description.bodies[variable->index], wanted);
    } else {
      number = wanted;
    }
    any = true;
  }
  return any;
}

template <typename Part, typename Same>
bool alike(const std::vector<Part>& one, const std::vector<Part>& other, const Same& same) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same);
}

/// \returns of which parts one has others than the other; empty: both have the same, with other numbers.
std::string_view different_parts(const MechanismDescription& one, const MechanismDescription& other) {
  const auto same_name = [](const auto& a, const auto& b) { return a.name == b.name; };
  const auto same_joint = [](const JointDescription& a, const JointDescription& b) {
    return a.name == b.name && a.type == b.type && a.a == b.a && a.b == b.b && a.cut == b.cut &&
           a.motions.size() == b.motions.size();
  };
  const auto same_marker = [](const MarkerDescription& a, const MarkerDescription& b) {
    return a.name == b.name && a.body == b.body;
  };
  const auto same_load = [](const JointLoadDescription& a, const JointLoadDescription& b) {
    return a.name == b.name && a.law.index() == b.law.index();
  };
  return !alike(one.bodies, other.bodies, same_name)                               ? "bodies"
         : !alike(one.joints, other.joints, same_joint)                            ? "joints"
         : !alike(one.markers, other.markers, same_marker)                         ? "markers"
         : !alike(one.joint_springs, other.joint_springs, same_name)               ? "springs in joints"
         : !alike(one.point_springs, other.point_springs, same_name)               ? "springs between points"
         : !alike(one.joint_loads, other.joint_loads, same_load)                   ? "loads in joints"
         : !alike(one.couplings, other.couplings, same_name)                       ? "couplings"
         : !alike(one.velocity_constraints, other.velocity_constraints, same_name) ? "constraints of velocities"
                                                                                   : "";
}

/// Multiplies the quaternion (w, x, y, z) with that of a turn.
void turn_by(std::vector<double>& quaternion, const Vec3& turn) {
  const double angle = turn.norm();
  const double half_sine = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  const Eigen::Quaterniond before(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
  const Eigen::Quaterniond by(std::cos(0.5 * angle), half_sine * turn[0], half_sine * turn[1], half_sine * turn[2]);
  const Eigen::Quaterniond after = before * by;
  quaternion[0] = after.w();
  quaternion[1] = after.x();
  quaternion[2] = after.y();
  quaternion[3] = after.z();
}

}  // namespace

MemberVariables::MemberVariables(const Registries& registries, std::string word, std::vector<std::string> assignments)
    : registries_(registries),
      word_(std::move(word)),
      assignments_(std::move(assignments)),
      base_(with_initial_values(find_mechanism(registries, word_), assignments_).mechanism),
      starts_(start_values(base_)) {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const StartValue& start = starts_[i];
    const bool quaternion = !start.rate && has_quaternion(base_.tree_joints()[start.joint].type) && start.component < 4;
    variables_.push_back({.name = start.name,
                          .kind = VariableKind::start,
                          .index = i,
                          .part = {},
                          .value = start.in(base_.q0(), base_.u0()),
                          .quaternion = quaternion,
                          .refusal = {}});
  }
  add_catalogue();
  add_bodies_and_springs();
}

void MemberVariables::add_catalogue() {
  const auto [key, text] = catalogue_parts(word_);
  const auto entry = std::find_if(registries_.mechanisms.begin(), registries_.mechanisms.end(),
                                  [&wanted = key](const MechanismEntry& each) { return each.key == wanted; });
  // A file that happens to be called so was read in its place; then the description has no such source.
  if (entry == registries_.mechanisms.end() || base_.description().source != entry->source) {
    return;
  }
  entry_ = &*entry;
  parameter_text_ = text;
  const Parameters given = parse_parameters(entry->parameters, text, key);
  for (const ParameterSpecification& parameter : entry->parameters) {
    const bool is_real = std::holds_alternative<double>(parameter.default_value);
    variables_.push_back({.name = std::string(parameter.name),
                          .kind = VariableKind::catalogue,
                          .index = 0,
                          .part = {},
                          .value = is_real ? given.number(parameter.name) : 0.0,
                          .quaternion = false,
                          .refusal = !is_real                        ? kWholeNumber
                                     : parameter.name == "branching" ? kBranching
                                                                     : std::string_view{}});
  }
}

void MemberVariables::add_bodies_and_springs() {
  const MechanismDescription& description = base_.description();
  const auto add = [&](std::string name, VariableKind kind, std::size_t index, std::string_view part, double value,
                       std::string_view refusal = {}) {
    variables_.push_back({std::move(name), kind, index, part, value, false, refusal});
  };
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    add("mass." + description.bodies[i].name, VariableKind::mass, i, {}, description.bodies[i].mass);
  }
  const auto add_springs = [&](const auto& springs, VariableKind kind) {
    for (std::size_t i = 0; i < springs.size(); ++i) {
      add("stiffness." + springs[i].name, kind, i, "stiffness", springs[i].stiffness);
      add("damping." + springs[i].name, kind, i, "damping", springs[i].damping);
      add("rest." + springs[i].name, kind, i, "rest", springs[i].rest);
    }
  };
  add_springs(description.joint_springs, VariableKind::joint_spring);
  add_springs(description.point_springs, VariableKind::point_spring);
  for (std::size_t i = 0; i < description.joint_loads.size(); ++i) {
    const auto* const constant = std::get_if<ConstantLaw>(&description.joint_loads[i].law);
    add("load." + description.joint_loads[i].name, VariableKind::joint_load, i, {},
        constant == nullptr ? 0.0 : constant->value, constant == nullptr ? kNoConstant : std::string_view{});
  }
}

const MemberVariable& MemberVariables::find(std::string_view name, const std::string& origin) const {
  const auto found = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const MemberVariable& variable) { return variable.name == name; });
  if (found == variables_.end()) {
    std::vector<std::string> names;
    std::transform(variables_.begin(), variables_.end(), std::back_inserter(names),
                   [](const MemberVariable& variable) { return variable.name; });
    throw std::invalid_argument(fmt::format("{}: mechanism '{}' has no initial value or parameter '{}'; {}", origin,
                                            base_.name(), name, suggest_name(name, names, "there are")));
  }
  if (!found->refusal.empty()) {
    throw std::invalid_argument(fmt::format("{}: '{}' of mechanism '{}' cannot differ among members: it {}", origin,
                                            name, base_.name(), found->refusal));
  }
  return *found;
}

std::string MemberVariables::joint_text(const MemberVariable& variable) const {
  return fmt::format("{}.{}", is_rate(variable) ? 'v' : 'q', base_.tree_joints()[joint_of(variable)].name);
}

Mechanism MemberVariables::with_catalogue(std::span<const VariableValue> values) const {
  const bool any = std::any_of(values.begin(), values.end(),
                               [](const VariableValue& value) { return value.first->kind == VariableKind::catalogue; });
  if (!any) {
    return base_;
  }
  std::string text;
  std::string changes;
  const Parameters given = parse_parameters(entry_->parameters, parameter_text_, entry_->key);
  for (const ParameterSpecification& parameter : entry_->parameters) {
    const auto changed = std::find_if(values.begin(), values.end(), [&](const VariableValue& value) {
      return value.first->kind == VariableKind::catalogue && value.first->name == parameter.name;
    });
    text += fmt::format("{}{}={}", text.empty() ? ':' : ',', parameter.name,
                        changed == values.end() ? text_of(given.values().find(parameter.name)->second)
                                                : fmt::format("{}", changed->second));
    if (changed != values.end()) {
      changes += fmt::format("{}{}={}", changes.empty() ? "" : ",", parameter.name, changed->second);
    }
  }
  Mechanism made =
      with_initial_values(make_mechanism(registries_.mechanisms, std::string(entry_->key) + text), assignments_)
          .mechanism;
  // Places of variables are those of the base.
  if (const std::string_view parts = different_parts(base_.description(), made.description()); !parts.empty()) {
    throw std::invalid_argument(
        fmt::format("with {} mechanism '{}' has other {} than '{}'; all members have the same bodies and joints",
                    changes, made.name(), parts, base_.name()));
  }
  return made;
}

Mechanism MemberVariables::changed(const MemberChange& change) const {
  Mechanism mechanism = with_catalogue(change.values);
  MechanismDescription description = mechanism.description();
  bool any = set_numbers(description, change);
  const auto start_of = [&, q = mechanism.q0(), u = mechanism.u0()](const VariableValue& value) {
    return change.deviations ? starts_[value.first->index].in(q, u) + value.second : value.second;
  };
  const auto set_start = [&](std::span<const VariableValue> values) {
    for (const VariableValue& value : values) {
      if (value.first->kind == VariableKind::start) {
        const StartValue& start = starts_[value.first->index];
        JointDescription& joint = description.joints[start.joint];
        (start.rate ? joint.v0 : joint.q0)[start.component] = start_of(value);
        any = true;
      }
    }
  };
  set_start(change.guesses);
  for (const JointTurn& turn : change.turns) {
    turn_by(description.joints[turn.joint].q0, turn.turn);
    any = true;
  }
  const bool closed = mechanism.constrained();
  if (!closed) {
    set_start(change.values);
  }
  if (any) {
    mechanism = Mechanism(std::move(description));
  }
  std::vector<std::string> held;
  for (const VariableValue& value : change.values) {
    if (closed && value.first->kind == VariableKind::start) {
      held.push_back(fmt::format("{}={}", value.first->name, start_of(value)));
    }
  }
  return with_initial_values(std::move(mechanism), held).mechanism;
}

std::vector<double> MemberVariables::resulting_values(std::span<const MemberVariable* const> parameters,
                                                      const MemberChange& change, const Mechanism* mechanism) const {
  std::optional<MechanismDescription> description;
  if (change.deviations && std::any_of(parameters.begin(), parameters.end(), [](const MemberVariable* parameter) {
        return is_number_of_description(*parameter);
      })) {
    try {
      // What does not exist as a whole, as with a mass below zero, has its numbers all the same.
      description = mechanism != nullptr ? mechanism->description() : with_catalogue(change.values).description();
      if (mechanism == nullptr) {
        set_numbers(*description, change);
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      description.reset();
    }
  }
  std::vector<double> values;
  for (const MemberVariable* const parameter : parameters) {
    const auto given = std::find_if(change.values.begin(), change.values.end(),
                                    [&](const VariableValue& value) { return value.first == parameter; });
    if (change.deviations && is_number_of_description(*parameter)) {
      values.push_back(description ? number_of(*description, *parameter) : std::numeric_limits<double>::quiet_NaN());
    } else {
      values.push_back(given->second);
    }
  }
  return values;
}

}  // namespace mbdbench
