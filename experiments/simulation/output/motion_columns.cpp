#include "experiments/simulation/output/motion_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/followed_cuts.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/bushing.hpp"
#include "mechanisms/model/loads/joint_resistance.hpp"
#include "mechanisms/model/loads/point_spring.hpp"

namespace mbdbench {
namespace {

// Dense equations of 2000 quasi-velocities take about 3 s a sample and 100 MB.
constexpr int kMostDense = 2000;

/// \returns whether the state is [q; u].
bool has_velocities(const Formulation& formulation) {
  const std::vector<StateComponent> wanted = joint_layout(formulation.mechanism(), StateKind::velocity);
  const auto layout = formulation.layout();
  return std::equal(layout.begin(), layout.end(), wanted.begin(), wanted.end(),
                    [](const StateComponent& a, const StateComponent& b) { return a.name == b.name; });
}

std::unique_ptr<Formulation> dense_equations(const Mechanism& mechanism, const Formulation& run) {
  if (mechanism.u_size() > kMostDense) {
    throw std::invalid_argument(
        fmt::format("--columns accelerations: the state of this formulation has no velocities ({}, ...), and dense "
                    "equations of {} quasi-velocities would give their rates; at most {} do, so choose a formulation "
                    "with the state (q, u)",
                    run.layout().back().name, mechanism.u_size(), kMostDense));
  }
  const auto& registry = formulation_registry();
  return make_formulation(registry, *find_formulation(registry, "dense"), mechanism, "");
}

void require_state(const RhsStatus& status, const char* what, double t) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the {} at t = {} cannot be computed: {}", what, t, status.message()));
  }
}

void append_quaternion(const Mat3& rotation, std::vector<double>& row) {
  const Eigen::Quaterniond e(rotation);
  row.insert(row.end(), {e.w(), e.x(), e.y(), e.z()});
}

/// \returns the tension of a spring between points: positive where it pulls.
double tension(const PointSpringDescription& spring, const BodyMotions& bodies) {
  const auto end = [&](const std::string& name, const Vec3& point) {
    const int body = *bodies.mechanism().find_body(name);
    const Vec3 place = bodies.world_point(body, point);
    return SpringEnd{place, bodies.velocity_at(body, place).head<3>()};
  };
  const SpringEnd first = end(spring.body1, spring.point1);
  const SpringEnd second = end(spring.body2, spring.point2);
  return spring_pull(spring, first, second).dot((second.point - first.point).normalized());
}

}  // namespace

MotionColumns::MotionColumns(Formulation& formulation, const MotionColumnChoice& choice)
    : formulation_(formulation),
      choice_(choice),
      own_state_(has_velocities(formulation)),
      kinematics_(choice.loads || choice.poses ? std::make_unique<Kinematics>(formulation.mechanism()) : nullptr),
      loads_(formulation.mechanism(), &formulation.cut_references()),
      q_(Eigen::VectorXd::Zero(formulation.mechanism().q_size())),
      u_(Eigen::VectorXd::Zero(formulation.mechanism().u_size())) {
  const Mechanism& mechanism = formulation.mechanism();
  writes_velocities_ = choice.velocities && !own_state_;
  if (writes_velocities_) {
    name_joint_columns("v");
  }
  if (choice.accelerations) {
    accelerating_ = own_state_ ? formulation.clone() : dense_equations(mechanism, formulation);
    x_.resize(accelerating_->state_size());
    rates_.resize(accelerating_->state_size());
    name_joint_columns("a");
  }
  if (choice.loads) {
    name_joint_columns("tau");
    for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
      names_.push_back("force_" + spring.name);
    }
    for (const JointFrictionDescription& friction : mechanism.description().joint_frictions) {
      names_.push_back("force_" + friction.name);
    }
    for (const JointStopDescription& stop : mechanism.description().joint_stops) {
      names_.push_back("force_" + stop.name);
    }
    for (const PointSpringDescription& spring : mechanism.description().point_springs) {
      names_.push_back("force_" + spring.name);
    }
    for (const BushingDescription& bushing : mechanism.description().bushings) {
      for (const char* component : {"fx", "fy", "fz", "nx", "ny", "nz"}) {
        names_.push_back(fmt::format("{}_{}", component, bushing.name));
      }
    }
  }
  if (choice.poses) {
    for (const Body& body : mechanism.bodies()) {
      for (const char* quantity : {"x", "y", "z", "e0", "e1", "e2", "e3"}) {
        names_.push_back(fmt::format("{}.{}", quantity, body.name));
      }
    }
    for (const Marker& marker : mechanism.markers()) {
      for (const char* quantity : {"e0", "e1", "e2", "e3"}) {
        names_.push_back(fmt::format("{}_{}", quantity, marker.name));
      }
    }
  }
}

MotionColumns::~MotionColumns() = default;

void MotionColumns::name_joint_columns(const char* symbol) {
  for (const Joint& joint : formulation_.mechanism().tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      names_.push_back(fmt::format("{}.{}{}", symbol, joint.name, joint.nu == 1 ? "" : fmt::format(".{}", i + 1)));
    }
  }
}

void MotionColumns::append(double t, std::span<const double> x, std::vector<double>& row) {
  if (!choice_.any()) {
    return;
  }
  formulation_.look_near(x);
  require_state(formulation_.unpack(t, x, view(q_), view(u_)), "joint coordinates", t);
  if (kinematics_) {
    kinematics_->set_positions(view(q_));
    kinematics_->set_velocities(view(u_));
  }
  if (writes_velocities_) {
    row.insert(row.end(), u_.begin(), u_.end());
  }
  if (choice_.accelerations) {
    append_accelerations(t, x, row);
  }
  if (choice_.loads) {
    append_loads(t, row);
  }
  if (choice_.poses) {
    append_poses(row);
  }
}

void MotionColumns::append_accelerations(double t, std::span<const double> x, std::vector<double>& row) {
  if (own_state_) {
    std::copy(x.begin(), x.end(), x_.begin());
  } else {
    require_state(accelerating_->pack(t, view(q_), view(u_), x_), "velocities", t);
    take_turns(formulation_, x, *accelerating_, x_);
  }
  require_state(accelerating_->rhs(t, x_, rates_), "accelerations", t);
  row.insert(row.end(), rates_.end() - u_.size(), rates_.end());
}

void MotionColumns::append_loads(double t, std::vector<double>& row) {
  const Mechanism& mechanism = formulation_.mechanism();
  loads_.evaluate(t, view(q_), view(u_), *kinematics_);
  row.insert(row.end(), loads_.joint_forces().begin(), loads_.joint_forces().end());
  for (const JointSpringDescription& spring : mechanism.description().joint_springs) {
    const auto [q, v] = joint_component(spring.joint, spring.component);
    row.push_back(-spring.stiffness * (q - spring.rest) - spring.damping * v);
  }
  for (const JointFrictionDescription& friction : mechanism.description().joint_frictions) {
    row.push_back(friction_force(friction, joint_component(friction.joint, friction.component).second));
  }
  for (const JointStopDescription& stop : mechanism.description().joint_stops) {
    const auto [q, v] = joint_component(stop.joint, stop.component);
    row.push_back(stop_force(stop, q, v));
  }
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    row.push_back(tension(spring, *kinematics_));
  }
  for (const BushingDescription& description : mechanism.description().bushings) {
    const Bushing bushing(mechanism, description);
    const Vec6 wrench = bushing.wrench(bushing.state(*kinematics_));
    row.insert(row.end(), wrench.begin(), wrench.end());
  }
}

std::pair<double, double> MotionColumns::joint_component(const std::string& name, int component) const {
  const Mechanism& mechanism = formulation_.mechanism();
  const JointReference reference = *mechanism.find_joint(name);
  const Joint& joint = mechanism.joint(reference);
  if (!reference.cut) {
    const bool scalar = has_coordinate_rates(joint.type);
    return {scalar ? q_[joint.q_offset + component] : 0.0, u_[joint.u_offset + component]};
  }
  const JointKinematics& state = kinematics_->cut_joint(reference.index);
  std::vector<double> all(static_cast<std::size_t>(joint.nq));
  cut_coordinates(joint, state, formulation_.cut_references().of(reference.index), all);
  const Vec6 relative = kinematics_->velocity_at(joint.b, state.point) - kinematics_->velocity_at(joint.a, state.point);
  const Eigen::VectorXd u = (state.h.transpose() * state.h).ldlt().solve(state.h.transpose() * relative);
  return {all[static_cast<std::size_t>(component)], u[component]};
}

void MotionColumns::append_poses(std::vector<double>& row) const {
  const Mechanism& mechanism = formulation_.mechanism();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const BodyKinematics& body = kinematics_->body(k);
    row.insert(row.end(), body.origin.begin(), body.origin.end());
    append_quaternion(body.rotation, row);
  }
  for (const Marker& marker : mechanism.markers()) {
    append_quaternion(kinematics_->body(marker.body).rotation * marker.rotation, row);
  }
}

}  // namespace mbdbench
