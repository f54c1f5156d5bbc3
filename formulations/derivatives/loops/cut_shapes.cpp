#include "formulations/derivatives/loops/cut_shapes.hpp"

#include <cmath>

#include "formulations/derivatives/loops/link_vectors.hpp"

namespace mbdbench {

void place_shape(const Joint& joint, const JointKinematics& state, const Vec3& origin_a, const Vec3& origin_b,
                 double share_of_b, linear::CutShape& shape) {
  shape.rows = joint.nc;
  shape.body_a = joint.a;
  shape.body_b = joint.b;
  // As of joint_kinematics.hpp.
  shape.share = share_of_b;
  shape.world_linear = joint.world_linear;
  shape.direction_count = static_cast<int>(joint.linear_directions.size());
  for (std::size_t i = 0; i < joint.linear_directions.size(); ++i) {
    shape.directions[i] = link_vector_of(state.axes_a * joint.linear_directions[i]);
  }
  shape.keeps_length = joint.length > 0.0;
  shape.screws = joint.type == JointType::screw;
  shape.screw_linear = 1.0 / std::sqrt(1.0 + joint.pitch * joint.pitch);
  shape.screw_angular = -shape.screw_linear * joint.pitch;
  shape.angle_count = static_cast<int>(joint.angular.size());
  for (std::size_t i = 0; i < joint.angular.size(); ++i) {
    shape.angles_a[i] = link_vector_of(state.axes_a * joint.angular[i].vector_a);
    shape.angles_b[i] = link_vector_of(joint.angular[i].scale * (state.axes_b * joint.angular[i].vector_b));
  }
  shape.turn_row = joint.turn_row;
  shape.rolls = rolls(joint.type);
  shape.rolls_thin = joint.type == JointType::rolling_disc;
  shape.radius = joint.radius;
  shape.axle = link_vector_of(state.axes_b * joint.axis2);
  shape.axis = link_vector_of(state.axes_a * joint.axis);
  shape.normal1 = link_vector_of(state.axes_a * joint.normal1);
  shape.normal2 = link_vector_of(state.axes_a * joint.normal2);
  shape.pointer = link_vector_of(state.axes_b * joint.normal1);
  shape.origin_a = link_vector_of(origin_a);
  shape.origin_b = link_vector_of(origin_b);
}

}  // namespace mbdbench
