#include "mechanisms/model/loads/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <variant>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/bushing.hpp"
#include "mechanisms/model/loads/cut_references.hpp"
#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/loads/joint_resistance.hpp"
#include "mechanisms/model/loads/load_variables.hpp"
#include "mechanisms/model/loads/point_spring.hpp"
#include "mechanisms/model/loads/table_law.hpp"

namespace mbdbench {
namespace {

std::span<const double> near_coordinates(const Joint& joint, int cut, const CutReferences* near) {
  return near != nullptr ? near->of(cut) : std::span<const double>(joint.q0);
}

struct SpringBodies {
  int first = -1;
  int second = -1;
};

SpringBodies bodies_of(const Mechanism& mechanism, const PointSpringDescription& spring) {
  return {*mechanism.find_body(spring.body1), *mechanism.find_body(spring.body2)};
}

SpringEnd spring_end(int body, const Vec3& point, const BodyMotions& motions) {
  const Vec3 place = motions.world_point(body, point);
  return {place, motions.velocity_at(body, place).head<3>()};
}

struct ScalarLaw {
  const Law* law = nullptr;
  std::unique_ptr<Expression> expression;
  [[nodiscard]] double value(double t, double q, double v) const {
    if (expression) {
      return (*expression)();
    }
    if (const auto* table = std::get_if<TableLaw>(law)) {
      return value_at(*table, table->over == "q" ? q : table->over == "v" ? v : t);
    }
    return std::get<ConstantLaw>(*law).value;
  }
};

const BodyMotions& placed(const BodyMotions* bodies) {
  if (bodies == nullptr) {
    throw std::logic_error("loads in cut joints need the motions of bodies (LoadEvaluator::need_bodies)");
  }
  return *bodies;
}

struct JointLoad {
  JointReference joint;
  int component = 0;
  ScalarLaw law;
};

/// A spring and damper along one coordinate of a tree joint, by numbers alone: robots have one a motor, and their
/// descriptions lie all over the memory.
struct CoordinateSpring {
  std::size_t q = 0;
  std::size_t u = 0;
  double stiffness = 0.0;
  double damping = 0.0;
  double rest = 0.0;
};

/// One of a cut joint.
struct CutSpring {
  JointReference joint;
  const JointSpringDescription* description = nullptr;
};

struct BodyLoad {
  int body = 0;
  const BodyLoadDescription* description = nullptr;
  std::array<ScalarLaw, 3> force;
  std::array<ScalarLaw, 3> torque;
};

}  // namespace

struct LoadEvaluator::Workspace {
  LoadVariables variables;
  std::vector<JointLoad> joint_loads;
  std::vector<BodyLoad> body_loads;
  std::vector<CoordinateSpring> coordinate_springs;
  std::vector<CutSpring> cut_springs;
  std::vector<JointReference> friction_joints;
  std::vector<JointReference> stop_joints;
  std::vector<SpringBodies> spring_bodies;
  std::vector<Bushing> bushings;

  static ScalarLaw bind(const Law& law, LoadVariables::Scope scope) {
    ScalarLaw bound;
    bound.law = &law;
    if (const auto* formula = std::get_if<ExpressionLaw>(&law)) {
      bound.expression = std::make_unique<Expression>(formula->text, scope);
    }
    return bound;
  }
};

LoadEvaluator::LoadEvaluator(const Mechanism& mechanism, const CutReferences* near)
    : mechanism_(&mechanism),
      near_(near),
      joint_forces_(Eigen::VectorXd::Zero(mechanism.u_size())),
      wrenches_(mechanism.bodies().size(), Vec6::Zero()),
      workspace_(std::make_unique<Workspace>(Workspace{LoadVariables(mechanism), {}, {}, {}, {}, {}, {}, {}, {}})) {
  const MechanismDescription& description = mechanism.description();
  for (const JointLoadDescription& load : description.joint_loads) {
    JointLoad bound;
    bound.joint = *mechanism.find_joint(load.joint);
    bound.component = load.component;
    bound.law = Workspace::bind(load.law, workspace_->variables.in_joint());
    workspace_->joint_loads.push_back(std::move(bound));
  }
  for (const BodyLoadDescription& load : description.body_loads) {
    BodyLoad bound;
    bound.body = *mechanism.find_body(load.body);
    bound.description = &load;
    for (std::size_t i = 0; i < load.force.size(); ++i) {
      bound.force[i] = Workspace::bind(load.force[i], workspace_->variables.global());
    }
    for (std::size_t i = 0; i < load.torque.size(); ++i) {
      bound.torque[i] = Workspace::bind(load.torque[i], workspace_->variables.global());
    }
    workspace_->body_loads.push_back(std::move(bound));
  }
  for (const JointSpringDescription& spring : description.joint_springs) {
    const JointReference reference = *mechanism.find_joint(spring.joint);
    const Joint& joint = mechanism.joint(reference);
    if (!reference.cut) {
      workspace_->coordinate_springs.push_back({index_of(joint.q_offset + spring.component),
                                                index_of(joint.u_offset + spring.component), spring.stiffness,
                                                spring.damping, spring.rest});
    } else {
      workspace_->cut_springs.push_back({reference, &spring});
    }
  }
  for (const JointFrictionDescription& friction : description.joint_frictions) {
    workspace_->friction_joints.push_back(*mechanism.find_joint(friction.joint));
  }
  for (const JointStopDescription& stop : description.joint_stops) {
    workspace_->stop_joints.push_back(*mechanism.find_joint(stop.joint));
  }
  for (const PointSpringDescription& spring : description.point_springs) {
    workspace_->spring_bodies.push_back(bodies_of(mechanism, spring));
  }
  for (const BushingDescription& bushing : description.bushings) {
    workspace_->bushings.emplace_back(mechanism, bushing);
  }
}

LoadEvaluator::LoadEvaluator(LoadEvaluator&&) noexcept = default;
LoadEvaluator& LoadEvaluator::operator=(LoadEvaluator&&) noexcept = default;
LoadEvaluator::~LoadEvaluator() = default;

bool LoadEvaluator::need_bodies() const {
  const auto in_cut = [](JointReference joint) { return joint.cut; };
  const auto any_in_cut = [&](const std::vector<JointReference>& joints) {
    return std::any_of(joints.begin(), joints.end(), in_cut);
  };
  return workspace_->variables.need_bodies() || !workspace_->body_loads.empty() || !workspace_->spring_bodies.empty() ||
         !workspace_->bushings.empty() || any_in_cut(workspace_->friction_joints) ||
         any_in_cut(workspace_->stop_joints) || !workspace_->cut_springs.empty() ||
         std::any_of(workspace_->joint_loads.begin(), workspace_->joint_loads.end(),
                     [&](const JointLoad& load) { return in_cut(load.joint); });
}

bool has_joint_loads(const MechanismDescription& description) {
  return !description.joint_loads.empty() || !description.joint_springs.empty() ||
         !description.joint_frictions.empty() || !description.joint_stops.empty();
}

bool LoadEvaluator::in_joints() const {
  return has_joint_loads(mechanism_->description());
}

void LoadEvaluator::evaluate_joint_forces(double t, std::span<const double> q, std::span<const double> u) {
  apply_joint_loads(t, {q, u, nullptr, {}});
}

void LoadEvaluator::evaluate(double t, std::span<const double> q, std::span<const double> u, const BodyMotions& bodies,
                             std::span<const JointKinematics> cut_joints) {
  for (std::size_t k = 0; k < wrenches_.size(); ++k) {
    wrenches_[k].head<3>() = mechanism_->bodies()[k].mass * mechanism_->gravity();
    wrenches_[k].tail<3>().setZero();
  }
  apply_joint_loads(t, {q, u, &bodies, cut_joints});
  apply_body_loads(t, bodies);
  apply_point_springs(bodies, 1.0);
  apply_bushings(bodies, 1.0);
}

void LoadEvaluator::evaluate_without_potential(double t, std::span<const double> q, std::span<const double> u,
                                               const Kinematics& kinematics) {
  std::fill(wrenches_.begin(), wrenches_.end(), Vec6::Zero());
  apply_joint_loads(t, {q, u, &kinematics, kinematics.cut_joints(), 0.0});
  apply_body_loads(t, kinematics);
  apply_point_springs(kinematics, 0.0);
  apply_bushings(kinematics, 0.0);
}

double LoadEvaluator::power(std::span<const double> u, const Kinematics& kinematics) const {
  double power = std::inner_product(u.begin(), u.end(), joint_forces_.data(), 0.0);
  for (std::size_t k = 0; k < wrenches_.size(); ++k) {
    power += wrenches_[k].dot(kinematics.body(static_cast<int>(k)).velocity);
  }
  return power;
}

void LoadEvaluator::apply_joint_loads(double t, const View& view) {
  Workspace& work = *workspace_;
  joint_forces_.setZero();
  work.variables.set_global(t, view.q, view.u, view.bodies);
  for (const JointLoad& load : work.joint_loads) {
    const auto [own_q, own_v] = own_values(load.joint, load.component, view);
    add_joint_force(load.joint, load.component, load.law.value(t, own_q, own_v), view);
  }
  for (const CoordinateSpring& spring : work.coordinate_springs) {
    joint_forces_[static_cast<Eigen::Index>(spring.u)] +=
        -view.stiffness * spring.stiffness * (view.q[spring.q] - spring.rest) - spring.damping * view.u[spring.u];
  }
  for (const CutSpring& cut : work.cut_springs) {
    const JointSpringDescription& spring = *cut.description;
    const auto [own_q, own_v] = own_values(cut.joint, spring.component, view);
    add_joint_force(cut.joint, spring.component,
                    -view.stiffness * spring.stiffness * (own_q - spring.rest) - spring.damping * own_v, view);
  }
  for (std::size_t s = 0; s < work.friction_joints.size(); ++s) {
    const JointFrictionDescription& friction = mechanism_->description().joint_frictions[s];
    const double own_v = own_values(work.friction_joints[s], friction.component, view).second;
    add_joint_force(work.friction_joints[s], friction.component, friction_force(friction, own_v), view);
  }
  for (std::size_t s = 0; s < work.stop_joints.size(); ++s) {
    const JointStopDescription& stop = mechanism_->description().joint_stops[s];
    const auto [own_q, own_v] = own_values(work.stop_joints[s], stop.component, view);
    add_joint_force(work.stop_joints[s], stop.component, stop_force(stop, own_q, own_v, view.stiffness), view);
  }
}

std::string LoadEvaluator::name_of_not_finite(double t, std::span<const double> q, std::span<const double> u,
                                              const Kinematics& kinematics) {
  Workspace& work = *workspace_;
  const View view = {q, u, &kinematics, kinematics.cut_joints()};
  work.variables.set_global(t, q, u, &kinematics);
  for (std::size_t i = 0; i < work.joint_loads.size(); ++i) {
    const JointLoad& load = work.joint_loads[i];
    const auto [own_q, own_v] = own_values(load.joint, load.component, view);
    if (!std::isfinite(load.law.value(t, own_q, own_v))) {
      return mechanism_->description().joint_loads[i].name;
    }
  }
  const auto not_finite = [t](const ScalarLaw& law) {
    return law.law != nullptr && !std::isfinite(law.value(t, 0.0, 0.0));
  };
  for (const BodyLoad& load : work.body_loads) {
    if (std::any_of(load.force.begin(), load.force.end(), not_finite) ||
        std::any_of(load.torque.begin(), load.torque.end(), not_finite)) {
      return load.description->name;
    }
  }
  return {};
}

std::pair<double, double> LoadEvaluator::own_values(JointReference reference, int component, const View& view) {
  const Joint& joint = mechanism_->joint(reference);
  return reference.cut ? workspace_->variables.set_own_of_cut(joint, component, placed(view.bodies),
                                                              view.cut_joints[index_of(reference.index)],
                                                              near_coordinates(joint, reference.index, near_))
                       : workspace_->variables.set_own(joint, component, view.q, view.u);
}

void LoadEvaluator::add_joint_force(JointReference reference, int component, double value, const View& view) {
  const Joint& joint = mechanism_->joint(reference);
  if (!reference.cut) {
    joint_forces_[joint.u_offset + component] += value;
    return;
  }
  const BodyMotions& bodies = placed(view.bodies);
  const JointKinematics& state = view.cut_joints[index_of(reference.index)];
  const Vec6 wrench = value * cut_dual_direction(joint, state, component);
  add_wrench(joint.b, state.point, wrench.head<3>(), wrench.tail<3>(), bodies);
  add_wrench(joint.a, state.point, -wrench.head<3>(), -wrench.tail<3>(), bodies);
}

void LoadEvaluator::apply_body_loads(double t, const BodyMotions& bodies) {
  for (const BodyLoad& load : workspace_->body_loads) {
    const BodyLoadDescription& description = *load.description;
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (std::size_t i = 0; i < description.force.size(); ++i) {
      force[static_cast<int>(i)] = load.force[i].value(t, 0.0, 0.0);
    }
    for (std::size_t i = 0; i < description.torque.size(); ++i) {
      torque[static_cast<int>(i)] = load.torque[i].value(t, 0.0, 0.0);
    }
    if (description.in_body_axes) {
      const Mat3& rotation = bodies.body(load.body).rotation;
      force = (rotation * force).eval();
      torque = (rotation * torque).eval();
    }
    add_wrench(load.body, bodies.world_point(load.body, description.point), force, torque, bodies);
  }
}

void LoadEvaluator::add_wrench(int body, const Vec3& point, const Vec3& force, const Vec3& torque,
                               const BodyMotions& bodies) {
  if (body < 0) {
    return;
  }
  Vec6& wrench = wrenches_[index_of(body)];
  wrench.head<3>() += force;
  wrench.tail<3>() += torque + (point - bodies.body(body).com).cross(force);
}

void LoadEvaluator::apply_point_springs(const BodyMotions& bodies, double stiffness) {
  const auto& springs = mechanism_->description().point_springs;
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const PointSpringDescription& spring = springs[s];
    const SpringBodies on = workspace_->spring_bodies[s];
    const SpringEnd first = spring_end(on.first, spring.point1, bodies);
    const SpringEnd second = spring_end(on.second, spring.point2, bodies);
    const Vec3 force = spring_pull(spring, first, second, stiffness);
    add_wrench(on.first, first.point, force, Vec3::Zero(), bodies);
    add_wrench(on.second, second.point, -force, Vec3::Zero(), bodies);
  }
}

void LoadEvaluator::apply_bushings(const BodyMotions& bodies, double stiffness) {
  for (const Bushing& bushing : workspace_->bushings) {
    const Mat3 axes = bushing.axes(bodies);
    const Vec6 wrench = bushing.wrench(bushing.state(bodies), stiffness);
    const Vec3 force = axes * wrench.head<3>();
    const Vec3 torque = axes * wrench.tail<3>();
    const Vec3 point = bushing.point(bodies);
    add_wrench(bushing.body2(), point, force, torque, bodies);
    add_wrench(bushing.body1(), point, -force, -torque, bodies);
  }
}

double spring_energy(const Kinematics& kinematics, std::span<const double> q, const CutReferences* near) {
  const Mechanism& mechanism = kinematics.mechanism();
  const auto coordinate_of = [&](const std::string& name, int component) {
    const JointReference reference = *mechanism.find_joint(name);
    if (!reference.cut) {
      return q[index_of(mechanism.joint(reference).q_offset + component)];
    }
    const Joint& joint = mechanism.joint(reference);
    std::array<double, 7> own{};
    cut_coordinates(joint, kinematics.cut_joint(reference.index), near_coordinates(joint, reference.index, near), own);
    return own[index_of(component)];
  };
  double energy = 0.0;
  for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
    const double stretch = coordinate_of(spring.joint, spring.component) - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  for (const JointStopDescription& stop : mechanism.description().joint_stops) {
    energy += stop_energy(stop, coordinate_of(stop.joint, stop.component));
  }
  for (const BushingDescription& description : mechanism.description().bushings) {
    const Bushing bushing(mechanism, description);
    energy += bushing.energy(bushing.state(kinematics));
  }
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    const SpringBodies on = bodies_of(mechanism, spring);
    const double length =
        (kinematics.world_point(on.second, spring.point2) - kinematics.world_point(on.first, spring.point1)).norm();
    const double stretch = length - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  return energy;
}

void cut_coordinates(const Joint& joint, const JointKinematics& state, std::span<const double> near,
                     std::span<double> q) {
  const RelativePose pose{state.axes_a.transpose() * state.axes_b, state.axes_a.transpose() * state.displacement};
  joint_coordinates(joint, pose, near, q);
}

}  // namespace mbdbench
