#include "formulations/derivatives/spring_forces.hpp"

#include "formulations/derivatives/loops/loads/load_slopes.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/loads/point_spring.hpp"

namespace mbdbench {

SpringForces::SpringForces(const Mechanism& mechanism, const CutReferences* near)
    : near_(near), kinematics_(mechanism) {
  if (near_ == nullptr) {
    near_ = &at_start_.emplace(mechanism);
  }
}

void SpringForces::set_state(std::span<const double> q, std::span<const double> u) {
  kinematics_.set_positions(q);
  kinematics_.set_velocities(u);
}

std::array<SpringForces::BodyWrench, 2> SpringForces::pair_of(int body, int opposite, const Vec6& wrench) const {
  return {{{body, shift_wrench(-kinematics_.body(body).com, wrench)},
           {opposite, -shift_wrench(-kinematics_.body(opposite).com, wrench)}}};
}

std::array<SpringForces::BodyWrench, 2> SpringForces::wrenches(const ParameterPlace& place) const {
  const bool damps = place.kind == ParameterKind::damping;
  const Mechanism& mechanism = kinematics_.mechanism();
  if (place.between != nullptr) {
    PointSpringDescription unit = *place.between;
    unit.stiffness = damps ? 0.0 : 1.0;
    unit.damping = damps ? 1.0 : 0.0;
    const auto end_of = [&](int body, const Vec3& point) {
      const Vec3 at = kinematics_.world_point(body, point);
      return SpringEnd{at, kinematics_.velocity_at(body, at).head<3>()};
    };
    const int first = *mechanism.find_body(unit.body1);
    const int second = *mechanism.find_body(unit.body2);
    const SpringEnd end = end_of(first, unit.point1);
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = spring_pull(unit, end, end_of(second, unit.point2));
    return pair_of(first, second, shift_wrench(end.point, wrench));
  }
  const Joint& joint = mechanism.cut_joints()[index_of(place.cut)];
  const CutComponent own = cut_component(place.cut, place.component, kinematics_, *near_, Vec3::Zero());
  return pair_of(joint.b, joint.a, (damps ? -own.v : place.rest - own.q) * own.wrench);
}

void SpringForces::add(const ParameterPlace& place, Eigen::Ref<Eigen::VectorXd> forces) const {
  const std::span<const Joint> joints = kinematics_.mechanism().tree_joints();
  for (const BodyWrench& one : wrenches(place)) {
    for (int body = one.body; body >= 0; body = joints[index_of(body)].a) {
      // The inboard joint of a body has its index.
      const JointKinematics& joint = kinematics_.tree_joint(body);
      forces.segment(joints[index_of(body)].u_offset, joints[index_of(body)].nu) +=
          joint.h.transpose() * shift_wrench(kinematics_.body(one.body).com - joint.point, one.wrench);
    }
  }
}

}  // namespace mbdbench
