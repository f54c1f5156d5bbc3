#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/loads/load_variables.hpp"
#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench {
namespace {

class LoadCheck {
 public:
  explicit LoadCheck(const Mechanism& mechanism) : mechanism_(mechanism), variables_(mechanism) {}

  void joint_load(const JointLoadDescription& load, std::size_t index) {
    const std::string who = fmt::format("joint load '{}'", load.name);
    const Joint& joint = find_joint(load.joint, {"joint_loads", index, "joint"}, who);
    check_component(load.component, joint, {"joint_loads", index, "component"}, who);
    check_law(load.law, variables_.in_joint(), &joint, {"joint_loads", index, "law"}, who);
  }

  void body_load(const BodyLoadDescription& load, std::size_t index) {
    const std::string who = fmt::format("body load '{}'", load.name);
    if (find_body(load.body, {"body_loads", index, "body"}, who) < 0) {
      throw ModelError({"body_loads", index, "body"},
                       fmt::format("{}: a load on the ground moves nothing; name a body", who));
    }
    check_finite(load.point, {"body_loads", index, "point"}, who);
    if (load.force.empty() && load.torque.empty()) {
      throw ModelError({"body_loads", index, "force"},
                       fmt::format("{}: give force, torque or both, three components each", who));
    }
    check_components(load.force, "force", index, who);
    check_components(load.torque, "torque", index, who);
  }

  void joint_spring(const JointSpringDescription& spring, std::size_t index) const {
    const std::string who = fmt::format("joint spring '{}'", spring.name);
    const Joint& joint = find_joint(spring.joint, {"joint_springs", index, "joint"}, who);
    check_scalar(joint, {"joint_springs", index, "joint"}, who, "a spring", "a joint load, a bushing or point springs");
    check_component(spring.component, joint, {"joint_springs", index, "component"}, who);
    check_coefficients(spring, "joint_springs", index, who);
    if (!std::isfinite(spring.rest)) {
      throw ModelError({"joint_springs", index, "rest"}, fmt::format("{}: rest = {} is not finite", who, spring.rest));
    }
  }

  void point_spring(const PointSpringDescription& spring, std::size_t index) const {
    const std::string who = fmt::format("point spring '{}'", spring.name);
    const int body1 = find_body(spring.body1, {"point_springs", index, "body1"}, who);
    const int body2 = find_body(spring.body2, {"point_springs", index, "body2"}, who);
    if (body1 == body2) {
      throw ModelError(
          {"point_springs", index, "body2"},
          fmt::format("{}: both ends are on '{}', where it does nothing; put one on another body", who, spring.body2));
    }
    check_finite(spring.point1, {"point_springs", index, "point1"}, who);
    check_finite(spring.point2, {"point_springs", index, "point2"}, who);
    check_coefficients(spring, "point_springs", index, who);
    if (!std::isfinite(spring.rest) || spring.rest < 0.0) {
      throw ModelError({"point_springs", index, "rest"},
                       fmt::format("{}: rest = {}, but a length is finite and not negative (m)", who, spring.rest));
    }
  }

  void bushing(const BushingDescription& bushing, std::size_t index) const {
    const std::string who = fmt::format("bushing '{}'", bushing.name);
    const int body1 = find_body(bushing.body1, {"bushings", index, "body1"}, who);
    const int body2 = find_body(bushing.body2, {"bushings", index, "body2"}, who);
    if (body1 == body2) {
      throw ModelError(
          {"bushings", index, "body2"},
          fmt::format("{}: both ends are on '{}', where it does nothing; put one on another body", who, bushing.body2));
    }
    for (const auto& [frame, key] : {std::pair(&bushing.frame1, "frame1"), {&bushing.frame2, "frame2"}}) {
      check_finite(frame->position, {"bushings", index, fmt::format("{}.position", key)}, who);
      if (!(std::abs(frame->rotation.norm() - 1.0) <= kUnitFrame)) {
        throw ModelError({"bushings", index, fmt::format("{}.rotation", key)},
                         fmt::format("{}: the quaternion {}.rotation has the length {:.15g}, it must be 1 (within "
                                     "{:g}); divide it by its length and give all digits",
                                     who, key, frame->rotation.norm(), kUnitFrame));
      }
    }
    for (const auto& [values, key] : {std::pair(&bushing.stiffness, "stiffness"),
                                      {&bushing.damping, "damping"},
                                      {&bushing.rotational_stiffness, "rotational_stiffness"},
                                      {&bushing.rotational_damping, "rotational_damping"}}) {
      for (const double value : *values) {
        check_not_negative(value, {"bushings", index, key}, who);
      }
    }
  }

  void joint_friction(const JointFrictionDescription& friction, std::size_t index) const {
    const std::string who = fmt::format("joint friction '{}'", friction.name);
    const Joint& joint = find_joint(friction.joint, {"joint_frictions", index, "joint"}, who);
    check_component(friction.component, joint, {"joint_frictions", index, "component"}, who);
    for (const auto& [value, key] : {std::pair(friction.kinetic, "kinetic"),
                                     {friction.breakaway, "breakaway"},
                                     {friction.stribeck_velocity, "stribeck_velocity"},
                                     {friction.viscous, "viscous"}}) {
      check_not_negative(value, {"joint_frictions", index, key}, who);
    }
    if (friction.breakaway < friction.kinetic) {
      throw ModelError({"joint_frictions", index, "breakaway"},
                       fmt::format("{}: breakaway = {} is less than kinetic = {}; friction at rest is the larger one",
                                   who, friction.breakaway, friction.kinetic));
    }
    if (friction.breakaway > friction.kinetic && friction.stribeck_velocity == 0.0) {
      throw ModelError({"joint_frictions", index, "stribeck_velocity"},
                       fmt::format("{}: breakaway is larger than kinetic, so give the stribeck_velocity within which "
                                   "friction falls from one to the other",
                                   who));
    }
    if (!(friction.regularisation_velocity > 0.0 && std::isfinite(friction.regularisation_velocity))) {
      throw ModelError({"joint_frictions", index, "regularisation_velocity"},
                       fmt::format("{}: regularisation_velocity = {}, it must be positive; below it the joint creeps "
                                   "where it would stick, and the smaller it is the stiffer are the equations",
                                   who, friction.regularisation_velocity));
    }
  }

  void joint_stop(const JointStopDescription& stop, std::size_t index) const {
    const std::string who = fmt::format("joint stop '{}'", stop.name);
    const Joint& joint = find_joint(stop.joint, {"joint_stops", index, "joint"}, who);
    check_scalar(joint, {"joint_stops", index, "joint"}, who, "a stop", "a joint load");
    check_component(stop.component, joint, {"joint_stops", index, "component"}, who);
    check_not_negative(stop.stiffness, {"joint_stops", index, "stiffness"}, who);
    check_not_negative(stop.damping, {"joint_stops", index, "damping"}, who);
    if (!stop.lower && !stop.upper) {
      throw ModelError({"joint_stops", index, "lower"}, fmt::format("{}: give lower, upper or both", who));
    }
    for (const auto& [bound, key] : {std::pair(stop.lower, "lower"), {stop.upper, "upper"}}) {
      if (bound && !std::isfinite(*bound)) {
        throw ModelError({"joint_stops", index, key},
                         fmt::format("{}: {} = {} is not finite; leave it out", who, key, *bound));
      }
    }
    if (stop.lower && stop.upper && *stop.lower > *stop.upper) {
      throw ModelError({"joint_stops", index, "upper"},
                       fmt::format("{}: lower = {} is above upper = {}; swap them", who, *stop.lower, *stop.upper));
    }
  }

 private:
  // Rounding of a normalised quaternion; anything larger comes from digits that were not typed.
  static constexpr double kUnitFrame = 1e-12;

  static void check_scalar(const Joint& joint, const ElementReference& where, const std::string& who, const char* what,
                           const char* instead) {
    if (!has_coordinate_rates(joint.type)) {
      throw ModelError(where,
                       fmt::format("{}: the coordinates of the {} joint '{}' are a quaternion, {} needs an angle "
                                   "or a displacement; use {}",
                                   who, to_string(joint.type), joint.name, what, instead));
    }
  }

  static void check_not_negative(double value, const ElementReference& where, const std::string& who) {
    if (!std::isfinite(value) || value < 0.0) {
      throw ModelError(where, fmt::format("{}: {} = {}, it must be finite and not negative", who, where.key, value));
    }
  }

  [[nodiscard]] const Joint& find_joint(const std::string& name, const ElementReference& where,
                                        const std::string& who) const {
    const auto found = mechanism_.find_joint(name);
    if (!found) {
      std::vector<std::string> known;
      for (const JointDescription& joint : mechanism_.description().joints) {
        known.push_back(joint.name);
      }
      throw ModelError(where,
                       fmt::format("{}: '{}' is not a joint; {}", who, name, suggest_name(name, known, "joints")));
    }
    return mechanism_.joint(*found);
  }

  [[nodiscard]] int find_body(const std::string& name, const ElementReference& where, const std::string& who) const {
    const auto found = mechanism_.find_body(name);
    if (!found) {
      std::vector<std::string> known;
      for (const Body& body : mechanism_.bodies()) {
        known.push_back(body.name);
      }
      throw ModelError(where,
                       fmt::format("{}: '{}' is not a body; {}", who, name, suggest_name(name, known, "bodies")));
    }
    return *found;
  }

  static void check_component(int component, const Joint& joint, const ElementReference& where,
                              const std::string& who) {
    if (component < 0 || component >= joint.nu) {
      throw ModelError(where, fmt::format("{}: component {} (counted from 1), but the {} joint '{}' has {}", who,
                                          component + 1LL, to_string(joint.type), joint.name, joint.nu));
    }
  }

  static void check_finite(const Vec3& point, const ElementReference& where, const std::string& who) {
    if (!point.allFinite()) {
      throw ModelError(where, fmt::format("{}: {} holds a number that is not finite", who, where.key));
    }
  }

  template <typename Spring>
  static void check_coefficients(const Spring& spring, const char* section, std::size_t index, const std::string& who) {
    check_not_negative(spring.stiffness, {section, index, "stiffness"}, who);
    check_not_negative(spring.damping, {section, index, "damping"}, who);
  }

  void check_components(const std::vector<Law>& laws, const char* key, std::size_t index, const std::string& who) {
    if (!laws.empty() && laws.size() != 3) {
      throw ModelError(
          {"body_loads", index, key},
          fmt::format("{}: {} has {} components, it must have three or be left out", who, key, laws.size()));
    }
    for (std::size_t i = 0; i < laws.size(); ++i) {
      check_law(laws[i], variables_.global(), nullptr, {"body_loads", index, fmt::format("{}[{}]", key, i)}, who);
    }
  }

  /// \param joint the joint that is loaded, none for loads on bodies
  static void check_law(const Law& law, LoadVariables::Scope scope, const Joint* joint, const ElementReference& where,
                        const std::string& who) {
    const std::string what = fmt::format("{}: {}", who, where.key);
    if (const auto* constant = std::get_if<ConstantLaw>(&law)) {
      if (!std::isfinite(constant->value)) {
        throw ModelError(where, fmt::format("{} = {} is not finite", what, constant->value));
      }
    } else if (const auto* table = std::get_if<TableLaw>(&law)) {
      check_table(*table, joint, where, what);
    } else {
      check_formula(std::get<ExpressionLaw>(law), scope, joint, where, what);
    }
  }

  static void check_table(const TableLaw& table, const Joint* joint, const ElementReference& where,
                          const std::string& what) {
    const bool own = table.over == "q" || table.over == "v";
    if (table.over != "t" && !(own && joint != nullptr)) {
      throw ModelError(where, fmt::format("{}: a table over \"{}\"; {}", what, table.over,
                                          joint != nullptr ? "it goes over \"t\", \"q\" or \"v\""
                                                           : "for a body it goes over \"t\""));
    }
    if (table.over == "q") {
      check_has_coordinate(*joint, where, what);
    }
    if (table.abscissa.size() != table.values.size() || table.abscissa.size() < 2) {
      throw ModelError(
          where,
          fmt::format("{}: the table has {} abscissas (x) and {} values (y); it needs equally many, at least two", what,
                      table.abscissa.size(), table.values.size()));
    }
    for (std::size_t i = 0; i < table.abscissa.size(); ++i) {
      if (!std::isfinite(table.abscissa[i]) || !std::isfinite(table.values[i])) {
        throw ModelError(where, fmt::format("{}: point {} of the table is not finite", what, i + 1));
      }
      if (i > 0 && table.abscissa[i] <= table.abscissa[i - 1]) {
        throw ModelError(where, fmt::format("{}: abscissas (x) must increase strictly, but number {} is {} after {}",
                                            what, i + 1, table.abscissa[i], table.abscissa[i - 1]));
      }
    }
  }

  static void check_formula(const ExpressionLaw& law, LoadVariables::Scope& scope, const Joint* joint,
                            const ElementReference& where, const std::string& what) {
    try {
      const Expression formula(law.text, scope);
      const std::vector<std::string> used = formula.used_variables();
      if (joint != nullptr && std::find(used.begin(), used.end(), "q") != used.end()) {
        check_has_coordinate(*joint, where, what);
      }
    } catch (const ExpressionError& error) {
      throw ModelError(where, fmt::format("{}: {}", what, error.what()));
    }
  }

  static void check_has_coordinate(const Joint& joint, const ElementReference& where, const std::string& what) {
    if (!has_coordinate_rates(joint.type)) {
      throw ModelError(
          where,
          fmt::format("{} uses q, but the coordinates of the {} joint '{}' are a quaternion; use q_{}, q_{}_2, ... "
                      "or v",
                      what, to_string(joint.type), joint.name, joint.name, joint.name));
    }
  }

  const Mechanism& mechanism_;
  LoadVariables variables_;
};

}  // namespace

void validate_loads(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  LoadCheck check(mechanism);
  for (std::size_t i = 0; i < description.joint_loads.size(); ++i) {
    check.joint_load(description.joint_loads[i], i);
  }
  for (std::size_t i = 0; i < description.body_loads.size(); ++i) {
    check.body_load(description.body_loads[i], i);
  }
  for (std::size_t i = 0; i < description.joint_springs.size(); ++i) {
    check.joint_spring(description.joint_springs[i], i);
  }
  for (std::size_t i = 0; i < description.point_springs.size(); ++i) {
    check.point_spring(description.point_springs[i], i);
  }
  for (std::size_t i = 0; i < description.bushings.size(); ++i) {
    check.bushing(description.bushings[i], i);
  }
  for (std::size_t i = 0; i < description.joint_frictions.size(); ++i) {
    check.joint_friction(description.joint_frictions[i], i);
  }
  for (std::size_t i = 0; i < description.joint_stops.size(); ++i) {
    check.joint_stop(description.joint_stops[i], i);
  }
}

}  // namespace mbdbench
