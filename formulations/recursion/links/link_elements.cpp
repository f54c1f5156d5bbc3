#include "formulations/recursion/links/link_elements.hpp"

#include <array>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// A scalar component of a joint: turn or slide about or along an axis in joint axes.
struct ScalarStep {
  bool slide;
  Vec3 axis;
  int component;
};

std::vector<ScalarStep> scalar_steps(const Joint& joint) {
  switch (joint.type) {
    case JointType::revolute:
    case JointType::screw:
      return {{false, joint.axis, 0}};
    case JointType::prismatic:
      return {{true, joint.axis, 0}};
    case JointType::universal:
      return {{false, joint.axis, 0}, {false, joint.axis2, 1}};
    case JointType::cylindrical:
      return {{false, joint.axis, 0}, {true, joint.axis, 1}};
    case JointType::planar:
      return {{true, joint.normal1, 0}, {true, joint.normal2, 1}, {false, joint.axis, 2}};
    case JointType::spherical:
    case JointType::free:
    case JointType::fixed:
    case JointType::distance:
    case JointType::revolute_spherical:
    case JointType::point_on_line:
    case JointType::point_on_plane:
    case JointType::rolling_ball:
    case JointType::rolling_disc:
      break;
  }
  return {};
}

/// \returns which prescribed motion the component follows, -1 if none.
int motion_of(const Mechanism& mechanism, const Joint& joint, int component) {
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    if (joint.motions[m].component == component) {
      return joint.motion_offset - mechanism.cut_row_count() + static_cast<int>(m);
    }
  }
  return -1;
}

}  // namespace

LinkElements::LinkElements(const Mechanism& mechanism) {
  for (int k = 0; k < mechanism.body_count(); ++k) {
    const Joint& joint = mechanism.tree_joints()[index_of(k)];
    const BodyPlace inboard = joint.a < 0 ? BodyPlace{} : bodies[index_of(joint.a)];
    LinkElement step;
    step.joint = k;
    step.inboard = inboard.element;
    step.point_a = inboard.origin + inboard.rotation * joint.position_a;
    step.axes_a = inboard.rotation * joint.rotation_a;
    if (joint.type == JointType::fixed) {
      const Mat3 rotation = step.axes_a * joint.rotation_b.transpose();
      bodies.push_back({inboard.element, rotation, step.point_a - rotation * joint.position_b});
      continue;
    }
    if (has_quaternion(joint.type)) {
      step.kind = joint.type == JointType::free ? RowKind::free : RowKind::spherical;
      step.q = joint.q_offset;
      step.u = joint.u_offset;
      elements.push_back(step);
    }
    for (const ScalarStep& scalar : scalar_steps(joint)) {
      step.axis = scalar.axis;
      step.q = joint.q_offset + scalar.component;
      step.u = joint.u_offset + scalar.component;
      step.motion = motion_of(mechanism, joint, scalar.component);
      if (joint.type == JointType::screw) {
        step.kind = step.motion < 0 ? RowKind::screw : RowKind::driven_screw;
      } else if (scalar.slide) {
        step.kind = step.motion < 0 ? RowKind::prismatic : RowKind::driven_prismatic;
      } else {
        step.kind = step.motion < 0 ? RowKind::revolute : RowKind::driven_revolute;
      }
      elements.push_back(step);
      // The massless link in front of the next step has the joint's axes as its own.
      step.inboard = static_cast<int>(elements.size()) - 1;
      step.point_a.setZero();
      step.axes_a.setIdentity();
    }
    elements.back().point_b = joint.position_b;
    elements.back().axes_b = joint.rotation_b;
    bodies.push_back({static_cast<int>(elements.size()) - 1, Mat3::Identity(), Vec3::Zero()});
  }
}

}  // namespace mbdbench
