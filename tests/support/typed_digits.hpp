#pragma once
/// \file
/// A mechanism as people type it: bodies in frames of their own, numbers with so many digits.
#include <fmt/format.h>

#include <string>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench::test {

inline Eigen::Vector4d quaternion_of(const Mat3& rotation) {
  const Eigen::Quaterniond e(rotation);
  return {e.w(), e.x(), e.y(), e.z()};
}

inline Mat3 rotation_of(const Eigen::Vector4d& e) {
  return Eigen::Quaterniond(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix();
}

/// The same mechanism in a turned world, every body in a frame that is turned at random and lies up to `away` off.
/// Markers and loads with points are not turned.
inline MechanismDescription in_other_frames(MechanismDescription description, RandomSource& random, double away) {
  const Mat3 world = rotation_of(random.quaternion());
  description.gravity = world * description.gravity;
  std::vector<Mat3> turns;
  std::vector<Vec3> origins;
  for (BodyDescription& body : description.bodies) {
    turns.push_back(rotation_of(random.quaternion()));
    origins.push_back(random.point(away));
    body.com = turns.back() * (body.com - origins.back());
    const Mat3 inertia = turns.back() * body.inertia * turns.back().transpose();
    body.inertia = 0.5 * (inertia + inertia.transpose());
  }
  const auto place = [&](const std::string& name, JointFrame& frame) {
    Mat3 turn = world;
    Vec3 origin = Vec3::Zero();
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
      if (description.bodies[i].name == name) {
        turn = turns[i];
        origin = origins[i];
      }
    }
    frame.position = turn * (frame.position - origin);
    frame.rotation = quaternion_of(turn * rotation_of(frame.rotation));
  };
  for (JointDescription& joint : description.joints) {
    place(joint.a, joint.frame_a);
    place(joint.b, joint.frame_b);
  }
  return description;
}

inline double typed(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

/// Every length, direction, mass and initial value with so many significant digits.
inline MechanismDescription typed(MechanismDescription description, int digits) {
  const auto round = [digits](auto&& values) {
    for (double& value : values) {
      value = typed(value, digits);
    }
  };
  round(description.gravity.reshaped());
  for (BodyDescription& body : description.bodies) {
    body.mass = typed(body.mass, digits);
    round(body.com.reshaped());
    round(body.inertia.reshaped());
  }
  for (JointDescription& joint : description.joints) {
    for (JointFrame* frame : {&joint.frame_a, &joint.frame_b}) {
      round(frame->position.reshaped());
      round(frame->rotation.reshaped());
      frame->rotation.normalize();  // as the reader of files demands
    }
    round(joint.q0);
    round(joint.v0);
  }
  return description;
}

}  // namespace mbdbench::test
