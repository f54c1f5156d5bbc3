#include "formulations/derivatives/loops/loads/loop_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "formulations/derivatives/loops/link_vectors.hpp"
#include "formulations/derivatives/loops/slopes/turned_coordinates.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/formula_derivative.hpp"
#include "mechanisms/model/loads/joint_resistance.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

using Source = LoadVariables::Source;

bool is_own(const std::string& name) {
  return name == "q" || name == "v";
}

// Components of a quaternion, after which the displacements of a free joint stand, and of the turn that it is.
constexpr int kQuaternion = 4;
constexpr int kTurn = 3;

/// \returns the joint whose quaternion has the coordinate as a component; nullptr: it is another coordinate.
const Joint* joint_of_quaternion(const Mechanism& mechanism, const LoadVariables::Variable& variable) {
  const auto joints = mechanism.tree_joints();
  const auto joint = std::find_if(joints.begin(), joints.end(), [&](const Joint& candidate) {
    return variable.quaternion >= 0 && candidate.q_offset == variable.quaternion && has_quaternion(candidate.type);
  });
  return joint == joints.end() ? nullptr : &*joint;
}

/// \returns what a formula has that cannot be differentiated; empty: nothing.
std::string obstacle_in(LoadVariables& variables, const Law& law, bool in_joint) {
  const auto* formula = std::get_if<ExpressionLaw>(&law);
  if (formula == nullptr) {
    return {};
  }
  LoadVariables::Scope scope = in_joint ? variables.in_joint() : variables.global();
  for (const std::string& name : Expression(formula->text, scope).used_variables()) {
    try {
      static_cast<void>(Expression(derivative_of(formula->text, name), scope));  // it may be too long to be read
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
  LoadVariables variables(mechanism);
  for (const JointLoadDescription& load : description.joint_loads) {
    if (const std::string why = obstacle_in(variables, load.law, true); !why.empty()) {
      return obstacle_of_load(load.name, why);
    }
  }
  for (const BodyLoadDescription& load : description.body_loads) {
    for (const auto* laws : {&load.force, &load.torque}) {
      for (const Law& law : *laws) {
        if (const std::string why = obstacle_in(variables, law, false); !why.empty()) {
          return obstacle_of_load(load.name, why);
        }
      }
    }
  }
  return {};
}

LoopLoads::LoopLoads(const Mechanism& mechanism, const CutReferences* near)
    : mechanism_(&mechanism),
      near_(near),
      evaluator_(mechanism, near),
      variables_(mechanism),
      wrenches_(mechanism.bodies().size()),
      stiffness_(mechanism.u_size()),
      damping_(mechanism.u_size()) {
  const MechanismDescription& description = mechanism.description();
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
  const auto add = [this](Resistance kind, const auto& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      add_own_law(kind, i, all[i].joint, all[i].component);
    }
  };
  for (std::size_t i = 0; i < description.joint_loads.size(); ++i) {
    const JointLoadDescription& load = description.joint_loads[i];
    OwnLaw& own = add_own_law(Resistance::load, i, load.joint, load.component);
    linear::LoopLaw target;
    if (own.cut_force) {
      target.body = own.joint->b;
      target.opposite = own.joint->a;
    } else {
      target.axis = own.joint->u_offset + load.component;
    }
    own.number = bound(load.law, own.joint, target);
  }
  add(Resistance::spring, description.joint_springs);
  add(Resistance::friction, description.joint_frictions);
  add(Resistance::stop, description.joint_stops);
}

LoopLoads::OwnLaw& LoopLoads::add_own_law(Resistance kind, std::size_t index, const std::string& joint, int component) {
  const JointReference reference = *mechanism_->find_joint(joint);
  OwnLaw law;
  law.kind = kind;
  law.index = index;
  law.joint = &mechanism_->joint(reference);
  law.component = component;
  if (reference.cut) {
    const auto known = std::find_if(cut_forces_.begin(), cut_forces_.end(), [&](const CutForce& force) {
      return force.cut == reference.index && force.component == component;
    });
    law.cut_force = static_cast<std::size_t>(known - cut_forces_.begin());
    if (known == cut_forces_.end()) {
      cut_forces_.push_back({reference.index, component, loads_.size()});
      loads_.push_back({law.joint->a, law.joint->b, {}});
    }
  }
  own_laws_.push_back(std::move(law));
  return own_laws_.back();
}

void LoopLoads::add_body_load(const BodyLoadDescription& description) {
  BodyLoad load{&description, *mechanism_->find_body(description.body), {}, {}};
  linear::LoopLaw target;
  target.body = load.body;
  for (const Law& law : description.force) {
    load.force.push_back(bound(law, nullptr, target));
  }
  for (const Law& law : description.torque) {
    load.torque.push_back(bound(law, nullptr, target));
  }
  loads_.push_back({-1, load.body, {}});
  body_loads_.push_back(std::move(load));
}

LoopLoads::Number LoopLoads::bound(const Law& law, const Joint* joint, const linear::LoopLaw& target) {
  Number number;
  number.law = &law;
  if (const auto* formula = std::get_if<ExpressionLaw>(&law)) {
    LoadVariables::Scope scope = joint != nullptr ? variables_.in_joint() : variables_.global();
    number.formula.emplace(formula->text, scope);
    number.own_formula = add_formula(formula->text, joint, target);
  }
  return number;
}

std::optional<std::size_t> LoopLoads::add_formula(const std::string& text, const Joint* joint,
                                                  const linear::LoopLaw& target) {
  LoadVariables::Scope scope = joint != nullptr ? variables_.in_joint() : variables_.global();
  std::vector<ExpressionVariable> known;
  for (const std::string& name : Expression(text, scope).used_variables()) {
    known.push_back({name, scope.find(name)});
  }
  Formula formula{laws_.size(), {}};
  linear::LoopLaw own = target;
  own.first_argument = static_cast<int>(arguments_.size());
  for (const ExpressionVariable& variable : known) {
    const std::string slope = derivative_of(text, variable.name);
    Partial partial{Expression(slope, known), joint != nullptr && is_own(variable.name), {}, 0};
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
      partial.turning = joint_of_quaternion(*mechanism_, partial.variable);
      const int count = partial.turning != nullptr ? kTurn : 1;
      partial.argument = arguments_.size();
      arguments_.resize(arguments_.size() + index_of(count));
      own.argument_count += count;
    }
    formula.partials.push_back(std::move(partial));
  }
  if (formula.partials.empty()) {
    return {};
  }
  laws_.push_back(own);
  formulas_.push_back(std::move(formula));
  return formulas_.size() - 1;
}

double LoopLoads::value_of(const Number& number, double t, double own_q, double own_v) {
  if (number.formula) {
    return (*number.formula)();
  }
  const auto* table = std::get_if<TableLaw>(number.law);
  return table == nullptr ? std::get<ConstantLaw>(*number.law).value
                          : value_at(*table, table->over == "q"   ? own_q
                                             : table->over == "v" ? own_v
                                                                  : t);
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
  q_ = q;
  set_joints(t, q, u, kinematics, center);
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

LoopLoads::OwnForce LoopLoads::force_of(const OwnLaw& law, double t, double own_q, double own_v) const {
  const MechanismDescription& description = mechanism_->description();
  switch (law.kind) {
    case Resistance::spring: {
      const JointSpringDescription& spring = description.joint_springs[law.index];
      return {-spring.stiffness * (own_q - spring.rest) - spring.damping * own_v, -spring.stiffness, -spring.damping};
    }
    case Resistance::friction: {
      const JointFrictionDescription& friction = description.joint_frictions[law.index];
      return {friction_force(friction, own_v), 0.0, friction_slope(friction, own_v)};
    }
    case Resistance::stop: {
      const JointStopDescription& stop = description.joint_stops[law.index];
      const auto [by_q, by_v] = stop_slopes(stop, own_q, own_v);
      return {stop_force(stop, own_q, own_v), by_q, by_v};
    }
    case Resistance::load:
      break;
  }
  OwnForce force{value_of(law.number, t, own_q, own_v), 0.0, 0.0};
  const auto* table = std::get_if<TableLaw>(law.number.law);
  if (table != nullptr && table->over == "q") {
    force.by_q = slope_at(*table, own_q);
  } else if (table != nullptr && table->over == "v") {
    force.by_v = slope_at(*table, own_v);
  }
  return force;
}

void LoopLoads::set_joints(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics,
                           const Vec3& center) {
  stiffness_.setZero();
  damping_.setZero();
  for (CutForce& force : cut_forces_) {
    force.now = cut_component(force.cut, force.component, kinematics, *near_, center);
    force.value = force.by_q = force.by_v = 0.0;
  }
  for (const OwnLaw& law : own_laws_) {
    const Joint& joint = *law.joint;
    double own_q = 0.0;
    double own_v = 0.0;
    if (law.cut_force) {
      const CutForce& force = cut_forces_[*law.cut_force];
      own_q = force.now.q;
      own_v = force.now.v;
      variables_.set_own_of_cut(joint, law.component, kinematics, kinematics.cut_joint(force.cut),
                                near_->of(force.cut));
    } else {
      std::tie(own_q, own_v) = variables_.set_own(joint, law.component, q, u);
    }
    OwnForce own = force_of(law, t, own_q, own_v);
    if (law.number.own_formula) {
      const Formula& formula = formulas_[*law.number.own_formula];
      const OwnForce slopes = set_formula(formula, kinematics, center);
      own.by_q += slopes.by_q;
      own.by_v += slopes.by_v;
      if (law.cut_force) {
        const Vec6& wrench = cut_forces_[*law.cut_force].now.wrench;
        laws_[formula.law].wrench = {link_vector_of(wrench.head<3>()), link_vector_of(wrench.tail<3>())};
      }
    }
    if (law.cut_force) {
      CutForce& force = cut_forces_[*law.cut_force];
      force.value += own.value;
      force.by_q += own.by_q;
      force.by_v += own.by_v;
    } else {
      stiffness_[joint.u_offset + law.component] -= own.by_q;
      damping_[joint.u_offset + law.component] -= own.by_v;
    }
  }
  for (const CutForce& force : cut_forces_) {
    Eigen::Map<Slopes>(&loads_[force.load].slopes[0][0]) =
        force.value * force.now.wrench_slopes +
        force.now.wrench * (force.by_q * force.now.q_slopes + force.by_v * force.now.v_slopes);
  }
}

LoopLoads::OwnForce LoopLoads::set_formula(const Formula& formula, const Kinematics& kinematics, const Vec3& center) {
  OwnForce own;
  for (const Partial& partial : formula.partials) {
    const double slope = partial.slope();
    const bool of_position =
        partial.variable.source == Source::joint_position || partial.variable.source == Source::marker_position;
    if (partial.own) {
      (of_position ? own.by_q : own.by_v) += slope;
      continue;
    }
    if (partial.turning != nullptr) {
      set_turns(partial, slope);
      continue;
    }
    linear::LoopArgument& argument = arguments_[partial.argument];
    if (partial.variable.source == Source::joint_position) {
      argument.axis = rate_of_coordinate(*mechanism_, partial.variable.index);
      argument.by_turn = slope;
    } else if (partial.variable.source == Source::joint_velocity) {
      argument.axis = partial.variable.index;
      argument.by_push = slope;
    } else {
      const Marker& marker = mechanism_->markers()[index_of(partial.variable.index)];
      const Vec3 place = kinematics.world_point(marker.body, marker.point) - center;
      const Vec3 weight = slope * Vec3::Unit(partial.variable.axis);
      // weight . (d + alpha x P), and of velocities weight . (dV + dOmega x P + Omega x (d + alpha x P))
      const auto moves = [&](const Vec3& along) {
        return Screw<double>{link_vector_of(along), link_vector_of(place.cross(along))};
      };
      argument.body = marker.body;
      argument.by_displacement =
          moves(of_position ? weight : Vec3(weight.cross(kinematics.body(marker.body).velocity.tail<3>())));
      argument.by_velocity = of_position ? Screw<double>{} : moves(weight);
    }
  }
  return own;
}

void LoopLoads::set_turns(const Partial& partial, double slope) {
  const Joint& joint = *partial.turning;
  const std::span<const double> q = q_.subspan(index_of(joint.q_offset), index_of(joint.nq));
  const double length = std::sqrt(std::inner_product(q.begin(), q.begin() + kQuaternion, q.begin(), 0.0));
  std::array<double, 7> rates{};
  for (int k = 0; k < kTurn; ++k) {
    std::array<double, 6> turn{};
    turn[index_of(k)] = 1.0;
    coordinate_rates(joint, q, std::span(turn).first(index_of(joint.nu)), std::span(rates).first(q.size()));
    linear::LoopArgument& argument = arguments_[partial.argument + index_of(k)];
    argument.axis = joint.u_offset + k;
    argument.by_turn = slope * rates[index_of(partial.variable.index - joint.q_offset)] / length;
  }
}

void LoopLoads::set_wrench(const Number& number, const Vec3& force, const Vec3& torque, const Kinematics& kinematics,
                           const Vec3& center) {
  if (number.own_formula) {
    const Formula& formula = formulas_[*number.own_formula];
    set_formula(formula, kinematics, center);
    laws_[formula.law].wrench = {link_vector_of(force), link_vector_of(torque)};
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
    force += value_of(load.force[i], t, 0.0, 0.0) * along;
    set_wrench(load.force[i], along, place.cross(along), kinematics, center);
  }
  for (std::size_t i = 0; i < load.torque.size(); ++i) {
    const Vec3 along = axes.col(static_cast<int>(i));
    torque += value_of(load.torque[i], t, 0.0, 0.0) * along;
    set_wrench(load.torque[i], Vec3::Zero(), along, kinematics, center);
  }
  slopes = held_wrench_slopes(place, force, torque, description.in_body_axes);
}

}  // namespace mbdbench
