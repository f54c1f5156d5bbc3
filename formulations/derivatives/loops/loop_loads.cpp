#include "formulations/derivatives/loops/loop_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formulations/derivatives/loops/load_slopes.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"
#include "mechanisms/model/loads/joint_resistance.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

using Source = LoadVariables::Source;

kernels::LinkVector<double> link_vector_of(const Vec3& r) {
  return {r.x(), r.y(), r.z()};
}

bool is_own(const std::string& name) {
  return name == "q" || name == "v";
}

/// \returns whether a coordinate is one of a quaternion.
bool is_of_quaternion(const Mechanism& mechanism, const LoadVariables::Variable& variable) {
  const auto joints = mechanism.tree_joints();
  return variable.source == Source::joint_position &&
         std::any_of(joints.begin(), joints.end(), [&](const Joint& joint) {
           return has_quaternion(joint.type) && variable.index >= joint.q_offset &&
                  variable.index < joint.q_offset + joint.nq;
         });
}

/// \returns the quasi-velocity that is the rate of a scalar coordinate.
int rate_of_coordinate(const Mechanism& mechanism, int q) {
  const auto joints = mechanism.tree_joints();
  const auto joint = std::find_if(joints.begin(), joints.end(), [q](const Joint& candidate) {
    return q >= candidate.q_offset && q < candidate.q_offset + candidate.nq;
  });
  return joint->u_offset + q - joint->q_offset;
}

/// \returns what a formula has that cannot be differentiated; empty: nothing.
std::string obstacle_in(const Mechanism& mechanism, LoadVariables& variables, const Law& law, bool in_joint) {
  const auto* formula = std::get_if<ExpressionLaw>(&law);
  if (formula == nullptr) {
    return {};
  }
  LoadVariables::Scope scope = in_joint ? variables.in_joint() : variables.global();
  for (const std::string& name : Expression(formula->text, scope).used_variables()) {
    if (!is_own(name) && is_of_quaternion(mechanism, *variables.resolve(name))) {
      return fmt::format("its formula has '{}', a coordinate of a quaternion", name);
    }
    try {
      static_cast<void>(derivative_of(formula->text, name));
    } catch (const ExpressionError& error) {
      return error.what();
    }
  }
  return {};
}

std::string obstacle_of_load(const std::string& name, const std::string& why) {
  return "there are no exact derivatives of load '" + name + "': " + why;
}

}  // namespace

std::string LoopLoads::obstacle(const Mechanism& mechanism) {
  const MechanismDescription& description = mechanism.description();
  const auto cut = [&](const auto& loads, const char* kind) -> std::string {
    for (const auto& load : loads) {
      if (mechanism.find_joint(load.joint)->cut) {
        return fmt::format("there are no exact derivatives of loads in cut joints, such as {} '{}'", kind, load.name);
      }
    }
    return {};
  };
  for (const std::string& found :
       {cut(description.joint_springs, "spring"), cut(description.joint_loads, "load"),
        cut(description.joint_frictions, "friction"), cut(description.joint_stops, "stop")}) {
    if (!found.empty()) {
      return found;
    }
  }
  LoadVariables variables(mechanism);
  for (const JointLoadDescription& load : description.joint_loads) {
    if (const std::string why = obstacle_in(mechanism, variables, load.law, true); !why.empty()) {
      return obstacle_of_load(load.name, why);
    }
  }
  for (const BodyLoadDescription& load : description.body_loads) {
    for (const auto* laws : {&load.force, &load.torque}) {
      for (const Law& law : *laws) {
        if (const std::string why = obstacle_in(mechanism, variables, law, false); !why.empty()) {
          return obstacle_of_load(load.name, why);
        }
      }
    }
  }
  return {};
}

LoopLoads::LoopLoads(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      evaluator_(mechanism, nullptr),
      variables_(mechanism),
      wrenches_(mechanism.bodies().size()),
      stiffness_(mechanism.u_size()),
      damping_(mechanism.u_size()) {
  const MechanismDescription& description = mechanism.description();
  for (const JointLoadDescription& load : description.joint_loads) {
    add_formula(load.law, &mechanism.joint(*mechanism.find_joint(load.joint)), load.component);
  }
  for (const BodyLoadDescription& load : description.body_loads) {
    add_body_load(load);
  }
  for (const PointSpringDescription& spring : description.point_springs) {
    point_springs_.push_back({&spring, *mechanism.find_body(spring.body1), *mechanism.find_body(spring.body2)});
    loads_.push_back({point_springs_.back().first, point_springs_.back().second, {}});
  }
  for (const BushingDescription& bushing : description.bushings) {
    bushings_.push_back({&bushing, Bushing(mechanism, bushing)});
    loads_.push_back({bushings_.back().bushing.body1(), bushings_.back().bushing.body2(), {}});
  }
}

void LoopLoads::add_body_load(const BodyLoadDescription& description) {
  BodyLoad load{&description, *mechanism_->find_body(description.body), {}, {}};
  LoadVariables::Scope scope = variables_.global();
  const auto add = [&](const std::vector<Law>& laws, std::vector<Number>& numbers) {
    for (const Law& law : laws) {
      Number number;
      number.law = &law;
      if (const auto* formula = std::get_if<ExpressionLaw>(&law)) {
        number.formula.emplace(formula->text, scope);
      }
      number.own_law = add_formula(law, nullptr, 0);
      if (number.own_law) {
        laws_[*number.own_law].body = load.body;
      }
      numbers.push_back(std::move(number));
    }
  };
  add(description.force, load.force);
  add(description.torque, load.torque);
  loads_.push_back({-1, load.body, {}});
  body_loads_.push_back(std::move(load));
}

std::optional<std::size_t> LoopLoads::add_formula(const Law& law, const Joint* joint, int component) {
  const auto* text = std::get_if<ExpressionLaw>(&law);
  if (text == nullptr) {
    return {};
  }
  LoadVariables::Scope scope = joint != nullptr ? variables_.in_joint() : variables_.global();
  std::vector<ExpressionVariable> known;
  for (const std::string& name : Expression(text->text, scope).used_variables()) {
    known.push_back({name, scope.find(name)});
  }
  Formula formula{joint, component, laws_.size(), {}};
  linear::LoopLaw own;
  own.axis = joint != nullptr ? joint->u_offset + component : -1;
  own.first_argument = static_cast<int>(arguments_.size());
  for (const ExpressionVariable& variable : known) {
    const std::string slope = derivative_of(text->text, variable.name);
    Partial partial{Expression(slope, known), is_own(variable.name), {}, 0};
    if (partial.own) {
      partial.variable.source = variable.name == "q" ? Source::joint_position : Source::joint_velocity;
    } else {
      partial.variable = *variables_.resolve(variable.name);
    }
    const bool turns_with_it = !partial.own || variable.name == "v" || has_coordinate_rates(joint->type);
    if (slope == "0" || partial.variable.source == Source::time || !turns_with_it) {
      continue;
    }
    if (!partial.own) {
      partial.argument = arguments_.size();
      arguments_.emplace_back();
      ++own.argument_count;
    }
    formula.partials.push_back(std::move(partial));
  }
  if (formula.partials.empty()) {
    return {};
  }
  laws_.push_back(own);
  formulas_.push_back(std::move(formula));
  return formulas_.back().law;
}

double LoopLoads::Number::value(double t) const {
  if (formula) {
    return (*formula)();
  }
  const auto* table = std::get_if<TableLaw>(law);
  return table != nullptr ? value_at(*table, t) : std::get<ConstantLaw>(*law).value;
}

void LoopLoads::show(linear::ClosedData& data) const {
  data.load_count = static_cast<int>(loads_.size());
  data.law_count = static_cast<int>(laws_.size());
  data.loads = loads_.data();
  data.laws = laws_.data();
  data.arguments = arguments_.data();
}

void LoopLoads::set(double t, std::span<const double> q, std::span<const double> u, Kinematics& kinematics,
                    const Vec3& center) {
  kinematics.set_velocities(u);
  evaluator_.evaluate(t, q, u, kinematics);
  for (std::size_t k = 0; k < wrenches_.size(); ++k) {
    const Vec6& given = evaluator_.body_wrench(static_cast<int>(k));
    const Vec3 force = given.head<3>() - mechanism_->bodies()[k].mass * mechanism_->gravity();
    const Vec3 lever = kinematics.body(static_cast<int>(k)).com - center;
    wrenches_[k] = {link_vector_of(force), link_vector_of(given.tail<3>() + lever.cross(force))};
  }
  variables_.set_global(t, q, u, &kinematics);
  set_joints(q, u);
  set_formulas(q, u, kinematics, center);
  std::size_t at = 0;
  const auto next = [&] { return Eigen::Map<Slopes>(&loads_[at++].slopes[0][0]); };
  for (const BodyLoad& load : body_loads_) {
    set_body_load(load, t, kinematics, center, next());
  }
  for (const PointSpring& spring : point_springs_) {
    next() = point_spring_slopes(*spring.description, {spring.first, spring.second}, kinematics, center);
  }
  for (const TwistedSpring& spring : bushings_) {
    next() = bushing_slopes(*spring.description, spring.bushing, kinematics, center);
  }
}

void LoopLoads::set_joints(std::span<const double> q, std::span<const double> u) {
  stiffness_.setZero();
  damping_.setZero();
  const MechanismDescription& description = mechanism_->description();
  struct Place {
    int u;
    double own_q;
    double own_v;
  };
  const auto place_in = [&](const std::string& name, int component) {
    const Joint& joint = mechanism_->joint(*mechanism_->find_joint(name));
    const int along = joint.u_offset + component;
    const bool scalar = has_coordinate_rates(joint.type);
    return Place{along, scalar ? q[index_of(joint.q_offset + component)] : 0.0, u[index_of(along)]};
  };
  for (const JointLoadDescription& load : description.joint_loads) {
    const auto* table = std::get_if<TableLaw>(&load.law);
    if (table == nullptr || table->over == "t") {
      continue;
    }
    const Place place = place_in(load.joint, load.component);
    const bool over_q = table->over == "q";
    (over_q ? stiffness_ : damping_)[place.u] -= slope_at(*table, over_q ? place.own_q : place.own_v);
  }
  for (const JointSpringDescription& spring : description.joint_springs) {
    const Place place = place_in(spring.joint, spring.component);
    stiffness_[place.u] += spring.stiffness;
    damping_[place.u] += spring.damping;
  }
  for (const JointFrictionDescription& friction : description.joint_frictions) {
    const Place place = place_in(friction.joint, friction.component);
    damping_[place.u] -= friction_slope(friction, place.own_v);
  }
  for (const JointStopDescription& stop : description.joint_stops) {
    const Place place = place_in(stop.joint, stop.component);
    const auto [by_q, by_v] = stop_slopes(stop, place.own_q, place.own_v);
    stiffness_[place.u] -= by_q;
    damping_[place.u] -= by_v;
  }
}

void LoopLoads::set_formulas(std::span<const double> q, std::span<const double> u, const Kinematics& kinematics,
                             const Vec3& center) {
  for (const Formula& formula : formulas_) {
    if (formula.joint != nullptr) {
      variables_.set_own(*formula.joint, formula.component, q, u);
    }
    for (const Partial& partial : formula.partials) {
      const double slope = partial.slope();
      const bool of_position =
          partial.variable.source == Source::joint_position || partial.variable.source == Source::marker_position;
      if (partial.own) {
        (of_position ? stiffness_ : damping_)[formula.joint->u_offset + formula.component] -= slope;
        continue;
      }
      linear::LoopArgument& argument = arguments_[partial.argument];
      switch (partial.variable.source) {
        case Source::time:
          break;
        case Source::joint_position:
          argument.axis = rate_of_coordinate(*mechanism_, partial.variable.index);
          argument.by_turn = slope;
          break;
        case Source::joint_velocity:
          argument.axis = partial.variable.index;
          argument.by_push = slope;
          break;
        case Source::marker_position:
        case Source::marker_velocity: {
          const Marker& marker = mechanism_->markers()[index_of(partial.variable.index)];
          const Vec3 place = kinematics.world_point(marker.body, marker.point) - center;
          const Vec3 weight = slope * Vec3::Unit(partial.variable.axis);
          // weight . (d + alpha x P), and of velocities weight . (dV + dOmega x P + Omega x (d + alpha x P))
          const auto moves = [&](const Vec3& along) {
            return Screw<double>{link_vector_of(along), link_vector_of(place.cross(along))};
          };
          argument.body = marker.body;
          argument.by_displacement =
              of_position ? moves(weight) : moves(weight.cross(kinematics.body(marker.body).velocity.tail<3>()));
          argument.by_velocity = of_position ? Screw<double>{} : moves(weight);
          break;
        }
      }
    }
  }
}

void LoopLoads::set_body_load(const BodyLoad& load, double t, const Kinematics& kinematics, const Vec3& center,
                              Eigen::Map<Slopes> slopes) {
  const BodyLoadDescription& description = *load.description;
  const Mat3 axes = description.in_body_axes ? kinematics.body(load.body).rotation : Mat3::Identity();
  const Vec3 place = kinematics.world_point(load.body, description.point) - center;
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  for (std::size_t i = 0; i < load.force.size(); ++i) {
    const Vec3 along = axes.col(static_cast<int>(i));
    force += load.force[i].value(t) * along;
    if (load.force[i].own_law) {
      laws_[*load.force[i].own_law].wrench = {link_vector_of(along), link_vector_of(place.cross(along))};
    }
  }
  for (std::size_t i = 0; i < load.torque.size(); ++i) {
    const Vec3 along = axes.col(static_cast<int>(i));
    torque += load.torque[i].value(t) * along;
    if (load.torque[i].own_law) {
      laws_[*load.torque[i].own_law].wrench = {{0.0, 0.0, 0.0}, link_vector_of(along)};
    }
  }
  slopes = held_wrench_slopes(place, force, torque, description.in_body_axes);
}

}  // namespace mbdbench
