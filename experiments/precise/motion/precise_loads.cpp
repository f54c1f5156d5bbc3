#include "experiments/precise/motion/precise_loads.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <variant>

#include "experiments/precise/loops/precise_cut_coordinates.hpp"
#include "experiments/precise/tree/precise_springs.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench::precise {
namespace {

/// As value_at, of a number that is no double.
Real table_value(const TableLaw& table, const Real& x, Pieces& pieces) {
  const auto behind =
      std::upper_bound(table.abscissa.begin(), table.abscissa.end(), x, [](const Real& a, double b) { return a < b; });
  const auto right = static_cast<std::size_t>(behind - table.abscissa.begin());
  pieces.push_back(static_cast<int>(right));
  if (right == 0 || right == table.abscissa.size()) {
    return right == 0 ? table.values.front() : table.values.back();
  }
  const Real from = table.abscissa[right - 1];
  const Real weight = (x - from) / (Real(table.abscissa[right]) - from);
  return (Real(1.0) - weight) * Real(table.values[right - 1]) + weight * Real(table.values[right]);
}

Real friction_of(const JointFrictionDescription& friction, const Real& v) {
  Real level = friction.kinetic;
  if (friction.stribeck_velocity > 0.0) {
    const Real ratio = v / Real(friction.stribeck_velocity);
    level += (Real(friction.breakaway) - Real(friction.kinetic)) * exp(-ratio * ratio);
  }
  return -level * tanh(v / Real(friction.regularisation_velocity)) - Real(friction.viscous) * v;
}

Real stop_of(const JointStopDescription& stop, const Real& q, const Real& v, Pieces& pieces) {
  const bool above = stop.upper && q > *stop.upper;
  const bool below = stop.lower && q < *stop.lower;
  const Real depth = above ? Real(q - Real(*stop.upper)) : below ? Real(q - Real(*stop.lower)) : Real(0.0);
  const Real held = Real(1.0) + Real(stop.damping) * (below ? Real(-v) : v);
  pieces.push_back(!above && !below ? 0 : (above ? 1 : 2) + (held > 0 ? 2 : 0));
  return held > 0 ? Real(-Real(stop.stiffness) * depth * held) : Real(0.0);
}

void add_wrench(int body, const Spatial& wrench, AppliedLoads& loads) {
  if (body >= 0) {
    loads.wrenches[index_of(body)] += wrench;
  }
}

}  // namespace

PreciseLoads::PreciseLoads(const Mechanism& mechanism, const TreeNumbers& numbers)
    : mechanism_(&mechanism), numbers_(&numbers) {
  const MechanismDescription& given = mechanism.description();
  std::transform(given.joint_loads.begin(), given.joint_loads.end(), std::back_inserter(joint_laws_),
                 [this](const JointLoadDescription& load) { return read(load.law, true); });
  for (const BodyLoadDescription& load : given.body_loads) {
    BodyLaws& laws = body_laws_.emplace_back();
    for (const Law& law : load.force) {
      laws.force.push_back(read(law, false));
    }
    for (const Law& law : load.torque) {
      laws.torque.push_back(read(law, false));
    }
  }
}

PreciseLoads::ReadLaw PreciseLoads::read(const Law& law, bool in_joint) const {
  ReadLaw made{&law, std::nullopt};
  const auto* const formula = std::get_if<ExpressionLaw>(&law);
  if (formula == nullptr) {
    return made;
  }
  made.formula.emplace(LawFormula{PreciseFormula(formula->text), {}});
  const LoadVariables names(*mechanism_);
  for (const std::string& name : made.formula->formula.variables()) {
    Variable variable;
    if (!in_joint || (name != "q" && name != "v")) {
      variable.global = names.resolve(name);
      if (!variable.global) {
        throw std::invalid_argument("the reference of 113 bits does not know '" + name + "' of the formula \"" +
                                    formula->text + "\"");
      }
    }
    variable.own_rate = name == "v";
    made.formula->variables.push_back(variable);
  }
  return made;
}

Real PreciseLoads::value_of(const Variable& variable, const State& state, const Own& own) {
  if (!variable.global) {
    return variable.own_rate ? own.v : own.q;
  }
  const LoadVariables::Variable& of = *variable.global;
  switch (of.source) {
    case LoadVariables::Source::time:
      return state.t;
    case LoadVariables::Source::joint_position: {
      Real value = state.q[index_of(of.index)];
      if (of.quaternion >= 0) {
        value /= Eigen::Map<const Eigen::Matrix<Real, 4, 1>>(state.q.data() + of.quaternion).norm();
      }
      return value;
    }
    case LoadVariables::Source::joint_velocity:
      return state.u[index_of(of.index)];
    case LoadVariables::Source::marker_position:
    case LoadVariables::Source::marker_velocity:
      break;
  }
  const Marker& marker = state.tree.mechanism().markers()[index_of(of.index)];
  const TreeBody& body = state.tree.body(marker.body);
  const Vector place = point_on(body, marker.point);
  return of.source == LoadVariables::Source::marker_position ? place[of.axis] : velocity_at(body, place)[of.axis];
}

Real PreciseLoads::value_of(const ReadLaw& law, const State& state, const Own& own, Pieces& pieces) {
  if (law.formula) {
    std::vector<Rated> values;
    std::transform(law.formula->variables.begin(), law.formula->variables.end(), std::back_inserter(values),
                   [&](const Variable& one) {
                     return Rated{value_of(one, state, own), 0.0};
                   });
    return law.formula->formula.value(values, pieces).value;
  }
  if (const auto* const table = std::get_if<TableLaw>(law.law)) {
    return table->over == "t" ? Real(value_at(*table, state.t))
                              : table_value(*table, table->over == "q" ? own.q : own.v, pieces);
  }
  return std::get<ConstantLaw>(*law.law).value;
}

PreciseLoads::Place PreciseLoads::place_of(const std::string& joint, int component, const State& state) const {
  const JointReference reference = *mechanism_->find_joint(joint);
  if (reference.cut) {
    return place_in_cut(reference, component, state);
  }
  const Joint& of = mechanism_->joint(reference);
  // A quaternion is no coordinate of a law.
  const Real q = has_coordinate_rates(of.type) ? state.q[index_of(of.q_offset + component)] : Real(0.0);
  return {reference, component, {q, state.u[index_of(of.u_offset + component)]}, Spatial::Zero()};
}

PreciseLoads::Place PreciseLoads::place_in_cut(JointReference reference, int component, const State& state) const {
  const Joint& joint = mechanism_->joint(reference);
  const CutBodies of{state.tree.body(joint.a), state.tree.body(joint.b)};
  Place place{reference, component, {}, cut_dual(joint, component, of)};
  place.own.v = place.dual.dot(Spatial(of.b.velocity - of.a.velocity));
  if (has_coordinate_rates(joint.type)) {
    place.own.q = cut_coordinate(joint, component, of, state.near.of(reference.index)[index_of(component)]);
  }
  return place;
}

void PreciseLoads::add(const Place& place, const Real& force, AppliedLoads& loads) const {
  const Joint& joint = mechanism_->joint(place.joint);
  if (!place.joint.cut) {
    loads.joint_forces[index_of(joint.u_offset + place.component)] += force;
    return;
  }
  add_wrench(joint.b, place.dual * force, loads);
  add_wrench(joint.a, place.dual * -force, loads);
}

AppliedLoads PreciseLoads::at(double t, std::span<const Real> q, std::span<const Real> u, const PreciseTree& tree,
                              const CutReferences& near) const {
  AppliedLoads loads{numbers_->forces, std::vector<Spatial>(mechanism_->bodies().size(), Spatial(Spatial::Zero())), {}};
  const State state{t, q, u, tree, near};
  add_in_joints(state, loads);
  add_on_bodies(state, loads);
  add_between_bodies(state, loads);
  return loads;
}

void PreciseLoads::add_in_joints(const State& state, AppliedLoads& loads) const {
  const MechanismDescription& given = mechanism_->description();
  for (std::size_t k = 0; k < given.joint_loads.size(); ++k) {
    const JointLoadDescription& load = given.joint_loads[k];
    const Place place = place_of(load.joint, load.component, state);
    add(place, value_of(joint_laws_[k], state, place.own, loads.pieces), loads);
  }
  for (std::size_t k = 0; k < given.joint_springs.size(); ++k) {
    const JointSpringDescription& spring = given.joint_springs[k];
    const Place place = place_of(spring.joint, spring.component, state);
    add(place, -numbers_->stiffness[k] * (place.own.q - Real(spring.rest)) - numbers_->damping[k] * place.own.v, loads);
  }
  for (const JointFrictionDescription& friction : given.joint_frictions) {
    const Place place = place_of(friction.joint, friction.component, state);
    add(place, friction_of(friction, place.own.v), loads);
  }
  for (const JointStopDescription& stop : given.joint_stops) {
    const Place place = place_of(stop.joint, stop.component, state);
    add(place, stop_of(stop, place.own.q, place.own.v, loads.pieces), loads);
  }
}

void PreciseLoads::add_on_bodies(const State& state, AppliedLoads& loads) const {
  const MechanismDescription& given = mechanism_->description();
  for (std::size_t k = 0; k < given.body_loads.size(); ++k) {
    const BodyLoadDescription& load = given.body_loads[k];
    const int index = *mechanism_->find_body(load.body);
    const TreeBody& body = state.tree.body(index);
    const auto values = [&](const std::vector<ReadLaw>& laws) {
      Vector three = Vector::Zero();
      for (std::size_t i = 0; i < laws.size(); ++i) {
        three[static_cast<Eigen::Index>(i)] = value_of(laws[i], state, {}, loads.pieces);
      }
      return load.in_body_axes ? Vector(body.rotation * three) : three;
    };
    const Vector force = values(body_laws_[k].force);
    const Vector torque = values(body_laws_[k].torque);
    add_wrench(index, wrench_at(point_on(body, load.point), force, torque), loads);
  }
}

void PreciseLoads::add_between_bodies(const State& state, AppliedLoads& loads) const {
  const MechanismDescription& given = mechanism_->description();
  const auto add_pair = [&](const auto& spring, const auto& wrench_of) {
    const int first = *mechanism_->find_body(spring.body1);
    const int second = *mechanism_->find_body(spring.body2);
    const Spatial wrench = wrench_of(SpringBodies{state.tree.body(first), state.tree.body(second)});
    add_wrench(second, wrench, loads);
    add_wrench(first, -wrench, loads);
  };
  for (std::size_t k = 0; k < given.point_springs.size(); ++k) {
    const PointSpringDescription& spring = given.point_springs[k];
    const std::size_t at = given.joint_springs.size() + k;
    add_pair(spring, [&](const SpringBodies& on) {
      return point_spring_wrench(spring, numbers_->stiffness[at], numbers_->damping[at], on, loads.pieces);
    });
  }
  for (const BushingDescription& bushing : given.bushings) {
    add_pair(bushing, [&](const SpringBodies& on) { return bushing_wrench(bushing, on, loads.pieces); });
  }
}

}  // namespace mbdbench::precise
