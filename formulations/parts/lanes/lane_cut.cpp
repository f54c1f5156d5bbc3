#include "formulations/parts/lanes/lane_cut.hpp"

#include <algorithm>

#include "mechanisms/model/kinematics/handle_share.hpp"

namespace mbdbench {

bool lanes_place(const Joint& cut) {
  return cut.type != JointType::screw && cut.length == 0.0 && !cut.turn_row && cut.driven.empty() &&
         cut.linear_directions.size() <= 3 && cut.angular.size() <= 3;
}

LaneCut lane_cut(const Joint& joint, const BodyOnRow& a, const BodyOnRow& b, bool weighs) {
  LaneCut cut;
  cut.a = {a.row, plain_of(Vec3(a.origin + a.rotation * joint.position_a)), weighs && a.row < 0};
  cut.b = {b.row, plain_of(Vec3(b.origin + b.rotation * joint.position_b)), weighs && b.row < 0};
  cut.share_of_b = share_of_b(joint);
  cut.world_linear = joint.world_linear;
  cut.first_direction = joint.world_linear ? 3 : 0;
  cut.first_angle = cut.first_direction + static_cast<int>(joint.linear_directions.size());
  if (lanes_place(joint)) {
    const Mat3 axes_a = a.rotation * joint.rotation_a;
    const Mat3 axes_b = b.rotation * joint.rotation_b;
    std::transform(joint.linear_directions.begin(), joint.linear_directions.end(), cut.directions,
                   [&](const Vec3& direction) { return plain_of(Vec3(axes_a * direction)); });
    std::transform(joint.angular.begin(), joint.angular.end(), cut.angles, [&](const AngularConstraint& angle) {
      return LaneAngle{plain_of(Vec3(axes_a * angle.vector_a)), plain_of(Vec3(axes_b * angle.vector_b)), angle.cosine,
                       angle.scale};
    });
  }
  return cut;
}

}  // namespace mbdbench
